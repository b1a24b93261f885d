import { describe, expect, test } from "vitest";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));
const looked = (): readonly Message[] => {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "look_up", input: { pier: "east" } }),
    message("user", { type: "tool-result", callId, content: [text("18:40")], isError: false }),
  ];
};

interface Answered {
  readonly answer: string;
  readonly opening?: string;
  readonly request?: string;
  /** Whether the request leaves too. */
  readonly isAllLeaving?: boolean;
  readonly budgetTokens?: number;
}

/** A turn whose request stays in the view while its answer leaves. */
async function check(
  { answer, opening = OPENING, request = QUESTION, isAllLeaving, budgetTokens = 2_000 }: Answered,
  done: readonly string[],
): Promise<void> {
  const before = [user(opening), assistant("Okay.")];
  const since = [...looked(), assistant(answer)];
  const asked = user(request);
  const { checkpoint } = await extractive().summarize(
    {
      messages: isAllLeaving === true ? [...before, asked, ...since] : [...before, ...since],
      turnPrefix: [],
      kept: isAllLeaving === true ? [] : [asked],
      keptAfter: isAllLeaving === true ? [] : [before.length],
      budgetTokens,
      counter: estimateTokens(),
    },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  expect(checkpoint?.done).toEqual(done);
}

const OPENING = "Please plan my trip to the island.";
const QUESTION = "When does the last ferry leave from the eastern pier?";

test("the answer to a request that stays is told", () =>
  check({ answer: "Good question! The last ferry leaves the eastern pier at **18:40**. Shall I book it?" }, [
    "answered: The last ferry leaves the eastern pier at 18:40.",
  ]));

test("a sentence before a list goes on with its items, and else is marked as going on", async () => {
  await check(
    { answer: "Three ferries leave the eastern pier after noon:\n- FX7 at 12:10\n- FX9 at 18:40\n\nAll are free." },
    ["answered: Three ferries leave the eastern pier after noon: FX7 at 12:10; FX9 at 18:40"],
  );
  await check(
    { answer: "Here are the ferries:\n\n1. **Ferry FX7:**\n   - Price: 12\n2. **Ferry FX9:**\n   - Price: 9" },
    ["answered: Here are the ferries: Ferry FX7: Price: 12; Ferry FX9: Price: 9"],
  );
  await check({ answer: "The ferries leave the eastern pier as drawn here:\n\n---\n" }, [
    "answered: The ferries leave the eastern pier as drawn here…",
  ]);
});

test("courtesies answer nothing", async () => {
  await check({ answer: "Feel free to reach out when you know the day. I'll be here whenever you are ready!" }, []);
  await check({ answer: "You're welcome, have a safe crossing to the island!" }, []);
  await check({ answer: "Have no fear: the last ferry waits for late guests at the pier." }, [
    "answered: Have no fear: the last ferry waits for late guests at the pier.",
  ]);
});

test("a question, an announcement and a plea answer nothing", async () => {
  await check({ answer: "Which of the two eastern piers do you have in mind?" }, []);
  await check({ answer: "I'll look up the timetable of the eastern pier." }, []);
  await check({ answer: "Please tell me the day on which you want to travel." }, []);
});

test("what was done is not said twice", () =>
  check({ answer: "I've booked the ferry at 18:40. It leaves from the eastern pier." }, [
    "I've booked the ferry at 18:40.",
  ]));

test("where the request leaves too, nothing pretends that it is unanswered", () =>
  check({ answer: "The last ferry leaves the eastern pier at 18:40.", isAllLeaving: true }, []));

test("in the language of the conversation", () =>
  check(
    {
      opening: "Bitte plane meine Reise auf die Insel, ich möchte mit der Familie am Freitag hin.",
      request: "Wann fährt die letzte Fähre vom östlichen Anleger ab?",
      answer: "Die letzte Fähre fährt um 18:40 Uhr am östlichen Anleger ab.",
    },
    ["beantwortet: Die letzte Fähre fährt um 18:40 Uhr am östlichen Anleger ab."],
  ));

describe("in little room", () => {
  const answer = "The crossing costs between 220 and 320 crowns for both of you, with a bicycle rather more than that.";
  const opening = `${OPENING} Never book a night ferry. We take the slow one instead of the fast one because of my back.`;
  const request =
    "Then we take the house at the harbour, and the neighbours feed the cat. What does the crossing cost?";

  test.each([95, 105, 120])("the answer stands before all but the next step, in %i tokens", (budgetTokens) =>
    check({ answer, request, opening, budgetTokens }, [`answered: ${answer}`]),
  );
  test("but not where nothing else would have room", () => check({ answer, request, opening, budgetTokens: 64 }, []));
});
