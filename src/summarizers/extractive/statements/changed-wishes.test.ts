import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { laterWishes } from "./changed-wishes.ts";

const ROPE = "I'd like to use the old rope for the mooring.";

test.each<[Language, string, string]>([
  ["en", ROPE, "If the rope is longer than ten metres, I'd prefer to take the chain instead. Would that work?"],
  ["en", ROPE, "Yes, please go on with the chain for the mooring."],
  ["de", "Ich möchte das alte Seil nehmen.", "Wenn das Seil zu kurz ist, nehme ich lieber die Kette."],
  ["fr", "Je voudrais utiliser la vieille corde.", "Si la corde est trop courte, je prends plutôt la chaîne."],
  ["es", "Quiero usar la cuerda vieja.", "Si la cuerda es corta, usa la cadena en su lugar."],
  ["pt", "Quero usar a corda velha para o cais.", "Pode seguir com a corrente para o cais."],
  ["ru", "Хочу использовать старую верёвку.", "Раз старую верёвку не найти, возьмём лучше цепь."],
  ["zh", "我们用旧绳子。", "如果绳子太短，就改用链条。"],
])("another way was taken since (%s): %s", (language, wish, later) =>
  expect(laterWishes(["ok", later]).change(wish, language)).toBe(true),
);

test.each<[string, string]>([
  [ROPE, "Take the chain for the anchor."],
  [ROPE, "Please use a chain for the mooring, too."],
  [ROPE, "If the rope is long enough, should I take the chain instead?"],
  [ROPE, "The lamp is too dim, take the other rope instead."],
  [ROPE, "The lamp is too dim, paint it white instead."],
  [ROPE, "Is there a chain for the mooring?"],
  ["The old rope is used for the mooring.", "Go on with the chain for the mooring."],
])("nothing else was: %s %s", (wish, later) => expect(laterWishes([later]).change(wish, "en")).toBe(false));

test("a wish is told until another way is taken, wherever that is said", async () => {
  const isTold = async (leaving: readonly string[], staying: readonly string[]): Promise<boolean> => {
    const all = [...leaving, ...staying].map((words, at): Message => {
      return { id: `m${at}`, role: at % 2 === 0 ? "user" : "assistant", parts: [text(words)] };
    });
    const messages = all.slice(0, leaving.length);
    const { checkpoint } = await extractive().summarize(
      { messages, turnPrefix: [], kept: all.slice(leaving.length), budgetTokens: 1_000, counter: estimateTokens() },
      { signal: new AbortController().signal, progress: () => undefined },
    );
    return JSON.stringify(checkpoint?.decisions).includes("old rope");
  };
  const begun = ["Please paint the pier.", "The pier is red.", ROPE, "The rope is ten metres long."];
  const change = ["If the rope is that long, I'd take the chain instead.", "The chain holds."];
  const other = ["If the pier is that red, I'd take blue instead.", "It is blue."];
  expect(await isTold([...begun, ...other], [])).toBe(true);
  expect(await isTold(begun, other)).toBe(true);
  expect(await isTold([...begun, ...change], [])).toBe(false);
  expect(await isTold(begun, change)).toBe(false);
});
