/** The only schema of all settings: the allowed values of each key, and its purpose. Data only. */

import { TRIGGER_KINDS } from "../plan/trigger.ts";
import { checkPointSchema } from "./check-schema.ts";
import {
  amount,
  bounded,
  choice,
  filledText,
  flag,
  group,
  type ListSchema,
  optionalGroup,
  type SchemaFor,
  type TextSchema,
  type Variant,
} from "./schema.ts";
import type { Settings } from "./settings.ts";

const ratioOf = (what: string): Variant<{ readonly ratio: SchemaFor<number> }> => ({
  about: `A share of the ${what}.`,
  keys: { ratio: bounded(`The share of the ${what}.`, { above: 0, below: 1 }) },
});

const toolNames = (about: string): ListSchema<TextSchema> => ({
  type: "list",
  of: filledText("A tool name; `*` at the end stands for any suffix."),
  maxItems: 1_000,
  unique: true,
  about,
});

const compact: SchemaFor<Settings["compact"]> = group("When and how far to compact.", {
  auto: flag("Whether `fit` compacts by itself; `compact` always does."),
  strategy: choice("What a compaction does.", {
    none: "nothing",
    truncate: "drop the oldest",
    summarize: "replace the oldest by a summary",
    hybrid: "shorten tool results first, summarize only if that is not enough",
    native: "the provider's own operation (option `native` of createCompactor); summarize where it has none or fails",
  }),
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
      tokens: { about: "An amount.", keys: { tokens: amount("Must be below the window and the triggers.", 1) } },
      ratioOfWindow: ratioOf("window"),
      ratioOfThreshold: ratioOf("lowest limit of the triggers"),
    },
  },
  cut: choice("Where the kept tail may begin; calls and their results stay together in every mode.", {
    "pair-safe": "anywhere legal",
    "turn-start": "at a user message",
    "split-turn": "also inside a turn, whose early part is summarized for its own sake",
    "turn-start-or-split": "at a user message; inside a turn only if that turn alone exceeds the tail",
  }),
  boundThinking: choice("What becomes of thinking that is bound to a prefix which was edited.", {
    strip: "taken out of what follows",
    "drop-block": "left for the provider to drop",
  }),
  minZoneMessages: amount("With fewer messages to compact than this, nothing is done.", 1),
});

const protect: SchemaFor<Settings["protect"]> = group(
  "What no compaction touches. Pinned messages are always among it.",
  {
    system: flag("Keep system messages."),
    firstUser: flag("Keep the first user message, which states the task."),
    latestRequest: flag("Keep the newest user message, even where the tail begins behind it."),
    tailMessages: amount("Keep this many of the newest messages."),
    tailTokens: amount(
      "Keep this many of the newest tokens; with both tails the larger area is kept. Must be below window and triggers.",
    ),
    toolsVerbatim: toolNames("Calls of these tools and their results go through compaction as they are."),
    toolOutputs: flag("Keep all tool outputs in full: nothing is shortened."),
  },
);

const prune: SchemaFor<Settings["prune"]> = group("How old tool results get shorter, without a model.", {
  enabled: flag("Whether tool results are shortened at all."),
  scope: choice("What is shortened.", {
    request: "only what is sent",
    stored: "the view itself; originals go to the archive first",
  }),
  capOnArrivalChars: amount("Longer results are cut once, when they arrive; 0 for never."),
  sparesTail: flag("Whether the tail that compaction keeps is left alone here too."),
  keepLast: amount("The newest tool-result messages that are never shortened."),
  softTrim: optionalGroup("Keep head and tail of long results.", {
    overChars: amount("Longer results are trimmed.", 1),
    headChars: amount("Kept from the beginning."),
    tailChars: amount("Kept from the end; both together below `overChars`."),
  }),
  stub: optionalGroup("Replace old results by what they were: tool, arguments, size, first line.", {
    afterResults: amount("Older than this many tool-result messages."),
    minChars: amount("Shorter results are never replaced."),
  }),
  clearAfter: amount(
    "Clear results older than this many tool-result messages, the newest being 1, where what stands in their place is shorter; 0 for never.",
  ),
  dropTurnsKeep: amount("Drop whole tool turns but this many of the newest; 0 for never."),
  tools: {
    type: "record",
    about: "The furthest a tool's results may be shortened, by tool name; `*` at the end stands for any suffix.",
    of: choice("The furthest tier.", {
      never: "keep in full",
      trim: "head and tail",
      stub: "what it was",
      clear: "cleared",
    }),
  },
  highWaterRatio: bounded(
    "Start shortening above this share of the window; 0 together with the low water for every request, 1 to leave it to compactions.",
    { min: 0, max: 1 },
  ),
  mustPay: flag(
    "Whether results are shortened without anybody's asking only where the calls until the next compaction save more than the prefix costs that has to be written to the prompt cache again.",
  ),
  lowWaterRatio: bounded("Stop shortening below this share; in between, the prefix and its cache are left alone.", {
    min: 0,
    below: 1,
  }),
});

