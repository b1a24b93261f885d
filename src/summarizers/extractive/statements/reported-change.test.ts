import { expect, test } from "vitest";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });

/** What is done once a call was made for a request, and told so. */
async function done(request: string, name: string, input: JsonObject, told: string): Promise<readonly string[]> {
  const callId = `c${next++}`;
  const messages = [
    message("user", text(request)),
    message("assistant", { type: "tool-call", callId, name, input }),
    message("user", { type: "tool-result", callId, content: [text("ok")], isError: false }),
    message("assistant", text(told)),
    message("user", text("?")),
  ];
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint?.done ?? [];
}

test.each([
  [
    "Je voudrais une cabine plus grande sur le ferry, s'il vous plaît.",
    "modifier",
    "Voilà : BV-20471, cabine triple 402.",
  ],
  ["Quiero cambiar la dirección de mi pedido, por favor.", "cambiar", "Listo: la cabina de BV-20471 es ahora la 402."],
  ["Bitte buchen Sie meine Kabine auf der Fähre um.", "umbuchen", "Erledigt: BV-20471 liegt jetzt in Kabine 402."],
  ["Please give me the larger cabin on the ferry.", "modify_booking", "Here you are: BV-20471, cabin 402."],
])("%s", async (request, name, told) =>
  expect(await done(request, name, { booking: "BV-20471", cabin: "402" }, told)).toEqual([told]),
);

test("a question, what is denied or what names nothing of it does not tell it", async () => {
  const request = "Please give me the larger cabin on the ferry.";
  const call = ["modify_booking: BV-20471 (cabin: 402)"];
  for (const told of [
    "Would you like a meal with BV-20471?",
    "BV-20471 could not be moved yet, but I keep trying.",
    "Here you are: the larger cabin.",
    "Your booking:\n- **Booking number:** BV-20471",
  ])
    expect(await done(request, "modify_booking", { booking: "BV-20471", cabin: "402" }, told)).toEqual(call);
  expect(await done(request, "get_booking", { booking: "BV-20471" }, "Here you are: BV-20471, cabin 402.")).toEqual([]);
});
