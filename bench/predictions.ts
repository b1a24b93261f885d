/**
 * Predicts the input tokens of every recorded call from the calls before it in its session, four ways, and says how far
 * off each was. The first call to a model in a session has nothing to go by and is kept apart.
 */

import { type Calibration, isPlausible, RATIO_MAX, RATIO_MIN } from "../src/core/ledger/calibration.ts";
import { createRecognition } from "../src/core/ledger/recognition.ts";
import { createLedger, type Ledger } from "../src/core/ledger/usage-ledger.ts";
import { estimateTokens, messageCounter } from "../src/core/tokens/tokens.ts";
import { type CallSession, elementDecoder, type SentCall, WHOLE_FOLDERS } from "./recorded-calls.ts";

/** `moving average` is the ledger with a calibration as X14 has it; `ratio only` is that average without any report. */
export type Method = "ledger" | "moving average" | "ratio only" | "estimate" | "chars/4";
export const METHODS: readonly Method[] = ["ledger", "moving average", "ratio only", "estimate", "chars/4"];

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

/** X14: a moving average of reported / estimated. */
const AVERAGE_WEIGHT = 0.1;

export function predict(session: CallSession): readonly Prediction[] {
  const followed = follow(session, createLedger({ counter: estimateTokens({ format: session.format }) }));
  const averaged = follow(
    session,
    createLedger({ counter: estimateTokens({ format: session.format }), calibration: movingAverage() }),
  );
  const quarters = follow(session, createLedger({ counter: quarterOfCharacters() }));
  const ratios = new Map<string, number>();
  let last: SentCall | undefined;
  return session.calls.map((call): Prediction => {
    const { model, reportedTokens } = call;
    for (const { sync } of [followed, averaged, quarters]) sync(call);
    const ratio = ratios.get(model);
    const { ledger } = followed;
    const { estimatedTokens } = ledger;
    const prediction: Prediction = {
      folder: session.folder,
      session: session.name,
      isFirst: ratio === undefined,
      isWhole: WHOLE_FOLDERS.has(session.folder),
      reportedTokens,
      grownTokens:
        last !== undefined && last.reportedTokens < reportedTokens ? reportedTokens - last.reportedTokens : undefined,
      predictedTokens: {
        ledger: ledger.totalTokens,
        "moving average": averaged.ledger.totalTokens,
        "ratio only": estimatedTokens * (ratio ?? 1),
        estimate: estimatedTokens,
        "chars/4": quarters.ledger.estimatedTokens,
      },
    };
    for (const observer of [ledger, averaged.ledger]) observer.observe({ model, reportedInputTokens: reportedTokens });
    ratios.set(model, movedRatio(ratio, reportedTokens / Math.max(1, estimatedTokens)));
    last = call;
    return prediction;
  });
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

function follow(session: CallSession, ledger: Ledger): { readonly ledger: Ledger; sync(call: SentCall): void } {
  const recognition = createRecognition({ ledger, decode: elementDecoder(session.format) });
  return {
    ledger,
    sync: ({ model, base, messages }) => {
      ledger.useModel(model);
      ledger.setBase(base);
      recognition.sync(messages);
    },
  };
}

function quarterOfCharacters(): ReturnType<typeof messageCounter> {
  return messageCounter({ name: "chars/4", countText: (text) => text.length / 4 });
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
