/**
 * A message of ours as entries of a pi session, and back as the very same JSON. The exact body stands beside what pi shows, under
 * `palimpsest`; it is left out where what pi shows says it all, and a picture is never written twice.
 */

import { formatRules } from "../../core/format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue, numberOf, stringOf } from "../../core/json.ts";
import type { FormatName, Role } from "../../core/message.ts";
import { piContent } from "../../core/pi-entries/pi-content.ts";
import { withStrings } from "../../core/store/attachments.ts";
import type { UsageCounts } from "../../core/store/counters.ts";
import type { LogMessage } from "../log/log-record.ts";
import { piMessages } from "./pi-message.ts";

export interface MessageContext {
  readonly format: FormatName;
  readonly model: string;
  readonly at: string;
  /** What the provider reported with this answer. */
  readonly usage?: UsageCounts;
  toolName(callId: string): string | undefined;
  /** What the batch says that ends with this message. */
  readonly batch?: { readonly turns: number; readonly usage?: UsageCounts };
}

/** The first bears the message's id, the others say whose part they are; who is whose parent is the file's business. */
export function messageEntries(message: LogMessage, context: MessageContext): readonly JsonObject[] {
  const { id, body, role, isPinned } = message;
  const [first = {}, ...others] = piMessages(body, role, metaOf(context)).map(plainWhere(body));
  const entry = (entryId: string, shown: JsonObject) => {
    return { type: "message", id: entryId, parentId: null, timestamp: context.at, message: shown };
  };
  const { batch } = context;
  const counted = batch && { turns: batch.turns, ...(batch.usage !== undefined && { usage: { ...batch.usage } }) };
  const mark = { role, ...(isPinned && { isPinned }), ...(counted !== undefined && { batch: counted }) };
  const own = others.length === 0 && isSame(bodyShown(first), body) ? {} : { ...bodyBeside(body, first) };
  return [
    { ...entry(id, first), palimpsest: { ...mark, ...own } },
    ...others.map((shown, index) => ({ ...entry(`${id}.${index + 1}`, shown), palimpsest: { part: id } })),
  ];
}

/** Undefined for an entry that is not ours. */
export function messageIn(entry: JsonObject): { role: Role; body: JsonValue; isPinned: boolean } | undefined {
  const mark = entry.palimpsest;
  if (entry.type !== "message" || !isObject(mark) || !isObject(entry.message)) return undefined;
  const role = ROLES.find((each) => each === mark.role);
  const body = mark.body === undefined ? bodyShown(entry.message) : withImages(mark, entry.message);
  return role === undefined || body === undefined ? undefined : { role, body, isPinned: mark.isPinned === true };
}

/** Of a batch that ends with the entry. */
export function batchIn(entry: JsonObject): { turns: number; usage?: UsageCounts } {
  const mark = isObject(entry.palimpsest) ? entry.palimpsest : {};
  const batch = isObject(mark.batch) ? mark.batch : {};
  const turns = numberOf(batch.turns) ?? 0;
  if (!isObject(batch.usage)) return { turns };
  const { inputTokens, outputTokens, contextTokens } = batch.usage;
  const usage = { inputTokens: numberOf(inputTokens) ?? 0, outputTokens: numberOf(outputTokens) ?? 0 };
  const window = numberOf(contextTokens);
  return { turns, usage: { ...usage, ...(window !== undefined && { contextTokens: window }) } };
}

const ROLES: readonly Role[] = ["user", "assistant", "tool", "system"];

function metaOf({ format, model, at, usage: reported, toolName }: MessageContext) {
  const { api, provider } = formatRules(format).piApi;
  const { inputTokens = 0, outputTokens = 0 } = reported ?? {};
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const totalTokens = inputTokens + outputTokens;
  const usage = { input: inputTokens, output: outputTokens, cacheRead: 0, cacheWrite: 0, totalTokens, cost };
  return { api, provider, model, timestampMs: Date.parse(at), usage, toolName };
}

/** What a user said in one string stays one: pi takes both, and then the body need not stand beside it. */
function plainWhere(body: JsonValue) {
  const content = isObject(body) && body.role === "user" ? body.content : undefined;
  return (shown: JsonObject): JsonObject =>
    typeof content === "string" && shown.role === "user" ? { ...shown, content } : shown;
}

/** The body that what pi shows stands for, in the form that most clients send. */
function bodyShown(shown: JsonObject): JsonValue | undefined {
  if (typeof shown.content === "string") return { role: shown.role, content: shown.content };
  const content = piContent({ type: "message", message: shown });
  return content && { role: content.role, content: content.blocks };
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

interface ImagePlace {
  readonly path: readonly (string | number)[];
  readonly prefix: string;
  /** Which block of what pi shows holds the data. */
  readonly image: number;
}

/** The body without the data of pictures that pi is shown. */
function bodyBeside(body: JsonValue, shown: JsonObject): JsonObject {
  const data = imagesIn(shown);
  if (data.size === 0) return { body };
  const places: ImagePlace[] = [];
  findStrings(body, [], (value, path) => {
    const comma = value.startsWith("data:") ? value.indexOf(",") : -1;
    const image = data.get(value.slice(comma + 1));
    if (image !== undefined) places.push({ path, prefix: value.slice(0, comma + 1), image });
  });
  if (places.length === 0) return { body };
  const without = withStrings(
    body,
    places.map(({ path }) => ({ path, value: "" })),
  );
  return { body: without, images: places.map(({ path, prefix, image }) => ({ path, prefix, image })) };
}

function imagesIn(shown: JsonObject): ReadonlyMap<string, number> {
  const blocks = isArray(shown.content) ? shown.content : [];
  const found = blocks.flatMap((block, index): readonly (readonly [string, number])[] =>
    isObject(block) && block.type === "image" && typeof block.data === "string" ? [[block.data, index]] : [],
  );
  return new Map(found);
}

function withImages(mark: JsonObject, shown: JsonObject): JsonValue | undefined {
  const { body, images } = mark;
  if (body === undefined || !isArray(images)) return body;
  const blocks = isArray(shown.content) ? shown.content : [];
  const places = images.filter(isObject).flatMap(({ path, prefix, image }) => {
    const block = blocks[numberOf(image) ?? -1];
    const data = isObject(block) ? stringOf(block.data) : undefined;
    const keys = isArray(path) ? path.filter((key) => typeof key === "string" || typeof key === "number") : [];
    return data === undefined ? [] : [{ path: keys, value: `${stringOf(prefix) ?? ""}${data}` }];
  });
  return withStrings(body, places);
}

function findStrings(
  value: JsonValue | undefined,
  path: ImagePlace["path"],
  visit: (value: string, path: ImagePlace["path"]) => void,
): void {
  if (typeof value === "string") visit(value, path);
  else if (isArray(value)) {
    for (const [index, element] of value.entries()) findStrings(element, [...path, index], visit);
  } else if (isObject(value)) {
    for (const [key, element] of Object.entries(value)) findStrings(element, [...path, key], visit);
  }
}
