/**
 * Claude Code session files (`projects/…/<id>.jsonl`, sub-agent files, `stream-json` output) as Anthropic messages.
 * The client's system prompt and tools are not recorded, so the bodies have none.
 */

import { isArray, isObject, type JsonObject, type JsonValue, numberOf, present, stringOf } from "../core/json.ts";
import type { Usage } from "../core/ports.ts";
import { assembleMessages, blocksOf, type Entry } from "./assemble-messages.ts";
import {
  type Counter,
  distinct,
  type RecordedCompaction,
  type RecordedConversation,
  recordedUsage,
  textOf,
} from "./transcript.ts";

export function readClaudeCode(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[] {
  const main: Line[] = [];
  const sidechains = new Map<string, Line[]>();
  const groupOf = new Map<string, string>();
  let index = 0;
  for (const record of records) {
    const line = readLine(record, index, counter);
    index += 1;
    if (!line.isSidechain) {
      main.push(line);
      continue;
    }
    const group = line.agentId ?? groupOf.get(line.parent ?? "") ?? line.uuid;
    groupOf.set(line.uuid, group);
    add(sidechains, group, line);
  }
  const mainId = main.findLast((line) => line.sessionId !== undefined)?.sessionId ?? "main";
  return [
    ...conversationOf(main, mainId, "main"),
    ...[...sidechains].flatMap(([group, lines]) => conversationOf(lines, group, `sidechain ${group}`)),
  ];
}

function conversationOf(lines: readonly Line[], id: string, label: string): readonly RecordedConversation[] {
  const stretches = stretchesOf(lines);
  const assembled = stretches.map((stretch) => assembleMessages(entriesOf(stretch)));
  const last = assembled.at(-1);
  if (last === undefined || assembled.every((segment) => segment.messages.length === 0)) return [];
  const calls = assembled.flatMap((segment, index) => segment.calls.map((call) => ({ segment: index, ...call })));
  const answeredBy = stretches.flatMap((stretch) => stretch.lines.map((line) => line.model));
  const model = answeredBy.findLast((name) => name !== undefined);
  return [
    {
      id,
      label,
      format: "anthropic-messages",
      body: { ...present({ model }), messages: last.messages },
      models: distinct(answeredBy),
      calls,
      segments: assembled.map(({ messages }) => ({ messages })),
      compactions: compactionsOf(stretches),
    },
  ];
}

function entriesOf({ summary, carried: earlier, lines }: Stretch): readonly Entry[] {
  const carried = new Set(earlier);
  return [...summary, ...earlier, ...lines].flatMap((line) => {
    const { role, blocks, responseId, model, usage } = line;
    return role === undefined ? [] : [{ role, blocks, carried: carried.has(line), responseId, model, usage }];
  });
}

function compactionsOf(stretches: readonly Stretch[]): readonly RecordedCompaction[] {
  return stretches.flatMap(({ opening, summary }, index) => {
    // A file that begins with a summary continues a session recorded elsewhere.
    if (opening === undefined || index === 0) return [];
    const text = summary.map((line) => textOf(line.blocks)).join("\n");
    const { trigger, tokensBefore } = opening;
    return [{ afterSegment: index - 1, ...present({ trigger, tokensBefore, summary: text || undefined }) }];
  });
}

interface Stretch {
  /** Lines kept from before the compaction that opens this stretch; they follow its summary. */
  readonly carried: readonly Line[];
  /** Lines of the stretch in the order they were written, the summary that opens it included. */
  readonly summary: readonly Line[];
  readonly lines: readonly Line[];
  /** The compaction that opens the stretch; absent at the beginning of the session. */
  readonly opening?: Boundary;
}

/** Stretches of one conversation (the main one, or one sidechain), oldest first. */
function stretchesOf(written: readonly Line[]): readonly Stretch[] {
  const lines = withoutCopies(written);
  const tree = indexTree(lines);
  const stretches: Stretch[] = [];
  const passed = new Set<Line | undefined>();
  let leaf = lines.findLast((line) => line.role !== undefined);
  while (leaf !== undefined) {
    const { branch, boundary } = walkUp(leaf, tree);
    if (boundary !== undefined && passed.has(boundary)) break; // links that go round in a circle
    passed.add(boundary);
    stretches.push(makeStretch(branch, boundary, tree));
    leaf = boundary === undefined ? undefined : leafBefore(boundary, tree);
  }
  return stretches.reverse();
}

/** A session that is resumed may be copied into its own file: a line that says the same under the same id is the same line. */
function withoutCopies(lines: readonly Line[]): readonly Line[] {
  const known = new Map<string, Line>();
  const said = new Set(lines.flatMap((line) => (line.role === "user" ? line.uuid : [])));
  return lines
    .map((line) => (said.has(line.waitedAs ?? "") ? silent(line) : line))
    .filter((line) => {
      const first = known.get(line.uuid);
      if (first === undefined) known.set(line.uuid, line);
      return first === undefined || !isSame(first, line);
    });
}

/** Still links the lines around it. */
function silent({ role: _role, ...line }: Line): Line {
  return { ...line, blocks: [] };
}

function isSame(one: Line, other: Line): boolean {
  if (one.role !== other.role || (one.boundary === undefined) !== (other.boundary === undefined)) return false;
  return one.blocks.length === other.blocks.length && JSON.stringify(one.blocks) === JSON.stringify(other.blocks);
}

interface Tree {
  readonly lines: readonly Line[];
  readonly byUuid: ReadonlyMap<string, Line>;
  readonly position: ReadonlyMap<Line, number>;
  readonly byResponse: ReadonlyMap<string, readonly Line[]>;
  readonly byAnsweredCall: ReadonlyMap<string, readonly Line[]>;
  /** The boundaries that carry a line over, oldest first. */
  readonly carriedBy: ReadonlyMap<string, readonly Line[]>;
}

function indexTree(lines: readonly Line[]): Tree {
  const byUuid = new Map<string, Line>();
  const position = new Map<Line, number>();
  const byResponse = new Map<string, Line[]>();
  const byAnsweredCall = new Map<string, Line[]>();
  for (const [index, line] of lines.entries()) {
    byUuid.set(line.uuid, line);
    position.set(line, index);
    if (line.role === "assistant" && line.responseId !== undefined) add(byResponse, line.responseId, line);
    for (const block of line.role === "user" ? line.blocks : []) {
      if (typeof block.tool_use_id === "string") add(byAnsweredCall, block.tool_use_id, line);
    }
  }
  const tree = { lines, byUuid, position, byResponse, byAnsweredCall, carriedBy: new Map<string, Line[]>() };
  for (const line of lines) {
    for (const carried of carriedLines(line, tree)) add(tree.carriedBy, carried.uuid, line);
  }
  return tree;
}

function add(index: Map<string, Line[]>, key: string, line: Line): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, [line]);
  else known.push(line);
}

