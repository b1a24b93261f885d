/** What a loop needs to know of a session before it begins: which calls wait for a result, and whether the tools are offered. */

import { textsOf } from "../core/message.ts";
import type { ModelCall } from "../core/model.ts";
import type { ToolDefinition } from "../core/ports.ts";
import { structureOf } from "../core/structure/structure.ts";
import type { Session } from "../session/session-port.ts";
import type { LoopTool } from "./tools.ts";

export interface LoopState {
  /** Calls of the newest answer whose results are not stored, in order; none that the provider runs itself. */
  readonly calls: readonly ModelCall[];
  /** The text of the newest message where that is an answer: then nothing is left to ask for. */
  readonly answer: string | undefined;
}

export async function stateOf(session: Session, signal: AbortSignal): Promise<LoopState> {
  const view = await session.view({ signal });
  const { format } = session.compactor;
  const messages = view.flatMap(({ body }) => format.decode([body]).messages);
  const structure = structureOf(messages);
  const open = structure.openRound();
  const calls = structure.pairing.calls.flatMap(({ part, at, results }): readonly ModelCall[] => {
    if (open === undefined || at.message < open.start || results.length > 0 || part.server === true) return [];
    const { callId, name, input } = part;
    return [{ ...(callId !== undefined && { callId }), name, input }];
  });
  const newest = messages.at(-1);
  const isAnswered = calls.length === 0 && newest?.role === "assistant";
  return {
    calls,
    answer: isAnswered ? textsOf(newest.parts.filter(({ type }) => type === "text")).join("") : undefined,
  };
}

export function definitionsOf(tools: readonly LoopTool[]): readonly ToolDefinition[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? { type: "object", properties: {} },
  }));
}

/** The definitions go into the session's body, so that they are counted and sent with every request. */
export async function offerTools(session: Session, tools: readonly LoopTool[], signal: AbortSignal): Promise<void> {
  if (tools.length === 0) return;
  const { format } = session.compactor;
  const written = format.writeTools(definitionsOf(tools));
  const { base } = (await session.store.open(session.id)) ?? {};
  if (JSON.stringify(base?.tools) === JSON.stringify(written)) return;
  await session.setBody({ ...base, tools: written }, { signal });
}
