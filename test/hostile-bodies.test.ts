import { expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import { CompactionError } from "../src/core/errors.ts";
import { isArray, isObject, type JsonObject } from "../src/core/json.ts";
import type { Conversation } from "../src/core/message.ts";
import type { Format } from "../src/core/ports.ts";
import { repair } from "../src/core/repair/repair.ts";
import { convert, formatNamed, formatNames } from "../src/formats.ts";
import { generateBody } from "../src/testing/wire-bodies.ts";
import { withBrokenStructure } from "./hostile-bodies.ts";
import { sampleOf, seed } from "./sample.ts";

const COUNT = sampleOf(20_000, 60);

/** Undefined for a body that is refused in words. */
function decodeOrRefuse(format: Format, body: JsonObject): Conversation | undefined {
  try {
    return format.decode(body);
  } catch (error) {
    if (error instanceof CompactionError && error.code === "invalid-request") return undefined;
    throw error;
  }
}

/** A list that has nothing in it is left to whoever sends it (R094). */
function expectValid(format: Format, request: unknown, what: string): void {
  const list = isObject(request) ? request[format.listKey] : request;
  if (isArray(list) && list.length === 0) return;
  expect(format.validate(request), what).toEqual([]);
}

async function check(format: Format, body: JsonObject): Promise<void> {
  const violations = format.validate(body);
  const compactor = createCompactor({ format, windowTokens: 4_000, protect: { tailTokens: 60, tailMessages: 2 } });
  const conversation = decodeOrRefuse(format, body);
  if (conversation === undefined) {
    expect(violations).not.toEqual([]);
    await expect(compactor.fit(body)).rejects.toMatchObject({ code: "invalid-request" });
    return;
  }
  expect(JSON.stringify(format.encode(conversation)), "round trip").toBe(JSON.stringify(body));
  expectValid(format, format.encode(repair(conversation).conversation), "repair");
  expectValid(format, (await compactor.fit(body)).request, "fit");
  expectValid(format, (await compactor.compact(body, { target: { ratio: 0.6 } })).request, "compact");
  for (const name of formatNames) {
    const target = formatNamed(name);
    expectValid(target, target.encode(convert(conversation, target).conversation), `convert to ${name}`);
  }
}

test.each(formatNames)(
  "%s: whatever the structure, the result is valid or the body is refused in words",
  async (name) => {
    const format = formatNamed(name);
    for (let offset = 0; offset < COUNT; offset++) {
      const at = seed + offset;
      const body = withBrokenStructure(generateBody(name, { seed: at, broken: offset % 3 === 0 }), at);
      await check(format, body).catch((cause) => {
        throw new Error(`seed ${at}: ${cause.message}\n${JSON.stringify(body)}`, { cause });
      });
    }
  },
);
