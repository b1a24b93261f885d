/**
 * What the Messages API refuses, as far as a client can see it, in its own words. The provider merges neighbours of one role before it
 * checks; so does this file. Reads only.
 */

import { isBlankMessage } from "../../core/blank-text.ts";
import { formatRules } from "../../core/format-rules.ts";
import { isObject, stringOf } from "../../core/json.ts";
import { isControlMessage, type Message, type Part } from "../../core/message.ts";
import { isCompactionPart, isSignedCompaction } from "../../core/plan/native-items.ts";
import type { Violation } from "../../core/ports.ts";
import type { ListOptions } from "../body.ts";

const MESSAGES_MAX = 100_000;
/** Pictures and pages in one request, on models with a large window and on those with 200,000 tokens. */
const IMAGES_MAX = 600;
const IMAGES_MAX_SMALL = 100;

export function validateMessages(messages: readonly Message[], options: ListOptions): readonly Violation[] {
  const runs = toRuns(messages);
  return [
    ...checkList(messages, options),
    ...messages.flatMap(checkContent),
    ...runs.flatMap((run) => run.located.flatMap((located) => checkPlacement(run.role, located))),
    ...checkSystemMessages(messages, options),
    ...checkCompaction(messages),
    ...checkCalls(runs, options),
  ];
}

function checkList(messages: readonly Message[], options: ListOptions): readonly Violation[] {
  const [first] = messages;
  const last = messages.at(-1);
  if (first === undefined) return [about("no-messages", -1, "messages: at least one message is required")];
  const violations: Violation[] = [];
  if (messages.length > MESSAGES_MAX) {
    violations.push(about("too-many-messages", -1, `messages: at most ${MESSAGES_MAX} messages are allowed`));
  }
  const images = messages.reduce((sum, { parts }) => sum + countImages(parts), 0);
  const imagesMax = OLDER_MODEL.test(options.model ?? "") ? IMAGES_MAX_SMALL : IMAGES_MAX;
  if (images > imagesMax) {
    violations.push(about("too-many-images", -1, `messages: at most ${imagesMax} images are allowed, found ${images}`));
  }
  if (first.role !== "user" && !isCompactionPart(first.parts[0]) && !options.isContinued) {
    violations.push(about("first-role", 0, 'messages: first message must use the "user" role'));
  }
  if (options.sending && isPrefill(last) && !OLDER_MODEL.test(options.model ?? "")) {
    const message =
      "This model does not support assistant message prefill. The conversation must end with a user message.";
    violations.push(about("ends-with-assistant", messages.length - 1, message));
  }
  return violations;
}

/** A file has a page at least. */
function countImages(parts: readonly Part[]): number {
  return parts.reduce((sum, part) => {
    if (part.type === "tool-result") return sum + countImages(part.content);
    return part.type === "media" && part.source.type !== "text" ? sum + 1 : sum;
  }, 0);
}

/** Generations before 4.6: they continue a begun answer, and their windows are the small ones. */
const OLDER_MODEL = /claude-(?:instant|[23]|(?:opus|sonnet|haiku)-4(?:-[015]\b|-\d{8}|$))/;

/** A paused turn ends in the provider's own tools and is sent back as it is. */
function isPrefill(last: Message | undefined): boolean {
  const part = last?.parts.at(-1);
  return last?.role === "assistant" && part?.type === "text";
}

function checkContent(message: Message, index: number, messages: readonly Message[]): readonly Violation[] {
  if (isControlMessage(message)) return [];
  const isFinalAssistant = index === messages.length - 1 && message.role === "assistant";
  const isEmpty = message.parts.every((part) => part.type === "text" && part.text === "");
  if (isEmpty && !isFinalAssistant) {
    const rule = "all messages must have non-empty content except for the optional final assistant message";
    return [about("empty-content", index, `messages.${index}: ${rule}`)];
  }
  if (isBlankMessage(message) && !isFinalAssistant) {
    return [about("empty-content", index, "messages: text content blocks must contain non-whitespace text")];
  }
  return message.parts.flatMap((part, position) => {
    const path = `messages.${index}.content.${position}`;
    if (part.type === "tool-result" && !part.server) {
      if (part.content.length === 0 && part.wire?.content === null) {
        const message = `${path}.content: Input should be a valid string or list`;
        return [{ rule: "invalid-request", path: `${path}.content`, messageIndex: index, message }];
      }
      return part.content.flatMap((inner, offset) => checkInner(inner, index, `${path}.content.${offset}`));
    }
    return part.type === "text" && part.text === "" && !isFinalAssistant ? [emptyText(index, path)] : [];
  });
}

function checkInner(inner: Part, messageIndex: number, path: string): readonly Violation[] {
  if (isEmptyBlock(inner)) return [emptyText(messageIndex, path)];
  if (inner.type !== "opaque") return [];
  const refused = (message: string): readonly Violation[] => [{ rule: "invalid-request", path, messageIndex, message }];
  if (KNOWN_BUT_BROKEN.has(inner.kind)) return refused(`${path}: malformed \`${inner.kind}\` block`);
  if (!OUTSIDE_RESULTS.has(inner.kind)) return [];
  return refused(`${path}: a \`tool_result\` may not hold a \`${inner.kind}\` block`);
}

