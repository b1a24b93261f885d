/**
 * What was said to be done and is otherwise by now: a call has changed the same numbered thing again, a newer sentence sets the same name to
 * another value, the user set its number right, or work went on behind "all is pushed". Looks at what was told as done, and at calls that
 * change things. Never rewords.
 */

import type { JsonValue } from "../../../core/json.ts";
import { once } from "../../../core/remember.ts";
import { filesOfCall } from "../calls/call-files.ts";
import { callKeyOf, failureKeyOf } from "../calls/call-keys.ts";
import { briefOf } from "../calls/call-outcome.ts";
import { differing, isToldByArguments, settingsIn } from "../calls/given-arguments.ts";
import { ID_KEY, isChange, isNumbered, runs } from "../reading/evidence.ts";
import { inOrder, type KeptView } from "../reading/kept-view.ts";
import type { Prose } from "../reading/prose.ts";
import type { PlacedCall, Reading } from "../reading/reading.ts";
import { quick } from "../text/quick-expressions.ts";
import { correctedIn } from "./corrected-numbers.ts";

/** A sentence and where it was said. */
export interface Said {
  readonly text: string;
  readonly message: number;
}

/** Those that still hold, in their order, which is newest first. */
export function stillSo(done: readonly Said[], reading: Reading, kept: KeptView): readonly string[] {
  const changes = once(() => changesByNumber(reading, kept));
  const workedAt = once(() => workSince(reading, kept));
  const later = once(() => inOrder(reading.prose, kept.prose).filter(isAssistants).slice(-LATER_READ));
  const corrected = once(() => correctedIn(reading, kept));
  const newer: string[] = [];
  return done.flatMap(({ text, message }) => {
    const since = (): readonly string[] => [
      ...newer,
      ...later().flatMap((item) => (item.message > message ? [item.text] : [])),
    ];
    const isSo =
      !settingsOf(text).some((set) => isReset(set, since())) &&
      !isCountedAgain(text, since) &&
      !(/\d/.test(text) && corrected()?.(text, message) === true) &&
      !(ALL_STORED.test(text) && message < workedAt()) &&
      !isChangedAgain({ text, message }, changes);
    newer.push(text);
    return isSo ? [text] : [];
  });
}

/** Of what was said since: a bound, so that a long history costs no more than it holds. */
const LATER_READ = 400;

function isAssistants({ isUser }: Prose): boolean {
  return !isUser;
}

export type IsSuperseded = (sentence: string, message: number) => boolean;

/** Tells whether a sentence is about something numbered that was changed behind it, or corrected. Undefined where nothing such was. */
export function supersededIn(reading: Reading, kept: KeptView): IsSuperseded | undefined {
  const changes = changesByNumber(reading, kept);
  const isCorrected = correctedIn(reading, kept);
  if (changes.size === 0) return isCorrected;
  const numbers = [...changes.keys()];
  return (text, message) =>
    (numbers.some((number) => text.includes(number)) && isChangedAgain({ text, message }, () => changes)) ||
    isCorrected?.(text, message) === true;
}

/** Calls that changed something which is still as they left it; what was called again in the messages that stay is told by them. */
export function standingChanges(reading: Reading, kept: KeptView): readonly PlacedCall[] {
  const changes = once(() => changesByNumber(reading, kept));
  const { succeeded } = kept.ends;
  const isRepeated = (call: PlacedCall): boolean =>
    succeeded.has(failureKeyOf(call.name, call.brief)) && !isOtherwiseIn(kept, call);
  const made = [...reading.log.values()].filter((call) => isChange(call) && !isRepeated(call));
  // One that another has followed stands behind those between.
  return made
    .toSorted((a, b) => a.message - b.message)
    .filter((call) => {
      if (!isNumbered(call.brief)) return true;
      const later = (changes().get(call.brief) ?? []).filter(({ times }) => (times.at(-1) ?? -1) > call.message);
      const between = made.filter(({ brief, message }) => brief === call.brief && message > call.message);
      return ![...later, ...between].some((other) => ENDING.test(other.name) || setsOtherwise(other, call));
    });
}

