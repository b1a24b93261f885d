/** One pass over messages: who said what, and which calls were made, with what came of them. Decides who speaks by the structure alone. */

import type { SummaryInput } from "../../core/checkpoint/summary.ts";
import type { JsonValue } from "../../core/json.ts";
import { type Message, type Part, textsOf } from "../../core/message.ts";
import { isForeignSummary, requestOf, userVoice } from "../../core/plan/user-voice.ts";
import { type PairedCall, pairCalls } from "../../core/structure/pairing.ts";
import { askedIn, isObservation } from "./observation.ts";

interface Place {
  /** Its message's place in the conversation. */
  readonly at: number;
  readonly ids: readonly string[];
  /** It stays in the view. */
  readonly isKept: boolean;
}

export interface Spoken extends Place {
  readonly type: "user" | "assistant" | "summary" | "note";
  readonly text: string;
  /** The assistant said it without calling anything: it ends a piece of work. */
  readonly isFinal: boolean;
}

export interface Called extends Place {
  readonly type: "call";
  readonly name: string;
  readonly input: JsonValue;
  /** What came back; empty where nothing did. */
  readonly output: string;
  readonly isError: boolean;
  readonly isAnswered: boolean;
  /** It stays in the view, but with a part of its result cut out. */
  readonly isCut: boolean;
}

export type Event = Spoken | Called;

/** What leaves and what stays, in the order in which it was said; messages that were shortened as they were before. */
export function inOrder({ messages, turnPrefix, kept: shown, keptAfter, cut = [] }: SummaryInput): readonly Message[] {
  const leaving = [...messages, ...turnPrefix];
  const whole = new Map(cut.map((message) => [message.id, message]));
  const kept = shown.map((message) => whole.get(message.id) ?? message);
  const all: Message[] = [];
  let next = 0;
  kept.forEach((message, index) => {
    const before = Math.max(next, Math.min(leaving.length, keptAfter?.[index] ?? leaving.length));
    all.push(...leaving.slice(next, before), message);
    next = before;
  });
  return [...all, ...leaving.slice(next)];
}

export interface EventOptions {
  readonly userTools: readonly string[] | undefined;
  /** Ids of the messages that stay in the view. */
  readonly kept: ReadonlySet<string>;
  /** Ids of those of them that were shortened. */
  readonly cut: ReadonlySet<string>;
}

export function eventsOf(messages: readonly Message[], { userTools, kept, cut }: EventOptions): readonly Event[] {
  const voice = userVoice(messages, userTools);
  const calls = new Map<Part, PairedCall>();
  for (const call of pairCalls(messages).calls) calls.set(call.part, call);
  const working = workingMessages(messages);
  const events: Event[] = [];
  let isStarted = false;
  messages.forEach((message, at) => {
    const place: Place = { at, ids: [message.id], isKept: kept.has(message.id) };
    if (message.role === "assistant") {
      isStarted = true;
      addAssistant(message, { place, calls, messages, cut, working, events });
    } else if (isForeignSummary(message)) {
      const [summary = "", ...others] = plainTexts(message);
      events.push({ type: "summary", text: summary, isFinal: false, ...place });
      for (const text of others.map(requestOf))
        if (text !== "") events.push({ type: "user", text, isFinal: false, ...place });
    } else
      addUser(message, {
        place,
        events,
        isStarted,
        words: voice.wordsIn(message, (said) => askedIn(said, isStarted)),
        isSpeaking: voice.speaksIn(message),
      });
  });
  return events;
}

interface Adding {
  readonly place: Place;
  readonly events: Event[];
}

interface AddingCalls extends Adding {
  readonly calls: ReadonlyMap<Part, PairedCall>;
  readonly messages: readonly Message[];
  readonly cut: ReadonlySet<string>;
  readonly working: ReadonlySet<Message>;
}

/** Messages of the assistant with a call, or right before one: some formats have a message for each. */
function workingMessages(messages: readonly Message[]): ReadonlySet<Message> {
  const working = new Set<Message>();
  let next: Message | undefined;
  for (const message of messages.toReversed()) {
    const calls = message.parts.some(({ type }) => type === "tool-call");
    if (message.role === "assistant" && (calls || (next !== undefined && working.has(next)))) working.add(message);
    next = message;
  }
  return working;
}

function addAssistant(message: Message, { place, calls, messages, cut, working, events }: AddingCalls): void {
  const isFinal = !working.has(message);
  for (const part of message.parts) {
    if (part.type === "text" && part.text.trim() !== "")
      events.push({ type: "assistant", text: part.text, isFinal, ...place });
    if (part.type !== "tool-call") continue;
    const results = calls.get(part)?.results ?? [];
    const ids = [...place.ids, ...results.flatMap(({ at }) => messages[at.message]?.id ?? [])];
    events.push({
      type: "call",
      name: part.name,
      input: part.input,
      output: results.flatMap((result) => textsOf(result.part.content)).join("\n"),
      isError: results.some((result) => result.part.isError),
      isAnswered: results.length > 0,
      isCut: ids.some((id) => cut.has(id)),
      ...place,
      ids: [...new Set(ids)],
    });
  }
}

interface AddingWords extends Adding {
  readonly words: readonly string[];
  readonly isStarted: boolean;
  readonly isSpeaking: boolean;
}

/** A user's words; or the output of what an agent wrote as a command, where a client passes it on as a user's. */
function addUser(message: Message, { place, events, words, isStarted, isSpeaking }: AddingWords): void {
  if (message.role === "system") return;
  if (isSpeaking) for (const text of words) events.push({ type: "user", text, isFinal: false, ...place });
  for (const output of plainTexts(message)) {
    if (INTERRUPTED.test(output)) events.push({ type: "note", text: output.trim(), isFinal: false, ...place });
    if (isObservation(output, isStarted)) addObservation(output, place, events);
  }
}

/** A client's note that the user stopped the work. */
const INTERRUPTED = /^\s*\[Request (?:interrupted|aborted|cancell?ed)\b[^\]\n]*\]\s*$/i;

function addObservation(output: string, place: Place, events: Event[]): void {
  const before = events.at(-1);
  const command = before?.type === "assistant" ? writtenCommand(before.text) : "";
  events.push({
    type: "call",
    name: /^[\w.-]{2,30}/.exec(command)?.[0] ?? "Tool output",
    input: command === "" ? {} : { command },
    output: output.replace(/^\s*(?:OBSERVATION|Observation|EXECUTION RESULT)[^\n:]*:/, ""),
    isError: false,
    isAnswered: true,
    isCut: false,
    ...place,
    ids: [...(before?.type === "assistant" ? before.ids : []), ...place.ids],
  });
}

/** The last block of code in a text: what an agent without tools wants to be run. */
function writtenCommand(text: string): string {
  const end = text.lastIndexOf("```");
  const start = end < 0 ? -1 : text.lastIndexOf("```", end - 1);
  if (start < 0) return "";
  const block = text.slice(start + 3, end);
  return block.slice(block.indexOf("\n") + 1).trim();
}

function plainTexts({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "text" && part.text.trim() !== "" ? [part.text] : []));
}
