/**
 * Keeps credentials out of a summary, before and after the summarizer: it reads messages with a mark for each
 * credential, which says where it stood, and its answer is searched again, because a hook or a model that saw the
 * request itself may know more. Only copies are changed: the view, the archive and the request stay.
 */

import type { SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { isArray, isObject, JSON_DEPTH_MAX, type JsonArray, type JsonObject, type JsonValue } from "../core/json.ts";
import type { MediaSource, Message, Part, ToolCallPart, ToolResultPart } from "../core/message.ts";
import { once } from "../core/remember.ts";
import { isNamedSecret, redactSecrets, secretMark } from "../core/secrets/secrets.ts";
import { pairCalls } from "../core/structure/pairing.ts";
import { headOf } from "../core/text.ts";

export interface Redactor {
  /** The same input, with the same message objects where nothing was hidden. Remembers what was found. */
  input<Input extends SummaryInput>(input: Input): Input;
  /** Redacts a text about those messages: also the values that were found in them. */
  text(text: string): string;
  result(result: SummaryResult): SummaryResult;
}

export function createRedactor(): Redactor {
  const known = new Map<string, string>();
  const hiding: CredentialFilter = {
    in: (text, mark, isId = false) =>
      redactSecrets(text, { mark, isId, found: (value) => remember(known, value, mark()) }),
    whole: (value, mark) => {
      remember(known, value, mark());
      return mark();
    },
  };
  const text = (written: string): string => withoutKnown(redactSecrets(written), known);
  return {
    text,
    input: (input) => redactedInput(input, hiding),
    result: (result) => redactedResult(result, text),
  };
}

type Mark = () => string;

/** Both remember what they hide, and compute the mark only then. */
interface CredentialFilter {
  in(text: string, mark: Mark, isId?: boolean): string;
  /** The mark: the whole value is a credential. */
  whole(value: string, mark: Mark): string;
}

/** More than a conversation names; a value beyond that is still hidden where it looks like a credential. */
const KNOWN_MAX = 1_000;
const KNOWN_CHARS_MIN = 6;
const KNOWN_DIGITS_MIN = 8;

/** Also remembers the words of a header, each of which may appear alone. */
function remember(known: Map<string, string>, value: string, mark: string): void {
  const words = value.split(/[\s;]+/);
  const values = words.map((word) => word.replace(/^[\w-]{1,64}=(?=[^=])/, ""));
  for (const each of new Set([value, ...words, ...values])) {
    if (isTelling(each) && known.size < KNOWN_MAX && !known.has(each)) known.set(each, mark);
  }
}

/** The name of a field or variable: `refresh_token`. */
const SECRET_NAME = /^[a-z_.-]*(?:token|secret|key|password|credential)s?$/i;

/** A plain word and a short number may appear anywhere; several words, a very long one, or one with digits or signs, are the value. */
function isTelling(value: string): boolean {
  if (/\S\s+\S+\s+\S/.test(value) || /^\p{L}{16}/u.test(value)) return true;
  if (value.length < KNOWN_CHARS_MIN || !/[^\p{L}\s]/u.test(value) || SECRET_NAME.test(value)) return false;
  return value.length >= KNOWN_DIGITS_MIN || /\p{L}.*\d|\d.*\p{L}/u.test(value);
}

function withoutKnown(text: string, known: ReadonlyMap<string, string>): string {
  let clean = text;
  for (const [value, mark] of known) if (clean.includes(value)) clean = clean.replaceAll(value, () => mark);
  return clean;
}

function redactedResult(result: SummaryResult, clean: (text: string) => string): SummaryResult {
  const { checkpoint, partial } = result;
  return {
    ...result,
    text: clean(result.text),
    notes: result.notes.map(clean),
    ...(partial !== undefined && { partial: clean(partial) }),
    ...(checkpoint !== undefined && { checkpoint: mapTexts(checkpoint, clean) }),
  };
}

/** The same shape with every text changed; for our own records, which are not deep. */
function mapTexts<Value>(value: Value, change: (text: string) => string): Value {
  const mapped = (inner: unknown): unknown => {
    if (typeof inner === "string") return change(inner);
    if (Array.isArray(inner)) return inner.map(mapped);
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, item]) => [key, mapped(item)]));
  };
  // The same shape as the argument, which the compiler cannot see through the recursion.
  return mapped(value) as Value;
}

