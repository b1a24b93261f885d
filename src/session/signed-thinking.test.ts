import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../compactor.ts";
import type { JsonObject } from "../core/json.ts";
import type { Store } from "../core/store/store.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { openSession } from "../session.ts";
import { memoryStore } from "../stores/memory.ts";
import { createRandom, type Random } from "../testing/random.ts";
import type { Session } from "./session-port.ts";

/** Every answer thinks, and its signature is a hash of its request, as a binding model makes it. */

const MODEL = "claude-opus-5-5";
const RESULT = "a line of what the tool has read in the file\n";

/** Its text in JSON. */
const FIRST_RESULT = JSON.stringify(`ta: ${RESULT.repeat(2)}`).slice(1, -1);

const signatureOf = (system: unknown, messages: readonly unknown[]): string =>
  createHash("sha1")
    .update(JSON.stringify([system ?? null, messages]))
    .digest("hex");

const listOf = (request: object): readonly JsonObject[] => (request as JsonObject).messages as JsonObject[];

const answerTo = (request: object, name: string): JsonObject => ({
  role: "assistant",
  content: [
    { type: "thinking", thinking: "hm", signature: signatureOf((request as JsonObject).system, listOf(request)) },
    { type: "tool_use", id: name, name: "read_file", input: { path: `src/${name}.ts` } },
  ],
});

const resultOf = (name: string, lines: number): JsonObject => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: name, content: `${name}: ${RESULT.repeat(lines)}` }],
});

/** Signatures in a request: how many follow the prefix that they were made for, and how many another. */
function signaturesIn(request: object): { readonly right: number; readonly wrong: number } {
  const messages = listOf(request);
  const verdicts = messages.flatMap(({ content }, index) => {
    const blocks = Array.isArray(content) ? (content as JsonObject[]) : [];
    const right = signatureOf((request as JsonObject).system, messages.slice(0, index));
    return blocks.filter(({ type }) => type === "thinking").map(({ signature }) => signature === right);
  });
  const right = verdicts.filter(Boolean).length;
  return { right, wrong: verdicts.length - right };
}

/** A store whose clock never gives the same time twice, so that the order of events is known. */
function risingStore(): Store {
  let atMs = Date.parse("2026-01-01T00:00:00Z");
  return memoryStore({ now: () => new Date(atMs++) });
}

type Settings = Omit<CompactorOptions, "format">;

const open = (settings: Settings = {}, store: Store = risingStore(), model = MODEL): Promise<Session> =>
  openSession("a", {
    store,
    compactor: { format: anthropicMessages, windowTokens: 20_000, telemetry: false, ...settings },
    body: { model, max_tokens: 100, thinking: { type: "adaptive" }, messages: [{ role: "user", content: "Fix it." }] },
  });

/** A request, its answer and the result of its call; the ids of both. */
async function step(session: Session, name: string, lines = 20): Promise<readonly string[]> {
  const request = await session.request();
  expect(signaturesIn(request).wrong).toBe(0);
  const ids = await session.append(answerTo(request, name));
  return [...ids, ...(await session.append(resultOf(name, lines)))];
}

async function steps(session: Session, names: string, lines?: number): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = [];
  for (const name of names) all.push(await step(session, `t${name}`, lines));
  return all;
}

const NOTE = expect.stringContaining("signed, or may have been, over another prefix");

