/**
 * `plan`, `fit` and `compact` on requests that a caller sends whole every time. Edits of earlier passes are remembered
 * and made again in the same way, so that the provider's cached prefix stays the same. In a list that was found in
 * order, only the new messages are read.
 */

import { isArray, isObject, type JsonObject } from "../core/json.ts";
import { isPreservedMark, takePreservedIn } from "../core/marks.ts";
import type { Conversation } from "../core/message.ts";
import type { Plan } from "../core/plan/plan.ts";
import { decodeRequest, type Reading, sentOf } from "./decode.ts";
import { calibrate, type Engine, estimateOf, modelFor } from "./engine.ts";
import { type KnownList, type ListRequest, listRequest } from "./known-lists.ts";
import { type CallOptions, checkCall, checkPinned, throwIfAborted, type ViewKeeper } from "./options.ts";
import { learnOverflow } from "./overflow.ts";
import { decideOn, runPass, type ViewPass } from "./pass.ts";
import { NO_PASSES } from "./passes.ts";
import { advance, type KnownView, knownAfter, type QuietPass, quietPass, tellQuiet, unknownView } from "./quiet.ts";
import type { Report } from "./report.ts";

export interface Compacted<Request> {
  readonly request: Request;
  /** The decision's plan, or the plan of the failure ladder. */
  readonly plan: Plan;
  readonly report: Report;
}

export interface RequestDemand {
  readonly call: CallOptions;
  /** Set where no trigger is needed. */
  readonly asked?: "manual";
}

export function planRequest(engine: Engine, given: unknown, call: CallOptions): Plan {
  checkCall(call);
  const quiet = quietRequest(engine, given, call);
  if (quiet !== undefined) return quiet.pass.plan;
  const { request, call: own } = unmarked(engine, given, call);
  return decideOn(engine, decodeRequest(engine, request, own, undefined)).decision.plan;
}

export async function fitRequest<Request>(
  engine: Engine,
  given: Request,
  { call, asked }: RequestDemand,
): Promise<Compacted<Request>> {
  checkCall(call);
  throwIfAborted(call.signal);
  const startedMs = engine.watch.now();
  const quiet = asked === undefined ? quietRequest(engine, given, call) : undefined;
  if (quiet !== undefined) {
    remember(engine, quiet);
    const report = tellQuiet(engine, quiet.pass, { known: quiet.known, call, startedMs });
    // The same kind of body as the given one.
    const request = quiet.request as Request;
    rememberEstimate(engine, request, quiet.pass.estimatedTokens);
    return { request, plan: quiet.pass.plan, report };
  }
  const { request, call: own } = unmarked(engine, given, call);
  if (call.overflow !== undefined) learnOverflow(engine, sentOf(engine, request), call.overflow);
  const reading = decodeRequest(engine, request, own, call.overflow === undefined ? asked : "overflow");
  const result = await runPass(engine, reading, { call, keeper: listKeeper(engine, reading), startedMs });
  const { sent, encoded, plan, report } = result;
  learnList(engine, listRequest(request, engine.format.listKey), reading, result);
  const isSame = sent === reading.source && reading.repairs.length === 0;
  // Encoding returns the kind of body that was decoded.
  const fitted = (isSame ? request : encoded) as Request;
  rememberEstimate(engine, fitted, result.estimatedTokens);
  return { request: fitted, plan, report };
}

/** Calibrates with the provider's count for a sent request. A request that `fit` returned is not read again. */
export function observeRequest(engine: Engine, request: unknown, response: unknown): void {
  const usage = engine.format.readUsage(response);
  if (usage === undefined) return;
  const model = modelFor(engine, request);
  const known = isObject(request) || isArray(request) ? engine.estimates.get(request) : undefined;
  const estimatedTokens = known ?? estimateOf(engine, engine.format.decode(request), model);
  calibrate(engine, estimatedTokens, { tokens: usage.inputTokens, model });
  engine.windows.accepted(model ?? "", usage.inputTokens);
}

function rememberEstimate(engine: Engine, request: unknown, estimatedTokens: number): void {
  if (isObject(request) || isArray(request)) engine.estimates.set(request, estimatedTokens);
}

/** A request without our own marks `isPreserved`; marked messages are pinned. */
function unmarked<Request>({ format }: Engine, marked: Request, call: CallOptions) {
  const { request, preserved } = takePreservedIn(marked, format.listKey);
  return { request, call: preserved.length === 0 ? call : { ...call, pinned: [...(call.pinned ?? []), ...preserved] } };
}

interface QuietRequest {
  readonly pass: QuietPass;
  /** The request as it is sent: the same object where no earlier edit applies. */
  readonly request: unknown;
  readonly known: KnownView;
  /** Absent for a list that is seen for the first time. */
  readonly list?: KnownList;
  readonly given: ListRequest;
  readonly messages: Conversation["messages"];
}

