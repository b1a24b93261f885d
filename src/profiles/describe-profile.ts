/** A profile, or any settings, as rows of short text: what a table or a command prints. Reads only. */

import { isPlainObject } from "../core/json.ts";
import { kindOf, prunesByItself } from "../core/plan/trigger.ts";
import { allowedText, rangeText, type Schema, type VariantsSchema } from "../core/settings/schema.ts";
import type { Settings } from "../core/settings/settings.ts";
import { settingsSchema } from "../core/settings/settings-schema.ts";
import { grouped } from "../core/text.ts";
import { type ProfileName, profileNamed } from "./profiles.ts";

export interface DescriptionRow {
  readonly topic: string;
  readonly value: string;
}

export function describeProfile(name: ProfileName): readonly DescriptionRow[] {
  const settings = profileNamed(name);
  const { about, store } = profileNotes[name];
  return [{ topic: "for", value: about }, ...describeSettings(settings), { topic: "made for the store", value: store }];
}

/** Always the same topics in the same order, so that several can stand side by side. */
function describeSettings(settings: Settings): readonly DescriptionRow[] {
  const { compact, summary, render, failure, overflow, memoryFlush } = settings;
  const rows: readonly (readonly [string, string])[] = [
    ["window", `${grouped(settings.windowTokens)} tokens, up to ${grouped(settings.maxOutputTokens)} for a reply`],
    ["compacts by itself", autoText(settings)],
    ["prunes by itself", capsResults(settings) || prunesByItself(settings) ? "yes" : "no"],
    ["trigger", compact.triggers.map((trigger) => kindOf(trigger).text(trigger)).join(" or ") || "none set"],
    ["checked", compact.checkPoints.join(", ")],
    ["counted", ["messages", ...countedParts(settings)].join(", ")],
    ["estimate", settings.estimator],
    ["strategy", compact.strategy],
    ["target", targetText(settings)],
    ["kept always", keptAlways(settings).join(", ")],
    ["tail", tailText(settings)],
    ["cut", compact.cut],
    ["smallest zone", `${compact.minZoneMessages} ${compact.minZoneMessages === 1 ? "message" : "messages"}`],
    ["prune", describePrune(settings)],
    ["prune scope", settings.prune.scope],
    ["summary", `${summary.mode}, ${summary.promptPack} prompt`],
    ["summarizer model", summary.model],
    ["summary size", sizeText(settings)],
    ["summarizer sees", inputText(settings)],
    ["renderer", render.renderer],
    ["acknowledgement", acknowledgementText(settings)],
    ["on failure", failure.ladder.join(" → ")],
    ["on overflow", overflowText(overflow)],
    ["message limit", limitText(settings)],
    [
      "memory flush",
      memoryFlush.enabled
        ? `for your loop: ${grouped(memoryFlush.softThresholdTokens)} tokens before the reserve`
        : "off",
    ],
  ];
  return rows.map(([topic, value]) => ({ topic, value }));
}

function autoText({ compact: { auto, triggers } }: Settings): string {
  if (!auto) return "no";
  return triggers.length === 0 ? "only once a trigger is set" : "yes";
}

function capsResults({ prune, protect }: Settings): boolean {
  return prune.enabled && prune.capOnArrivalChars > 0 && !protect.toolOutputs;
}

function limitText({ maxMessages, maxMessagesWhen }: Settings): string {
  if (maxMessages === 0) return "none";
  return maxMessagesWhen === "auto-off"
    ? `${grouped(maxMessages)} while it does not compact by itself`
    : grouped(maxMessages);
}

function countedParts({ count }: Settings): readonly string[] {
  return [...(count.system ? ["system"] : []), ...(count.tools ? ["tools"] : []), ...(count.output ? ["reply"] : [])];
}

function targetText({ compact: { target } }: Settings): string {
  switch (target.type) {
    case "none":
      return "none";
    case "tokens":
      return `${grouped(target.tokens)} tokens`;
    case "ratioOfWindow":
      return `${percent(target.ratio)} of the window`;
    case "ratioOfThreshold":
      return `${percent(target.ratio)} of the trigger`;
    default:
      return target satisfies never;
  }
}

