/** `palimpsest/fetch` over a store: every conversation is a session, and the same request is the same bytes, whoever sends it. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { JsonObject } from "../src/core/json.ts";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import type { TrafficStore } from "../src/core/store/traffic.ts";
import { type PalimpsestOptions, palimpsest } from "../src/fetch.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { longBody } from "./fetch-agents.ts";
import { startModel } from "./fetch-server.ts";

const PATH = "/v1/chat/completions";
const WINDOW_TOKENS = 24_000;

type OpenStore = FullStore & TrafficStore;

function newStore(): OpenStore {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-fetch-"));
  const store = sqliteStore({ file: join(directory, "x.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(directory, { recursive: true });
  });
  return store;
}

async function world(options: PalimpsestOptions = {}) {
  const model = await startModel({ windowTokens: WINDOW_TOKENS });
  const errors: unknown[] = [];
  const store = newStore();
  const start = (more: PalimpsestOptions = {}) => {
    const fetch = palimpsest({
      store,
      windowTokens: WINDOW_TOKENS,
      onError: (error) => errors.push(error),
      ...options,
      ...more,
    });
    return async (body: JsonObject, headers: Record<string, string> = {}): Promise<string> => {
      const response = await fetch(model.origin + PATH, { method: "POST", body: JSON.stringify(body), headers });
      await response.text();
      expect(response.status).toBe(200);
      return model.requests.at(-1)?.bytes.toString() ?? "";
    };
  };
  return { model, errors, store, start };
}

test("a growing conversation is one session, whose log is what the client sent", async () => {
  const { store, errors, start } = await world();
  const post = start();
  const sent: string[] = [];
  for (let calls = 1; calls <= 40; calls++) sent.push(await post(longBody(calls)));
  const [session, ...others] = await Array.fromAsync(store.sessions());
  expect(others).toEqual([]);
  const id = session?.id ?? "";
  const log = (await Array.fromAsync(store.log(id))).filter(({ madeBy }) => madeBy === null);
  expect(log.map(({ body }) => body)).toEqual(longBody(40).messages);
  expect(session?.compactionCount).toBeGreaterThan(0);
  expect(errors).toEqual([]);
  expect(Math.max(...sent.map((text) => text.length / 3.6))).toBeLessThan(WINDOW_TOKENS);
  expect(await Array.fromAsync(store.examine())).toEqual([]);
});
