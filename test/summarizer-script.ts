/** A scripted model for the summarizer port, and inputs for it: answers as data, requests recorded, no network, no waiting. */

import type { SummarizeContext, SummaryInput } from "../src/core/checkpoint/summary.ts";
import { type Message, text } from "../src/core/message.ts";
import type { SummaryInputSettings } from "../src/core/settings/settings.ts";
import { estimateTokens } from "../src/core/tokens/tokens.ts";
import { profileNamed } from "../src/profiles/profiles.ts";
import type { Complete, Completion, CompletionRequest } from "../src/summarizers/ask.ts";
import { CHECKPOINT_SECTIONS } from "../src/summarizers/prompts.ts";

export type Reply = string | Completion | Error | ((request: CompletionRequest) => Promise<Completion>);

export interface ScriptedModel {
  readonly complete: Complete;
  readonly requests: CompletionRequest[];
}

/** One reply per call; the last one repeats. */
export function scripted(...replies: readonly Reply[]): ScriptedModel {
  const requests: CompletionRequest[] = [];
  return {
    requests,
    complete: async (request) => {
      requests.push(request);
      const reply = replies[Math.min(requests.length, replies.length) - 1] ?? "";
      if (reply instanceof Error) throw reply;
      if (typeof reply === "function") return reply(request);
      return typeof reply === "string" ? { text: reply, stopReason: "stop" } : reply;
    },
  };
}

/** An error as provider SDKs throw them. */
export function statusError(status: number, message = "failed"): Error {
  return Object.assign(new Error(message), { status });
}

/** `user:` and `assistant:` messages in order. */
export function said(...lines: readonly string[]): readonly Message[] {
  return lines.map((line, index) => {
    const [role = "", ...rest] = line.split(": ");
    return { id: `m${index}`, role: role === "user" ? "user" : "assistant", parts: [text(rest.join(": "))] };
  });
}

/** As the profiles have it that ask for previews. */
export const PREVIEWS: SummaryInputSettings = profileNamed("micro-agent").summary.input;

export function inputOf(messages: readonly Message[], rest: Partial<SummaryInput> = {}): SummaryInput {
  return { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens(), ...rest };
}

export interface ProgressEvent {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

export function contextOf(signal: AbortSignal = new AbortController().signal): SummarizeContext & {
  readonly events: ProgressEvent[];
} {
  const events: ProgressEvent[] = [];
  return { signal, events, progress: (event) => events.push(event) };
}

/** A checkpoint in the exact layout, with these items under Critical Context. */
export function checkpointText(goal: string, ...context: readonly string[]): string {
  const said: Readonly<Record<string, string>> = {
    "## Goal": goal,
    "## Progress": "",
    "### Done": "- [x] Read the files",
    "### In Progress": "- [ ] The change itself",
    "## Key Decisions": "- **Keep the old table**: other services still read it",
    "## Next Steps": "1. Run the tests",
    ...(context.length > 0 && { "## Critical Context": context.map((item) => `- ${item}`).join("\n") }),
  };
  const blocks = CHECKPOINT_SECTIONS.map((heading) => {
    const body = said[heading] ?? "- (none)";
    return `${heading.startsWith("###") ? "" : "\n"}${heading}${body === "" ? "" : `\n${body}`}`;
  });
  return blocks.join("\n").trimStart();
}