const summary: SchemaFor<Settings["summary"]> = group("How a summary is made.", {
  mode: choice("How many passes.", {
    single: "one pass over what leaves the view",
    update: "the previous summary is carried on; staged when the input exceeds one request",
    staged: "parts are summarized alone and then merged",
  }),
  promptPack: choice("What the summarizer is asked for.", {
    narrative: "a concise narrative",
    checkpoint: "fixed sections, from goal to critical context",
    handover: "the same sections, with all that work is carried on from",
    safeguard: "decisions, open tasks, open questions and constraints",
    minimal: "key facts and decisions in short",
  }),
  transcript: choice("How the conversation is written out for it.", {
    labelled: "speakers, calls and results each by name",
    nous: "two speakers only, as Nous does",
  }),
  model: filledText("A model id, or `inherit` for the conversation's own."),
  maxOutputTokens: amount("The longest answer of the summarizer.", 1),
  temperature: bounded("Of the summarizer's model.", { min: 0, max: 2 }),
  timeoutMs: amount("After this a call counts as failed.", 1),
  budget: group("How long the summary may be.", {
    ratioOfTarget: bounded("Share of the target.", { above: 0, max: 1 }),
    minTokens: amount("Never less than this.", 1),
    maxTokens: amount("Never more than this.", 1),
  }),
  input: group("What the summarizer is shown.", {
    resultHeadChars: amount("Head of each tool result; 0 and 0 for all of it."),
    resultTailChars: amount("Tail of each tool result."),
    toolInputChars: amount("Of each tool input; 0 for all of it."),
    maxChars: amount("Of the whole, cut from the middle; 0 for no limit."),
  }),
  staged: group("How a long input is divided.", {
    baseChunkRatio: bounded("Size of a chunk as a share of the summarizer's window.", { above: 0, max: 1 }),
    minChunkRatio: bounded("The share that large messages may lower it to.", { above: 0, max: 1 }),
    parts: { ...amount("Into how many parts an input is divided.", 2), max: 64 },
    minMessagesForSplit: amount("Fewer messages are not divided.", 2),
    concurrency: { ...amount("How many parts are summarized at a time.", 1), max: 64 },
    maxHistoryShare: bounded("Share of the window beyond which the oldest chunks are summarized apart.", {
      min: 0.1,
      max: 0.9,
    }),
  }),
});

const render: SchemaFor<Settings["render"]> = group("Where the summary goes.", {
  renderer: choice("In which form.", {
    "merge-first-user": "at the end of the first user message",
    pair: "a user message and an assistant's acknowledgement",
    "flagged-message": "one message, marked as a summary",
    system: "the system prompt",
    entry: "an entry of the session log, read back as the prior context",
  }),
  opening: filledText("Directly before the summary, line breaks included; by it a summary is found again."),
  closing: { type: "text", about: "Directly behind the summary, line breaks included." },
  mentionsRecall: flag(
    "Whether it says that what it replaced can be read with the `recall` tool; sessions that offer the tool set it.",
  ),
  acknowledgement: group("What the assistant answers to the summary.", {
    text: { type: "text", about: "The answer; not blank unless `when` is never." },
    when: choice("When it is inserted, with the renderers `pair` and `merge-first-user`; the others have none.", {
      needed: "if the tail begins with a user message",
      always: "whenever something follows",
      never: "never",
    }),
  }),
});