/** From a leaf to the root, or to the compaction that opens its stretch. Newest first. */
function walkUp(leaf: Line, tree: Tree): { readonly branch: readonly Line[]; readonly boundary?: Line } {
  const branch: Line[] = [];
  const seen = new Set<Line>();
  let summary: Line | undefined;
  let line: Line | undefined = leaf;
  while (line !== undefined && !seen.has(line)) {
    seen.add(line);
    if (line.boundary !== undefined) return { branch, boundary: line };
    // Older clients wrote a summary and no boundary before it.
    if (summary !== undefined && line.role !== undefined) break;
    branch.push(line);
    if (line.isSummary) summary = line;
    const next: Line | undefined = parentOf(line, tree);
    const here = line.index;
    // New messages may hang on a carried one: stepping back over the boundary's place in the file ends the stretch.
    const carrier = tree.carriedBy.get(next?.uuid ?? "")?.findLast((boundary) => boundary.index < here);
    if (carrier !== undefined) return { branch, boundary: carrier };
    line = next;
  }
  return summary === undefined ? { branch } : { branch, boundary: summary };
}

/** A parent that the file does not hold (a lost line, an id of another kind) gives way to the line before. */
function parentOf(line: Line, tree: Tree): Line | undefined {
  if (line.parent === null) return undefined;
  const parent = line.parent === undefined ? undefined : tree.byUuid.get(line.parent);
  return parent ?? lineBefore(line, tree);
}

function lineBefore(line: Line, tree: Tree): Line | undefined {
  return tree.lines[(tree.position.get(line) ?? 0) - 1];
}

