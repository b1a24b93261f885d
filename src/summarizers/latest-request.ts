/** The user's newest request in the user's own words, bounded. Never a summary's account of it. */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import type { Message } from "../core/message.ts";
import { requestOf as wordsOf } from "../core/plan/own-words.ts";
import { userTexts } from "../core/plan/refusal-words.ts";
import { speaksIn } from "../core/plan/words-beside.ts";
import { cutMiddle } from "./cut-text.ts";
import { headingKey, parseSections } from "./sections.ts";

const REQUEST_CHARS_MAX = 1_000;
const CUT_MARKER = " [...] ";
/** "yes", "go on": a request this short leans on the one before it, which is quoted as well. */
const SHORT_CHARS = 80;
const REQUESTS_MAX = 3;

/** Oldest first; without any in the messages, the one that the previous summary carries. */
export function latestRequests({ messages, turnPrefix, kept, previous }: SummaryInput): readonly string[] {
  const requests: string[] = [];
  for (const list of [kept, turnPrefix, messages]) {
    const speaks = speaksIn(list);
    for (let index = list.length - 1; index >= 0; index--) {
      const message = list[index];
      const request = message === undefined || !speaks(message) ? undefined : requestOf(message);
      if (request === undefined) continue;
      requests.unshift(request);
      if (request.length >= SHORT_CHARS || requests.length >= REQUESTS_MAX) return requests;
    }
  }
  if (requests.length > 0) return requests;
  const carried = previous?.checkpoint?.latestRequest ?? carriedRequest(previous?.text ?? "");
  return carried === "" ? [] : [bounded(carried)];
}

function requestOf(message: Message): string | undefined {
  const texts = userTexts(message.parts).map((said) => wordsOf(said.toWellFormed()));
  const request = texts.filter((text) => text !== "").join("\n");
  return request === "" ? undefined : bounded(request);
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
