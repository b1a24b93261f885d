/**
 * Predicts the input tokens of every recorded call from the calls before it in its session, five ways, and says how far
 * off each was. The first call to a model in a session has nothing to go by and is kept apart.
 */

import { createUsagePredictor } from "../src/cli/recorded-usage.ts";
import { type Calibration, isPlausible, RATIO_MAX, RATIO_MIN } from "../src/core/learned.ts";
import { estimateTokens, messageCounter, type TokenCounter } from "../src/core/tokens/tokens.ts";
import { type CallSession, elementDecoder, type SentCall, WHOLE_FOLDERS } from "./recorded-calls.ts";

/** `inspect` is what `palimpsest inspect` shows; `moving average` the same with a simpler ratio; `ratio only` that ratio without the newest bill. */
export type Method = "inspect" | "moving average" | "ratio only" | "estimate" | "chars/4";
export const METHODS: readonly Method[] = ["inspect", "moving average", "ratio only", "estimate", "chars/4"];

export interface Prediction {
  readonly folder: string;
  readonly session: string;
  readonly isFirst: boolean;
  /** Whether the recording shows the system prompt and the tools too. */
  readonly isWhole: boolean;
  readonly reportedTokens: number;
  /** By how much the input grew since the call before; undefined where it shrank or there was none. */
  readonly grownTokens: number | undefined;
  readonly predictedTokens: Readonly<Record<Method, number>>;
}

/** Of the newest ratio in the moving average of reported / estimated. */
const AVERAGE_WEIGHT = 0.1;

export function predict(session: CallSession): readonly Prediction[] {
  const estimate = estimatorOf(session, estimateTokens({ format: session.format }));
  const quarters = estimatorOf(session, messageCounter({ name: "chars/4", countText: (text) => text.length / 4 }));
  const inspected = createUsagePredictor();
  const averaged = createUsagePredictor(movingAverage());
  const ratios = new Map<string, number>();
  let last: SentCall | undefined;
  return session.calls.map((call): Prediction => {
    const { model, reportedTokens } = call;
    const estimatedTokens = estimate(call);
    const ratio = ratios.get(model);
    const prediction: Prediction = {
      folder: session.folder,
      session: session.name,
      isFirst: ratio === undefined,
      isWhole: WHOLE_FOLDERS.has(session.folder),
      reportedTokens,
      grownTokens:
        last !== undefined && last.reportedTokens < reportedTokens ? reportedTokens - last.reportedTokens : undefined,
      predictedTokens: {
        inspect: inspected.predict(model, estimatedTokens),
        "moving average": averaged.predict(model, estimatedTokens),
        "ratio only": estimatedTokens * (ratio ?? 1),
        estimate: estimatedTokens,
        "chars/4": quarters(call),
      },
    };
    for (const predictor of [inspected, averaged]) predictor.learn(model, { estimatedTokens, reportedTokens });
    ratios.set(model, movedRatio(ratio, reportedTokens / Math.max(1, estimatedTokens)));
    last = call;
    return prediction;
  });
}

/** Counts each recorded message once, however many calls sent it. */
function estimatorOf({ format }: CallSession, counter: TokenCounter): (call: SentCall) => number {
  const decode = elementDecoder(format);
  const sizes = new Map<unknown, number>();
  return ({ base, messages }) => {
    let size = 0;
    for (const [index, wire] of messages.entries()) {
      const known = sizes.get(wire) ?? counter.size(decode(wire, index));
      sizes.set(wire, known);
      size += known;
    }
    return counter.countParts(base.system) + counter.countTools(base.tools) + counter.tokens(size);
  };
}

export interface Errors {
  readonly calls: number;
  /** Of |predicted − reported| / reported. */
  readonly mean: number;
  readonly p95: number;
  readonly worst: number;
  /** Sum of errors over the sum of growth: how well the new part alone is known. */
  readonly ofGrowth: number;
}

export function errorsOf(predictions: readonly Prediction[], method: Method): Errors {
  const off = ({ predictedTokens, reportedTokens }: Prediction): number =>
    Math.abs(predictedTokens[method] - reportedTokens);
  const errors = predictions.map((prediction) => off(prediction) / prediction.reportedTokens).sort((a, b) => a - b);
  const grown = predictions.filter(({ grownTokens }) => grownTokens !== undefined);
  return {
    calls: errors.length,
    mean: sum(errors) / errors.length,
    p95: errors[Math.ceil(errors.length * 0.95) - 1] ?? Number.NaN,
    worst: errors.at(-1) ?? Number.NaN,
    ofGrowth: sum(grown.map(off)) / sum(grown.map(({ grownTokens = 0 }) => grownTokens)),
  };
}

function movingAverage(): Calibration {
  const ratios = new Map<string, number>();
  return {
    ratio: (model) => ratios.get(model) ?? 1,
    learn: (model, evidence) => {
      if (!isPlausible(evidence)) return;
      ratios.set(model, movedRatio(ratios.get(model), evidence.reportedTokens / evidence.estimatedTokens));
    },
  };
}

function movedRatio(ratio: number | undefined, seen: number): number {
  const bounded = Math.min(RATIO_MAX, Math.max(RATIO_MIN, seen));
  return ratio === undefined ? bounded : ratio + AVERAGE_WEIGHT * (bounded - ratio);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
