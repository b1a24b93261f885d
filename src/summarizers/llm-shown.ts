/**
 * What the model is shown of a conversation: everything where that fits, else with the oldest results shortened, reads before changes; and the
 * messages that stay. Pure.
 */

import type { SummaryInput } from "../core/checkpoint/summary.ts";
import type { Message } from "../core/message.ts";
import { once } from "../core/remember.ts";
import type { SummaryInputSettings } from "../core/settings/settings.ts";
import { pairCalls } from "../core/structure/pairing.ts";
import { isChanging } from "./call-files.ts";
import { oversizeLimit, type PlannedEntry, shortenOldest } from "./call-plan.ts";
import type { LlmSettings } from "./llm-options.ts";
import { serializeEntries } from "./serialize.ts";
import { capEntries, cutMiddleToTokens, joinEntries, MIDDLE_CUT_MARKER, type TranscriptEntry } from "./shrink-text.ts";

const SEPARATOR_TOKENS = 2;
const TURN_PREFIX_NOTE = "[The messages from here on opened the turn in progress; the rest of it is kept]";
const CUT_NOTE = "[The messages from here on are kept without the middle of their results]";

interface ShownEntries {
  readonly entries: readonly PlannedEntry[];
  readonly notes: readonly string[];
  readonly omissions: readonly string[];
}

/** What results are shown of where not all of them fit; inputs stay whole. */
const SHORT_INPUT = { resultHeadChars: 1_500, resultTailChars: 500 };

interface EntryLimits {
  /** What one request holds. */
  readonly capacityTokens: number;
  /** Requests that parts may take. */
  readonly partsMax: number;
  /** What stands beside the transcript; it counts towards `maxChars` too. */
  readonly besideChars: number;
}

/** Whole where that fits one request; else with the oldest results shortened, where that fits one; else for several requests. */
export function entriesFor(input: SummaryInput, settings: LlmSettings, limits: EntryLimits): ShownEntries {
  const { capacityTokens, partsMax, besideChars } = limits;
  const planned: MakeEntry = (messageId, text) => ({
    messageId,
    text,
    tokens: input.counter.countText(text) + SEPARATOR_TOKENS,
  });
  const written = (shown: Partial<SummaryInputSettings>): readonly PlannedEntry[] =>
    writtenEntries(input, settings, shown).map(({ messageId, text }) => planned(messageId, text));
  const whole = written({});
  const short = once(() => new Map(written(shortInput(settings.input)).map((entry) => [entry.messageId, entry])));
  const changing = once(() => resultsOfChanges([...input.messages, ...input.turnPrefix]));
  const shortOf = (entry: PlannedEntry): PlannedEntry => short().get(entry.messageId) ?? entry;
  const within = (limitTokens: number) => {
    const reads = shortenOldest(
      whole,
      (entry) => (changing().has(entry.messageId) ? entry : shortOf(entry)),
      limitTokens,
    );
    return reads.totalTokens <= limitTokens ? reads : shortenOldest(whole, shortOf, limitTokens);
  };
  const one = within(capacityTokens);
  const isOne = settings.mode === "single" || (settings.mode === "update" && one.totalTokens <= capacityTokens);
  const { entries, shortened } = isOne ? one : within(capacityTokens * partsMax);
  const notes = shortened === 0 ? [] : [`Results in ${shortened} older messages were shortened to fit.`];
  const fitted = { entries, notes, omissions: [] };
  const { maxChars } = settings.input;
  const shownChars = maxChars > 0 ? Math.max(1, maxChars - besideChars) : 0;
  return capped(isOne ? fitted : withoutOversize(fitted, input, settings, planned), shownChars, planned);
}

/** Messages with the result of a call that changed something. */
function resultsOfChanges(messages: readonly Message[]): ReadonlySet<string> {
  const changing = pairCalls(messages).calls.filter(({ part }) => isChanging(part));
  return new Set(changing.flatMap(({ results }) => results.flatMap(({ at }) => messages[at.message]?.id ?? [])));
}