/** Where the conversation stood when it was compacted. */
function leafBefore(boundary: Line, tree: Tree): Line | undefined {
  const named = boundary.boundary?.logicalParent ?? boundary.parent;
  const line = typeof named === "string" ? tree.byUuid.get(named) : undefined;
  if (line !== undefined && line.index < boundary.index) return line;
  let before = lineBefore(boundary, tree);
  while (before !== undefined && before.role === undefined) before = lineBefore(before, tree);
  return before;
}

function makeStretch(branch: readonly Line[], boundary: Line | undefined, tree: Tree): Stretch {
  const carried = boundary === undefined ? [] : withTwigs(carriedLines(boundary, tree), tree);
  const carriedSet = new Set(carried);
  const hasSummary = boundary === undefined || branch.some((line) => line.isSummary);
  const inFile = hasSummary ? branch : [...summaryOf(boundary, tree), ...branch];
  const own = withTwigs(inFile, tree).filter((line) => !carriedSet.has(line));
  return {
    carried,
    summary: own.filter((line) => line.isSummary),
    lines: own.filter((line) => !line.isSummary),
    ...(boundary === undefined ? {} : { opening: boundary.boundary ?? { preserved: { uuids: [] } } }),
  };
}

/** The summary belonging to a boundary whose new messages do not hang below it: the next one written. */
function summaryOf(boundary: Line, tree: Tree): readonly Line[] {
  const start = tree.position.get(boundary) ?? 0;
  for (let index = start + 1; index < tree.lines.length; index += 1) {
    const line = tree.lines[index];
    if (line === undefined || line.boundary !== undefined) return [];
    if (line.isSummary) return [line];
  }
  return [];
}

function carriedLines(boundary: Line, tree: Tree): readonly Line[] {
  const preserved = boundary.boundary?.preserved;
  if (preserved === undefined) return [];
  if (preserved.tail === undefined) return preserved.uuids.flatMap((uuid) => tree.byUuid.get(uuid) ?? []);
  const stretch: Line[] = [];
  let line = tree.byUuid.get(preserved.tail);
  while (line !== undefined && line.boundary === undefined && stretch.length <= tree.lines.length) {
    stretch.push(line);
    if (line.uuid === preserved.head) return stretch.reverse();
    line = parentOf(line, tree);
  }
  return []; // the head is no ancestor of the tail, so the stretch is unknown
}

/** Lines of a response on the branch, and results of its calls, belong to it wherever they hang. In the order of the file. */
function withTwigs(branch: readonly Line[], tree: Tree): readonly Line[] {
  const chosen = new Set(branch);
  for (const line of branch) {
    if (line.responseId === undefined) continue;
    for (const part of tree.byResponse.get(line.responseId) ?? []) chosen.add(part);
  }
  for (const line of [...chosen]) {
    if (line.role !== "assistant") continue;
    for (const block of line.blocks) {
      const callId = block.type === "tool_use" ? block.id : undefined;
      const answers = typeof callId === "string" ? (tree.byAnsweredCall.get(callId) ?? []) : [];
      if (!answers.some((answer) => chosen.has(answer))) for (const answer of answers) chosen.add(answer);
    }
  }
  return [...chosen].filter((line) => line.role !== undefined).sort((one, other) => one.index - other.index);
}

interface Line {
  readonly index: number;
  readonly uuid: string;
  /** Null at a root; undefined where the record does not say. */
  readonly parent: string | null | undefined;
  /** Absent on records that only link others together. */
  readonly role?: "user" | "assistant";
  readonly blocks: readonly JsonObject[];
  readonly responseId?: string | undefined;
  readonly model?: string | undefined;
  readonly usage?: Usage | undefined;
  /** The id of the line that repeats a queued prompt, where the file holds one. */
  readonly waitedAs?: string | undefined;
  readonly isSummary: boolean;
  readonly boundary?: Boundary;
  readonly isSidechain: boolean;
  readonly agentId: string | undefined;
  readonly sessionId: string | undefined;
}

interface Boundary {
  readonly logicalParent?: string | undefined;
  readonly trigger?: string | undefined;
  readonly tokensBefore?: number | undefined;
  readonly preserved: Preserved;
}

