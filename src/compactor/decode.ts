/** The first step of a pass: decodes, pins, repairs, applies remembered edits, and counts. Pure except for the cache of sizes. */

import { present, refuseDeepPrompt } from "../core/json.ts";
import type { Conversation } from "../core/message.ts";
import { type Repair, type Repaired, repair } from "../core/repair/repair.ts";
import { countedIn } from "../core/tokens/counted.ts";
import { type SettleOptions, settle } from "./apply.ts";
import { type DecideInput, targetFor, tokensIn } from "./decide.ts";
import { type Counting, countingFor, type Engine, modelFor, nativeKindOf, settingsFor } from "./engine.ts";
import { type CallOptions, checkPinned, type ViewCall } from "./options.ts";
import type { SentView } from "./overflow.ts";
import { isHeldOff, NO_PASSES } from "./passes.ts";
import { keepRecentInput } from "./retention.ts";
import type { RecalledView } from "./view-memory.ts";

export interface Reading {
  /** As the request came, with the call's pins. */
  readonly decoded: Conversation;
  /** Repaired. */
  readonly source: Conversation;
  /** With the edits of earlier passes applied. */
  readonly recalled: RecalledView;
  readonly repairs: readonly Repair[];
  readonly model: string | undefined;
  readonly counting: Counting;
  readonly input: DecideInput;
}

export function decodeRequest(
  engine: Engine,
  request: unknown,
  call: CallOptions,
  asked: DecideInput["asked"],
): Reading {
  const model = modelFor(engine, request);
  const decoded = pin(engine.format.decode(request), call.pinned ?? []);
  const { conversation: source, repairs } = repaired(decoded, model);
  const recalled = engine.memory.recall(source, model);
  const isRefused = call.overflow !== undefined;
  const attempt = isRefused ? (recalled.passes.refusals ?? 0) + 1 : undefined;
  return readingOf(
    engine,
    { decoded, source, repairs, model, recalled, hasStoredIds: false },
    { call, asked, attempt },
  );
}

/** Reads a view that the caller keeps, under the ids of its messages. */
export function decodeView(engine: Engine, view: Conversation, call: ViewCall): Reading {
  const { passes = NO_PASSES, asked, attempt } = call;
  const model = engine.model ?? call.model;
  const { conversation: source, repairs } = repaired(view, model);
  const recalled = { view: source, covered: 0, passes };
  return readingOf(
    engine,
    { decoded: view, source, repairs, model, recalled, hasStoredIds: true },
    { call, asked, attempt },
  );
}

/** The view that was last sent for a request: with the edits of earlier passes applied. */
export function sentOf(engine: Engine, request: unknown): SentView {
  const model = modelFor(engine, request);
  const { conversation } = repaired(engine.format.decode(request), model);
  return { view: engine.memory.recall(conversation, model).view, model };
}

interface ViewReading extends Omit<Reading, "counting" | "input"> {
  readonly hasStoredIds: boolean;
}

interface Demand {
  readonly call: Omit<CallOptions, "overflow">;
  readonly asked: DecideInput["asked"];
  readonly attempt: number | undefined;
}

function readingOf(engine: Engine, read: ViewReading, { call, asked, attempt }: Demand): Reading {
  const { decoded, hasStoredIds, model, source, repairs } = read;
  const isRefused = attempt !== undefined;
  const usual = settingsFor(engine, model, { settings: call.settings, isRefused });
  const recalled = stillValid(read.recalled, { settings: usual, model });
  const { view } = recalled;
  const counting = countingFor(engine, usual, countedIn(decoded.format, decoded.wire?.json, model));
  if (call.recheck === true) for (const message of view.messages) counting.recount(message);
  refuseDeepPrompt(view.system, view.tools);
  const { tokensOf, totalOf } = counting;
  const own = keepRecentInput(engine.retention, call.settings, { view, settings: usual, tokensOf });
  const settings = own === call.settings ? usual : settingsFor(engine, model, { settings: own, isRefused });
  const ratio = engine.calibration.ratio(model ?? "");
  const base: DecideInput = {
    view,
    settings,
    tokensOf,
    totalOf,
    systemTokens: Math.round(counting.counter.countParts(view.system) * ratio),
    toolsTokens: Math.round(counting.counter.countTools(view.tools) * ratio),
    ...present({ asked, attempt, checkPoint: call.checkPoint }),
    isCacheCold: call.isCacheCold ?? false,
    nativeKind: nativeKindOf(engine),
    strategy: engine.strategy,
    hasStoredIds,
  };
  const tokens = tokensIn(base);
  // A target that is a share refers to the conversation as it came, before the repair.
  const isRepaired = recalled.covered === 0 && decoded.messages !== view.messages;
  const came = isRepaired ? tokensIn({ ...base, view: decoded }) : tokens;
  const targetTokens = targetFor(call, came, settings.windowTokens);
  const isThrashing = isHeldOff(recalled.passes, tokens, settings);
  const input = { ...base, isThrashing, ...(targetTokens !== undefined && { targetTokens }) };
  return { decoded, source, recalled, repairs, model, counting, input };
}

/** The remembered view was valid by itself; new messages may demand more: a system message at its end must not stand inside a turn. */
function stillValid(recalled: RecalledView, options: SettleOptions): RecalledView {
  if (recalled.covered === 0) return recalled;
  const { conversation } = settle(recalled.view, recalled.view, options);
  return conversation === recalled.view ? recalled : { ...recalled, view: conversation };
}

function repaired(decoded: Conversation, model: string | undefined): Repaired {
  if (decoded.messages.length === 0) return { conversation: decoded, repairs: [] };
  return repair(decoded, model === undefined ? {} : { model });
}

function pin(conversation: Conversation, pinned: readonly number[]): Conversation {
  checkPinned(pinned, conversation.messages.length);
  if (pinned.length === 0) return conversation;
  const isPinned = new Set(pinned);
  const messages = conversation.messages.map((message, index) =>
    isPinned.has(index) ? { ...message, pinned: true } : message,
  );
  return { ...conversation, messages };
}
