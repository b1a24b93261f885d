import { afterEach, describe, expect, test } from "vitest";
import { profileNamed, profileNames } from "../src/profiles/profiles.ts";
import { runLoop } from "../src/run-loop.ts";
import { openSession } from "../src/session.ts";
import { type ProviderServer, startProviderServer } from "../src/testing/server.ts";
import { LOOP_MODEL_NAMES, LOOP_MODELS, type LoopModel, reading, readTool } from "./loop-models.ts";
import { sampleOf } from "./sample.ts";

/** Between two compactions everything that the last request held is read from the provider's prompt cache: every request of a loop. */

let server: ProviderServer;
afterEach(() => server.close());

const CALLS = sampleOf(300, 60);
/** Shorter prefixes are not cached by any of the providers. */
const MINIMUM_TOKENS = 4_096;
const WINDOW_TOKENS = 32_000;

describe.each(LOOP_MODEL_NAMES)("%s", (name) => {
  // A sample takes the default and one other profile for each model.
  const some = profileNames.filter(
    (profile, at) => sampleOf(1, 0) === 1 || profile === "balanced" || at % 4 === LOOP_MODEL_NAMES.indexOf(name),
  );

  test.each(some)("profile %s", async (profile) => {
    const { make, body }: LoopModel = LOOP_MODELS[name];
    server = await startProviderServer({ reply: reading(CALLS), windowTokens: WINDOW_TOKENS });
    const model = make(server.origin);
    const { triggers } = profileNamed(profile).compact;
    const compact = {
      auto: true,
      ...(triggers.length === 0 && { triggers: [{ type: "ratio", ratio: 0.8 } as const] }),
    };
    // Anthropic caches what is marked: this marks the end of every request. The others have no such field.
    const marked = name === "anthropic" ? { cache_control: { type: "ephemeral" } } : {};
    const session = await openSession("s", {
      store: "memory:",
      compactor: { format: model.format, profile, windowTokens: WINDOW_TOKENS, compact },
      body: { ...body, ...marked },
    });
    let before: number | undefined;
    let hits = 0;
    const missed: string[] = [];
    const changes: string[] = [];
    await runLoop({
      session,
      model,
      tools: [readTool([])],
      input: "Read all files.",
      maxSteps: 1_000,
      onEvent: (event) => {
        // The view before the next request is another one.
        if (event.type === "compaction" && CHANGES.has(event.event.type)) {
          changes.push(event.event.type);
          before = undefined;
        }
        if (event.type !== "reply") return;
        const { inputTokens = 0, cacheReadTokens = 0 } = event.reply.usage ?? {};
        if (before !== undefined && before >= MINIMUM_TOKENS) {
          if (cacheReadTokens >= before) hits++;
          else missed.push(`${cacheReadTokens} of ${before} read`);
        }
        before = inputTokens;
      },
    });
    expect(missed).toEqual([]);
    // Some profiles prune before every request, as the systems do that they stand for. Ours leaves the cache alone for most of them.
    expect(hits + (profile === "balanced" ? 0 : changes.length)).toBeGreaterThan(CALLS / 2);
    expect(changes.length).toBeGreaterThan(0);
    await session.close();
  });
});

const CHANGES: ReadonlySet<string> = new Set(["conversation-compacted", "results-pruned"]);
