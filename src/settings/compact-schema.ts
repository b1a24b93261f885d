/** What `compact` and `protect` may be: when to compact, how far, and what stays. Data only. */

import { TRIGGER_KINDS } from "../core/plan/trigger.ts";
import { checkPointSchema } from "../core/settings/check-point-schema.ts";
import type { SchemaFor, Variant } from "../core/settings/schema.ts";
import type { CompactSettings, ProtectSettings } from "../core/settings/settings.ts";

const ratioOf = (what: string): Variant<{ readonly ratio: SchemaFor<number> }> => ({
  about: `A share of the ${what}.`,
  keys: { ratio: { type: "number", above: 0, below: 1, about: `The share of the ${what}.` } },
});

export const compactSchema: SchemaFor<CompactSettings> = {
  type: "object",
  about: "When and how far to compact.",
  keys: {
    auto: { type: "boolean", about: "Whether `fit` compacts by itself; `compact` always does." },
    strategy: {
      type: "choice",
      about: "What a compaction does.",
      values: {
        none: "nothing",
        truncate: "drop the oldest",
        summarize: "replace the oldest by a summary",
        hybrid: "shorten tool results first, summarize only if that is not enough",
        native:
          "the provider's own operation (option `native` of createCompactor); summarize where it has none or fails",
      },
    },
    triggers: {
      type: "list",
      maxItems: 8,
      about: "When to compact: the first that fires wins and is recorded as the reason. Empty: never by itself.",
      of: { type: "variants", about: "One trigger.", variants: TRIGGER_KINDS },
    },
    checkPoints: {
      type: "list",
      of: checkPointSchema,
      maxItems: 6,
      unique: true,
      about: "Where in a loop the triggers are looked at.",
    },
    target: {
      type: "variants",
      about:
        "How small a compaction aims to make the context; an amount and a share of the limits count what `count` says, a share of the window all.",
      variants: {
        none: { about: "No size of its own: what is protected, and the summary.", keys: {} },
        tokens: {
          about: "An amount.",
          keys: {
            tokens: { type: "number", whole: true, min: 1, about: "Must be below the window and the triggers." },
          },
        },
        ratioOfWindow: ratioOf("window"),
        ratioOfThreshold: ratioOf("lowest limit of the triggers"),
      },
    },
    cut: {
      type: "choice",
      about: "Where the kept tail may begin; calls and their results stay together in every mode.",
      values: {
        "pair-safe": "anywhere legal",
        "turn-start": "at a user message",
        "split-turn": "also inside a turn, whose early part is summarized for its own sake",
        "turn-start-or-split": "at a user message; inside a turn only if that turn alone exceeds the tail",
      },
    },
    boundThinking: {
      type: "choice",
      about: "What becomes of thinking that is bound to a prefix which was edited.",
      values: { strip: "taken out of what follows", "drop-block": "left for the provider to drop" },
    },
    minZoneMessages: {
      type: "number",
      whole: true,
      min: 1,
      about: "With fewer messages to compact than this, nothing is done.",
    },
  },
};

export const protectSchema: SchemaFor<ProtectSettings> = {
  type: "object",
  about: "What no compaction touches. Pinned messages are always among it.",
  keys: {
    system: { type: "boolean", about: "Keep system messages." },
    firstUser: { type: "boolean", about: "Keep the first user message, which states the task." },
    latestRequest: { type: "boolean", about: "Keep the newest user message, even where the tail begins behind it." },
    tailMessages: { type: "number", whole: true, min: 0, about: "Keep this many of the newest messages." },
    tailTokens: {
      type: "number",
      whole: true,
      min: 0,
      about:
        "Keep this many of the newest tokens; with both tails the larger area is kept. Must be below window and triggers.",
    },
    toolsVerbatim: {
      type: "list",
      of: { type: "text", filled: true, about: "A tool name; `*` at the end stands for any suffix." },
      maxItems: 1_000,
      unique: true,
      about: "Calls of these tools and their results go through compaction as they are.",
    },
    toolOutputs: { type: "boolean", about: "Keep all tool outputs in full: nothing is shortened." },
  },
};
