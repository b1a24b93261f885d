import { expect, test } from "vitest";
import { CompactionError } from "../../core/errors.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { createRandom, type Random } from "../../testing/random.ts";
import { append, assistant, begin, commitOf, isSound, listOf, user } from "../../testing/store/world.ts";
import { memoryStore } from "../memory.ts";
import { sqliteStore } from "../sqlite.ts";

const SEEDS = process.env.SOAK === undefined ? 25 : 500;
const STEPS = 40;

/** Both stores get the same time and the same ids in each step, so that whatever they show must be the same. */
function pair(ids: { step: number; drawn: number }): readonly [FullStore, FullStore] {
  const now = () => new Date("2026-11-15T12:00:00.000Z");
  const newId = () => {
    ids.drawn++;
    return `event-${ids.step}-${ids.drawn}`;
  };
  return [memoryStore({ now, newId }), sqliteStore({ now, newId, file: ":memory:" })];
}

type Step = (store: FullStore) => Promise<unknown>;

/** A step is drawn before it is taken, so that both stores take the same one; some of them must be refused. */
function drawStep(random: Random): Step {
  const session = random.chance(0.85) ? "a" : "b";
  const numbers = Array.from({ length: 1 + random.below(4) }, () => random.below(9));
  const word = random.pick(["alpha", "beta", "gamma", "数据库", "naïve"]);
  const [isFirst, isSecond, event] = [random.chance(0.5), random.chance(0.5), random.below(8)];
  const steps: readonly [Step, ...Step[]] = [
    (store) =>
      append(
        store,
        session,
        numbers.map((number) => (isFirst ? user : assistant)(`${word} ${number}`)),
      ),
    (store) => append(store, session, [user(word)], { inputTokens: event, outputTokens: 7 }),
    (store) =>
      store.update(session, {
        type: "pin",
        messageIds: numbers.map((number) => `m${number + event}`),
        isPinned: isFirst,
      }),
    (store) => store.update(session, { type: "base", base: { model: word, step: event } }),
    (store) => store.update(session, { type: "metadata", metadata: { word, step: event } }),
    (store) => rollBackTo(store, session, { event, cascade: isSecond }),
    (store) => store.rollback(session, {}),
    (store) => compactSome(store, session, { numbers, word, isFirst, isSecond }),
    (store) => compactSome(store, session, { numbers: [event, event + 1, event + 2], word, isFirst, isSecond }),
    (store) => compactSome(store, session, { numbers: [0, 1, 2], word, isFirst: true, isSecond }),
    (store) =>
      event === 0 ? store.purge(session, new Date("2030-01-01")) : store.purge(session, new Date("2020-01-01")),
    (store) => (event === 1 ? store.fork("a", "b") : store.search(session, word, 5)),
    (store) => (event === 2 && session === "b" ? store.delete("b") : store.messages(session, [`m${event}`, "m3"])),
  ];
  return random.pick(steps);
}

async function rollBackTo(store: FullStore, session: string, { event, cascade }: { event: number; cascade: boolean }) {
  const to = (await listOf(store.events(session))).at(-event)?.id ?? "nobody";
  return store.rollback(session, { to, cascade });
}

interface Drawn {
  readonly numbers: readonly number[];
  readonly word: string;
  readonly isFirst: boolean;
  readonly isSecond: boolean;
}

async function compactSome(
  store: FullStore,
  session: string,
  { numbers, word, isFirst, isSecond }: Drawn,
): Promise<unknown> {
  const archive = [...new Set(numbers)].toSorted((a, b) => a - b);
  const edited = Math.max(...archive) + 1;
  const commit = await commitOf(store, session, {
    archive,
    ...(isFirst && { summary: word }),
    edits: isSecond ? [[edited, { role: "user", content: `edited ${word}` }]] : [],
    event: { isCompaction: isFirst },
    ...(isSecond && { totalTokens: 5 }),
    system: isFirst && isSecond ? { before: "a", after: word } : null,
  });
  try {
    const { eventId, insertedIds, version } = await store.commit(session, commit);
    return { eventId, insertedIds, version };
  } finally {
    await store.release(commit.lease);
  }
}

async function outcomeOf(step: Step, store: FullStore): Promise<unknown> {
  try {
    return await step(store);
  } catch (error) {
    // What the steps themselves find impossible is not a matter of the store.
    return error instanceof CompactionError ? error.code : String(error);
  }
}

async function everything(store: FullStore): Promise<unknown> {
  const of = async (session: string) => {
    const state = await store.open(session);
    if (state === undefined) return undefined;
    const [events, archive, log] = [store.events(session), store.archive(session), store.log(session)];
    return { state, events: await listOf(events), archive: await listOf(archive), log: await listOf(log) };
  };
  return { a: await of("a"), b: await of("b") };
}

/** Which session of its id it is: no two stores say the same. */
function withoutIdentity(answer: unknown): unknown {
  if (answer === undefined) return undefined;
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === "incarnation" ? "" : value));
}

test.each(Array.from({ length: SEEDS }, (_, seed) => seed))("seed %i: SQLite shows what memory shows", async (seed) => {
  const random = createRandom(seed);
  const ids = { step: 0, drawn: 0 };
  const stores = pair(ids);
  const both = async (ask: (store: FullStore) => Promise<unknown>, what: string): Promise<void> => {
    const answers: unknown[] = [];
    for (const store of stores) {
      ids.drawn = 0;
      answers.push(withoutIdentity(await ask(store)));
    }
    expect(answers[1], what).toEqual(answers[0]);
  };
  await both((store) => begin(store, "a", 9), "begin");
  for (ids.step = 1; ids.step <= STEPS; ids.step++) {
    const step = drawStep(random);
    await both((store) => outcomeOf(step, store), `step ${ids.step}: ${step}`);
    await both(everything, `after step ${ids.step}: ${step}`);
  }
  for (const store of stores) {
    await isSound(store);
    await store.close();
  }
});
