/** The one schema of all settings. What a key may be, and what it is for, is said here and nowhere else. Data only. */

import type { SchemaFor } from "../core/settings/schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { compactSchema, protectSchema } from "./compact-schema.ts";
import { failureSchema, memoryFlushSchema, overflowSchema, renderSchema } from "./outcome-schema.ts";
import { pruneSchema } from "./prune-schema.ts";
import { summarySchema } from "./summary-schema.ts";

export const settingsSchema: SchemaFor<Settings> = {
  type: "object",
  about: "Every knob of a compaction.",
  keys: {
    windowTokens: {
      type: "number",
      whole: true,
      min: 1,
      about: "The model's limit. Where nobody sets it, a known model has its own; this one is assumed for others.",
    },
    maxOutputTokens: { type: "number", whole: true, min: 1, about: "The longest reply; at most the window." },
    estimator: {
      type: "choice",
      about: "Which token estimate decides.",
      values: {
        fitted: "ours, fitted to real tokenizers and calibrated by reported usage",
        "micro-agent": "characters / 4 over the grand total",
        nous: "characters / 4 per message, and 4 more for each",
        openclaw: "characters / 4 per message, with a margin of 1.2 for chunk sizes",
        "auto-compact": "characters / 4 per field, and 4 more for each message",
      },
    },
    count: {
      type: "object",
      about: "What counts towards a trigger besides messages.",
      keys: {
        system: { type: "boolean", about: "The system prompt." },
        tools: { type: "boolean", about: "The tool definitions." },
        output: { type: "boolean", about: "The longest reply." },
      },
    },
    compact: compactSchema,
    protect: protectSchema,
    prune: pruneSchema,
    summary: summarySchema,
    render: renderSchema,
    failure: failureSchema,
    overflow: overflowSchema,
    antiThrash: {
      type: "object",
      about: "Stops passes that free next to nothing.",
      keys: {
        minFreedRatio: { type: "number", min: 0, below: 1, about: "A pass that frees a smaller share is a poor one." },
        maxPasses: {
          type: "number",
          whole: true,
          min: 1,
          about: "So many poor ones in a row, or one whose summary failed, stop the triggers until new content.",
        },
      },
    },
    maxMessages: {
      type: "number",
      whole: true,
      min: 0,
      about:
        "Hard limit on messages in the view, in every pass; of the tail only protect.tailMessages is spared, other protections and pairs are honoured; 0 for none.",
    },
    maxMessagesWhen: {
      type: "choice",
      about: "When that limit holds.",
      values: { always: "always", "auto-off": "only where compaction is not automatic" },
    },
    userTools: {
      type: "list",
      of: { type: "text", filled: true, about: "A tool name; `*` at the end stands for any suffix." },
      maxItems: 1_000,
      unique: true,
      about:
        "Tools whose results are the user's own words, whole: a question that the user answers, a plan that they judge. Their results are never shortened. No other tool output is told as the user's, whatever it says.",
    },
    memoryFlush: memoryFlushSchema,
  },
};