function keptAlways({ protect }: Settings): readonly string[] {
  return [
    "pinned",
    ...(protect.system ? ["system"] : []),
    ...(protect.firstUser ? ["first user message"] : []),
    ...(protect.latestRequest ? ["newest user message"] : []),
    ...(protect.toolOutputs ? ["tool outputs"] : []),
    ...protect.toolsVerbatim.map((tool) => `results of ${tool}`),
  ];
}

function tailText({ protect: { tailMessages, tailTokens } }: Settings): string {
  const parts = [
    ...(tailMessages > 0 ? [`${grouped(tailMessages)} messages`] : []),
    ...(tailTokens > 0 ? [`${grouped(tailTokens)} tokens`] : []),
  ];
  return parts.join(", ") || "none";
}

function sizeText({ compact, summary: { budget } }: Settings): string {
  const share = compact.target.type === "none" ? "" : `${percent(budget.ratioOfTarget)} of the target, `;
  return `${share}${grouped(budget.minTokens)} to ${grouped(budget.maxTokens)} tokens`;
}

function inputText({ summary: { input } }: Settings): string {
  const isCut = input.resultHeadChars + input.resultTailChars > 0;
  const results = isCut ? `${grouped(input.resultHeadChars)} + ${grouped(input.resultTailChars)} characters` : "all";
  const inputs = input.toolInputChars > 0 ? `, ${grouped(input.toolInputChars)} of each input` : "";
  const whole = input.maxChars > 0 ? `, ${grouped(input.maxChars)} in all` : "";
  return `${results} of each result${inputs}${whole}`;
}

function acknowledgementText({ render: { acknowledgement } }: Settings): string {
  return acknowledgement.when === "never" ? "never" : `${acknowledgement.when}: ${acknowledgement.text}`;
}

function overflowText({ maxAttempts, finalStep }: Settings["overflow"]): string {
  if (maxAttempts === 0) return "not recovered";
  const last = finalStep === "none" ? "" : `, then ${finalStep}`;
  return `${maxAttempts} ${maxAttempts === 1 ? "attempt" : "attempts"}${last}`;
}

function describePrune({ prune }: Settings): string {
  const { softTrim, stub } = prune;
  const tiers = [
    ...(prune.capOnArrivalChars > 0 ? [`cap ${grouped(prune.capOnArrivalChars)}`] : []),
    ...(softTrim === undefined
      ? []
      : [`trim ${grouped(softTrim.overChars)} → ${grouped(softTrim.headChars)} + ${grouped(softTrim.tailChars)}`]),
    ...(stub === undefined ? [] : [`stub after ${stub.afterResults} from ${grouped(stub.minChars)} characters`]),
    ...(prune.clearAfter > 0 ? [`clear after ${prune.clearAfter}`] : []),
    ...(prune.dropTurnsKeep > 0 ? [`drop all but ${prune.dropTurnsKeep} tool turns`] : []),
    ...(prune.keepLast > 0 ? [`keep ${prune.keepLast}`] : []),
  ];
  if (tiers.length === 0) return "nothing";
  return `${prune.enabled ? "" : "if turned on: "}${tiers.join(", ")}${whenText(prune)}`;
}

function whenText(prune: Settings["prune"]): string {
  const { highWaterRatio, lowWaterRatio, mustPay, softTrim, stub, clearAfter, dropTurnsKeep } = prune;
  const hasTiers = softTrim !== undefined || stub !== undefined || clearAfter > 0 || dropTurnsKeep > 0;
  if (!hasTiers) return "";
  if (highWaterRatio === 0) return "; at every request";
  if (highWaterRatio === 1) return "; only within a compaction";
  const marks = `; above ${percent(highWaterRatio)} down to ${percent(lowWaterRatio)} of the window`;
  return mustPay ? `${marks}, where it pays` : marks;
}

function percent(ratio: number): string {
  return `${Number((ratio * 100).toFixed(2))} %`;
}

interface ProfileNote {
  readonly about: string;
  /** A setting of no profile: any store goes with any profile. */
  readonly store: string;
}

const AGENTPG_STORE = "archive, transactional";