describe("rollback", () => {
  test("thinking from under the compaction goes, what was before and what comes stays; the store's view is exact", async () => {
    const session = await open();
    await steps(session, "abcdefgh");
    const before = JSON.stringify((await session.export()).request).slice(0, -2);
    await session.compact({ target: { ratio: 0.4 } });
    await steps(session, "ijkl");
    await session.rollback();
    const { request, report } = await session.fit();
    expect(report).toMatchObject({ reason: "not-triggered", notes: [NOTE] });
    expect(signaturesIn(request)).toEqual({ right: 8, wrong: 0 });
    const stored = JSON.stringify((await session.export()).request);
    expect(stored.startsWith(before)).toBe(true);
    expect(stored.match(/"signature"/g)).toHaveLength(12);
    await steps(session, "mno");
    expect(signaturesIn(await session.request())).toEqual({ right: 11, wrong: 0 });
  });

  test("another process knows it too, and so does one that opens the session later", async () => {
    const store = risingStore();
    const [one, two] = [await open({}, store), await open({}, store)];
    await steps(one, "abcdefgh");
    await one.compact({ target: { ratio: 0.4 } });
    await steps(one, "ij");
    await two.rollback();
    await step(one, "tk");
    for (const session of [one, two, await open({}, store)]) {
      expect(signaturesIn(await session.request())).toEqual({ right: 9, wrong: 0 });
    }
  });

  test.each([
    ["the body", {}, "claude-opus-5"],
    ["the compactor's options", { model: "claude-opus-5" }, MODEL],
  ])("a model that binds nothing is sent all of it, named by %s", async (_, settings, model) => {
    const session = await open(settings, risingStore(), model);
    await steps(session, "abcdefgh");
    await session.compact({ target: { ratio: 0.4 } });
    await session.append(answerTo(await session.request(), "ti"));
    await session.append(resultOf("ti", 1));
    await session.rollback();
    const { request, report } = await session.fit();
    expect(JSON.stringify(request).match(/"signature"/g)).toHaveLength(9);
    expect(report.notes).toEqual([]);
  });

  test("where nobody thinks, no event is read", async () => {
    const store = risingStore();
    const unread: Store = { ...store, events: () => expect.unreachable() };
    const session = await open({}, unread);
    for (const name of "abcdef") {
      const [, call] = answerTo({ messages: [] }, name).content as JsonObject[];
      await session.append([{ role: "assistant", content: [call ?? {}] }, resultOf(name, 20)]);
    }
    await session.compact({ target: { ratio: 0.4 } });
    await session.rollback();
    await session.request();
    await session.stats();
  });
});

test("thinking that is appended while a summary is made was signed over the view before it", async () => {
  const store = risingStore();
  const other = await open({}, store);
  let isOpen = true;
  const session = await open(
    {
      hooks: {
        gate: async () => {
          if (isOpen) await step(other, "tx");
          isOpen = false;
        },
      },
    },
    store,
  );
  await steps(session, "abcdefgh");
  const { request, eventId } = await session.compact({ target: { ratio: 0.4 } });
  expect(eventId).toBeDefined();
  expect(JSON.stringify(request)).toContain("tx");
  for (const each of [request, await other.request(), await (await open({}, store)).request()]) {
    expect(signaturesIn(each)).toEqual({ right: 0, wrong: 0 });
  }
});

/** Results are shortened, in requests only or in the store. */
const PRUNING: Settings = { compact: { auto: false }, prune: { scope: "request" } };

describe("a pin that comes late", () => {
  test("brings the text back, and what was signed over the short one goes for good", async () => {
    const session = await open(PRUNING);
    const [[, first = ""] = []] = await steps(session, "abcdefghijklmnop", 90);
    const short = await session.request();
    expect(JSON.stringify(short)).not.toContain(JSON.stringify(`ta: ${RESULT.repeat(90)}`));
    expect(signaturesIn(short).right).toBeGreaterThan(0);
    await session.pin(first);
    const { request } = await session.fit();
    expect(JSON.stringify(request)).toContain(JSON.stringify(`ta: ${RESULT.repeat(90)}`));
    expect(signaturesIn(request).wrong).toBe(0);
    await steps(session, "q", 1);
    expect(signaturesIn(await session.request()).right).toBeGreaterThan(0);
  });

  test("for what was shortened in the store it is refused, and nothing is changed", async () => {
    const session = await open({ ...PRUNING, prune: { scope: "stored" } });
    const [[answered = "", first = ""] = []] = await steps(session, "abcdefghijklm", 90);
    const before = JSON.stringify(await session.view());
    expect(before).not.toContain(FIRST_RESULT);
    await expect(session.pin(first)).rejects.toMatchObject({ code: "message-missing" });
    expect(JSON.stringify(await session.view())).toBe(before);
    await session.pin(answered);
    const edited = (await session.view()).find(({ isEdited, role }) => isEdited && role === "assistant");
    await session.pin(edited?.id ?? "");
    await session.rollback();
    await session.pin(first);
    expect((await session.view()).filter(({ isPinned }) => isPinned)).toHaveLength(3);
  });

  test("stateless: the same, and the next request is the same bytes", async () => {
    const format = anthropicMessages;
    const compactor = createCompactor({ format, windowTokens: 20_000, telemetry: false, compact: { auto: false } });
    const bodyOf = (messages: readonly JsonObject[]) => ({ model: MODEL, max_tokens: 100, messages });
    let messages: readonly JsonObject[] = [{ role: "user", content: "Fix it." }];
    let pinned: readonly number[] = [];
    for (const name of "abcdefghijklmno") {
      const { request, report } = await compactor.fit(bodyOf(messages));
      const isShort = (index: number): boolean =>
        JSON.stringify(listOf(request)[index]) !== JSON.stringify(messages[index]);
      const results = messages.flatMap(({ role }, index) => (role === "user" && isShort(index) ? [index] : []));
      if (report.compacted) pinned = results;
      messages = [...messages, answerTo(request, name), resultOf(name, 90)];
    }
    expect(pinned).not.toEqual([]);
    const { request, report } = await compactor.fit(bodyOf(messages), { pinned });
    expect(report).toMatchObject({ compacted: false });
    for (const index of pinned) expect(listOf(request)[index]).toEqual(messages[index]);
    expect(signaturesIn(request).wrong).toBe(0);
    expect(signaturesIn(request).right).toBeGreaterThan(0);
    const again = await compactor.fit(bodyOf([...messages, answerTo(request, "z"), resultOf("z", 1)]), { pinned });
    expect(JSON.stringify(listOf(again.request)).startsWith(JSON.stringify(listOf(request)).slice(0, -1))).toBe(true);
    expect(signaturesIn(again.request)).toEqual({ right: signaturesIn(request).right + 1, wrong: 0 });
  });
});

