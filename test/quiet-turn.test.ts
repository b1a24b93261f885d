import { expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { CompactionError } from "../src/core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonObject } from "../src/core/json.ts";
import type { Format } from "../src/core/ports.ts";
import type { SettingsInput } from "../src/core/settings/settings.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import { openSession } from "../src/session.ts";
import { resolveSettings } from "../src/settings.ts";
import { createRandom, type Random } from "../src/testing/random.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { randomSettings } from "./random-settings.ts";
import { sampleOf, seed } from "./sample.ts";

/** A turn in which nothing is due reads only what is new, and comes to what a look at everything comes to. */

const LISTS = sampleOf(4_000, 80);
const KEYS = ["messages", "input", "contents"] as const;

interface Case {
  readonly format: Format;
  readonly options: CompactorOptions;
  readonly body: JsonObject;
  readonly key: string;
  readonly random: Random;
}

function caseOf(number: number): Case {
  const random = createRandom(number);
  const format = formatNamed(formatNames[random.below(formatNames.length)] ?? "gemini");
  const body = generateBody(format.name, { seed: number, broken: random.chance(0.3) });
  const windowTokens = random.pick([400, 1_000, 3_000, 20_000, 200_000]);
  const drawn = random.chance(0.3) ? randomSettings(random) : { windowTokens };
  const settings = isRefused(drawn) ? { windowTokens } : drawn;
  const key = KEYS.find((candidate) => isArray(body[candidate])) ?? "messages";
  return { format, body, key, random, options: { ...settings, format, telemetry: false } };
}

function isRefused(settings: SettingsInput): boolean {
  try {
    resolveSettings({ user: settings });
    return false;
  } catch {
    return true;
  }
}

interface Outcome {
  /** Byte for byte. */
  readonly request?: string;
  readonly report?: { readonly reason?: string; readonly compacted?: boolean };
  readonly error?: string;
}

async function outcomeOf(call: () => Promise<{ request?: unknown; report?: unknown }>): Promise<Outcome> {
  try {
    const { request, report } = await call();
    return {
      ...(request !== undefined && { request: JSON.stringify(request) }),
      ...(report !== undefined && { report: JSON.parse(JSON.stringify(report)) }),
    };
  } catch (error) {
    if (!(error instanceof CompactionError)) throw error;
    return { error: `${error.code} ${error.message}` };
  }
}

/** A host adds messages, and sometimes says more in its newest one. */
function grown(list: readonly unknown[], whole: JsonArray, random: Random): readonly unknown[] {
  const more = 1 + random.below(3);
  const next = [...list, ...whole.slice(list.length, list.length + more)];
  const last = next.at(-1);
  const isSaying = isObject(last) && typeof last.content === "string" && random.chance(0.2);
  return isSaying ? [...next.slice(0, -1), { ...last, content: `${last.content} And more.` }] : next;
}

async function check(number: number): Promise<{ quiet: number; compacted: number }> {
  const { options, body, key, random } = caseOf(number);
  const [quick, whole] = [createCompactor(options), createCompactor(options)];
  const isParsedAnew = random.chance(0.5);
  // What a generated body has under its key is a list.
  const all = body[key] as JsonArray;
  let list: readonly unknown[] = all.slice(0, 1 + random.below(3));
  const seen = { quiet: 0, compacted: 0 };
  for (let turn = 0; turn < 12; turn++) {
    const request = isParsedAnew ? JSON.parse(JSON.stringify({ ...body, [key]: list })) : { ...body, [key]: [...list] };
    const planned = await outcomeOf(async () => ({ report: quick.plan(request) }));
    const other = structuredClone(request);
    const plannedAnew = await outcomeOf(async () => ({ report: whole.plan(other, { recheck: true }) }));
    expect(planned, `plan of turn ${turn}`).toEqual(plannedAnew);
    const one = await outcomeOf(() => quick.fit(request));
    expect(one, `turn ${turn}`).toEqual(await outcomeOf(() => whole.fit(other, { recheck: true })));
    if (one.report?.reason === "not-triggered") seen.quiet++;
    if (one.report?.compacted === true) seen.compacted++;
    list = grown(list, all, random);
  }
  return seen;
}

test("fit on a list that grows is the same with and without a look at everything", async () => {
  let [quiet, compacted] = [0, 0];
  for (let offset = 0; offset < LISTS; offset++) {
    const seen = await check(seed + offset).catch((cause: Error) => {
      throw new Error(`seed ${seed + offset}: ${cause.message}`, { cause });
    });
    quiet += seen.quiet;
    compacted += seen.compacted;
  }
  expect(quiet).toBeGreaterThan(LISTS);
  expect(compacted).toBeGreaterThan(LISTS / 20);
});

test("a session hands out the same requests as one that is opened anew for each", async () => {
  for (let offset = 0; offset < LISTS / 8; offset++) {
    const { format, body, key, random } = caseOf(seed + offset);
    const options = { format, telemetry: false, windowTokens: random.pick([400, 1_000, 3_000, 20_000]) };
    if (format.name === "gemini" || isObject(body.thinking)) continue;
    const all = body[key] as JsonArray;
    const { store } = await openSession("kept", { store: "memory:", compactor: options, body: { ...body, [key]: [] } });
    const kept = await openSession("kept", { store, compactor: options });
    for (let at = 0; at < Math.min(12, all.length); at += 1 + random.below(2)) {
      const message = all[at];
      if (!isObject(message)) continue;
      try {
        await kept.append(message);
      } catch (error) {
        if (!(error instanceof CompactionError)) throw error;
        continue;
      }
      const one = await outcomeOf(async () => ({ request: await kept.request() }));
      const anew = await openSession("kept", { store, compactor: options });
      const other = await outcomeOf(async () => ({ request: await anew.request() }));
      expect(one, `seed ${seed + offset}, message ${at}`).toEqual(other);
    }
  }
});

const say = (role: string, content: string): { role: string; content: string } => ({ role, content });
const chat = (turns: number): { role: string; content: string }[] =>
  Array.from({ length: turns }, (_, turn) => [
    say("user", `Question ${turn}`),
    say("assistant", `Answer ${turn}`),
  ]).flat();

test("a change in place of one of the newest messages is noticed, of an older one with recheck", async () => {
  const compactor = createCompactor({ format: openaiChat, telemetry: false });
  const messages = [...chat(10), say("user", "Now?")];
  const tokens = async (recheck = false): Promise<number> =>
    (await compactor.fit({ messages: [...messages] }, { recheck })).report.tokensBefore;
  const before = await tokens();
  Object.assign(messages.at(-3) ?? {}, { content: "A much longer question, changed in place after it was sent." });
  const after = await tokens();
  expect(after).toBeGreaterThan(before);
  Object.assign(messages[0] ?? {}, { content: "The very first question, changed in place long after it was sent." });
  expect(await tokens()).toBe(after);
  expect(await tokens(true)).toBeGreaterThan(after);
});

test.each([100, 500, 4_000])(
  "an old message that is another one in a list parsed anew is noticed, with %d turns",
  async (turns) => {
    const compactor = createCompactor({ format: openaiChat, windowTokens: 10_000_000, telemetry: false });
    const messages = [...chat(turns), say("user", "Now?")];
    const tokens = async (): Promise<number> =>
      (await compactor.fit({ messages: JSON.parse(JSON.stringify(messages)) })).report.tokensBefore;
    const before = await tokens();
    messages[20] = say("user", "Another question, which is much longer than the one that stood here before.");
    let calls = 0;
    while ((await tokens()) === before) expect(++calls).toBeLessThan(messages.length / 1_024 + 1);
    if (turns <= 500) expect(calls).toBe(0);
  },
);

test("what a caller does to a request does not reach the session", async () => {
  const session = await openSession("s", { store: "memory:", compactor: { format: anthropicMessages } });
  await session.append(chat(3));
  const request = (await session.request()) as { messages: { content: string }[] };
  await session.append(say("user", "And now?"));
  const next = (await session.request()) as typeof request;
  expect(request.messages).toHaveLength(6);
  expect(next.messages).toHaveLength(7);
  Object.assign(request.messages[0] ?? {}, { content: "changed" });
  request.messages.push({ content: "mine" });
  next.messages = [];
  const { messages } = (await session.request()) as typeof request;
  expect(messages.map(({ content }) => content)).toEqual([...chat(3).map(({ content }) => content), "And now?"]);
  expect(JSON.stringify({ ...request })).toContain('"mine"');
  await session.close();
});