function emptyText(messageIndex: number, path: string): Violation {
  return { rule: "empty-content", path, messageIndex, message: "text content blocks must be non-empty" };
}

/** A result that is a string may be empty. */
function isEmptyBlock(part: Part): boolean {
  return part.type === "text" && part.text === "" && part.wire !== undefined;
}

function checkPlacement(role: Message["role"], { part, messageIndex, path }: Located): readonly Violation[] {
  const at = (rule: string, message: string): Violation => ({
    rule,
    path,
    messageIndex,
    message: `${path}: ${message}`,
  });
  switch (part.type) {
    case "tool-call":
      return [
        ...(role === "assistant"
          ? []
          : [at("misplaced-part", "`tool_use` blocks can only be in `assistant` messages")]),
        ...(isObject(part.input) ? [] : [at("invalid-input", "tool_use.input: Input should be a valid dictionary")]),
        ...(part.name === "" ? [at("missing-name", "tool_use.name: String should have at least 1 character")] : []),
      ];
    case "tool-result":
      if (part.server) {
        const kind = `\`${stringOf(part.wire?.type) ?? "server_tool_result"}\``;
        return role === "assistant"
          ? []
          : [at("misplaced-part", `${kind} blocks can only be in \`assistant\` messages`)];
      }
      return role === "user" ? [] : [at("misplaced-part", "`tool_result` blocks can only be in `user` messages")];
    case "reasoning": {
      if (role !== "assistant") return [at("misplaced-part", "`thinking` blocks can only be in `assistant` messages")];
      const isWhole = Boolean(part.signature) || Boolean(part.encrypted);
      return isWhole ? [] : [at("thinking-unsigned", "Invalid `signature` in `thinking` block")];
    }
    case "opaque":
      if (SYSTEM_ONLY.has(part.kind) && role !== "system") {
        return [at("misplaced-part", `\`${part.kind}\` blocks can only be in \`system\` messages`)];
      }
      return KNOWN_BUT_BROKEN.has(part.kind) ? [at("invalid-request", `malformed \`${part.kind}\` block`)] : [];
    case "text":
    case "media":
      return [];
    default:
      return part satisfies never;
  }
}

const SYSTEM_ONLY: ReadonlySet<string> = new Set(["tool_addition", "tool_removal"]);

/** Blocks that we do read: left opaque only when a required field was missing. */
const KNOWN_BUT_BROKEN: ReadonlySet<string> = new Set(formatRules("anthropic-messages").readKinds);

function checkSystemMessages(messages: readonly Message[], { model }: ListOptions): readonly Violation[] {
  if (!messages.some(({ role }) => role === "system")) return [];
  if (formatRules("anthropic-messages", model).systemInList !== "never") return checkSystemPositions(messages);
  return messages.flatMap(({ role }, index) => (role === "system" ? [about("system-position", index, NO_SYSTEM)] : []));
}

/** Of models that do not take them. */
const NO_SYSTEM =
  'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';
const OUTSIDE_RESULTS: ReadonlySet<string> = new Set(formatRules("anthropic-messages").outsideResults);

/** A system message stands after a user turn, before an assistant turn or at the end, and never inside a round. */
function checkSystemPositions(messages: readonly Message[]): readonly Violation[] {
  const afterOf = followers(messages);
  let before: Message | undefined;
  return messages.flatMap((message, index) => {
    if (message.role !== "system") {
      before = message;
      return [];
    }
    const followsUser = before?.role === "user";
    const followsServerResult = before?.role === "assistant" && isServerResult(before.parts.at(-1));
    const after = afterOf[index];
    const precedesAssistant = after === undefined || after.role === "assistant";
    if ((followsUser || followsServerResult) && precedesAssistant) return [];
    const text = `messages.${index}: a \`system\` message must follow a user turn and precede an assistant turn or end the list`;
    return [about("system-position", index, text)];
  });
}

/** For each the next message that is no system message; found in one walk, however many of those stand in a row. */
function followers(messages: readonly Message[]): readonly (Message | undefined)[] {
  const found: (Message | undefined)[] = [];
  let after: Message | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    found[index] = after;
    const message = messages[index];
    if (message?.role !== "system") after = message;
  }
  return found;
}

function checkCompaction(messages: readonly Message[]): readonly Violation[] {
  const signed = messages.flatMap(({ parts }, index) =>
    parts.flatMap((part, position) => (isSignedCompaction(part) ? [{ index, position }] : [])),
  );
  return signed.flatMap(({ index, position }, at) => {
    const path = `messages.${index}.content.${position}`;
    if (at > 0)
      return [{ rule: "compaction-ambiguous", path, messageIndex: index, message: "compaction_block_ambiguous" }];
    if (index === 0 && position === 0) return [];
    return [{ rule: "compaction-misplaced", path, messageIndex: index, message: "compaction_block_misplaced" }];
  });
}

