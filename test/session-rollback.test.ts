import { expect, test } from "vitest";
import type { CompactionError } from "../src/core/errors.ts";
import type { JsonArray, JsonValue } from "../src/core/json.ts";
import type { FormatName } from "../src/core/message.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { type ProfileName, profileNames } from "../src/profiles/profiles.ts";
import type { Session } from "../src/session/session-port.ts";
import { openSession } from "../src/session.ts";
import { createRandom, type Random } from "../src/testing/random.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { sampleOf, seed } from "./sample.ts";
import { listOf } from "./session-world.ts";
import { storesUnderTest } from "./stores-under-test.ts";

const COUNT = sampleOf(200, 8);
const STEPS = 14;
const profiles = profileNames.filter((name) => !name.startsWith("agentpg-"));

/** What the view was before each compaction that is in force, and what was appended since. */
interface Remembered {
  readonly eventId: string;
  readonly before: readonly string[];
  readonly appended: string[];
}

interface World {
  session: Session;
  readonly reopen: () => Promise<Session>;
  readonly random: Random;
  readonly format: FormatName;
  stack: Remembered[];
  bodySeed: number;
}

async function listNow(session: Session): Promise<readonly string[]> {
  return listOf((await session.export()).request).map((message) => JSON.stringify(message));
}

async function compacts(world: World, action: () => Promise<{ readonly eventId?: string }>): Promise<void> {
  const before = await listNow(world.session);
  const { eventId } = await action().catch((error: CompactionError) => {
    if (error.code !== "nothing-to-compact") throw error;
    return { eventId: undefined };
  });
  if (eventId !== undefined) world.stack.push({ eventId, before, appended: [] });
  else expect(await listNow(world.session)).toEqual(before);
}

const ACTIONS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  append: async (world) => {
    const body = generateBody(world.format, { seed: world.bodySeed++, broken: world.random.chance(0.3) });
    const messages = (body.messages ?? body.input ?? body.contents) as JsonArray;
    if (messages.length === 0) return;
    await world.session.append(messages as readonly object[]);
    const texts = messages.map((message: JsonValue) => JSON.stringify(message));
    for (const { appended } of world.stack) appended.push(...texts);
  },
  compact: (world) => compacts(world, () => world.session.compact()),
  fit: (world) => compacts(world, () => world.session.fit({ target: { ratio: 0.5 } })),
  pin: async ({ session, random }) => {
    const view = await session.view();
    const chosen = view[random.below(Math.max(1, view.length))];
    if (chosen === undefined) return;
    const pinning = chosen.isPinned ? session.unpin(chosen.id) : session.pin(chosen.id);
    await pinning.catch((error: CompactionError) => {
      // What a compaction shortened is refused.
      if (error.code !== "message-missing" || !chosen.isEdited) throw error;
    });
  },
  rollback: async (world) => {
    const { stack, random, session } = world;
    if (stack.length === 0) return;
    const at = random.chance(0.7) ? stack.length - 1 : random.below(stack.length);
    const remembered = stack[at];
    if (remembered === undefined) return;
    const undone = await session.rollback({ to: remembered.eventId, cascade: at < stack.length - 1 });
    expect(undone).toEqual(
      stack
        .slice(at)
        .map(({ eventId }) => eventId)
        .toReversed(),
    );
    expect(await listNow(session)).toEqual([...remembered.before, ...remembered.appended]);
    world.stack = stack.slice(0, at);
  },
  reopen: async (world) => {
    const before = await listNow(world.session);
    world.session = await world.reopen();
    expect(await listNow(world.session)).toEqual(before);
  },
};

const CHOICES = ["append", "append", "append", "compact", "fit", "pin", "rollback", "reopen"] as const;

for (const { name, open } of storesUnderTest) {
  test(`${name}: after any sequence, a rollback gives the recorded view, byte for byte (seed ${seed})`, async ({
    skip,
  }) => {
    const opened = await open();
    if (typeof opened === "string") return skip(opened);
    let rollbacks = 0;
    try {
      for (let index = 0; index < COUNT; index++) {
        const random = createRandom(seed + index);
        const format = formatNames[index % formatNames.length] ?? "anthropic-messages";
        const profile: ProfileName = profiles[index % profiles.length] ?? "balanced";
        const compactor = { format: formatNamed(format), profile, protect: { tailTokens: 60, tailMessages: 2 } };
        let store = opened.store;
        const reopen = async (): Promise<Session> => {
          store = await opened.reopen();
          return openSession(`s${index}`, { store, compactor });
        };
        const session = await openSession(`s${index}`, { store, compactor, body: { model: "m" } });
        const world: World = { session, reopen, random, format, stack: [], bodySeed: (seed + index) * 100 };
        await ACTIONS.append?.(world);
        for (let step = 0; step <= STEPS; step++) {
          // The last one of all, so that no sequence that compacted anything goes without.
          const choice = step === STEPS ? "rollback" : random.pick(CHOICES);
          if (choice === "rollback" && world.stack.length > 0) rollbacks++;
          await ACTIONS[choice]?.(world);
        }
        const findings = [];
        for await (const finding of store.examine(`s${index}`)) findings.push(finding);
        expect(findings).toEqual([]);
      }
    } finally {
      await opened.dispose();
    }
    // A sample without a rollback would say nothing.
    expect(rollbacks).toBeGreaterThan(0);
  });
}