/** Undefined where a whole pass must read the list. Changes nothing. */
function quietRequest(engine: Engine, given: unknown, call: CallOptions): QuietRequest | undefined {
  const { format, lists } = engine;
  const request = listRequest(given, format.listKey);
  if (request === undefined || request.list.length === 0 || call.recheck === true) return undefined;
  const list = lists.find(request);
  if (call.pinned !== undefined) checkPinned(call.pinned, request.list.length);
  const isPinned = call.pinned !== undefined && call.pinned.length > 0;
  if (list === undefined) return isPinned ? undefined : quietlyNew(engine, given, request, call);
  if (isPinned && list.head !== undefined) return undefined;
  const rest = request.list.slice(list.elements.length);
  if (rest.some(isPreservedMark)) return undefined;
  const { messages } = format.decode(rest);
  if (messages.length !== rest.length) return undefined;
  const pass = quietPass(engine, list, messages, call);
  if (pass === undefined) return undefined;
  return { pass, request: withHead(list, request, given), known: list, list, given: request, messages };
}

/** A quiet pass over an unknown list that no earlier pass edited. */
function quietlyNew(engine: Engine, given: unknown, request: ListRequest, call: CallOptions): QuietRequest | undefined {
  if (request.list.some(isPreservedMark)) return undefined;
  const model = modelFor(engine, given);
  const decoded = engine.format.decode(given);
  const { messages } = decoded;
  if (messages.length !== request.list.length) return undefined;
  const known = unknownView(engine, { ...decoded, messages: [] }, model, call);
  const pass = known && quietPass(engine, known, messages, call);
  if (known === undefined || pass === undefined) return undefined;
  const recalled = engine.memory.recall(decoded, model);
  if (recalled.view !== decoded || recalled.passes !== NO_PASSES) return undefined;
  return { pass, request: given, known, given: request, messages };
}

function withHead({ head }: KnownList, { list, body, listKey }: ListRequest, given: unknown): unknown {
  if (head === undefined) return given;
  const sent = [...head.list, ...list.slice(head.covered)];
  return body === undefined ? sent : { ...head.body, [listKey]: sent };
}

function remember({ lists }: Engine, { known, list, given, messages }: QuietRequest): void {
  const entered = advance(known, messages);
  if (list !== undefined) {
    const { length } = list.elements;
    for (const element of given.list.slice(length, length + entered)) list.elements.push(element);
  } else if (entered > 0) {
    lists.add({ ...known, body: given.body, elements: given.list.slice(0, entered), cursor: 0 });
  }
}

/** Remembers the edits of a pass for the next request with this list. */
function listKeeper(engine: Engine, { source, recalled }: Reading): ViewKeeper {
  return {
    begin: () => true,
    originals: () => [],
    commit: ({ view, passes }) => {
      if (view !== source || passes !== recalled.passes) engine.memory.remember(source, view, passes);
      return undefined;
    },
    failed: (passes) => engine.memory.remember(source, recalled.view, passes),
  };
}

/** Adds a list that a whole pass left as it is to the known lists; forgets a list that it edited. */
function learnList(engine: Engine, request: ListRequest | undefined, reading: Reading, result: ViewPass): void {
  if (request === undefined) return;
  const { decoded, input, counting, model, repairs } = reading;
  const { sent, encoded, plan, violations, report } = result;
  const before = decoded.messages;
  if (plan.steps.length > 0) {
    engine.lists.forget(request.list.slice(0, coveredBy(before, sent.messages)));
    return;
  }
  const isPlain = before.length === request.list.length && report.notes.length === violations.length;
  if (!isPlain || input.asked !== undefined || request.list.some(isPreservedMark)) return;
  const covered = coveredBy(before, sent.messages);
  const scope = { format: engine.format, frame: { ...sent, messages: [] }, model };
  const { settings } = input;
  const edited = sent.messages.length - (before.length - covered);
  const looked = { messages: sent.messages, edited, scope, settings, counting, repairs, violations };
  const known = knownAfter(looked);
  const list = isArray(encoded) ? encoded : isObject(encoded) ? encoded[request.listKey] : undefined;
  if (known === undefined || !isArray(list)) return;
  const isEdited = covered > 0 || edited > 0 || sent.wire !== decoded.wire || sent.system !== decoded.system;
  // A conversation that was decoded from a body encodes to a body.
  const body = isObject(encoded) ? (encoded as JsonObject) : undefined;
  const head = { covered, list: list.slice(0, list.length - (before.length - covered)), body };
  const elements = request.list.slice(0, known.ledger.length - (sent.messages.length - before.length));
  engine.lists.add({ ...known, body: request.body, elements, cursor: 0, ...(isEdited && { head }) });
}

/** How many messages at the beginning of a list are sent in another form than they came. */
function coveredBy(before: Conversation["messages"], sent: Conversation["messages"]): number {
  let same = 0;
  while (same < before.length && same < sent.length && before.at(-1 - same) === sent.at(-1 - same)) same++;
  return before.length - same;
}
