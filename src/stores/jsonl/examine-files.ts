/** What is wrong with session files beyond their logs: damaged lines, files that are no sessions. Finds; mends nothing. */

import type { Finding } from "../../core/store/store.ts";
import type { SessionDirectory } from "./directory.ts";
import { readSession } from "./read-session.ts";
import type { Damage } from "./session-file.ts";

export function examineFiles(files: SessionDirectory, sessionId: string | undefined): readonly Finding[] {
  const asked = files.files().filter((file) => sessionId === undefined || file.sessionId === sessionId);
  return asked.flatMap(({ path, sessionId: id, isTooNew }): readonly Finding[] => {
    if (isTooNew) return [newer(path, id ?? "")];
    const file = readSession(path, "whole", undefined)?.file;
    if (file === undefined || id === undefined) return [noSession(path)];
    return file.damage.map(({ rule, offset }) => ({
      sessionId: id,
      rule,
      message: `${path}, byte ${offset}: ${MESSAGES[rule][0]}`,
      remedy: MESSAGES[rule][1],
    }));
  });
}

const MESSAGES: Readonly<Record<Damage["rule"], readonly [message: string, remedy: string]>> = {
  "bad-line": [
    "a line is no JSON and is passed over.",
    "Nothing is needed; restore the line from a copy if it was lost.",
  ],
  "torn-line": [
    "the last line was not written to its end and does not count.",
    "Nothing is needed: the next write removes it.",
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