function isServerResult(part: Part | undefined): boolean {
  return part?.type === "tool-result" && part.server === true;
}

function about(rule: string, messageIndex: number, message: string): Violation {
  return { rule, path: messageIndex < 0 ? "messages" : `messages.${messageIndex}`, messageIndex, message };
}

/** A part and where it stands. */
interface Located {
  readonly part: Part;
  readonly messageIndex: number;
  readonly path: string;
}

/** Neighbouring messages of one role, as the provider sees them. */
interface Run {
  readonly role: Message["role"];
  readonly located: readonly Located[];
}

function toRuns(messages: readonly Message[]): readonly Run[] {
  const runs: { role: Message["role"]; located: Located[] }[] = [];
  messages.forEach(({ role, parts }, messageIndex) => {
    const last = runs.at(-1);
    const run = last?.role === role ? last : { role, located: [] };
    if (run !== last) runs.push(run);
    parts.forEach((part, position) => {
      run.located.push({ part, messageIndex, path: `messages.${messageIndex}.content.${position}` });
    });
  });
  return runs;
}

function checkCalls(runs: readonly Run[], options: ListOptions): readonly Violation[] {
  return [...checkPairs(runs, options), ...checkIds(runs), ...checkServerTools(runs)];
}

function checkPairs(runs: readonly Run[], { isContinued }: ListOptions): readonly Violation[] {
  return runs.flatMap((run, index) => {
    if (run.role === "assistant") return unanswered(run, runs[index + 1]);
    if (index === 0 && isContinued) return [];
    return run.role === "user" ? unexpected(run, runs[index - 1]) : [];
  });
}

function unanswered(run: Run, next: Run | undefined): readonly Violation[] {
  const answered = next?.role === "user" ? resultIds(next) : new Set<string>();
  return run.located.flatMap(({ part, messageIndex, path }) => {
    if (part.type !== "tool-call" || part.server || answered.has(part.callId ?? "")) return [];
    const message = `messages.${messageIndex}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${part.callId}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    return [{ rule: "call-without-result", path, messageIndex, message }];
  });
}

function unexpected(run: Run, previous: Run | undefined): readonly Violation[] {
  const calls = new Set(
    previous?.role === "assistant"
      ? previous.located.flatMap(({ part }) => (part.type === "tool-call" && !part.server ? [part.callId] : []))
      : [],
  );
  let hasOther = false;
  const seen = new Set<string>();
  return run.located.flatMap(({ part, messageIndex, path }) => {
    if (part.type !== "tool-result" || part.server) {
      hasOther = true;
      return [];
    }
    const id = part.callId ?? "";
    const at = (rule: string, message: string): Violation[] => [
      { rule, path, messageIndex, message: `${path}: ${message}` },
    ];
    if (!calls.has(id)) {
      const text = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      return at("result-without-call", text);
    }
    if (seen.has(id)) {
      return at(
        "duplicate-result",
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    }
    seen.add(id);
    return hasOther ? at("result-after-text", "`tool_result` blocks must come before any other content") : [];
  });
}

function checkIds(runs: readonly Run[]): readonly Violation[] {
  const seen = new Set<string>();
  return runs.flatMap((run) =>
    run.located.flatMap(({ part, messageIndex, path }) => {
      if (part.type !== "tool-call" && part.type !== "tool-result") return [];
      const at = (rule: string, message: string): Violation[] => [
        { rule, path, messageIndex, message: `${path}: ${message}` },
      ];
      if (part.callId === undefined || part.callId === "")
        return at("missing-id", `${part.type} has no id: Field required`);
      if (part.type === "tool-result") return [];
      if (seen.has(part.callId)) return at("duplicate-call-id", "`tool_use` ids must be unique");
      seen.add(part.callId);
      return [];
    }),
  );
}

function checkServerTools(runs: readonly Run[]): readonly Violation[] {
  const seen = new Set<string>();
  const open = new Set<string>();
  return runs.flatMap((run) =>
    run.located.flatMap(({ part, messageIndex, path }) => {
      const id = "callId" in part ? (part.callId ?? "") : "";
      if (run.role === "user" && part.type !== "tool-result" && open.size > 0) {
        const message = `${path}: while \`server_tool_use\` ${[...open].join(", ")} has no result, a user message may contain only tool results`;
        open.clear();
        return [{ rule: "call-without-result", path, messageIndex, message }];
      }
      if (part.type === "tool-call" && part.server) {
        seen.add(id);
        open.add(id);
      }
      if (part.type !== "tool-result" || !part.server) return [];
      open.delete(id);
      if (seen.has(id)) return [];
      const message = `${path}: unexpected \`tool_use_id\`: ${part.callId}. Each result block must have a corresponding \`server_tool_use\` block before it.`;
      return [{ rule: "result-without-call", path, messageIndex, message }];
    }),
  );
}

function resultIds(run: Run): ReadonlySet<string> {
  return new Set(run.located.flatMap(({ part }) => (part.type === "tool-result" && part.callId ? [part.callId] : [])));
}
