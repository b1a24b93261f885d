/** What the Messages API refuses, in its own words. Like the provider, it merges neighbours of one role before it checks. Reads only. */

import { formatRules, isMalformed } from "../../core/format-rules.ts";
import { isCompactionPart, isSignedCompaction } from "../../core/items.ts";
import { isObject, stringOf } from "../../core/json.ts";
import { isControlMessage, type Message, type Part } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";
import { isEmptyBlock } from "../../core/repair/pass.ts";
import { isBlankMessage } from "../../core/text.ts";
import type { ListOptions } from "../body.ts";

const MESSAGES_MAX = 100_000;
/** Pictures and pages in one request, on models with a large window and on those with 200,000 tokens. */
const IMAGES_MAX = 600;
const IMAGES_MAX_SMALL = 100;

export function validateMessages(messages: readonly Message[], options: ListOptions): readonly Violation[] {
  const runs = toRuns(messages);
  const located = runs.flat();
  return [
    ...checkList(messages, options),
    ...messages.flatMap(checkContent),
    ...located.flatMap(checkPlacement),
    ...checkSystemMessages(messages, options),
    ...checkCompaction(located),
    ...checkPairs(runs, options),
    ...checkIds(located),
    ...checkServerTools(located),
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
  if (isMalformed(inner, RULES)) return refused(`${path}: malformed \`${inner.kind}\` block`);
  if (!RULES.outsideResults.includes(inner.kind)) return [];
  return refused(`${path}: a \`tool_result\` may not hold a \`${inner.kind}\` block`);
}

function emptyText(messageIndex: number, path: string): Violation {
  return { rule: "empty-content", path, messageIndex, message: "text content blocks must be non-empty" };
}

function checkPlacement(located: PartPlace): readonly Violation[] {
  const { part, role } = located;
  const only = (isAllowed: boolean, kind: string, allowed: string): readonly Violation[] =>
    isAllowed ? [] : [at(located, "misplaced-part", `\`${kind}\` blocks can only be in \`${allowed}\` messages`)];
  switch (part.type) {
    case "tool-call":
      return [
        ...only(role === "assistant", "tool_use", "assistant"),
        ...(isObject(part.input)
          ? []
          : [at(located, "invalid-input", "tool_use.input: Input should be a valid dictionary")]),
        ...(part.name === ""
          ? [at(located, "missing-name", "tool_use.name: String should have at least 1 character")]
          : []),
      ];
    case "tool-result": {
      if (!part.server) return only(role === "user", "tool_result", "user");
      return only(role === "assistant", stringOf(part.wire?.type) ?? "server_tool_result", "assistant");
    }
    case "reasoning": {
      if (role !== "assistant") return only(false, "thinking", "assistant");
      const isWhole = Boolean(part.signature) || Boolean(part.encrypted);
      return isWhole ? [] : [at(located, "thinking-unsigned", "Invalid `signature` in `thinking` block")];
    }
    case "opaque":
      if (SYSTEM_ONLY.has(part.kind) && role !== "system") return only(false, part.kind, "system");
      return isMalformed(part, RULES) ? [at(located, "invalid-request", `malformed \`${part.kind}\` block`)] : [];
    case "text":
    case "media":
      return [];
    default:
      return part satisfies never;
  }
}

const SYSTEM_ONLY: ReadonlySet<string> = new Set(["tool_addition", "tool_removal"]);

const RULES = formatRules("anthropic-messages");

function checkSystemMessages(messages: readonly Message[], { model }: ListOptions): readonly Violation[] {
  if (!messages.some(({ role }) => role === "system")) return [];
  if (formatRules("anthropic-messages", model).systemInList !== "never") return checkSystemPositions(messages);
  return messages.flatMap(({ role }, index) => (role === "system" ? [about("system-position", index, NO_SYSTEM)] : []));
}

/** Of models that do not take them. */
const NO_SYSTEM =
  'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.';

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

function checkCompaction(located: readonly PartPlace[]): readonly Violation[] {
  const signed = located.filter(({ part }) => isSignedCompaction(part));
  return signed.flatMap(({ path, messageIndex }, position): readonly Violation[] => {
    if (position > 0) {
      return [{ rule: "compaction-ambiguous", path, messageIndex, message: "compaction_block_ambiguous" }];
    }
    if (path === "messages.0.content.0") return [];
    return [{ rule: "compaction-misplaced", path, messageIndex, message: "compaction_block_misplaced" }];
  });
}

function isServerResult(part: Part | undefined): boolean {
  return part?.type === "tool-result" && part.server === true;
}

function about(rule: string, messageIndex: number, message: string): Violation {
  return { rule, path: messageIndex < 0 ? "messages" : `messages.${messageIndex}`, messageIndex, message };
}

/** A part and where it stands. */
interface PartPlace {
  readonly part: Part;
  readonly role: Message["role"];
  readonly messageIndex: number;
  readonly path: string;
}

function at({ path, messageIndex }: PartPlace, rule: string, message: string): Violation {
  return { rule, path, messageIndex, message: `${path}: ${message}` };
}

/** The parts of neighbouring messages of one role, which the provider takes for one message. */
type Run = readonly PartPlace[];

function toRuns(messages: readonly Message[]): readonly Run[] {
  const runs: PartPlace[][] = [];
  let before: Message["role"] | undefined;
  messages.forEach(({ role, parts }, messageIndex) => {
    const located = parts.map((part, position) => {
      return { part, role, messageIndex, path: `messages.${messageIndex}.content.${position}` };
    });
    if (role === before) runs.at(-1)?.push(...located);
    else runs.push(located);
    before = role;
  });
  return runs;
}

function checkPairs(runs: readonly Run[], { isContinued }: ListOptions): readonly Violation[] {
  return runs.flatMap((run, index) => {
    const role = run[0]?.role;
    if (role === "assistant") return unanswered(run, runs[index + 1]);
    return role === "user" && (index > 0 || !isContinued) ? unexpected(run, runs[index - 1]) : [];
  });
}

function unanswered(run: Run, next: Run | undefined): readonly Violation[] {
  const answered = new Set(
    next?.flatMap(({ part, role }) => (role === "user" && part.type === "tool-result" ? [part.callId] : [])),
  );
  return run.flatMap(({ part, messageIndex, path }) => {
    if (part.type !== "tool-call" || part.server || (part.callId && answered.has(part.callId))) return [];
    const message = `messages.${messageIndex}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${part.callId}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
    return [{ rule: "call-without-result", path, messageIndex, message }];
  });
}

function unexpected(run: Run, previous: Run | undefined): readonly Violation[] {
  const calls = new Set(
    previous?.flatMap(({ part, role }) =>
      role === "assistant" && part.type === "tool-call" && !part.server ? [part.callId] : [],
    ),
  );
  let hasOther = false;
  const seen = new Set<string>();
  return run.flatMap((located) => {
    const { part } = located;
    if (part.type !== "tool-result" || part.server) {
      hasOther = true;
      return [];
    }
    const id = part.callId ?? "";
    if (!calls.has(id)) {
      const text = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
      return [at(located, "result-without-call", text)];
    }
    if (seen.has(id)) {
      const text = `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      return [at(located, "duplicate-result", text)];
    }
    seen.add(id);
    return hasOther
      ? [at(located, "result-after-text", "`tool_result` blocks must come before any other content")]
      : [];
  });
}