/** What stays has changed the same thing with other arguments. */
function isOtherwiseIn({ messages }: KeptView, { name, brief, input }: PlacedCall): boolean {
  const again = messages
    .flatMap(({ parts }) => parts)
    .filter((part) => part.type === "tool-call" && part.name === name && briefOf(part) === brief);
  return (
    isToldByArguments(input) &&
    again.every((part) => part.type === "tool-call" && differing(input, part.input).length > 0)
  );
}

/** One of the values that a call has set is another by now. */
function setsOtherwise({ name, input }: Change, call: PlacedCall): boolean {
  const before = settingsIn(call.input);
  return [...settingsIn(input)].some(
    // Two tools may be paid for by two cards.
    ([key, value]) => before.has(key) && before.get(key) !== value && (name === call.name || !ID_KEY.test(key)),
  );
}

interface Change {
  readonly name: string;
  /** Of the newest time. */
  readonly input?: JsonValue;
  /** Where its results stand, each time it was made. */
  readonly times: readonly number[];
}

const NUMBER = /(?<![\w-])#?[A-Z]{1,6}-?\d[\w-]{2,30}(?![\w-])/g;
/** Every such number has this; most sentences have not, and one look takes a sixth of the time. */
const IN_NUMBER = /[A-Z]-?\d/;
const CHANGES_READ = 60;

type Changes = ReadonlyMap<string, readonly Change[]>;

/** Calls that changed something, under the number that they were given: gathered once for everybody who asks. */
function changesByNumber(reading: Reading, kept: KeptView): Changes {
  const known = KNOWN.get(reading);
  if (known !== undefined) return known;
  const changes = gatherChanges(reading, kept);
  KNOWN.set(reading, changes);
  return changes;
}

/** Holds them no longer than somebody holds what was read. */
const KNOWN = new WeakMap<Reading, Changes>();

function gatherChanges({ log }: Reading, { messages, ends }: KeptView): Changes {
  const made = new Map<string, Change>();
  for (const call of [...log.values()].filter(isChange).slice(-CHANGES_READ))
    made.set(callKeyOf(call.name, call.brief), { ...call, times: [...call.times, call.message] });
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-call" || !isChange({ name: part.name, brief: briefOf(part) })) continue;
    const key = callKeyOf(part.name, briefOf(part));
    if (ends.succeeded.has(failureKeyOf(part.name, briefOf(part))))
      made.set(key, { name: part.name, input: part.input, times: [...(made.get(key)?.times ?? []), Infinity] });
  }
  const changes = new Map<string, Change[]>();
  for (const change of made.values())
    for (const number of new Set(settingsIn(change.input).values()))
      if (isNumbered(number)) changes.set(number, [...(changes.get(number) ?? []), change]);
  return changes;
}

/** The newest call before a sentence is what it tells of. That same call once more, or one that ends everything, replaces it. */
function isChangedAgain({ text, message }: Said, changes: () => Changes): boolean {
  if (!IN_NUMBER.test(text)) return false;
  for (const number of text.match(NUMBER) ?? []) {
    const calls = changes().get(number) ?? [];
    const told = toldBy(calls, message);
    const later = calls.filter(({ times }) => (times.at(-1) ?? -1) > message);
    if (later.some((call) => call === told || ENDING.test(call.name) || contradicts(call, text))) return true;
  }
  return false;
}

const ENDING =
  /cancel|delete|remove|storn|l[oö]e?sch|annul|supprim|elimin|exclu|отмен|удал|取消|删除|削除|취소|삭제|إلغاء|حذف/i;

/** The call that was made last before a message. */
function toldBy(calls: readonly Change[], message: number): Change | undefined {
  let newest: Change | undefined;
  let at = -1;
  for (const call of calls)
    for (const time of call.times)
      if (time <= message && time > at) {
        newest = call;
        at = time;
      }
  return newest;
}

const KEY_CHARS_MIN = 4;

/** Names what a call has set, but not the value that it has set it to. */
function contradicts({ input }: Change, text: string): boolean {
  const said = text.toLowerCase();
  for (const [key, value] of settingsIn(input))
    if (key.length >= KEY_CHARS_MIN && said.includes(key.toLowerCase()) && !said.includes(value.toLowerCase()))
      return true;
  return false;
}

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** "`gateLamp` now uses `amber`", "changed `tideLimit` from 30 to 42". */
function settingsOf(text: string): readonly Setting[] {
  if (!text.includes("`")) return [];
  return [...text.matchAll(SETTING)].map(([, name = "", quoted, plain = ""]) => ({ name, value: quoted ?? plain }));
}