function redactedInput<Input extends SummaryInput>(input: Input, hiding: CredentialFilter): Input {
  const { messages, turnPrefix, kept, cut, previous, instructions } = input;
  const calls = once(() => callsOfResults([...messages, ...turnPrefix, ...kept]));
  const clean = (list: readonly Message[]): readonly Message[] => redactedMessages(list, calls, hiding);
  const said = (text: string): string => hiding.in(text, secretMark);
  return {
    ...input,
    messages: clean(messages),
    turnPrefix: clean(turnPrefix),
    kept: clean(kept),
    ...(cut !== undefined && { cut: clean(cut) }),
    ...(previous !== undefined && { previous: mapTexts(previous, said) }),
    ...(instructions !== undefined && { instructions: said(instructions) }),
  };
}

type CallOfResult = () => ReadonlyMap<Part, ToolCallPart>;

function callsOfResults(messages: readonly Message[]): ReadonlyMap<Part, ToolCallPart> {
  return new Map(
    pairCalls(messages).calls.flatMap(({ part, results }) => results.map((result) => [result.part, part])),
  );
}

/** One word that is no path, and nothing else. */
const BARE_WORD = /^\s*(?![/~.])\S{6,1024}\s*$/;
/** How commands print one value of what they name. */
const PRINTS =
  /jsonpath|go-template|base64 (?:-d|-D|--decode)|-o tsv|--output[ =]text|-field[ =]|\bop read|versions access|printenv|echo "?\$|auth token|config get|\bpass show|find-\w+-password/;
const NAMES_SECRET = /secret|passw|token|credential|[_-]key\b|\bop read|\bpass show/i;

/** Whether a call asked for the value of a credential, and its result is a bare value. */
function printsSecret(part: Part, calls: CallOfResult): part is ToolResultPart {
  if (part.type !== "tool-result" || part.content.length !== 1) return false;
  const [content] = part.content;
  if (content?.type !== "text" || !BARE_WORD.test(content.text)) return false;
  const command = commandIn(calls().get(part)?.input ?? "");
  return PRINTS.test(command) && NAMES_SECRET.test(command);
}

const COMMAND_CHARS_MAX = 4_000;

/** The arguments that are texts, or lists of them. */
function commandIn(input: JsonValue): string {
  const values = isObject(input) ? Object.values(input) : [input];
  return values
    .flatMap((value) => value ?? [])
    .flatMap((value) => (typeof value === "string" ? headOf(value, COMMAND_CHARS_MAX) : []))
    .join(" ");
}

function hiddenResult(part: ToolResultPart, mark: Mark, hiding: CredentialFilter): ToolResultPart {
  const content = part.content.map((inner) =>
    inner.type === "text" ? { ...inner, text: hiding.whole(inner.text.trim(), mark) } : inner,
  );
  return { ...part, content };
}

function redactedMessages(
  messages: readonly Message[],
  calls: CallOfResult,
  hiding: CredentialFilter,
): readonly Message[] {
  return mapped(messages, (message) => {
    const parts = mapped(message.parts, (part) => {
      const mark = markFor(part, message, calls);
      return printsSecret(part, calls) ? hiddenResult(part, mark, hiding) : redactedPart(part, mark, hiding);
    });
    return parts === message.parts ? message : { ...message, parts };
  });
}

/** Returns the same list where nothing changed. */
function mapped<Item>(items: readonly Item[], change: (item: Item, index: number) => Item): readonly Item[] {
  let changed: Item[] | undefined;
  for (let index = 0; index < items.length; index++) {
    // Inside the list, which has no holes.
    const item = items[index] as Item;
    const next = change(item, index);
    if (next === item) continue;
    changed ??= [...items];
    changed[index] = next;
  }
  return changed ?? items;
}

const PLACES: Readonly<Record<Message["role"], string>> = {
  system: "a system message",
  user: "a user message",
  assistant: "an assistant message",
  tool: "a tool message",
};