const failure: SchemaFor<Settings["failure"]> = group("What happens when no summary can be made.", {
  ladder: {
    type: "list",
    minItems: 1,
    maxItems: 6,
    unique: true,
    about: "Tried in this order; nothing can follow throw.",
    of: choice("One step.", {
      "staged-partial": "summarize in stages, leaving out what is too large",
      annotate: "a fixed text instead of the summary",
      truncate: "drop without a new summary, keeping the previous one",
      "keep-and-trim": "change nothing but the message limit",
      extractive: "the deterministic summary, without a model",
      throw: "report the error to the caller",
    }),
  },
  annotation: filledText("Text of annotate; `{count}` stands for the number of messages."),
});

const overflow: SchemaFor<Settings["overflow"]> = group(
  "When the provider refuses a request as too long, and `fit` is given its error. Nothing here sends or retries by itself.",
  {
    maxAttempts: { ...amount("Compact this often for refusals in a row; 0 for not at all."), max: 10 },
    finalStep: choice("After the last attempt.", {
      "truncate-tools": "cut tool results, the newest too, as far as the window asks for",
      none: "nothing",
    }),
    onFailure: choice("When all of that was in vain.", {
      error: "no retry",
      "reset-allowed": "no retry, and the report or error says that a reset is acceptable; nothing is reset by itself",
    }),
  },
);

const memoryFlush: SchemaFor<Settings["memoryFlush"]> = group(
  "A silent turn before a compaction, in which the model may write down what must last. For whoever runs the loop: nothing here takes a turn by itself.",
  {
    enabled: flag("Whether there is one."),
    softThresholdTokens: amount("How long before the reserve is reached it runs."),
    prompt: filledText("What the user side says."),
    systemPrompt: filledText("What is added to the system prompt for that turn."),
  },
);

export const settingsSchema: SchemaFor<Settings> = group("Every knob of a compaction.", {
  windowTokens: amount(
    "The model's limit. Where nobody sets it, a known model has its own; this one is assumed for others.",
    1,
  ),
  maxOutputTokens: amount("The longest reply; at most the window.", 1),
  estimator: choice("Which token estimate decides.", {
    fitted: "ours, fitted to real tokenizers and calibrated by reported usage",
    "micro-agent": "characters / 4 over the grand total",
    nous: "characters / 4 per message, and 4 more for each",
    openclaw: "characters / 4 per message, with a margin of 1.2 for chunk sizes",
    "auto-compact": "characters / 4 per field, and 4 more for each message",
  }),
  count: group("What counts towards a trigger besides messages.", {
    system: flag("The system prompt."),
    tools: flag("The tool definitions."),
    output: flag("The longest reply."),
  }),
  compact,
  protect,
  prune,
  summary,
  render,
  failure,
  overflow,
  antiThrash: group("Stops passes that free next to nothing.", {
    minFreedRatio: bounded("A pass that frees a smaller share is a poor one.", { min: 0, below: 1 }),
    maxPasses: amount(
      "So many poor ones in a row, or one whose summary failed, stop the triggers until new content.",
      1,
    ),
  }),
  maxMessages: amount(
    "Hard limit on messages in the view, in every pass; of the tail only protect.tailMessages is spared, other protections and pairs are honoured; 0 for none.",
  ),
  maxMessagesWhen: choice("When that limit holds.", {
    always: "always",
    "auto-off": "only where compaction is not automatic",
  }),
  userTools: toolNames(
    "Tools whose results are the user's own words, whole: a question that the user answers, a plan that they judge. Their results are never shortened. No other tool output is told as the user's, whatever it says.",
  ),
  memoryFlush,
});
