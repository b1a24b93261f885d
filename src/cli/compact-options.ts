/** The options of `compact`, settled and checked before anything is read. Whatever is wrong is one sentence. */

import type { CallOptions } from "../compactor.ts";
import type { SettingsInput } from "../core/settings/settings-input.ts";
import { profileNamed } from "../profiles/profiles.ts";
import {
  didYouMean,
  JSON_OPTION,
  type OptionSpec,
  type OptionSpecs,
  readCount,
  readWindow,
  usage,
  WINDOW_OPTION,
  type Words,
} from "./command.ts";
import { CONVERSATION_OPTION, FORMAT_OPTION, STANDARD_INPUT } from "./load.ts";
import { AGENT_OPTION, DEFAULT_STORE } from "./store-command.ts";
import { refuseSameFile } from "./write-out.ts";

export const PROFILE_OPTION: OptionSpec = {
  type: "string",
  value: "NAME",
  about: "whose settings to use (default balanced)",
};

const DEFAULT_PROFILE = "balanced";

export const COMPACT_OPTIONS = {
  target: { type: "string", value: "N|P%", about: "at most N tokens, or P % of what it has now" },
  keep: { type: "string", value: "N", about: "keep the newest N messages" },
  profile: PROFILE_OPTION,
  window: WINDOW_OPTION,
  summarizer: { type: "string", value: "NAME", about: "extractive (default), or none to leave out" },
  instructions: { type: "string", value: "TEXT", about: "what the summary should focus on" },
  "dry-run": { type: "boolean", about: "print the plan; write nothing" },
  summary: { type: "boolean", about: "print the summary; the request goes to --out only" },
  diff: { type: "boolean", about: "show what becomes of each message" },
  out: { type: "string", value: "FILE", about: "where the request goes (default standard output)" },
  json: { ...JSON_OPTION, about: "the report as JSON on standard output" },
  store: { type: "string", value: "URL", about: "compact the session of that ID in this store" },
  agent: AGENT_OPTION,
  conversation: CONVERSATION_OPTION,
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

export interface CompactOptions {
  /** The file, or with `store` the session's id. */
  readonly file: string;
  readonly store: string | undefined;
  readonly profile: string;
  readonly target: CallOptions["target"];
  readonly keepMessages: number | undefined;
  readonly windowTokens: number | undefined;
  readonly summarizer: SummarizerName;
  readonly instructions: string | undefined;
  readonly isDryRun: boolean;
  /** The summary is wanted on standard output. */
  readonly withSummary: boolean;
  readonly withDiff: boolean;
  readonly isJson: boolean;
  /** Undefined when the request is not wanted; `-` for standard output. */
  readonly out: string | undefined;
}

/** `store` is given where no option names it and the session is known to be there. */
export function readCompactOptions(given: Words, store = readStore(given)): CompactOptions {
  const [target, keep] = [given.text("target"), given.text("keep")];
  return {
    file: given.file,
    store,
    profile: readProfile(given.text("profile")),
    target: target === undefined ? undefined : readTarget(target),
    keepMessages: keep === undefined ? undefined : readKeep(keep),
    windowTokens: readWindow(given),
    summarizer: readSummarizer(given.text("summarizer")),
    instructions: given.text("instructions"),
    isDryRun: given.isSet("dry-run"),
    withSummary: readWithSummary(given),
    withDiff: given.isSet("diff"),
    isJson: given.isSet("json"),
    out: readOut(given, store !== undefined),
  };
}

/** The options of `subjectOf`. */
export function settingsIn({ profile, windowTokens, keepMessages, summarizer, target }: CompactOptions) {
  // Truncation fills its target; where only a number of messages is asked for, the profile's own target would overrule it.
  const isByNumber = keepMessages !== undefined && target === undefined;
  const truncation: SettingsInput = {
    compact: { strategy: "truncate", ...(isByNumber && { target: { type: "none" } }) },
  };
  const settings = summarizer === "none" ? truncation : {};
  return { profile, windowTokens, keepMessages, settings };
}

export function readProfile(name = DEFAULT_PROFILE): string {
  profileNamed(name); // throws for a name that is none, with the nearest one
  return name;
}

/** `8000`, `8k` or `10%`. */
function readTarget(text: string): NonNullable<CallOptions["target"]> {
  const share = /^(\d+(?:\.\d+)?)\s*%$/.exec(text.trim())?.[1];
  if (share === undefined) {
    if (/^[\d_,]+[km]?$/i.test(text.trim())) return { tokens: readCount("target", text) };
    throw usage(`--target must be a number of tokens such as 8000, or a share such as 10%, not "${text}"`);
  }
  const ratio = Number(share) / 100;
  if (ratio > 0 && ratio < 1) return { ratio };
  throw usage(`--target must be a share above 0% and below 100%, not "${text}"`);
}

const SUMMARIZERS = ["extractive", "none"] as const;

type SummarizerName = (typeof SUMMARIZERS)[number];

function readSummarizer(name = "extractive"): SummarizerName {
  const known = SUMMARIZERS.find((summarizer) => summarizer === name);
  if (known !== undefined) return known;
  const hint = didYouMean(name, SUMMARIZERS);
  throw usage(`--summarizer must be ${SUMMARIZERS.join(" or ")}, not "${name}"${hint}`);
}

function readKeep(text: string): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw usage(`--keep must be a number of messages such as 6, not "${text}"`);
}

function readStore(given: Words): string | undefined {
  // A file belongs to no agent, so --agent means a session.
  const store = given.text("store") ?? (given.text("agent") === undefined ? undefined : DEFAULT_STORE);
  const strange = ["conversation", "format"].find((option) => given.text(option) !== undefined);
  if (store === undefined || strange === undefined) return store;
  throw usage(`--${strange} is about files; with --store, compact takes the ID of a session`);
}

/** One thing at a time on standard output; JSON has the summary in it. */
function readWithSummary(given: Words): boolean {
  if (!given.isSet("summary")) return false;
  if (given.isSet("json")) throw usage("--json has the summary in it; leave --summary out");
  if (given.text("out") === STANDARD_INPUT) throw usage("--summary and --out - both want standard output; name a file");
  return true;
}

function readOut(given: Words, isStored: boolean): string | undefined {
  const out = given.text("out");
  const [isDryRun, isJson] = [given.isSet("dry-run"), given.isSet("json")];
  if (isDryRun && out !== undefined) throw usage("--dry-run writes nothing, so --out has no place with it");
  const isRequestWanted = !(isJson || isStored || given.isSet("summary"));
  if (isDryRun || (out === undefined && !isRequestWanted)) return undefined;
  if (out === undefined) return STANDARD_INPUT;
  if (out === "") throw usage("--out needs a FILE (- for standard output)");
  if (out === STANDARD_INPUT) {
    if (isJson) throw usage("--json and --out - both want standard output; name a file");
    return out;
  }
  if (given.file !== STANDARD_INPUT && !isStored) refuseSameFile(given.file, out);
  return out;
}
