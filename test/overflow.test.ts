/**
 * Told a window of 200,000 tokens in front of a model with 24,000: an agent over real HTTP with the official SDKs is refused once
 * or twice, never again, and not at all by a session that is opened again.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { FormatName } from "../src/core/message.ts";
import { formatNamed, formatNames } from "../src/formats.ts";
import type { Session } from "../src/session/session-port.ts";
import { openSession } from "../src/session.ts";
import { createRandom, type Random } from "../src/testing/random.ts";
import { type RefusingServer, startRefusingServer, toolResult } from "./refusing-server.ts";
import { sampleOf, seed } from "./sample.ts";

const CALLS = sampleOf(300, 70);
const REFUSALS_MAX = 2;
const TOLD_TOKENS = 200_000;
const QUESTION = "Read every module of src and list what each of them exports.";

/** The request around the messages. */
const BODIES: Readonly<Record<FormatName, JsonObject>> = {
  "anthropic-messages": {
    model: "claude-opus-4-5",
    max_tokens: 1_000,
    system: "You read code.",
    tools: [{ name: "read_file", input_schema: { type: "object" } }],
  },
  "openai-chat": {
    model: "gpt-5",
    tools: [{ type: "function", function: { name: "read_file", parameters: { type: "object" } } }],
  },
  "openai-responses": {
    model: "gpt-5",
    store: false,
    instructions: "You read code.",
    tools: [{ type: "function", name: "read_file", parameters: { type: "object" }, strict: null }],
  },
  gemini: { model: "gemini-2.5-pro", config: { systemInstruction: "You read code." } },
};

const WORDS = [
  "the",
  "a",
  "of",
  "module",
  "export",
  "function",
  "returns",
  "number",
  "list",
  "parse",
  "state",
] as const;

/** Mostly a few thousand characters; now and then far more than fits behind what is there. */
function fileText(random: Random, call: number): string {
  const chars = call % 25 === 24 ? 30_000 : 200 + random.below(7_000);
  const words: string[] = [];
  for (let length = 0; length < chars; ) {
    const word = random.chance(0.1) ? `name_${random.below(10_000)}` : random.pick(WORDS);
    words.push(random.chance(0.08) ? `${word};\n` : word);
    length += word.length + 1;
  }
  return words.join(" ");
}

async function server(name: FormatName, hasNumbers: boolean): Promise<RefusingServer> {
  const started = await startRefusingServer(name, hasNumbers);
  onTestFinished(() => started.close());
  return started;
}

/** What a host writes: the request, and as long as a retry makes sense the one that was compacted after a refusal. */
async function ask(session: Session, send: RefusingServer["send"]): Promise<object> {
  let request = await session.request();
  for (;;) {
    try {
      return await send(request);
    } catch (error) {
      const fitted = await session.fit({ overflow: error });
      if (!fitted.report.overflow?.retry) throw error;
      request = fitted.request;
    }
  }
}

describe.each(formatNames)("%s", (name) => {
  const format = formatNamed(name);

  test.each([true, false])(
    "a session, numbers stated: %s",
    async (hasNumbers) => {
      const model = await server(name, hasNumbers);
      const random = createRandom(seed);
      const directory = mkdtempSync(join(tmpdir(), "overflow-"));
      onTestFinished(() => rmSync(directory, { recursive: true }));
      const open = () =>
        openSession("agent", {
          store: `sqlite:${join(directory, "sessions.db")}`,
          compactor: { format, windowTokens: TOLD_TOKENS },
          body: BODIES[name],
        });
      let session = await open();
      let refusedBefore = 0;
      await session.append(QUESTION);
      for (let call = 1; call <= CALLS; call++) {
        if (call === Math.floor(CALLS / 2)) {
          await session.close();
          session = await open();
          refusedBefore = model.refusals;
        }
        const response = await ask(session, model.send);
        await session.append(response);
        await session.append([toolResult(name, call, fileText(random, call))]);
      }
      expect(refusedBefore).toBeGreaterThan(0);
      expect(model.refusals, `seed ${seed}`).toBe(refusedBefore);
      expect(refusedBefore, `seed ${seed}`).toBeLessThanOrEqual(REFUSALS_MAX);
      await session.close();
    },
    300_000,
  );

  test.each([true, false])(
    "a list that is sent whole every time, numbers stated: %s",
    async (hasNumbers) => {
      const model = await server(name, hasNumbers);
      const random = createRandom(seed + 1);
      const compactor = createCompactor({ format, windowTokens: TOLD_TOKENS });
      const messages: unknown[] = [userMessage(name)];
      for (let call = 1; call <= CALLS; call++) {
        const body = { ...BODIES[name], [format.listKey]: messages };
        let { request } = await compactor.fit<object>(body);
        for (;;) {
          try {
            const response = await model.send(request);
            compactor.observe(request, response);
            messages.push(...(format.readReply(response) ?? []), toolResult(name, call, fileText(random, call)));
            break;
          } catch (error) {
            const fitted = await compactor.fit<object>(body, { overflow: error });
            if (!fitted.report.overflow?.retry) throw error;
            request = fitted.request;
          }
        }
      }
      expect(model.refusals, `seed ${seed}`).toBeGreaterThan(0);
      expect(model.refusals, `seed ${seed}`).toBeLessThanOrEqual(REFUSALS_MAX);
    },
    300_000,
  );
});

function userMessage(name: FormatName): object {
  return name === "gemini" ? { role: "user", parts: [{ text: QUESTION }] } : { role: "user", content: QUESTION };
}
