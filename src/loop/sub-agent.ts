/**
 * An agent as a tool of another: each call is a loop on a session of its own, with a window of its own, whose parent is recorded. The caller's
 * conversation holds only the task and the answer. A call that was interrupted goes on in the same session.
 */

import { randomUUID } from "node:crypto";
import { isObject } from "../core/json.ts";
import { type LoopEvent, type LoopOptions, runLoop } from "../run-loop.ts";
import type { Session } from "../session/session-port.ts";
import { openSession, type SessionOptions } from "../session.ts";
import type { LoopTool } from "./tools.ts";

export interface SubAgentOptions<Request extends object = object>
  extends Pick<LoopOptions, "model" | "tools" | "maxSteps" | "toolTimeoutMs" | "stream" | "background">,
    Pick<SessionOptions<Request>, "compactor" | "body"> {
  readonly name: string;
  readonly description?: string;
  /** The session of the agent that calls it; the sub-agent's sessions are in the same store. */
  readonly parent: Session;
  /** How long one call may take. Default: half an hour. */
  readonly timeoutMs?: number;
  /** Hears of what goes on in the sub-agent's session. */
  readonly onEvent?: (event: LoopEvent, session: Session) => void;
}

const TIMEOUT_MS = 1_800_000;

/**
 * @example
 * const research = subAgent({ name: "research", parent: session, model, compactor: { format: model.format }, body, tools });
 * await runLoop({ session, model, tools: [research], input: "Compare the three libraries" });
 */
export function subAgent<Request extends object>(options: SubAgentOptions<Request>): LoopTool {
  const { name, description, timeoutMs = TIMEOUT_MS } = options;
  return {
    name,
    ...(description !== undefined && { description }),
    parameters: {
      type: "object",
      properties: { task: { type: "string", description: "Everything that it has to know: it sees nothing else." } },
      required: ["task"],
    },
    timeoutMs,
    run: async (input, { signal, callId }) => {
      const task = isObject(input) && typeof input.task === "string" ? input.task.trim() : "";
      if (task === "") throw new Error("`task` must be a text.");
      const session = await childOf(options, callId);
      const ending = new AbortController();
      try {
        return await answerOf(options, session, { task, signal: AbortSignal.any([signal, ending.signal]) });
      } finally {
        // Nobody goes on with this session, so a summary that is being prepared for it ends too.
        ending.abort();
        await session.close();
      }
    },
  };
}

/** The same for the same call. A provider without call ids has a new one each time. */
function childOf<Request extends object>(
  { parent, compactor, body }: SubAgentOptions<Request>,
  callId: string = randomUUID(),
) {
  const own = body === undefined ? {} : { body };
  return openSession(`${parent.id}/${callId}`, { store: parent.store, compactor, parentId: parent.id, ...own });
}

interface SubTask {
  readonly task: string;
  readonly signal: AbortSignal;
}

async function answerOf(options: SubAgentOptions, session: Session, { task, signal }: SubTask): Promise<string> {
  const { model, tools = [], maxSteps, toolTimeoutMs, stream, background, onEvent } = options;
  const isNew = (await session.view({ signal })).length === 0;
  const { text, stopReason, steps } = await runLoop({
    session,
    model,
    tools,
    signal,
    ...(isNew && { input: task }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(toolTimeoutMs !== undefined && { toolTimeoutMs }),
    ...(stream !== undefined && { stream }),
    ...(background !== undefined && { background }),
    ...(onEvent !== undefined && { onEvent: (event: LoopEvent) => onEvent(event, session) }),
  });
  if (stopReason !== "max-steps") return text;
  throw new Error(`It was not done after ${steps} steps. Its last words: ${text}`);
}
