/** What a loop needs to know of a session before it begins: which calls wait for a result, and whether the tools are offered. */

import type { ModelCall } from "../core/model.ts";
import type { ToolDefinition } from "../core/ports.ts";
import { structureOf } from "../core/structure/structure.ts";
import type { Session } from "../session/session-port.ts";
import type { LoopTool } from "./tools.ts";

/** Calls of the newest answer whose results are not stored, in order. A call of a tool that the provider runs is none of these. */
export async function openCalls(session: Session, signal: AbortSignal): Promise<readonly ModelCall[]> {
  const view = await session.view({ signal });
  const { format } = session.compactor;
  const messages = view.flatMap(({ body }) => format.decode([body]).messages);
  const structure = structureOf(messages);
  const open = structure.openRound();
  if (open === undefined) return [];
  return structure.pairing.calls.flatMap(({ part, at, results }): readonly ModelCall[] => {
    if (at.message < open.start || results.length > 0 || part.server === true) return [];
    const { callId, name, input } = part;
    return [{ ...(callId !== undefined && { callId }), name, input }];
  });
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
