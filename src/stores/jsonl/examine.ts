/** What is wrong with session files beyond their logs: damaged lines, lines that are gone, files that are no sessions or were left over. Finds; mends nothing. */

import { closeSync, existsSync, fstatSync, openSync } from "node:fs";
import { isObject, stringOf } from "../../core/json.ts";
import type { Finding } from "../../core/store/store-upkeep.ts";
import type { SessionDirectory } from "./directory.ts";
import { linesBetween } from "./lines.ts";
import { isLocked } from "./lock.ts";
import { readSession } from "./read.ts";
import type { Damage } from "./session-file.ts";

export function examineFiles(files: SessionDirectory, sessionId: string | undefined): readonly Finding[] {
  const asked = files.files().filter((file) => sessionId === undefined || file.sessionId === sessionId);
  const found = asked.flatMap(({ path, sessionId: id, isTooNew }): readonly Finding[] => {
    if (isTooNew) return [newer(path, id ?? "")];
    const file = readSession(path, "whole", undefined)?.file;
    if (file === undefined || id === undefined) return [noSession(path)];
    return [...file.damage, ...lostLines(path, file.isOwn)].map(({ rule, offset }) => ({
      sessionId: id,
      rule,
      message: `${path}, byte ${offset}: ${MESSAGES[rule][0]}`,
      remedy: MESSAGES[rule][1],
    }));
  });
  return [...found, ...leftOver(files, sessionId)];
}

/** What somebody is just writing is gone as soon as it is done. */
function leftOver(files: SessionDirectory, sessionId: string | undefined): readonly Finding[] {
  return files
    .leftOver()
    .filter(({ session }) => sessionId === undefined || session.sessionId === sessionId)
    .filter(({ path, session }) => !isLocked(session.path) && existsSync(path))
    .map(({ path, session }) => ({
      sessionId: session.sessionId ?? "",
      rule: "left-over",
      message: `${path} was left by a process that was killed while it wrote the session anew; it may hold messages that were purged or deleted.`,
      remedy: "Remove it; the next purge of the session, or its deletion, does so too.",
    }));
}

interface Lost {
  readonly rule: "lost-line";
  readonly offset: number;
}

/**
 * Each entry names the one that it follows, so a line that somebody took out leaves a name without an entry. Other programs that
 * began a file may name what they never wrote, so in theirs only entries of ours are held to it.
 */
function lostLines(path: string, isOwn: boolean): readonly Lost[] {
  const descriptor = openSync(path, "r");
  try {
    const [seen, lost]: [Set<string>, Lost[]] = [new Set(), []];
    let isBehindDamage = false;
    for (const { json, span } of linesBetween(descriptor, 0, fstatSync(descriptor).size)) {
      const parentId = stringOf(json?.parentId);
      // What a damaged line takes with it is told as that.
      const isChained = isOwn || isObject(json?.palimpsest);
      if (isChained && parentId !== undefined && !seen.has(parentId) && !isBehindDamage) {
        lost.push({ rule: "lost-line", offset: span[0] });
      }
      isBehindDamage = json === undefined;
      for (const id of [json?.id, parentId]) if (typeof id === "string") seen.add(id);
    }
    return lost.slice(0, LOST_LINES_MAX);
  } finally {
    closeSync(descriptor);
  }
}

/** One mishap may leave many names behind. */
const LOST_LINES_MAX = 100;

const MESSAGES: Readonly<Record<(Damage | Lost)["rule"], readonly [message: string, remedy: string]>> = {
  "bad-line": [
    "a line is no JSON and is passed over.",
    "Nothing is needed; restore the line from a copy if it was lost.",
  ],
  "torn-line": [
    "the last lines were not written to their end and do not count.",
    "Nothing is needed: they are passed over, and what comes next stands behind them.",
  ],
  "late-line": [
    "this line was written by a process that had been stopped for so long that it lost its lock; it does not count.",
    "Nothing is needed: whoever wrote it was told, and wrote it again.",
  ],
  "lost-line": [
    "this entry follows one that is not in the file: at least one line before it is gone.",
    "Restore the file from a backup; what is left can be read and gone on with.",
  ],
  "bad-record": ["an entry of ours is not as it was written and is passed over.", "Restore the line from a copy."],
};

function newer(path: string, sessionId: string): Finding {
  const message = `${path} was written by a newer version of this package.`;
  return { sessionId, rule: "newer-version", message, remedy: "Upgrade the package to open it." };
}

function noSession(path: string): Finding {
  const remedy = "Move it elsewhere if it is not meant to be one.";
  return { sessionId: "", rule: "no-session", message: `${path} does not begin with a session's header.`, remedy };
}
