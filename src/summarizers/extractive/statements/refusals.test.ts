import { expect, test } from "vitest";
import { toldIn } from "./assistant-statements.ts";
import { DENYING, isByRule } from "./refusals.ts";

/** What a rule forbids, and what only failed, waits or may be so. */
test.each([
  ["en", "Unfortunately, a night berth cannot be refunded.", "Unfortunately, the chart file cannot be changed."],
  [
    "en",
    "Since the stay began on Monday, I am unable to cancel it.",
    "Since the server failed, I am unable to cancel it.",
  ],
  [
    "en",
    "I'm sorry, but I cannot remove a guest from a booking.",
    "I cannot remove the guest without your berth number.",
  ],
  [
    "en",
    "By our policy, moving the stay is not allowed.",
    "If the stay has begun, moving it is not allowed by our policy.",
  ],
  ["en", "Your ticket is a night ticket, which cannot be changed.", "Night tickets typically cannot be changed."],
  ["de", "Leider kann der Liegeplatz nicht mehr storniert werden.", "Leider kann ich ohne Nummer nichts stornieren."],
  ["fr", "Malheureusement, la place ne peut pas être remboursée.", "Malheureusement, la place est encore occupée."],
  ["es", "Lamentablemente, la plaza no se puede cancelar.", "Lamentablemente, la plaza está ocupada."],
  ["pt", "Infelizmente, a vaga não pode ser cancelada.", "Infelizmente, a vaga está ocupada."],
  ["it", "Purtroppo il posto non può essere rimborsato.", "Purtroppo il posto è occupato."],
  ["ru", "К сожалению, место нельзя отменить.", "К сожалению, место занято."],
] as const)("%s: %j is refused", (language, refused, other) => {
  const isRefused = (sentence: string) => DENYING[language]?.test(sentence) === true && isByRule(sentence);
  expect(isRefused(refused)).toBe(true);
  expect(isRefused(other)).toBe(false);
});

test("a refusal is a decision where it is said to the user, not on the way to the next call", () => {
  const text = "Unfortunately, a night berth cannot be refunded. Is there anything else?";
  const decided = (isFinal: boolean) => toldIn({ text }, "en", { isAtWork: true, isFinal }).decisions;
  expect(decided(true)).toEqual([{ decision: "Unfortunately, a night berth cannot be refunded." }]);
  expect(decided(false)).toEqual([]);
});
