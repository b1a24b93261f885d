/** The user's newest request in the user's own words, bounded. Never a summary's account of it. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import type { Message } from "../core/message.ts";
import { userVoice } from "../core/plan/user-voice.ts";
import { cutMiddle } from "./cut-text.ts";
import { askedIn } from "./extractive/reading/tool-output.ts";
import { headingKey, parseSections } from "./sections.ts";

const REQUEST_CHARS_MAX = 1_000;
const CUT_MARKER = " [...] ";
/** "yes", "go on": a request this short leans on the one before it, which is quoted as well. */
const SHORT_CHARS = 80;
const REQUESTS_MAX = 3;

/** Oldest first; without any in the messages, the one that the previous summary carries. */
export function latestRequests(input: SummaryInput): readonly string[] {
  const { messages, turnPrefix, kept, previous, userTools } = input;
  const requests: string[] = [];
  for (const list of [kept, turnPrefix, messages]) {
    const voice = userVoice(list, userTools);
    for (let index = list.length - 1; index >= 0; index--) {
      const message = list[index];
      if (message === undefined || !voice.speaksIn(message)) continue;
      const words = voice.wordsIn(message, (said) => askedIn(said, isStarted(input, list, index)));
      if (words.length === 0) continue;
      const request = bounded(words.join("\n").toWellFormed());
      requests.unshift(request);
      if (request.length >= SHORT_CHARS || requests.length >= REQUESTS_MAX) return requests;
    }
  }
  if (requests.length > 0) return requests;
  const carried = previous?.checkpoint?.latestRequest ?? carriedRequest(previous?.text ?? "");
  return carried === "" ? [] : [bounded(carried)];
}

/** Whether an assistant spoke before a message. */
function isStarted(input: SummaryInput, list: readonly Message[], index: number): boolean {
  const { messages, turnPrefix, kept, keptAfter, previous } = input;
  if (previous !== undefined || list.slice(0, index).some(isAssistants)) return true;
  if (list === messages) return false;
  const before = list === kept ? [...messages, ...turnPrefix].slice(0, keptAfter?.[index]) : messages;
  return before.some(isAssistants);
}

function isAssistants({ role }: Message): boolean {
  return role === "assistant";
}

function bounded(request: string): string {
  return cutMiddle(request.replace(/\r\n?/g, "\n"), REQUEST_CHARS_MAX, CUT_MARKER);
}

function carriedRequest(text: string): string {
  const section = parseSections(text).find(({ heading }) => headingKey(heading) === "latestRequest");
  const quoted = section?.lines.filter((line) => line.startsWith(">")) ?? [];
  return quoted
    .map((line) => line.slice(2))
    .join("\n")
    .trim();
}
