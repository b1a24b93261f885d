/**
 * What became of each message, from the two lists alone: kept as it was, edited, gone, new. Kept means the same JSON to the
 * byte. Every message of the first list is in the result exactly once, and so is every message of the second.
 */

import { type Conversation, type Message, textsOf } from "../core/message.ts";
import type { CountTokens } from "../core/ports.ts";
import type { DiffEntry } from "../session/views-around.ts";
import { messageShower, type ShownMessage } from "./message-label.ts";
import { count, oneLine, plural } from "./one-line.ts";
import { ELASTIC, LEFT, RIGHT, type Style, type Terminal, THIRD } from "./terminal.ts";

export function diffMessages(before: readonly Message[], after: readonly Message[]): readonly DiffEntry[] {
  const anchors = anchorsOf(before.map(wireText), after.map(wireText));
  const entries: DiffEntry[] = [];
  let from: Anchor = { before: 0, after: 0 };
  for (const anchor of [...anchors, { before: before.length, after: after.length }]) {
    entries.push(...diffGap({ before, after }, from, anchor));
    if (anchor.before < before.length) entries.push({ mark: "=", ...anchor });
    from = { before: anchor.before + 1, after: anchor.after + 1 };
  }
  return entries;
}

interface Anchor {
  readonly before: number;
  readonly after: number;
}

/** Compaction keeps the order, so the first place behind the last match is the right one. From the end: tails are kept. */
function anchorsOf(before: readonly string[], after: readonly string[]): readonly Anchor[] {
  const places = new Map<string, number[]>();
  before.forEach((text, index) => {
    const known = places.get(text);
    if (known === undefined) places.set(text, [index]);
    else known.push(index);
  });
  const anchors: Anchor[] = [];
  let limit = before.length;
  for (let index = after.length - 1; index >= 0; index--) {
    const candidates = places.get(after[index] ?? "");
    while (candidates !== undefined && (candidates.at(-1) ?? -1) >= limit) candidates.pop();
    const place = candidates?.pop();
    if (place === undefined) continue;
    anchors.push({ before: place, after: index });
    limit = place;
  }
  return anchors.reverse();
}

interface Lists {
  readonly before: readonly Message[];
  readonly after: readonly Message[];
}

/** Between two kept messages: edited ones find their originals, the rest is gone or new. */
function diffGap({ before, after }: Lists, from: Anchor, to: Anchor): readonly DiffEntry[] {
  const entries: DiffEntry[] = [];
  let left = from.before;
  let added: DiffEntry[] = [];
  const removeUntil = (end: number): void => {
    for (; left < end; left++) entries.push({ mark: "-", before: left });
    entries.push(...added);
    added = [];
  };
  for (let right = from.after; right < to.after; right++) {
    const original = originalOf(after[right], before.slice(left, to.before));
    if (original < 0) {
      added.push({ mark: "+", after: right });
      continue;
    }
    removeUntil(left + original);
    entries.push({ mark: "~", before: left, after: right });
    left++;
  }
  removeUntil(to.before);
  return entries;
}

/** The same calls or results, or the same words with some more behind them. */
function originalOf(edited: Message | undefined, candidates: readonly Message[]): number {
  if (edited === undefined) return -1;
  const ids = callIds(edited);
  const said = textsOf(edited.parts).join("\n");
  return candidates.findIndex((candidate) => {
    if (candidate.role !== edited.role) return false;
    if (ids !== "") return callIds(candidate) === ids;
    const words = textsOf(candidate.parts.filter(({ type }) => type !== "reasoning")).join("\n");
    return words !== "" && said.startsWith(words);
  });
}

function callIds({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === "tool-call" || part.type === "tool-result" ? [part.callId ?? part.name] : []))
    .join(" ");
}

function wireText({ wire, role, parts }: Message): string {
  return JSON.stringify(wire?.json ?? [role, parts]);
}

/** A message before and after: `=` kept, `~` edited, `-` replaced, `+` added. */
export interface DiffLine extends Omit<ShownMessage, "index"> {
  readonly mark: DiffEntry["mark"];
  /** Of a stored message. */
  readonly id?: string | undefined;
  readonly before?: number;
  readonly after?: number;
}

export function shownDiff(
  diff: readonly DiffEntry[],
  before: Pick<Conversation, "messages">,
  after: Pick<Conversation, "messages">,
  tokensOf: CountTokens,
): readonly DiffLine[] {
  const [showBefore, showAfter] = [messageShower(before, tokensOf), messageShower(after, tokensOf)];
  return diff.map((entry) => {
    const { index: _, ...shown } = "after" in entry ? showAfter(entry.after) : showBefore(entry.before);
    return { ...entry, ...shown };
  });
}

const STYLES: Readonly<Record<DiffLine["mark"], Style>> = { "=": "gray", "~": "yellow", "-": "red", "+": "green" };

export function diffLines(diff: readonly DiffLine[], terminal: Terminal): readonly string[] {
  const rows = diff.map(({ mark, id, before, after, what, tokens, begins }) => [
    mark,
    id ?? String(before ?? after ?? ""),
    oneLine(what),
    count(tokens),
    oneLine(begins),
  ]);
  const columns = [LEFT, RIGHT, THIRD, RIGHT, ELASTIC];
  const styleOf = (index: number): Style => STYLES[diff[index]?.mark ?? "="];
  return [terminal.heading(titleOf(diff)), ...terminal.table(rows, { columns, indent: 0, styleOf })];
}

function titleOf(diff: readonly DiffLine[]): string {
  const times = (mark: DiffLine["mark"]): number => diff.filter((line) => line.mark === mark).length;
  const [kept, edited] = [times("="), times("~")];
  const shown = edited === 0 ? "" : `, ${count(edited)} changed (~)`;
  return `${plural(kept, "message")} kept (=)${shown}, ${count(times("-"))} replaced (-), ${count(times("+"))} added (+)`;
}
