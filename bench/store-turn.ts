/** One turn of a session, as the store sees it: the user's message is appended, the request is made, the answer is appended with its usage. */

import type { Session } from "../src/session/session-port.ts";
import { texts } from "./store-messages.ts";

export async function takeTurn(session: Session, number: number): Promise<void> {
  const text = texts[number % texts.length] ?? "";
  await session.append([{ role: "user", content: text }]);
  await session.request();
  await session.append({
    id: `msg_${number}`,
    type: "message",
    role: "assistant",
    model: "claude-opus-4-5",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 100_000, output_tokens: 500 },
  });
}
