/** The recorded usage beside our own numbers. Each calibrated number is a prediction: it was learned from earlier calls only. Pure. */

import { type Calibration, createCalibration, type Evidence } from "../core/learned.ts";
import type { Message } from "../core/message.ts";
import type { TokenCounter } from "../core/tokens/tokens.ts";
import type { Subject } from "./subject.ts";

type RecordedSubject = Pick<Subject, "recorded" | "conversation" | "format" | "counter">;

export type UsageComparison = NonNullable<ReturnType<typeof compareUsage>>;

/** Undefined where no usage is recorded. The conversation is the recorded body, decoded. */
export function compareUsage({ recorded, conversation, format, counter }: RecordedSubject) {
  const { calls, segments } = recorded;
  const last = calls.at(-1);
  if (last === undefined) return undefined;
  const { system, tools } = conversation;
  const baseTokens = counter.countParts(system) + counter.countTools(tools);
  const lists = segments.map(({ messages }, index) =>
    index === segments.length - 1 ? conversation.messages : format.decode(messages).messages,
  );
  const sizes = lists.map((messages) => sizesOf(messages, counter));
  const predictor = createUsagePredictor();
  let estimatedTokens = 0;
  let calibratedTokens = 0;
  let model = "";
  for (const { segment, messageCount, usage, ...call } of calls) {
    model = call.model ?? model;
    estimatedTokens = baseTokens + counter.tokens(sizes[segment]?.[messageCount] ?? 0);
    calibratedTokens = predictor.predict(model, estimatedTokens);
    predictor.learn(model, { estimatedTokens, reportedTokens: usage.inputTokens });
  }
  return {
    /** Recorded calls with known usage; the numbers below are the last one's. */
    calls: calls.length,
    model: last.model,
    messages: last.messageCount,
    inputTokens: last.usage.inputTokens,
    cacheReadTokens: last.usage.cacheReadTokens,
    outputTokens: last.usage.outputTokens,
    /** Our estimate of the same input: what the file shows of it. */
    estimatedTokens,
    /** The estimate after learning from the calls before; undefined where there were none. */
    calibratedTokens: calls.length > 1 ? calibratedTokens : undefined,
    /** What the next request is expected to be billed as input. */
    nextRequestTokens: predictor.predict(model, baseTokens + counter.total(conversation.messages)),
  };
}

/** At index n, the size of the first n messages. */
function sizesOf(messages: readonly Message[], counter: TokenCounter): readonly number[] {
  const sizes = [0];
  for (const message of messages) sizes.push((sizes.at(-1) ?? 0) + counter.size(message));
  return sizes;
}

export interface UsagePredictor {
  /** What a request that we estimate at `estimatedTokens` is expected to be billed as input. */
  predict(model: string, estimatedTokens: number): number;
  /** Takes in what a request was billed. */
  learn(model: string, billed: Evidence): void;
}

/** Predicts the newest bill plus the calibrated estimate of what was added since: so a prompt that the file does not show is in it too. */
export function createUsagePredictor(calibration: Calibration = createCalibration()): UsagePredictor {
  let last: (Evidence & { readonly model: string }) | undefined;
  return {
    predict: (model, estimatedTokens) => {
      const { reportedTokens, estimatedTokens: knownTokens } = last ?? { reportedTokens: 0, estimatedTokens: 0 };
      return Math.max(0, Math.round(reportedTokens + (estimatedTokens - knownTokens) * calibration.ratio(model)));
    },
    learn: (model, billed) => {
      if (last?.model === model) {
        calibration.learn(model, {
          reportedTokens: billed.reportedTokens - last.reportedTokens,
          estimatedTokens: billed.estimatedTokens - last.estimatedTokens,
        });
      }
      last = { ...billed, model };
    },
  };
}
