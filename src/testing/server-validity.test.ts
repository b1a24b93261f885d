import { afterAll, beforeAll, expect, test } from "vitest";
import { sampleOf, seed } from "../../test/sample.ts";
import type { JsonObject } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { formatNamed, formatNames } from "../formats.ts";
import { type ProviderServer, startProviderServer } from "./server.ts";
import { generateBody } from "./wire-bodies.ts";

/** Whatever is sent: the server answers or refuses, it never fails; and it answers nothing that `validate` finds fault with. */

let server: ProviderServer;
beforeAll(async () => {
  server = await startProviderServer({ reply: () => "Done.", windowTokens: 1_000_000 });
});
afterAll(() => server.close());

/** Generated signatures are not the server's, so Gemini's model is one that does not check them. */
const MODELS = { "openai-chat": "gpt-5.1", "openai-responses": "gpt-6-sol", gemini: "gemini-2.5-pro" } as const;
const PATHS: Readonly<Record<FormatName, string>> = {
  "anthropic-messages": "/v1/messages",
  "openai-chat": "/v1/chat/completions",
  "openai-responses": "/v1/responses",
  gemini: `/v1beta/models/${MODELS.gemini}:generateContent`,
};
const HEADERS = { authorization: "Bearer any", "x-goog-api-key": "any", "anthropic-version": "2023-06-01" };

function bodyOf(format: FormatName, options: { readonly seed: number; readonly broken: boolean }): JsonObject {
  const body = generateBody(format, options);
  return format === "anthropic-messages" || format === "gemini" ? body : { model: MODELS[format], ...body };
}

test.each(formatNames)("%s", { timeout: 600_000 }, async (name) => {
  const format = formatNamed(name);
  const statuses = new Map<number, number>();
  for (let run = 0; run < sampleOf(2_000, 150); run++) {
    const options = { seed: seed + run, broken: run % 2 === 0 };
    const body = bodyOf(name, options);
    const init = { method: "POST", headers: HEADERS, body: JSON.stringify(body) };
    const response = await fetch(`${server.origin}${PATHS[name]}`, init);
    const text = await response.text();
    const which = `seed ${options.seed}, broken ${options.broken}: ${text}`;
    const known = name === "gemini" ? { model: MODELS.gemini } : {};
    const [violation] = format.validate(body, { sending: true, ...known });
    if (response.status === 200) expect(violation, which).toBeUndefined();
    else expect([400, 404], which).toContain(response.status);
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  expect(statuses.get(200)).toBeGreaterThan(0);
  expect(statuses.get(400)).toBeGreaterThan(0);
});
