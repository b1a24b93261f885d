import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { CompactionError } from "../src/core/errors.ts";
import type { JsonObject } from "../src/core/json.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { type ProfileName, profileNamed, profileNames } from "../src/profiles/profiles.ts";
import type { Complete } from "../src/summarizers/ask.ts";
import { llm } from "../src/summarizers/llm.ts";

/** Every way a summarizer can fail, under every profile: the defined step happens and the conversation stays whole. */

const REQUEST = "Never migrate the orders table; only add the index idx_orders_created in db/migrations/0042.sql";

const filler = (index: number): string =>
  `Looked at src/module-${index}.ts and found handler_${index} returning ${4000 + index} for order #${7000 + index}. `.repeat(
    20,
  );

const body: JsonObject = {
  model: "claude-opus-4-5",
  max_tokens: 1000,
  system: "You are a careful engineer.",
  messages: [
    { role: "user", content: "Speed up the orders page." },
    ...Array.from({ length: 24 }, (_, index) => [
      { role: "assistant", content: filler(index) },
      { role: "user", content: `Go on with part ${index}.` },
    ]).flat(),
    { role: "assistant", content: "The index is missing." },
    { role: "user", content: REQUEST },
  ],
};

type Answer = Awaited<ReturnType<Complete>>;

let calls = 0;
const failing = (message: string): Promise<never> => Promise.reject(new Error(message));

/** What the model does instead of summarising. */
const FAILURES: Readonly<Record<string, Complete>> = {
  error: () => failing("500 from the model"),
  hang: ({ signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    }),
  empty: () => Promise.resolve({ text: "" }),
  whitespace: () => Promise.resolve({ text: " \n\t " }),
  truncated: () => Promise.resolve({ text: "## Goal\nSpeed up the", stopReason: "length" } satisfies Answer),
  refusal: () => Promise.resolve({ text: "I can't help with that.", stopReason: "refusal" } satisfies Answer),
  "ten times too long": () => Promise.resolve({ text: "The work goes on and on. ".repeat(20_000) }),
  "wrong language": () =>
    Promise.resolve({ text: "Пользователь хочет ускорить страницу заказов и добавить индекс. ".repeat(20) }),
  "echo of the prompt": ({ prompt }) => Promise.resolve({ text: prompt }),
  "every second call": ({ prompt }) =>
    ++calls % 2 === 0
      ? failing("flaky")
      : Promise.resolve({ text: `Read ${prompt.length} characters of work on the orders page.` }),
};

const profiles = profileNames.filter((name) => !name.startsWith("agentpg-"));

function optionsFor(profile: ProfileName, complete: Complete): CompactorOptions {
  const retry = { maxAttempts: 2, sleep: () => Promise.resolve() };
  return {
    format: anthropicMessages,
    profile,
    windowTokens: 12_000,
    protect: { tailTokens: 400, tailMessages: 2 },
    summarizer: llm({ complete, windowTokens: 6_000, timeoutMs: 30, retry }),
  };
}

describe.each(profiles)("%s", (profile) => {
  test.each(Object.entries(FAILURES))("%s", async (_, complete) => {
    const before = JSON.stringify(body);
    const ladder = profileNamed(profile).failure.ladder;
    let asked = 0;
    const counted: Complete = (request) => {
      asked++;
      return complete(request);
    };
    const compactor = createCompactor(optionsFor(profile, counted));
    const outcome = await compactor.compact(body).catch((error: unknown) => error);
    expect(asked, "the model was asked").toBeGreaterThan(0);
    expect(JSON.stringify(body), "the conversation was damaged").toBe(before);
    if (outcome instanceof Error) {
      expect(ladder).toContain("throw");
      expect(outcome).toBeInstanceOf(CompactionError);
      expect(outcome).toMatchObject({ code: "summary-failed" });
      return;
    }
    const { request, report } = outcome as Awaited<ReturnType<typeof compactor.compact<JsonObject>>>;
    const view = JSON.stringify(request);
    expect(anthropicMessages.validate(request)).toEqual([]);
    expect(view, "the newest request stands verbatim").toContain(REQUEST);
    for (const said of [
      "500 from the model",
      "flaky",
      "I can't help with that",
      "on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on. The work goes on and on.",
    ]) {
      expect(view, "an error text became a summary").not.toContain(said);
    }
    // Either the summary could be saved (guard, partial stages) or the report says which step was taken and why.
    for (const { step, because } of report.fallbacks) {
      expect(ladder).toContain(step);
      expect(because).not.toBe("");
    }
    if (!report.compacted) expect(report.fallbacks.length).toBeGreaterThan(0);
  });

  test("inverted request: the user's own words stand beside the summary", async () => {
    const inverted: Complete = () =>
      Promise.resolve({
        text: "## Goal\nMigrate the orders table now.\n## Constraints & Preferences\n- none\n## Progress\n### Done\n- [x] looked\n### In Progress\n- [ ] migrate\n### Blocked\n- none\n## Key Decisions\n- **migrate**: wanted\n## Next Steps\n1. migrate\n## Critical Context\n- orders",
      });
    const outcome = await createCompactor(optionsFor(profile, inverted))
      .compact(body)
      .catch((error: unknown) => error);
    if (outcome instanceof Error) return expect(outcome).toMatchObject({ code: "summary-failed" });
    expect(JSON.stringify((outcome as { request: unknown }).request)).toContain(REQUEST);
  });

  test("abort half way: an AbortError, nothing changed", async () => {
    const controller = new AbortController();
    const complete: Complete = ({ signal }) => {
      queueMicrotask(() => controller.abort(new Error("stop")));
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      });
    };
    const before = JSON.stringify(body);
    const pending = createCompactor(optionsFor(profile, complete)).compact(body, { signal: controller.signal });
    await expect(pending).rejects.toThrow();
    expect(JSON.stringify(body)).toBe(before);
  });
});
