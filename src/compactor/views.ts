/**
 * `planOver` and `passOver`: the same passes over a decoded view that the caller keeps, as a session does. Remembers no
 * edits of it. A list that only grew since the last pass is not read again from its beginning.
 */

import type { Conversation } from "../core/message.ts";
import type { Plan } from "../core/plan/plan.ts";
import { decodeView } from "./decode.ts";
import type { Engine } from "./engine.ts";
import { checkViewCall, throwIfAborted, type ViewCall, type ViewKeeper } from "./options.ts";
import { decideOn, runPass, type ViewPass } from "./pass.ts";
import { NO_PASSES } from "./passes.ts";
import { advance, type KnownView, knownAfter, type QuietPass, quietPass, tellQuiet, unknownView } from "./quiet.ts";

export function planOver(engine: Engine, view: Conversation, call: ViewCall): Plan {
  checkViewCall(call);
  const quiet = quietView(engine, view, call);
  return quiet?.pass.plan ?? decideOn(engine, decodeView(engine, copyOf(view), call)).decision.plan;
}

/** The caller may add to the list; the decision needs a fixed one. */
function copyOf(view: Conversation): Conversation {
  return { ...view, messages: [...view.messages] };
}

export async function passOver(engine: Engine, view: Conversation, call: ViewCall): Promise<ViewPass> {
  checkViewCall(call);
  throwIfAborted(call.signal);
  const startedMs = engine.watch.now();
  const quiet = quietView(engine, view, call);
  if (quiet !== undefined) {
    const { known, pass } = quiet;
    advance(known, view.messages.slice(known.ledger.length));
    engine.views.set(view.messages, known);
    return quietResult(
      engine,
      view,
      { ...quiet, pass: { ...pass, report: tellQuiet(engine, pass, { known, call, startedMs }) } },
      call,
    );
  }
  const kept = copyOf(view);
  const reading = decodeView(engine, kept, call);
  const result = await runPass(engine, reading, { call, keeper: call.keeper ?? NOBODY, startedMs });
  if (result.view !== kept) return result;
  const { counting, model, input, repairs } = reading;
  const { violations, sent, plan } = result;
  const isLeft = sent === kept && plan.steps.length === 0 && input.asked === undefined;
  const scope = { format: engine.format, frame: { ...kept, messages: [] }, model };
  const { messages } = kept;
  const looked = { messages, edited: 0, scope, settings: input.settings, counting, repairs, violations };
  const known = isLeft ? knownAfter(looked) : undefined;
  if (known !== undefined) engine.views.set(view.messages, known);
  return { ...result, view };
}

const NOBODY: ViewKeeper = { begin: () => true, originals: () => [], commit: () => undefined, failed: () => {} };

interface QuietView {
  readonly known: KnownView;
  readonly pass: QuietPass;
}

function quietView(engine: Engine, view: Conversation, call: ViewCall): QuietView | undefined {
  if (call.asked !== undefined || call.attempt !== undefined || view.messages.length === 0) return undefined;
  const before = engine.views.get(view.messages);
  const model = engine.model ?? call.model;
  const isKnown = before !== undefined && before.scope.model === model && isSameFrame(before.scope.frame, view);
  const known = isKnown ? before : unknownView(engine, { ...view, messages: [] }, model, call);
  const pass = known && quietPass(engine, known, view.messages.slice(known.ledger.length), call);
  return known && pass && { known, pass };
}

function isSameFrame(one: Conversation, other: Conversation): boolean {
  return one.system === other.system && one.tools === other.tools && one.wire === other.wire;
}

function quietResult(engine: Engine, view: Conversation, { known, pass }: QuietView, call: ViewCall): ViewPass {
  const { length } = view.messages;
  return {
    view,
    sent: view,
    // Encoded on demand: a keeper of a view has most of it in wire form already.
    get encoded(): unknown {
      return engine.format.encode({ ...view, messages: view.messages.slice(0, length) });
    },
    plan: pass.plan,
    report: pass.report,
    estimatedTokens: pass.estimatedTokens,
    violations: known.violations,
    passes: call.passes ?? NO_PASSES,
    settings: known.settings,
    strategy: "prune",
    isCompaction: false,
    isQuiet: true,
  };
}
