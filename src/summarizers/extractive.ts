/**
 * The embedded default summarizer: builds the checkpoint from what stands in the messages, in the conversation's own words and language, under a token
 * budget. It concludes nothing. No model, no network, no clock: the same input gives the same bytes, in linear time.
 */

import { detectLanguage, type Language, SAMPLE_CHARS_MAX } from "../core/checkpoint/language.ts";
import type { Summarizer, SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { charsOf, type Message, textsOf } from "../core/message.ts";
import { compose, openingChars } from "./extractive/compose.ts";
import { hasCue, labelsOf } from "./extractive/cues.ts";
import { earlierOf, fileUnits, freeUnits } from "./extractive/earlier.ts";
import { type Called, type Event, eventsOf, inOrder, type Spoken } from "./extractive/events.ts";
import { givenTo, rankIdentifiers } from "./extractive/identifiers.ts";
import { type LoggedCall, logOf, readCalls, succeededIn } from "./extractive/log.ts";
import { wordsIn } from "./extractive/observation.ts";
import { causeIn } from "./extractive/outcome.ts";
import { contentWords, oneLine, passagesOf } from "./extractive/text.ts";
import { type Todo, todosOf } from "./extractive/todos.ts";
import { assistantUnits, knownUnits, logUnits, spokenUnits, type Unit } from "./extractive/units.ts";
import { WEIGHTS } from "./extractive/weights.ts";

const VERSION = "2";

/** The embedded default summarizer: no model, no options, the same bytes for the same messages. */
export function extractive(): Summarizer {
  return {
    name: "extractive",
    version: VERSION,
    planCalls: () => 0,
    summarize: async (input, { signal }) => {
      signal.throwIfAborted();
      return summarizeExtractively(input);
    },
  };
}

/** One name for so many characters of the budget is ranked; more could not be told. */
const CHARS_PER_NAME = 12;
const NAMES_MIN = 200;

function summarizeExtractively(input: SummaryInput): SummaryResult {
  const { budgetTokens, counter } = input;
  const leaving = [...input.messages, ...input.turnPrefix];
  const messages = inOrder(input);
  const events = eventsOf(messages, {
    userTools: input.userTools,
    kept: new Set(input.kept.map(({ id }) => id)),
    cut: new Set(input.cut?.map(({ id }) => id)),
  });
  const calls = readCalls(events.filter((event) => event.type === "call"));
  const isTalk = !events.some(({ type }) => type === "call");
  const charsMax = charsFor(input, leaving, isTalk);
  const fieldNames = new Set(calls.flatMap(fieldNamesOf));
  const identifiers = rankIdentifiers(messages, Math.max(NAMES_MIN, Math.ceil(charsMax / CHARS_PER_NAME)), fieldNames);
  const language = languageOf(events);
  const isUnlabelled = !events.some(({ type }) => type === "assistant" || type === "call");
  const units = unitsOf({ input, events, calls, language, isTalk, isUnlabelled, identifiers, messages, charsMax });
  const { checkpoint, text } = compose(
    {
      units,
      weights: identifiers.weights,
      given: givenTo(calls),
      kept: input.kept.flatMap(readableTexts),
      language,
      isTalk,
      isUnlabelled,
      focus: new Set(contentWords(input.instructions ?? "")),
    },
    { charsMax, fits: (said) => said.length <= charsMax && counter.countText(said) <= budgetTokens },
  );
  const notes = text === "" ? [`A budget of ${budgetTokens} tokens holds no summary.`] : [];
  return { text, checkpoint, calls: 0, notes };
}

/** Of one result, so much is searched for the names of its fields. */
const RESULT_CHARS_MAX = 20_000;
/** A field's name, in JSON however often it is quoted. */
const FIELD_NAME = /(?<![A-Za-z_])([A-Za-z_]{3,60})\\{0,9}["'] ?:/g;

/** Names of fields of a call and its result, which nobody needs to be told. */
function fieldNamesOf({ fields, called }: LoggedCall): readonly string[] {
  const returned = called.output.slice(0, RESULT_CHARS_MAX).matchAll(FIELD_NAME);
  return [...fields.flatMap(({ key }) => key.split(".")), ...Array.from(returned, ([, name = ""]) => name)];
}

interface Source {
  readonly input: SummaryInput;
  readonly events: readonly Event[];
  readonly calls: readonly LoggedCall[];
  readonly language: Language;
  readonly isTalk: boolean;
  readonly isUnlabelled: boolean;
  readonly identifiers: ReturnType<typeof rankIdentifiers>;
  readonly messages: readonly Message[];
  readonly charsMax: number;
}

function unitsOf({
  input,
  events,
  calls,
  language,
  isTalk,
  isUnlabelled,
  identifiers,
  messages,
  charsMax,
}: Source): readonly Unit[] {
  const last = events.at(-1)?.at ?? 0;
  const log = logOf(calls);
  const todos = newestTodos(events);
  const said = events.filter((event) => event.type === "assistant" && event.isFinal);
  const earlier = earlierOf(input.previous, {
    succeeded: succeededIn(calls),
    told: [
      ...log.filter(({ type }) => type !== "failure").map(({ text }) => text),
      ...said.flatMap((event) => (event.type === "call" ? [] : event.text.split("\n"))),
    ],
    hasPlan: todos !== undefined,
    hasRequest: events.some(({ type }) => type === "user"),
  });
  const places = new Map(messages.map(({ id }, at) => [id, at]));
  return [
    ...earlier.units,
    ...events.flatMap((event) => (event.type === "summary" && !event.isKept ? freeUnits(event.text, event.ids) : [])),
    ...requestUnits(events, { language, isTalk, isUnlabelled, hasEarlier: earlier.units.length > 0, charsMax }),
    ...todoUnits(todos),
    ...stopUnits(events),
    ...begunUnits(events, language),
    ...logUnits(log, last),
    ...fileUnits(calls, earlier.checkpoint),
    ...assistantUnits(events, { language, isTalk, charsMax }),
    ...knownUnits(calls, identifiers, places),
  ];
}

interface RequestOptions {
  readonly language: Language;
  readonly isTalk: boolean;
  readonly isUnlabelled: boolean;
  readonly hasEarlier: boolean;
  readonly charsMax: number;
}

/** A longer request is chosen from by its sentences. */
const WHOLE_SHARE_MAX = 0.3;
/** Names, addresses and numbers that a user gives. */
const EXACT = /`|https?:|\d{2}|["'][\w.@/-]{3,80}["']/;
/** A longer sentence would leave no room for what follows it. */
const OPENING_SENTENCE_SHARE = 0.6;
/** A rule says at its beginning that it is one. */
const RULE_START_CHARS = 16;

function requestUnits(
  events: readonly Event[],
  { language, isTalk, isUnlabelled, hasEarlier, charsMax }: RequestOptions,
): readonly Unit[] {
  const asked = events.filter(
    (event, at): event is Spoken => event.type === "user" && !(isShown(event.text) && events[at + 1]?.type === "user"),
  );
  const first = asked[0];
  const newest = asked.at(-1);
  return asked.flatMap((event): readonly Unit[] => {
    if (event.isKept) return [];
    const isFirst = event === first && !hasEarlier;
    const role = !isUnlabelled && (isFirst || event === newest) ? "goal" : "earlier";
    const factor = isFirst ? WEIGHTS.first : event === newest ? WEIGHTS.newest : 1;
    const isWhole = role === "goal" && !isTalk && event.text.length <= WHOLE_SHARE_MAX * charsMax;
    if (isWhole) {
      const whole = {
        section: "request",
        role,
        text: event.text.trim(),
        order: event.at,
        ids: event.ids,
        bonus: 2,
        factor,
      } as const;
      return [whole];
    }
    const { own, pasted } = isTalk ? { own: event.text, pasted: [] } : wordsIn(event.text);
    // Its beginning says what it is about.
    const room = role === "goal" ? openingChars(charsMax) : 0;
    const longest = OPENING_SENTENCE_SHARE * room;
    let opening = room;
    let index = 0;
    const units = spokenUnits({ ...event, text: own }, ({ text }) => {
      const isOpening = text.length <= Math.min(opening, longest);
      // The earlier the surer.
      const bonus = isOpening ? WEIGHTS.opening * (text.length + WEIGHTS.lineChars) * (1 + opening / room) : 0;
      if (text.length <= longest) opening -= text.length;
      const isRule = !isTalk && hasCue(text, "rule", language);
      // Elsewhere such words mostly tell how the result behaves, or what is to be done now.
      const isStanding = isRule && hasCue(text.slice(0, RULE_START_CHARS), "rule", language);
      if (isStanding && role === "earlier") return { section: "rule", bonus: 0.1, factor: WEIGHTS.cue.rule };
      const cue = isRule ? WEIGHTS.cue.rule : 1;
      if (role === "earlier") return { section: "request", role, bonus, factor: factor * cue };
      const place = 1 + 1 / (1 + index++ / WEIGHTS.openingPassages);
      return {
        section: "request",
        role,
        bonus,
        factor: factor * cue * place * (EXACT.test(text) ? WEIGHTS.cue.exact : 1),
      };
    });
    return [...units, ...pasted.map((output) => pastedUnit(output, event, language))];
  });
}

/** Whether a text only shows how such a task is done; the task follows it. */
function isShown(text: string): boolean {
  return DEMONSTRATION.test(text.slice(0, DEMONSTRATION_CHARS));
}

const DEMONSTRATION =
  /^\W*(?:(?:here|this|below) (?:is|are)|here's|the following (?:is|are)|following (?:is|are))\b[^.\n]{0,40}\b(?:demonstrations?|examples?)\b/i;
const DEMONSTRATION_CHARS = 200;

/** What a program printed and the user passed on, by the line that names the cause. */
function pastedUnit(output: string, { at, ids }: Spoken, language: Language): Unit {
  const text = `[${labelsOf(language).toolOutput}: ${causeIn(output)}]`;
  return { section: "request", role: "earlier", text, head: `user ${at}`, order: at + 0.5, ids, bonus: 0, factor: 1 };
}

/** That the user stopped the work, where nothing has followed. */
function stopUnits(events: readonly Event[]): readonly Unit[] {
  const last = events.at(-1);
  if (last?.type !== "note" || last.isKept) return [];
  return [{ section: "plan", role: "blocked", text: last.text, order: last.at, ids: last.ids, bonus: 1, factor: 1 }];
}

const BEGUN_CHARS_MAX = 160;

/** The newest request where it stays and calls for it leave: behind the summary of that work it would look untouched. */
function begunUnits(events: readonly Event[], language: Language): readonly Unit[] {
  const at = events.findLastIndex(({ type }) => type === "user");
  const asked = events[at];
  if (asked?.type !== "user" || !asked.isKept || events.slice(0, at).every(({ isKept }) => isKept)) return [];
  const since = events.slice(at + 1).filter(({ isKept }) => !isKept);
  const isAnswered = since.some((event) => event.type === "assistant" && event.isFinal);
  if (isAnswered || !since.some(({ type }) => type === "call")) return [];
  const text = `${labelsOf(language).user}: "${oneLine(asked.text, BEGUN_CHARS_MAX)}"`;
  return [{ section: "plan", role: "inProgress", text, order: asked.at, ids: asked.ids, bonus: 3, factor: 1 }];
}

/** The newest list, if it leaves; one that stays is seen. */
function newestTodos(events: readonly Event[]): { readonly todos: readonly Todo[]; readonly call: Called } | undefined {
  const call = events.findLast((event): event is Called => event.type === "call" && todosOf(event.input) !== undefined);
  return call === undefined ? undefined : { call, todos: todosOf(call.input) ?? [] };
}

function todoUnits(newest: ReturnType<typeof newestTodos>): readonly Unit[] {
  if (newest === undefined || newest.call.isKept) return [];
  const roles = { done: "done", inProgress: "inProgress", blocked: "blocked", pending: "nextSteps" } as const;
  return newest.todos.map(({ text, state }, index) => ({
    section: "plan",
    role: roles[state],
    text,
    order: newest.call.at + index / 100,
    ids: newest.call.ids,
    bonus: state === "done" ? 0.05 : 0.5,
    factor: 1,
  }));
}

const SAMPLES = 200;
/** Short messages are mostly what the format adds to each. */
const PER_TOKEN_MIN = 2.4;
/** In a small budget the headings alone take a good part. */
const SMALL_TOKENS = 300;
const PER_TOKEN_SMALL = 3.3;
const SAMPLE_MESSAGE_CHARS = 20_000;
/** Where people talk, tokens and characters go together, and the tokens decide. */
const TALK_MARGIN = 1.15;
/** However much stays beside it. */
const SHARE_MIN = 0.7;
/** The sample is not the whole. */
const CHARS_MARGIN = 0.98;

/**
 * Of the characters the summary gets no greater share than of the tokens: its prose counts for fewer tokens than what it stands for, and whoever
 * measures in characters would find it too long.
 */
function charsFor({ budgetTokens, counter, kept }: SummaryInput, leaving: readonly Message[], isTalk: boolean): number {
  const step = Math.max(1, Math.floor(leaving.length / SAMPLES));
  const sample = leaving.filter((message, index) => index % step === 0 && charsOf(message) <= SAMPLE_MESSAGE_CHARS);
  const tokens = counter.total(sample);
  const perToken = Math.max(
    budgetTokens < SMALL_TOKENS ? PER_TOKEN_SMALL : PER_TOKEN_MIN,
    sample.reduce((sum, message) => sum + charsOf(message), 0) / Math.max(1, tokens),
  );
  const keptChars = kept.reduce((sum, message) => sum + charsOf(message), 0);
  if (isTalk) return TALK_MARGIN * perToken * budgetTokens;
  const whole = CHARS_MARGIN * perToken * budgetTokens;
  const beside = CHARS_MARGIN * perToken * (budgetTokens + counter.total(kept)) - keptChars - 60;
  return Math.max(Math.min(whole, beside), whole * SHARE_MIN);
}

/** Everything in a message that its reader sees, call arguments included. */
function readableTexts(message: Message): readonly string[] {
  const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [JSON.stringify(part.input)] : []));
  return [...textsOf(message.parts), ...calls];
}

function languageOf(events: readonly Event[]): Language {
  let sample = "";
  for (const event of events) {
    if (event.type !== "user" || sample.length > SAMPLE_CHARS_MAX) continue;
    for (const { text } of passagesOf(event.text)) sample += `${text}\n`;
  }
  return detectLanguage(sample);
}