describe("workers that each shorten results for their own requests", () => {
  test("send what answers themselves, and nobody else's thinking", async () => {
    const store = risingStore();
    const workers = [await open(PRUNING, store), await open({ ...PRUNING, windowTokens: 80_000 }, store)];
    const isOver: boolean[] = [];
    for (const [index, name] of [..."abcdefghijklmnopqrstuv"].entries()) {
      const worker = workers[index % 2] ?? expect.unreachable();
      await step(worker, `t${name}`, 90);
      isOver.push(!JSON.stringify(await worker.request()).includes(FIRST_RESULT));
    }
    expect(isOver).toContain(true);
    expect(isOver).toContain(false);
  });

  test("one alone keeps its thinking; one that takes over does not send it", async () => {
    const store = risingStore();
    const one = await open(PRUNING, store);
    await steps(one, "abcd");
    expect(signaturesIn(await one.request())).toEqual({ right: 4, wrong: 0 });
    const { request, report } = await (await open(PRUNING, store)).fit();
    expect(signaturesIn(request)).toEqual({ right: 0, wrong: 0 });
    expect(report.notes).toEqual([NOTE]);
  });
});

describe("whatever is done with a session", () => {
  const act = async (session: Session, random: Random): Promise<void> => {
    const view = await session.view();
    const any = view[random.below(view.length)]?.id ?? "";
    const chance = random.below(10);
    if (chance === 0) await session.compact({ target: { ratio: 0.5 } });
    else if (chance === 1) await session.rollback();
    else if (chance === 2) await session.pin(any);
    else if (chance === 3) await session.unpin(any);
  };
  const EXPECTED = new Set(["nothing-to-compact", "event-missing", "message-missing"]);

  describe.each(["stored", "request"] as const)("with scope %s", (scope) => {
    test.each([1, 2, 3, 7])("no signature is behind a wrong prefix (%i)", async (seed) => {
      const random = createRandom(seed + 1);
      const store = risingStore();
      const settings: Settings = { windowTokens: 8_000, prune: { scope } };
      const workers = [await open(settings, store), await open(settings, store)];
      let right = 0;
      for (let index = 0; index < 60; index++) {
        if (random.chance(0.05)) workers[0] = await open(settings, store);
        const worker = workers[random.below(2)] ?? expect.unreachable();
        await act(worker, random).catch((error: { readonly code: string }) => {
          if (!EXPECTED.has(error.code)) throw error;
        });
        await step(worker, `t${index}`, random.below(60));
        right += signaturesIn(await worker.request()).right;
      }
      expect(right).toBeGreaterThan(0);
    });
  });
});
