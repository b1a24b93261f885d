import { expect, test } from "vitest";
import { EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], words: string): Message => ({ id: `m${next++}`, role, parts: [text(words)] });
const user = (words: string): Message => message("user", words);
const assistant = (words: string): Message => message("assistant", words);

const ASKS = "Pouvez-vous aussi comparer avec un retour par la côte ?";
const NEWEST = `Parfait, gardez pour nous la chambre au-dessus de la voile. Il reste donc le retour du 29 juin vers Nantes avec les vélos. ${ASKS}`;
const TAKEN = "On laisse tomber le phare et on fait le moulin à la place.";
const journey = [
  assistant("Avec plaisir ! Préférez-vous le train ou une voiture ?"),
  user("Plutôt le train, et on part de Nantes."),
  assistant("Le train de 8 h 12 coûte 21 € par adulte. Le phare se visite le 23 juin, sur réservation."),
  user(`Le train de 8 h 12 nous convient, on le prend. ${TAKEN}`),
  assistant("Je trouve une maison au bord de l'eau à 95 € la nuit, soit 570 € pour 6 nuits."),
  user("La maison, c'est bon. Le bateau est trop cher, trouvez mieux."),
  assistant("Le petit bateau coûte 12 € par personne et part à 9 h."),
];
const first = user("Bonjour ! Nous voulons passer une semaine en Bretagne, du 22 au 29 juin. Pouvez-vous nous aider ?");

async function told(budgetTokens: number, newest: Message) {
  const { checkpoint } = await extractive().summarize(
    {
      messages: journey,
      turnPrefix: [],
      kept: [first, newest],
      keptAfter: [0, journey.length],
      budgetTokens,
      counter: estimateTokens(),
    },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  const { goal, decisions } = checkpoint ?? EMPTY_CHECKPOINT;
  return { goal, decisions: decisions.map(({ decision }) => decision) };
}

test("beside a request that stays in the view, the decisions are told, and what it asks", async () => {
  for (const budgetTokens of [64, 80, 100]) {
    const { goal, decisions } = await told(budgetTokens, user(NEWEST));
    expect(goal, `${budgetTokens}`).toEqual([expect.stringContaining(ASKS)]);
    expect(decisions, `${budgetTokens}`).toContain(TAKEN);
  }
  expect((await told(100, user(NEWEST))).decisions).toContain("Utilisateur: La maison, c'est bon.");
});

test("it stands there whole where there is room for all", async () => {
  const { goal, decisions } = await told(600, user(NEWEST));
  expect(goal.at(-1)).toBe(NEWEST);
  expect(decisions.length).toBe(4);
});

test("of fewer tokens what nobody sees is told first, and what is asked in the room that is left", async () => {
  expect(await told(44, user(NEWEST))).toEqual({ goal: [], decisions: [TAKEN] });
  expect(await told(59, user(NEWEST))).toEqual({ goal: [ASKS], decisions: [TAKEN] });
});