/** No more than the settings show. */
function shortInput({
  resultHeadChars: head,
  resultTailChars: tail,
}: SummaryInputSettings): Partial<SummaryInputSettings> {
  return head + tail > 0 && head + tail <= SHORT_INPUT.resultHeadChars ? {} : SHORT_INPUT;
}

/** What leaves, then the messages that stay but were shortened, as they were before. */
function writtenEntries(
  { messages, turnPrefix, kept, cut = [], userTools }: SummaryInput,
  { style, input }: LlmSettings,
  shown: Partial<SummaryInputSettings>,
): readonly TranscriptEntry[] {
  const whole = new Map(cut.map((message) => [message.id, message]));
  const leaving = [...messages, ...turnPrefix];
  const told = new Set([...leaving, ...cut].map(({ id }) => id));
  // A result is named by its call, which may stay as it is.
  const read = cut.length === 0 ? leaving : [...leaving, ...kept.map((message) => whole.get(message.id) ?? message)];
  const entries = serializeEntries(read, { style, input: { ...input, ...shown }, userTools });
  const all = entries.filter(({ messageId }) => told.has(messageId));
  // The first message of the turn may show nothing, as reasoning does.
  const firstOf = (list: readonly Message[]): number => {
    const ids = new Set(list.map(({ id }) => id));
    return all.findIndex(({ messageId }) => ids.has(messageId));
  };
  const notes = new Map([
    [firstOf(turnPrefix), TURN_PREFIX_NOTE],
    [firstOf(cut), CUT_NOTE],
  ]);
  return all.map((entry, index) => {
    const note = notes.get(index);
    return note === undefined ? entry : { ...entry, text: `${note}\n\n${entry.text}` };
  });
}

type MakeEntry = (messageId: string, text: string) => PlannedEntry;

/** Cuts the middle out of a conversation over `maxChars`. */
function capped(whole: ShownEntries, maxChars: number, planned: MakeEntry): ShownEntries {
  const entries = capEntries(whole.entries, maxChars, planned);
  if (entries === whole.entries) return whole;
  const note = `The conversation was cut from the middle to ${maxChars} characters.`;
  return { ...whole, entries, notes: [...whole.notes, note] };
}

/** Takes the middle out of messages that are too large for a part, and reports them. */
function withoutOversize(
  { entries, notes }: ShownEntries,
  { counter }: SummaryInput,
  { windowTokens }: LlmSettings,
  planned: MakeEntry,
): ShownEntries {
  const omissions: string[] = [];
  const limit = { limitTokens: oversizeLimit(windowTokens), count: counter.countText };
  const lighter = entries.map((entry) => {
    if (entry.tokens <= limit.limitTokens) return entry;
    omissions.push(
      `The middle of message ${entry.messageId} (about ${entry.tokens} tokens) was left out: it was too large.`,
    );
    return planned(entry.messageId, cutMiddleToTokens(entry.text, limit, MIDDLE_CUT_MARKER));
  });
  return { entries: lighter, notes: [...notes, ...omissions], omissions };
}

/** What the model is shown of the messages that stay: all that fits, of the results the newest. */
export function keptText(input: SummaryInput, settings: LlmSettings, limitTokens: number): string | undefined {
  const { counter, kept, userTools } = input;
  const spoken = kept.filter(({ role }) => role !== "system");
  const written = (shown: Partial<SummaryInputSettings>) =>
    serializeEntries(spoken, { style: settings.style, input: { ...settings.input, ...shown, maxChars: 0 }, userTools });
  const whole = joinEntries(written({}));
  if (counter.countText(whole) <= limitTokens) return boundedText(whole, limitTokens, input);
  return boundedText(joinEntries(written(shortInput(settings.input))), limitTokens, input);
}

/** Without its middle where it is too long; undefined where nothing is left to say. */
export function boundedText(text: string, limitTokens: number, { counter }: SummaryInput): string | undefined {
  const limit = { limitTokens: Math.floor(limitTokens), count: counter.countText };
  const fitted = cutMiddleToTokens(text.toWellFormed(), limit, MIDDLE_CUT_MARKER);
  return fitted.trim() === "" ? undefined : fitted;
}
