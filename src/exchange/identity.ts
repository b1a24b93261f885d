/**
 * Tells conversations apart by what they say. Each message has a digest that cache marks, a text as string or as its one block, and the
 * order of keys do not change; a chain of digests stands for a list up to each of its messages. Ids that clients send only narrow: many
 * send one id for several conversations, and some send none. Never keeps a key: a caller is a keyed hash of it.
 */

import { createHmac, hash } from "node:crypto";
import { isArray, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { unmarked } from "../core/marks.ts";

/** Long enough that nobody finds two messages with the same one. */
const HASH_CHARS = 32;

const KEY_HEADERS = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/** Tells callers apart without keeping what they send to be known by; "" for one that sends nothing. */
export function callerOf({ url, headers }: { readonly url: string; readonly headers: Headers }, key: string): string {
  const sent = KEY_HEADERS.flatMap((name) => headers.get(name) ?? []);
  const inUrl = new URL(url).searchParams.get("key");
  const keys = inUrl === null ? sent : [...sent, inUrl];
  if (keys.length === 0) return "";
  return createHmac("sha256", key).update(JSON.stringify(keys)).digest("base64url").slice(0, HASH_CHARS);
}

/** The chains of one root: the same list under another caller, format or id is another conversation. */
export interface Identity {
  /**
   * For each message the hash of the list up to it. Costs what is new, for lists whose objects tell their beginning, as `KnownTexts` reads
   * them: two lists that have an object in common at one place have everything before it in common.
   */
  chain(root: readonly string[], list: readonly JsonValue[]): readonly string[];
}

/** Where an object stands in a list, and the hashes of that list. */
interface Place {
  readonly root: string;
  readonly at: number;
  /** Only ever gets longer. */
  readonly hashes: string[];
}

export function createIdentity(): Identity {
  const places = new WeakMap<object, Place>();
  const placeOf = (message: JsonValue | undefined): Place | undefined =>
    isObject(message) ? places.get(message) : undefined;
  return {
    chain: (root, list) => {
      const key = JSON.stringify(root);
      const last = list.findLastIndex((message, at) => {
        const place = placeOf(message);
        return place?.at === at && place.root === key;
      });
      const known = placeOf(list[last])?.hashes ?? [];
      // A list that leaves the known one goes on with hashes of its own.
      const hashes = known.length === last + 1 ? known : known.slice(0, last + 1);
      for (const message of list.slice(last + 1)) {
        const at = hashes.push(hashOf((hashes.at(-1) ?? hashOf(key)) + digestOf(message))) - 1;
        if (isJsonObject(message)) places.set(message, { root: key, at, hashes });
      }
      return hashes.slice();
    },
  };
}

const digests = new WeakMap<object, string>();

/** Of what a message says. */
export function digestOf(message: JsonValue): string {
  const known = isJsonObject(message) ? digests.get(message) : undefined;
  if (known !== undefined) return known;
  const made = hashOf(canonical(message));
  if (isJsonObject(message)) digests.set(message, made);
  return made;
}

function hashOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, HASH_CHARS);
}

function isJsonObject(value: JsonValue): value is JsonObject {
  return isObject(value);
}

/** Where a text may stand as a string or as its one block. */
const TEXT_KEYS: ReadonlySet<string> = new Set(["content", "output"]);

function canonical(value: JsonValue): string {
  if (isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const plain = unmarked(value);
  const fields = Object.keys(plain)
    .toSorted()
    .map((key) => {
      const field = plain[key] ?? null;
      return `${JSON.stringify(key)}:${canonical(TEXT_KEYS.has(key) ? (onlyText(field) ?? field) : field)}`;
    });
  return `{${fields.join(",")}}`;
}

function onlyText(content: JsonValue): string | undefined {
  const [block, ...others] = isArray(content) ? content : [];
  if (!isObject(block) || others.length > 0 || typeof block.text !== "string") return undefined;
  const { type, text: _, ...rest } = unmarked(block);
  return TEXT_BLOCKS.has(type) && Object.keys(rest).length === 0 ? block.text : undefined;
}

const TEXT_BLOCKS: ReadonlySet<unknown> = new Set(["text", "input_text", "output_text"]);

/** A message as it is stored: the marks for the provider's cache belong to one request alone. */
export function withoutMarks(message: JsonValue): JsonValue {
  if (!isObject(message)) return message;
  const plain = unmarked(message);
  const { content } = plain;
  return isArray(content) ? { ...plain, content: content.map(withoutMarks) } : plain;
}
