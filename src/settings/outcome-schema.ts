/** What `render`, `failure`, `overflow` and `memoryFlush` may be: where a summary goes and what happens around it. Data only. */

import type { SchemaFor } from "../core/settings/schema.ts";
import type {
  FailureSettings,
  MemoryFlushSettings,
  OverflowSettings,
  RenderSettings,
} from "../core/settings/settings.ts";

export const renderSchema: SchemaFor<RenderSettings> = {
  type: "object",
  about: "Where the summary goes.",
  keys: {
    renderer: {
      type: "choice",
      about: "In which form.",
      values: {
        "merge-first-user": "at the end of the first user message",
        pair: "a user message and an assistant's acknowledgement",
        "flagged-message": "one message, marked as a summary",
        system: "the system prompt",
        entry: "an entry of the session log, read back as the prior context",
      },
    },
    opening: {
      type: "text",
      filled: true,
      about: "Directly before the summary, line breaks included; by it a summary is found again.",
    },
    closing: { type: "text", about: "Directly behind the summary, line breaks included." },
    mentionsRecall: {
      type: "boolean",
      about:
        "Whether it says that what it replaced can be read with the `recall` tool; sessions that offer the tool set it.",
    },
    acknowledgement: {
      type: "object",
      about: "What the assistant answers to the summary.",
      keys: {
        text: { type: "text", about: "The answer; not blank unless `when` is never." },
        when: {
          type: "choice",
          about: "When it is inserted, with the renderers `pair` and `merge-first-user`; the others have none.",
          values: {
            needed: "if the tail begins with a user message",
            always: "whenever something follows",
            never: "never",
          },
        },
      },
    },
  },
};

export const failureSchema: SchemaFor<FailureSettings> = {
  type: "object",
  about: "What happens when no summary can be made.",
  keys: {
    ladder: {
      type: "list",
      minItems: 1,
      maxItems: 6,
      unique: true,
      about: "Tried in this order; nothing can follow throw.",
      of: {
        type: "choice",
        about: "One step.",
        values: {
          "staged-partial": "summarize in stages, leaving out what is too large",
          annotate: "a fixed text instead of the summary",
          truncate: "drop without a new summary, keeping the previous one",
          "keep-and-trim": "change nothing but the message limit",
          extractive: "the deterministic summary, without a model",
          throw: "report the error to the caller",
        },
      },
    },
    annotation: { type: "text", filled: true, about: "Text of annotate; `{count}` stands for the number of messages." },
  },
};

export const overflowSchema: SchemaFor<OverflowSettings> = {
  type: "object",
  about:
    "When the provider refuses a request as too long, and `fit` is given its error. Nothing here sends or retries by itself.",
  keys: {
    maxAttempts: {
      type: "number",
      whole: true,
      min: 0,
      max: 10,
      about: "Compact this often for refusals in a row; 0 for not at all.",
    },
    finalStep: {
      type: "choice",
      about: "After the last attempt.",
      values: { "truncate-tools": "cut tool results, the newest too, as far as the window asks for", none: "nothing" },
    },
    onFailure: {
      type: "choice",
      about: "When all of that was in vain.",
      values: {
        error: "no retry",
        "reset-allowed":
          "no retry, and the report or error says that a reset is acceptable; nothing is reset by itself",
      },
    },
  },
};

export const memoryFlushSchema: SchemaFor<MemoryFlushSettings> = {
  type: "object",
  about:
    "A silent turn before a compaction, in which the model may write down what must last. For whoever runs the loop: nothing here takes a turn by itself.",
  keys: {
    enabled: { type: "boolean", about: "Whether there is one." },
    softThresholdTokens: {
      type: "number",
      whole: true,
      min: 0,
      about: "How long before the reserve is reached it runs.",
    },
    prompt: { type: "text", filled: true, about: "What the user side says." },
    systemPrompt: { type: "text", filled: true, about: "What is added to the system prompt for that turn." },
  },
};