export const profileNotes: Readonly<Record<ProfileName, ProfileNote>> = {
  balanced: {
    about: "The default: prunes in batches, then updates one checkpoint; works without a model too.",
    store: "any",
  },
  "micro-agent": {
    about: "A small single-user loop: one threshold, one pass, the summary inside the first user message.",
    store: "memory",
  },
  agentpg: {
    about: "A share of the window, tool results first, then a summary; all or nothing.",
    store: AGENTPG_STORE,
  },
  "agentpg-high-volume": { about: "AgentPG for many short conversations.", store: AGENTPG_STORE },
  "agentpg-tool-heavy": { about: "AgentPG with tool outputs kept in full.", store: AGENTPG_STORE },
  "agentpg-long-research": { about: "AgentPG for long sessions in an extended window.", store: AGENTPG_STORE },
  "agentpg-cost-sensitive": { about: "AgentPG early and small.", store: AGENTPG_STORE },
  nous: {
    about: "Two layers: tool output pruned at every request, history carried on in a checkpoint.",
    store: "a state row per session",
  },
  openclaw: {
    about: "A reserve kept free, staged summaries; what a loop needs for a memory flush.",
    store: "append-only log",
  },
  "auto-compact": {
    about: "Off until a threshold is set, then down to half of it; the summary is a system message.",
    store: "none",
  },
};

export interface ReferenceRow {
  /** Dotted path. */
  readonly key: string;
  readonly type: string;
  /** The value in the given settings, as JSON; `false` for a group that is switched off. */
  readonly value: string;
  /** The allowed range or choices, each with its meaning; empty when the type is enough. */
  readonly allowed: readonly string[];
  readonly about: string;
}

export function settingsReference(settings: Settings): readonly ReferenceRow[] {
  return rowsOf("", settings, settingsSchema);
}

function rowsOf(key: string, value: unknown, schema: Schema): readonly ReferenceRow[] {
  if (schema.type !== "object") return [rowOf(key, value, schema)];
  const own = schema.mayBeOff ? [rowOf(key, value ?? false, schema)] : [];
  const inner = Object.entries(schema.keys).flatMap(([name, keySchema]) =>
    rowsOf(key === "" ? name : `${key}.${name}`, member(value, name), keySchema),
  );
  return [...own, ...inner];
}

function rowOf(key: string, value: unknown, schema: Schema): ReferenceRow {
  const isWhole = schema.type === "object" && typeof value === "object";
  return {
    key,
    type: typeText(schema),
    value: value === undefined || isWhole ? "" : JSON.stringify(value),
    allowed: allowedOf(schema),
    about: schema.about,
  };
}

function member(value: unknown, name: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function typeText(schema: Schema): string {
  switch (schema.type) {
    case "number":
      return schema.whole ? "whole number" : "number";
    case "list":
      return `list of ${schema.of.type === "variants" ? "object" : typeText(schema.of)}`;
    case "record":
      return "object, any key";
    case "object":
      return schema.mayBeOff ? "object or false" : "object";
    case "variants":
      return "object with type";
    case "boolean":
    case "text":
    case "choice":
      return schema.type;
    default:
      return schema satisfies never;
  }
}

function allowedOf(schema: Schema): readonly string[] {
  switch (schema.type) {
    case "number":
      return rangeText(schema) === "" ? [] : [rangeText(schema)];
    case "choice":
      return Object.entries(schema.values).map(([value, about]) => `\`${value}\`: ${about}`);
    case "text":
      return schema.filled ? ["not blank"] : [];
    case "list":
    case "record":
      return allowedOf(schema.of);
    case "variants":
      return variantLines(schema);
    case "boolean":
    case "object":
      return [];
    default:
      return schema satisfies never;
  }
}

function variantLines({ variants }: VariantsSchema): readonly string[] {
  return Object.entries(variants).map(([type, { about, keys, defaults = {} }]) => {
    const fields = Object.entries(keys).map(([key, schema]) => {
      const standard = Object.hasOwn(defaults, key) ? ` (else ${String(defaults[key])})` : "";
      return `\`${key}\` ${allowedText(schema)}${standard}`;
    });
    return `\`${type}\`: ${about}${fields.length === 0 ? "" : ` ${fields.join("; ")}`}`;
  });
}