const SETS =
  "(?:now uses|is now|are now|now (?:points|defaults|goes) to|(?:(?:is|was|has been) )?(?:set|changed|bumped|raised|lowered|reset|switched) to|(?:ist|sind|nutzt) (?:jetzt|nun)|steht (?:jetzt|nun) auf|(?:est|utilise) (?:maintenant|désormais)|(?:ahora|agora|ora) (?:es|é|è|usa)|теперь|现在(?:是|使用|用)|改为|from `?[^\\s`]{1,40}`?(?: \\([^()]{1,60}\\))? to)";
const VALUE = "(?:`([^`\\n]{1,60})`|(-?\\d(?:[\\d.,]*\\d)?)(?![\\w-]))";
const SETTING = new RegExp(`\`([\\w.$#-]{2,60})\`(?: \\([^()]{1,60}\\))? ${SETS} ?${VALUE}`, "gi");
/** Behind the name: as above, or as in a list of values. */
const SET_AGAIN = new RegExp(`^(?: \\([^()]{1,60}\\))?(?: ${SETS} ?| ?[:=] ?)${VALUE}`, "i");
const AGAIN_CHARS = 160;

/** Whether one of the texts, all newer, sets the name to something else. */
function isReset({ name, value }: Setting, newer: readonly string[]): boolean {
  const quoted = `\`${name}\``;
  return newer.some((text) => {
    for (let at = text.indexOf(quoted); at >= 0; at = text.indexOf(quoted, at + 1)) {
      const behind = at + quoted.length;
      const [, code, plain] = SET_AGAIN.exec(text.slice(behind, behind + AGAIN_CHARS)) ?? [];
      const again = code ?? plain;
      if (again !== undefined && again !== value) return true;
    }
    return false;
  });
}

/** "The total from 37 to 42 lamps", and then "the total from 42 to 43 blue lamps". */
function isCountedAgain(text: string, newer: () => readonly string[]): boolean {
  // Few sentences count, and the expression tries every word of one that does not.
  if (!UP_TO.test(text)) return false;
  const [, what = "", to = "", ...units] = COUNTED.exec(text) ?? [];
  if (what === "") return false;
  return newer().some((other) => {
    if (!other.includes(what)) return false;
    const [, same, again, ...others] = COUNTED.exec(other) ?? [];
    return same === what && again !== to && units.some((unit) => unit !== undefined && others.includes(unit));
  });
}

/** What is counted, up to which number, and the words behind it. */
const COUNTED = quick(
  String.raw`(?<!\p{L})(\p{L}{4,}) (?:from|von|de|da|от|с) \d+ (?:to|auf|à|a|до) (\d+) (\p{L}{4,})(?: (\p{L}{4,}))?`,
  "",
);

const UP_TO = / \d+ (?:to|auf|à|a|до) \d/;

/** All of it, not one thing among others. */
const ALL_STORED =
  /\b(?:working (?:tree|directory|copy)|worktree)\b.{0,30}\bclean\b|\b(?:all|everything)\b(?! (?:tests?|checks?)).{0,40}\b(?:committed|pushed|up[- ]to[- ]date)\b|\bnothing (?:left )?to (?:commit|push)\b|(?:alles|sämtliche änderungen) .{0,30}(?:committet|eingecheckt|gepusht)|\btout est .{0,20}(?:commité|poussé)|\btodo está .{0,20}(?:confirmado|subido)/i;

/** Where a commit was made or a file changed last; behind everything where that stays in the view. */
function workSince({ log, editedAt }: Reading, { messages }: KeptView): number {
  const isWork = messages.some(({ parts }) =>
    parts.some(
      (part) => part.type === "tool-call" && (filesOfCall(part).modified.length > 0 || runs(part, "git commit")),
    ),
  );
  if (isWork) return Infinity;
  return Math.max(editedAt, [...log.values()].findLast(({ brief }) => brief.includes("git commit"))?.message ?? -1);
}