function checkIds(all: readonly PartPlace[]): readonly Violation[] {
  const seen = new Set<string>();
  return all.flatMap((located) => {
    const { part } = located;
    if (part.type !== "tool-call" && part.type !== "tool-result") return [];
    if (!part.callId) return [at(located, "missing-id", `${part.type} has no id: Field required`)];
    if (part.type === "tool-result") return [];
    if (seen.has(part.callId)) return [at(located, "duplicate-call-id", "`tool_use` ids must be unique")];
    seen.add(part.callId);
    return [];
  });
}

function checkServerTools(all: readonly PartPlace[]): readonly Violation[] {
  const seen = new Set<string>();
  const open = new Set<string>();
  return all.flatMap((located) => {
    const { part, role } = located;
    if (role === "user" && part.type !== "tool-result" && open.size > 0) {
      const message = `while \`server_tool_use\` ${[...open].join(", ")} has no result, a user message may contain only tool results`;
      open.clear();
      return [at(located, "call-without-result", message)];
    }
    if ((part.type !== "tool-call" && part.type !== "tool-result") || !part.server) return [];
    const id = part.callId ?? "";
    if (part.type === "tool-call") {
      seen.add(id);
      open.add(id);
      return [];
    }
    open.delete(id);
    if (seen.has(id)) return [];
    const message = `unexpected \`tool_use_id\`: ${part.callId}. Each result block must have a corresponding \`server_tool_use\` block before it.`;
    return [at(located, "result-without-call", message)];
  });
}
