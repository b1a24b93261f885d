/**
 * What a request costs and what of it is in the provider's cache. A request is a row of units (tools, system prompt, the parts of the
 * messages); each unit's digest covers everything before it, so equal digests mean equal prefixes.
 */

import { isArray, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { unmarked } from "../../core/marks.ts";
import type { Conversation, Part } from "../../core/message.ts";
import type { TokenCounter } from "../../core/tokens/tokens.ts";
import { digestOf } from "./seal.ts";

export interface CachePolicy {
  /** Shorter prefixes are not cached. */
  readonly minimumTokens: number;
  /** `marked`: only up to `cache_control`. `everywhere`: any prefix that was sent. */
  readonly entries: "marked" | "everywhere";
  /** Whether the provider reports what it wrote. */
  readonly reportsWrites: boolean;
  readonly lifetimeMs: number;
}

export interface Unit {
  readonly digest: string;
  readonly tokens: number;
  /** Of this unit and all before it. */
  readonly totalTokens: number;
  readonly mark: "short" | "long" | undefined;
}

/** Everything of a request in the order in which providers read it. */
export function unitsOf(conversation: Conversation, counter: TokenCounter, seed = ""): readonly Unit[] {
  const units: Unit[] = [];
  let digest = "";
  let totalTokens = 0;
  const add = (text: string, tokens: number, mark: Unit["mark"]): void => {
    digest = digestOf(digest, text);
    totalTokens += tokens;
    units.push({ digest, tokens, totalTokens, mark });
  };
  const { tools, system, messages } = conversation;
  const toolMark = isArray(tools) ? markOf(tools.findLast((tool) => markOf(tool) !== undefined)) : undefined;
  if (tools !== undefined) add(canonicalTools(tools), counter.countTools(tools), toolMark);
  for (const part of system) add(`system ${canonicalPart(part)}`, counter.countParts([part]), markOf(part.wire));
  if (seed !== "") add(seed, 0, undefined);
  for (const message of messages) {
    const { role, parts } = message;
    const framing = counter.count({ ...message, parts: [] });
    if (parts.length === 0) add(`${role} ${canonicalJson(message.wire?.json)}`, framing, undefined);
    parts.forEach((part, position) => {
      const tokens = counter.countParts([part]) + (position === 0 ? framing : 0);
      add(`${role} ${canonicalPart(part)}`, tokens, markOf(part.wire));
    });
  }
  return units;
}

export function tokensOf(units: readonly Unit[]): number {
  return units.at(-1)?.totalTokens ?? 0;
}

/** The same text for the same part, whatever mark it carries and whether it came as a string or as a block. */
export function canonicalPart(part: Part): string {
  if (part.type === "text") return `text ${part.text}`;
  return canonicalJson(part.wire ?? JSON.parse(JSON.stringify(part)));
}

export function canonicalTools(tools: JsonValue | undefined): string {
  return isArray(tools) ? tools.map(canonicalJson).join() : canonicalJson(tools);
}

function canonicalJson(value: JsonValue | undefined): string {
  return JSON.stringify(isObject(value) ? unmarkedInside(unmarked(value)) : value) ?? "";
}

/** A mark may stand on a block inside a tool result. */
function unmarkedInside(block: JsonObject): JsonObject {
  const { content } = block;
  if (!isArray(content)) return block;
  return { ...block, content: content.map((inner) => (isObject(inner) ? unmarked(inner) : inner)) };
}

function markOf(wire: JsonValue | undefined): Unit["mark"] {
  if (!isObject(wire) || !isObject(wire.cache_control)) return undefined;
  return wire.cache_control.ttl === "1h" ? "long" : "short";
}

/** How far before a mark the provider looks for what an earlier request wrote. */
const LOOKBACK_UNITS = 20;
const LONG_LIFETIME_MS = 3_600_000;

export interface CacheUse {
  readonly readTokens: number;
  readonly writtenTokens: number;
  readonly writtenLongTokens: number;
}

export interface PromptCache {
  /** Reads and writes for one request. */
  use(key: string, units: readonly Unit[], policy: CachePolicy): CacheUse;
}

/** `now` decides what has expired; a clock that stands still forgets nothing. */
export function createPromptCache(now: () => number): PromptCache {
  const caches = new Map<string, Map<string, number>>();
  return {
    use: (key, units, policy) => {
      const entries = caches.get(key) ?? new Map<string, number>();
      caches.set(key, entries);
      const isWarm = ({ digest, totalTokens }: Unit): boolean =>
        totalTokens >= policy.minimumTokens && (entries.get(digest) ?? Number.NEGATIVE_INFINITY) > now();
      const places = units.flatMap(({ mark }, index) =>
        policy.entries === "everywhere" || mark !== undefined ? [index] : [],
      );
      const read = warmestOf(units, places, isWarm);
      const renew = ({ digest, mark }: Unit): void => {
        const expires = now() + (mark === "long" ? LONG_LIFETIME_MS : policy.lifetimeMs);
        entries.set(digest, Math.max(expires, entries.get(digest) ?? expires));
      };
      // A read renews what it found.
      if (read !== undefined) renew(read);
      let reached = read?.totalTokens ?? 0;
      let writtenTokens = 0;
      let writtenLongTokens = 0;
      for (const unit of places.flatMap((index) => units[index] ?? [])) {
        if (unit.totalTokens < policy.minimumTokens) continue;
        renew(unit);
        const added = Math.max(0, unit.totalTokens - reached);
        reached += added;
        writtenTokens += added;
        if (unit.mark === "long") writtenLongTokens += added;
      }
      return { readTokens: read?.totalTokens ?? 0, writtenTokens, writtenLongTokens };
    },
  };
}

function warmestOf(
  units: readonly Unit[],
  places: readonly number[],
  isWarm: (unit: Unit) => boolean,
): Unit | undefined {
  for (const place of places.toReversed()) {
    const found = units.slice(Math.max(0, place - LOOKBACK_UNITS), place + 1).findLast(isWarm);
    if (found !== undefined) return found;
  }
  return undefined;
}