function markFor(part: Part, { role }: Message, calls: CallOfResult): Mark {
  if (part.type === "tool-call") return () => secretMark(`a call of ${toolName(part.name)}`);
  if (part.type === "tool-result")
    return () => secretMark(`the result of ${toolName(part.name ?? calls().get(part)?.name)}`);
  return () => secretMark(PLACES[role]);
}

/** Tool names come from outside too. */
function toolName(name: string | undefined): string {
  return name !== undefined && /^[\w.:-]{1,64}$/.test(name) ? name : "a tool";
}

function redactedPart(part: Part, mark: Mark, hiding: CredentialFilter): Part {
  switch (part.type) {
    case "text":
    case "reasoning": {
      const text = hiding.in(part.text, mark);
      return text === part.text ? part : { ...part, text };
    }
    case "tool-result": {
      const content = mapped(part.content, (inner) => redactedPart(inner, mark, hiding));
      return content === part.content ? part : { ...part, content };
    }
    case "tool-call": {
      const input = redactedJson(part.input, { name: "", depth: 0, mark, hiding });
      return input === part.input ? part : { ...part, input };
    }
    case "opaque": {
      const wire = redactedFields(part.wire, { name: "", depth: 0, mark, hiding });
      return wire === part.wire ? part : { ...part, wire };
    }
    case "media": {
      const name = part.name === undefined ? undefined : hiding.in(part.name, mark);
      const source = redactedSource(part.source, mark, hiding);
      if (name === part.name && source === part.source) return part;
      return { ...part, source, ...(name !== undefined && { name }) };
    }
    default:
      return part satisfies never;
  }
}

function redactedSource(source: MediaSource, mark: Mark, hiding: CredentialFilter): MediaSource {
  if (source.type === "text") {
    const text = hiding.in(source.text, mark);
    return text === source.text ? source : { ...source, text };
  }
  if (source.type !== "url" || source.url.startsWith("data:")) return source;
  const url = hiding.in(source.url, mark);
  return url === source.url ? source : { ...source, url };
}

interface JsonPlace {
  readonly name: string;
  readonly depth: number;
  readonly mark: Mark;
  readonly hiding: CredentialFilter;
}

const ID_NAME = /(?:^|[_-])(?:id|Id|ID)s?$|[a-z]I[dD]s?$/;

/** Returns the same value where nothing is hidden. A field's name may say that its value must be hidden. */
function redactedJson(value: JsonValue, place: JsonPlace): JsonValue {
  const { name, depth, mark, hiding } = place;
  if (typeof value === "string")
    return isNamedSecret(name, value) ? hiding.whole(value, mark) : hiding.in(value, mark, ID_NAME.test(name));
  if (typeof value === "number") return isNamedSecret(name, String(value)) ? mark() : value;
  if (depth > JSON_DEPTH_MAX) return value;
  if (isArray(value)) return redactedList(value, { ...place, depth: depth + 1 });
  return isObject(value) ? redactedFields(value, { ...place, depth: depth + 1 }) : value;
}

/** The words of a command are one text: `["--password", "…"]`. */
function redactedList(list: JsonArray, place: JsonPlace): JsonArray {
  const values = new Set<string>();
  if (list.length > 1 && list.every((item) => typeof item === "string"))
    redactSecrets(list.join(" "), { found: (value) => values.add(value) });
  return mapped(list, (item) => {
    const hidden = redactedJson(item, place);
    if (typeof hidden !== "string") return hidden;
    let text = hidden;
    for (const value of values)
      if (text.includes(value)) text = text.replaceAll(value, place.hiding.whole(value, place.mark));
    return text;
  });
}

function redactedFields(fields: JsonObject, place: JsonPlace): JsonObject {
  const { name: own, key } = fields;
  // `{ "name": "DB_PASSWORD", "value": "…" }`.
  const told = typeof own === "string" ? own : typeof key === "string" ? key : "value";
  let changed: Record<string, JsonValue | undefined> | undefined;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const hidden = redactedJson(value, { ...place, name: name === "value" ? told : name });
    if (hidden === value) continue;
    changed ??= { ...fields };
    changed[name] = hidden;
  }
  return changed ?? fields;
}
