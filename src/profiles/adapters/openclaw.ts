/**
 * OpenClaw's nested configuration, parsed or as JSON5 text, as settings. Only `agents.defaults.compaction` is read; what else stands in
 * the file belongs to others. Translates only.
 */

import { CompactionError } from "../../core/errors.ts";
import { isPlainObject } from "../../core/json.ts";
import { checkSchema, nearestWord, refuseProblems, shownValue } from "../../core/settings/check-schema.ts";
import { amount, choice, filledText, flag, type SchemaFor } from "../../core/settings/schema.ts";
import { OPENCLAW_RESERVE_FLOOR_TOKENS, OPENCLAW_RESERVE_TOKENS } from "../profiles.ts";
import { type AdaptedSettings, inSubject } from "./adapted.ts";
import { parseJson5 } from "./json5.ts";

export interface OpenclawCompaction {
  readonly mode?: "default" | "safeguard";
  readonly reserveTokens?: number;
  readonly reserveTokensFloor?: number;
  readonly keepRecentTokens?: number;
  readonly maxHistoryShare?: number;
  readonly memoryFlush?: {
    readonly enabled?: boolean;
    readonly softThresholdTokens?: number;
    readonly prompt?: string;
    readonly systemPrompt?: string;
  };
}

export interface OpenclawOptions {
  /** The minimum for Nexus: every field must be there. */
  readonly requireAll?: boolean;
}

/** The configuration parsed, or its JSON5 text. */
export function openclawSettings(configuration: unknown, options: OpenclawOptions = {}): AdaptedSettings {
  const parsed = typeof configuration === "string" ? parseJson5(configuration) : configuration;
  return translate(readCompaction(parsed, options));
}

const PATH = ["agents", "defaults", "compaction"] as const;
/** The two others are newer than the notes and always optional. */
const REQUIRED = ["mode", "reserveTokensFloor", "maxHistoryShare", "memoryFlush"] as const;
const REQUIRED_FLUSH = ["enabled", "softThresholdTokens", "prompt", "systemPrompt"] as const;
const SUBJECT = "OpenClaw configuration";

function readCompaction(configuration: unknown, { requireAll = false }: OpenclawOptions): OpenclawCompaction {
  const found = descend(configuration);
  const compaction = found === undefined ? {} : found;
  const problems = [
    ...checkSchema({ agents: { defaults: { compaction } } }, configurationSchema, { partial: true }),
    ...(requireAll ? missingOf(compaction) : []),
  ];
  refuseProblems(problems.map((problem) => inSubject(problem, SUBJECT)));
  // The schema has just found it to be of this shape.
  return compaction as OpenclawCompaction;
}

/** Beside the path anything may stand, but where the next key is absent a near miss of it is a mistake. */
function descend(configuration: unknown): unknown {
  let value = configuration;
  for (const [depth, key] of PATH.entries()) {
    const path = PATH.slice(0, depth).join(".");
    if (!isPlainObject(value)) {
      const subject = path === "" ? "The OpenClaw configuration" : path;
      throw new CompactionError("invalid-settings", `${subject} must be an object, but is ${shownValue(value)}`);
    }
    const near = Object.hasOwn(value, key) ? undefined : nearestWord(key, Object.keys(value));
    if (near !== undefined) {
      const [wrong, right] = [near, key].map((name) => [...PATH.slice(0, depth), name].join("."));
      throw new CompactionError(
        "invalid-settings",
        `Unknown key ${wrong}; did you mean ${right}? (OpenClaw configuration)`,
      );
    }
    value = Object.hasOwn(value, key) ? value[key] : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

function missingOf(compaction: unknown) {
  const path = PATH.join(".");
  const flush = isPlainObject(compaction) ? compaction.memoryFlush : undefined;
  const missing = [
    ...REQUIRED.filter((key) => !has(compaction, key)).map((key) => `${path}.${key}`),
    ...REQUIRED_FLUSH.filter((key) => isPlainObject(flush) && !has(flush, key)).map(
      (key) => `${path}.memoryFlush.${key}`,
    ),
  ];
  return missing.map((key) => ({ path: key, message: `${key} is missing; the minimum configuration has every field` }));
}

function has(value: unknown, key: string): boolean {
  return isPlainObject(value) && value[key] !== undefined;
}

function translate(compaction: OpenclawCompaction): AdaptedSettings {
  const { mode, memoryFlush } = compaction;
  const { reserveTokens = OPENCLAW_RESERVE_TOKENS, reserveTokensFloor: floorTokens = OPENCLAW_RESERVE_FLOOR_TOKENS } =
    compaction;
  const isReserveGiven = compaction.reserveTokens !== undefined || compaction.reserveTokensFloor !== undefined;
  return {
    profile: "openclaw",
    user: {
      compact: isReserveGiven
        ? { triggers: [{ type: "reserve", reserveTokens, floorTokens, comparison: "gt" }] }
        : undefined,
      protect: { tailTokens: compaction.keepRecentTokens },
      summary: {
        // One pass, or chunked and adaptive.
        mode: mode === undefined ? undefined : mode === "safeguard" ? "staged" : "single",
        staged: { maxHistoryShare: compaction.maxHistoryShare },
      },
      memoryFlush,
    },
  };
}

const compactionSchema: SchemaFor<
  Required<Omit<OpenclawCompaction, "memoryFlush">> & {
    readonly memoryFlush: Required<NonNullable<OpenclawCompaction["memoryFlush"]>>;
  }
> = {
  type: "object",
  about: "OpenClaw's compaction object.",
  keys: {
    mode: choice("Default: safeguard.", { default: "one pass", safeguard: "chunked, adaptive, with history pruning" }),
    reserveTokens: amount("Default: 16,384, raised to the floor."),
    reserveTokensFloor: amount("Default: 20,000; 0 for no floor."),
    keepRecentTokens: amount("Default: 20,000."),
    maxHistoryShare: { type: "number", min: 0.1, max: 0.9, about: "Default: 0.5." },
    memoryFlush: {
      type: "object",
      about: "The turn before a compaction in which the agent writes down what to remember.",
      keys: {
        enabled: flag("Default: true."),
        softThresholdTokens: amount("Default: 4,000."),
        prompt: filledText("What the agent is asked in that turn."),
        systemPrompt: filledText("The system prompt of that turn."),
      },
    },
  },
};

const configurationSchema = {
  type: "object",
  about: "",
  keys: {
    agents: {
      type: "object",
      about: "",
      keys: { defaults: { type: "object", about: "", keys: { compaction: compactionSchema } } },
    },
  },
} as const;
