/** What `prune` may be: how old tool results get shorter without a model. Data only. */

import type { SchemaFor } from "../core/settings/schema.ts";
import type { PruneSettings } from "../core/settings/settings.ts";

export const pruneSchema: SchemaFor<PruneSettings> = {
  type: "object",
  about: "How old tool results get shorter, without a model.",
  keys: {
    enabled: { type: "boolean", about: "Whether tool results are shortened at all." },
    scope: {
      type: "choice",
      about: "What is shortened.",
      values: {
        request: "only what is sent",
        stored: "the view itself; originals go to the archive first",
      },
    },
    capOnArrivalChars: {
      type: "number",
      whole: true,
      min: 0,
      about: "Longer results are cut once, when they arrive; 0 for never.",
    },
    sparesTail: { type: "boolean", about: "Whether the tail that compaction keeps is left alone here too." },
    keepLast: {
      type: "number",
      whole: true,
      min: 0,
      about: "The newest tool-result messages that are never shortened.",
    },
    softTrim: {
      type: "object",
      mayBeOff: true,
      about: "Keep head and tail of long results.",
      keys: {
        overChars: { type: "number", whole: true, min: 1, about: "Longer results are trimmed." },
        headChars: { type: "number", whole: true, min: 0, about: "Kept from the beginning." },
        tailChars: {
          type: "number",
          whole: true,
          min: 0,
          about: "Kept from the end; both together below `overChars`.",
        },
      },
    },
    stub: {
      type: "object",
      mayBeOff: true,
      about: "Replace old results by what they were: tool, arguments, size, first line.",
      keys: {
        afterResults: { type: "number", whole: true, min: 0, about: "Older than this many tool-result messages." },
        minChars: { type: "number", whole: true, min: 0, about: "Shorter results are never replaced." },
      },
    },
    clearAfter: {
      type: "number",
      whole: true,
      min: 0,
      about:
        "Clear results older than this many tool-result messages, the newest being 1, where what stands in their place is shorter; 0 for never.",
    },
    dropTurnsKeep: {
      type: "number",
      whole: true,
      min: 0,
      about: "Drop whole tool turns but this many of the newest; 0 for never.",
    },
    tools: {
      type: "record",
      about: "The furthest a tool's results may be shortened, by tool name; `*` at the end stands for any suffix.",
      of: {
        type: "choice",
        about: "The furthest tier.",
        values: { never: "keep in full", trim: "head and tail", stub: "what it was", clear: "cleared" },
      },
    },
    highWaterRatio: {
      type: "number",
      min: 0,
      max: 1,
      about:
        "Start shortening above this share of the window; 0 together with the low water for every request, 1 to leave it to compactions.",
    },
    mustPay: {
      type: "boolean",
      about:
        "Whether results are shortened without anybody's asking only where the calls until the next compaction save more than the prefix costs that has to be written to the prompt cache again.",
    },
    lowWaterRatio: {
      type: "number",
      min: 0,
      below: 1,
      about: "Stop shortening below this share; in between, the prefix and its cache are left alone.",
    },
  },
};