/** Messages carried over behind the summary: named one by one, or as a stretch of the tree. */
interface Preserved {
  readonly uuids: readonly string[];
  readonly head?: string;
  readonly tail?: string;
}

/** Written beside the conversation and no part of it. */
const SIDE_RECORDS: ReadonlySet<string> = new Set([
  "agent-color",
  "agent-name",
  "agent-setting",
  "ai-title",
  "attachment",
  "attribution-snapshot",
  "content-replacement",
  "custom-title",
  "file-history-snapshot",
  "last-prompt",
  "mode",
  "permission-mode",
  "pr-link",
  "progress",
  "queue-operation",
  "rate_limit_event",
  "result",
  "saved_hook_context",
  "stream_event",
  "summary",
  "system",
  "tag",
  "task-summary",
  "tool_use_summary",
  "worktree-state",
]);

function readLine(record: JsonObject, index: number, counter: Counter): Line {
  const type = stringOf(record.type) ?? "(none)";
  const message = isObject(record.message) ? record.message : undefined;
  const isMessage = (type === "user" || type === "assistant") && message !== undefined;
  if (!isMessage && !SIDE_RECORDS.has(type)) counter.unknown(type);
  const line: Line = {
    index,
    uuid: stringOf(record.uuid) ?? `line-${index}`,
    parent: record.parentUuid === null ? null : stringOf(record.parentUuid),
    blocks: [],
    isSummary: record.isCompactSummary === true,
    isSidechain: record.isSidechain === true || typeof record.parent_tool_use_id === "string",
    agentId: stringOf(record.agentId) ?? stringOf(record.parent_tool_use_id),
    sessionId: stringOf(record.sessionId) ?? stringOf(record.session_id),
  };
  // `isMeta` user lines (skill texts, hook output, caveats) are hidden from the user and sent to the model: they stay.
  if (isMessage && type === "user") return { ...line, role: "user", blocks: blocksOf(message.content) };
  if (isMessage) return { ...line, ...assistantFields(record, message) };
  if (type === "attachment") return { ...line, ...queuedPrompt(record.attachment) };
  if (type !== "system") return line;
  if (record.subtype === "compact_boundary") return { ...line, boundary: readBoundary(record) };
  // Commands that the user ran inside the client are sent along as user text.
  if (record.subtype === "local_command") return { ...line, role: "user", blocks: blocksOf(record.content) };
  return line;
}

/** A prompt that the user typed while the model worked is sent with the next results. It rarely has a line of its own. */
function queuedPrompt(attachment: JsonValue | undefined): Partial<Line> {
  if (!isObject(attachment) || attachment.type !== "queued_command") return {};
  const blocks = blocksOf(attachment.prompt);
  return blocks.length === 0 ? {} : { role: "user", blocks, waitedAs: stringOf(attachment.source_uuid) };
}

function assistantFields(record: JsonObject, message: JsonObject): Partial<Line> {
  const model = stringOf(message.model);
  // Error notices and fillers that the client wrote itself are never sent to the model.
  if (record.isApiErrorMessage === true || model === "<synthetic>") return {};
  const usage = recordedUsage(message.usage);
  return { role: "assistant", blocks: blocksOf(message.content), responseId: stringOf(message.id), model, usage };
}

function readBoundary(record: JsonObject): Boundary {
  const metadata = [record.compactMetadata, record.compact_metadata].find(isObject) ?? {};
  return {
    logicalParent: stringOf(record.logicalParentUuid),
    trigger: stringOf(metadata.trigger),
    tokensBefore: numberOf(metadata.preTokens ?? metadata.pre_tokens),
    preserved: readPreserved(metadata),
  };
}

function readPreserved(metadata: JsonObject): Preserved {
  const messages = metadata.preservedMessages ?? metadata.preserved_messages;
  const segment = metadata.preservedSegment ?? metadata.preserved_segment;
  const uuids = isObject(messages) && isArray(messages.uuids) ? messages.uuids : [];
  const named = uuids.filter((uuid) => typeof uuid === "string");
  if (named.length > 0 || !isObject(segment)) return { uuids: named };
  const head = stringOf(segment.headUuid ?? segment.head_uuid);
  const tail = stringOf(segment.tailUuid ?? segment.tail_uuid);
  return head === undefined || tail === undefined ? { uuids: [] } : { uuids: [], head, tail };
}
