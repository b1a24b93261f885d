import { describe, expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { leanedOn, openingOf } from "./leaning-replies.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const QUESTION = "Shall I print the mended timetable of the northern ferry on red card for forty crowns?";

/** What is next once this was said in answer to the question. */
async function stepsAfter(reply: string, budgetTokens = 2_000): Promise<readonly string[]> {
  const callId = `c${next++}`;
  const messages = [
    message("user", text("Please mend the ferry timetable.")),
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command: "draw" } }),
    message("user", { type: "tool-result", callId, content: [text("drawn")], isError: false }),
    message("assistant", text(`It is mended. ${QUESTION}`)),
    message("user", text(reply)),
  ];
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint?.nextSteps ?? [];
}

test("in little room the question is cut, not the answer to it", async () => {
  const reply = "No, leave the red card for the pilots";
  expect(await stepsAfter(reply)).toEqual([`take up: ${reply} — ${QUESTION}`]);
  const [step = ""] = await stepsAfter(reply, 70);
  expect(step.startsWith(`take up: ${reply}`)).toBe(true);
  expect(step).toMatch(/…$/);
});

test("what is asked beside an answer is the goal, and only the answer is told with its question", async () => {
  const UNANSWERED = "The newest request is still unanswered: take it up.";
  const more = "Yes. Please also draw the map of the northern harbour, with every berth that is free in May.";
  expect(await stepsAfter(more)).toEqual([UNANSWERED, `take up: Yes — ${QUESTION}`]);
  expect(await stepsAfter(more, 70)).toEqual([UNANSWERED]);
  expect(await stepsAfter("Yes, on Monday.")).toEqual([`take up: Yes, on Monday. — ${QUESTION}`]);
});

test.each<[Language, string, boolean]>([
  ["es", "Sí, y además quiero añadir dos maletas y cambiar el nombre del pasajero.", true],
  ["es", "Sí, a Lucía", false],
  ["en", "No. Can you sell it?", true],
  ["en", "Paint it, please draw the map.", false],
  ["de", "Ja, bitte zeichne auch die Karte des Hafens.", true],
])("%s: %s", (language, reply, expected) => expect(openingOf(reply, language).asksMore).toBe(expected));

describe("what a question points at is the list before it, not its last item", () => {
  const CROSSING =
    "The quickest crossing on Monday is:\n\n- **First leg:**\n  - Ferry: FX229\n  - Fare: $142\n- **Second leg:**\n  - Ferry: FX266\n  - Fare: $170";
  const NAMED = "The quickest crossing on Monday is: Ferry: FX229; Ferry: FX266; Fare: $170.";
  const check = (said: string, expected: string, language: Language = "en"): void =>
    expect(leanedOn(said, "Yes", language)).toBe(expected);

  test.each([
    "Would you like to proceed with this option? If so, please confirm.",
    "Should I do that? If so, please confirm.",
    "Would you like me to move the whole cargo of the harbour to these ferries?",
  ])("%s", (asked) => check(`It is sunny.\n\n${CROSSING}\n\n${asked}`, `${NAMED} ${asked}`));

  test("however long the list is", () => {
    const stops = Array.from({ length: 30 }, (_, at) => `  - Stop ${at}: the quay by the old mill`).join("\n");
    const asked = "Would you like to proceed with this option? If so, please confirm.";
    check(`It is sunny.\n\n${CROSSING.replace("\n- **Second", `\n${stops}$&`)}\n\n${asked}`, `${NAMED} ${asked}`);
  });

  test("unless its beginning is not read, something else was said since, or the question names it", () => {
    const asked = "Would you like to proceed with this option? If so, please confirm.";
    const opening = `Of all ferries, ${"the slow ones and the fast ones, ".repeat(6)}the quickest is:`;
    const far = `${opening}\n${"- the quay by the old mill\n".repeat(52)}- Ferry: FX266\n- Fare: $170`;
    check(`${far}\n\n${asked}`, `Fare: $170. ${asked}`);
    check(`${CROSSING}\n\nThe pier is closed. ${asked}`, `The pier is closed. ${asked}`);
    const named = "Would you like me to move the whole cargo of the harbour to this ferry, FX266?";
    check(`${CROSSING}\n\n${named}`, named);
  });

  test.each<[Language, string, string]>([
    ["de", "Die schnellste Überfahrt ist:", "Möchten Sie diese Variante? Wenn ja, bestätigen Sie bitte."],
    ["fr", "La traversée la plus rapide est :", "Voulez-vous cette option ? Si oui, veuillez confirmer."],
    ["es", "La travesía más rápida es:", "¿Desea tomar esta opción? En caso afirmativo, ¿me lo confirma?"],
    ["pt", "A travessia mais rápida é:", "Deseja essa opção? Se sim, pode confirmar?"],
    ["it", "La traversata più rapida è:", "Desidera questa opzione? Se sì, può confermare?"],
    ["ru", "Самая быстрая переправа:", "Хотите этот вариант? Если да, вы подтверждаете?"],
    ["ar", "أسرع عبور هو:", "هل تريد هذا الخيار؟ إذا كان الأمر كذلك، هل تؤكد ذلك؟"],
    ["zh", "最快的渡轮是：", "您要选择这个方案吗？如果是的话，您能确认吗？"],
    ["ja", "最速の便はこちらです：", "この便でよろしいですか？その場合、ご確認いただけますか？"],
    ["ko", "가장 빠른 배편은 다음과 같습니다:", "이 배편으로 할까요? 그렇다면 확인해 주시겠어요?"],
  ])("%s: %s %s", (language, opening, asked) => {
    const told = leanedOn(`${opening}\n\n- FX229\n- FX266\n\n${asked}`, "FX", language);
    expect(told).toContain(`${opening} FX229; FX266`);
  });
});
