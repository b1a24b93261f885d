/** Context editing as the Messages API does it: oldest tool results and thinking first, on what the model reads, never on what was sent. */

import { isArray, isObject, type JsonObject, type JsonValue, numberOf } from "../../../core/json.ts";

/** The entries of `context_management.edits` of one kind. */
export function editsOf(body: JsonObject, type: string): readonly JsonObject[] {
  const { context_management: management } = body;
  const edits = isObject(management) && isArray(management.edits) ? management.edits : [];
  return edits.filter(isObject).filter((edit) => edit.type === type);
}

export interface Edited {
  readonly messages: readonly JsonValue[];
  readonly applied: readonly JsonObject[];
}

type CountMessages = (messages: readonly JsonValue[]) => number;

/** `count` tells the tokens of a request with these messages. */
export function applyEdits(body: JsonObject, count: CountMessages): Edited {
  let messages = isArray(body.messages) ? body.messages : [];
  const applied: JsonObject[] = [];
  const steps = [
    ...editsOf(body, "clear_thinking_20251015").map((edit) => [edit, clearThinking] as const),
    ...editsOf(body, "clear_tool_uses_20250919").map((edit) => [edit, clearToolUses] as const),
  ];
  for (const [edit, step] of steps) {
    const before = count(messages);
    const cleared = step(messages, edit, before);
    if (cleared === undefined) continue;
    const freed = before - count(cleared.messages);
    if (freed < limitOf(edit.clear_at_least, 0)) continue;
    messages = cleared.messages;
    applied.push({ type: edit.type, ...cleared.counts, cleared_input_tokens: freed });
  }
  return { messages, applied };
}

interface Cleared {
  readonly messages: readonly JsonValue[];
  readonly counts: JsonObject;
}

const TRIGGER_TOKENS = 100_000;
const KEPT_TOOL_USES = 3;
const PLACEHOLDER = "[Old tool result content cleared]";

function clearToolUses(messages: readonly JsonValue[], edit: JsonObject, tokens: number): Cleared | undefined {
  const excluded = isArray(edit.exclude_tools) ? edit.exclude_tools : [];
  const uses = blocksOf(messages, "tool_use").filter(({ name }) => !excluded.includes(name ?? ""));
  const isByUses = isObject(edit.trigger) && edit.trigger.type === "tool_uses";
  if ((isByUses ? uses.length : tokens) < limitOf(edit.trigger, TRIGGER_TOKENS)) return undefined;
  const old = uses.slice(0, Math.max(0, uses.length - limitOf(edit.keep, KEPT_TOOL_USES)));
  if (old.length === 0) return undefined;
  const ids = new Set(old.map(({ id }) => id));
  const { clear_tool_inputs: inputs } = edit;
  const clearsInput = ({ name }: JsonObject): boolean =>
    inputs === true || (isArray(inputs) && inputs.includes(name ?? ""));
  const edited = mapBlocks(messages, (block) => {
    if (block.type === "tool_result" && ids.has(block.tool_use_id)) return [{ ...block, content: PLACEHOLDER }];
    const isCleared = block.type === "tool_use" && ids.has(block.id) && clearsInput(block);
    return [isCleared ? { ...block, input: {} } : block];
  });
  return { messages: edited, counts: { cleared_tool_uses: old.length } };
}

/** A turn of thinking is an assistant message that has some. */
function clearThinking(messages: readonly JsonValue[], edit: JsonObject): Cleared | undefined {
  const { keep } = edit;
  // Newer models keep all of it unless they are told otherwise.
  if (keep === undefined || keep === "all" || (isObject(keep) && keep.type === "all")) return undefined;
  const turns = messages.flatMap((message, index) => (blocksOf([message], "thinking").length > 0 ? [index] : []));
  const old = new Set(turns.slice(0, Math.max(0, turns.length - limitOf(keep, 1))));
  if (old.size === 0) return undefined;
  const edited = messages.flatMap((message, index) =>
    old.has(index) ? mapBlocks([message], (block) => (block.type === "thinking" ? [] : [block])) : [message],
  );
  return { messages: edited, counts: { cleared_thinking_turns: old.size } };
}

function limitOf(setting: JsonValue | undefined, otherwise: number): number {
  return (isObject(setting) ? numberOf(setting.value) : undefined) ?? otherwise;
}

function blocksOf(messages: readonly JsonValue[], type: string): readonly JsonObject[] {
  return messages
    .flatMap((message) => (isObject(message) && isArray(message.content) ? message.content : []))
    .filter(isObject)
    .filter((block) => block.type === type);
}

function mapBlocks(
  messages: readonly JsonValue[],
  map: (block: JsonObject) => readonly JsonObject[],
): readonly JsonValue[] {
  return messages.map((message) => {
    if (!isObject(message) || !isArray(message.content)) return message;
    const content = message.content.flatMap((block): readonly JsonValue[] => (isObject(block) ? map(block) : [block]));
    return { ...message, content };
  });
}
