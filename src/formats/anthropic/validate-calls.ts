/**
 * Calls and results of a Messages list: each answered at once, under ids of their own, those of the provider's own tools before the
 * user says more. Reads only; speaks in the provider's words.
 */

import type { Message, Part } from "../../core/message.ts";
import type { Violation } from "../../core/ports.ts";
import type { ListOptions } from "../validation.ts";

/** A part and where it stands. */
export interface Located {
  readonly part: Part;
  readonly messageIndex: number;
  readonly path: string;
}

/** Neighbouring messages of one role, as the provider sees them. */
export interface Run {
  readonly role: Message["role"];
  readonly located: readonly Located[];
}

export function toRuns(messages: readonly Message[]): readonly Run[] {
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

export function checkCalls(runs: readonly Run[], options: ListOptions): readonly Violation[] {
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
