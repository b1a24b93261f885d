/**
 * What every format must keep, as named cases for any test runner: `for (const { name, run } of formatContract(format, …))
 * test(name, run)`. A case throws on the first conversation that breaks the promise and names its seed.
 */

import type { JsonObject, JsonValue } from "../core/json.ts";
import { type Conversation, textsOf } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import { repair } from "../core/repair/repair.ts";
import { structureOf } from "../core/structure/structure.ts";
import { generateBody } from "./wire-bodies.ts";

export interface ContractCase {
  readonly name: string;
  run(): void;
}

export interface ContractOptions {
  /** First seed; conversation n is made from `seed + n`. */
  readonly seed: number;
  /** Conversations per case. */
  readonly count: number;
}

/** Throws when the body breaks the promise; `broken` bodies have the disorder of real agents. */
type KeepsPromise = (format: Format, body: JsonObject, broken: boolean) => void;

/** The cases that every format passes, over `count` generated conversations each. */
export function formatContract(format: Format, { seed, count }: ContractOptions): readonly ContractCase[] {
  return Object.entries(PROMISES).map(([name, promise]) => ({
    name: `${format.name}: ${name}`,
    run: () => {
      for (let offset = 0; offset < count; offset++) checkSeed(format, promise, seed + offset);
    },
  }));
}

function checkSeed(format: Format, promise: KeepsPromise, seed: number): void {
  for (const broken of [false, true]) {
    const body = generateBody(format.name, { seed, broken });
    const before = JSON.stringify(body);
    try {
      promise(format, body, broken);
      demand(JSON.stringify(body) === before, "the body that was given was mutated");
    } catch (cause) {
      const kind = broken ? "broken" : "valid";
      throw new Error(`${kind} conversation of seed ${seed}: ${cause instanceof Error ? cause.message : cause}`, {
        cause,
      });
    }
  }
}

const PROMISES: Readonly<Record<string, KeepsPromise>> = {
  "an untouched conversation encodes to the same JSON": (format, body) => {
    const list = body[format.listKey] ?? [];
    demand(sameJson(format.encode(format.decode(body)), body), "the body changed");
    demand(sameJson(format.encode(format.decode(list)), list), "the bare list changed");
  },
  "laying the same parts over a message changes nothing": (format, body) => {
    const conversation = format.decode(body);
    const copied = { ...conversation, messages: conversation.messages.map((m) => ({ ...m, parts: [...m.parts] })) };
    demand(sameJson(format.encode(copied), body), "an unknown field, a key's place or a short form was lost");
  },
  "a valid conversation is accepted and not repaired": (format, body, broken) => {
    if (broken) return;
    demandValid(format, body);
    const { repairs } = repair(format.decode(body));
    demand(repairs.length === 0, `needless repair: ${JSON.stringify(repairs[0])}`);
  },
  "a repaired conversation is valid, and every repair is reported": (format, body) => {
    const violations = format.validate(body);
    const conversation = format.decode(body);
    const repaired = repair(conversation);
    demandValid(format, format.encode(repaired.conversation));
    const isSilent = repaired.repairs.length === 0 && (violations.length > 0 || repaired.conversation !== conversation);
    demand(!isSilent, "something was repaired without a report");
    demand(
      violations.length > 0 || repaired.repairs.length === 0,
      `needless repair: ${JSON.stringify(repaired.repairs[0])}`,
    );
  },
  "no text is lost in a repair": (format, body) => {
    const conversation = format.decode(body);
    const repaired = format.decode(format.encode(repair(conversation).conversation));
    const kept = allTexts(repaired).join("\0");
    const lost = allTexts(conversation).find((text) => !kept.includes(text));
    demand(lost === undefined, `lost ${JSON.stringify(lost)}`);
  },
  "no cut point separates a call from its result": (format, body) => {
    const structure = structureOf(format.decode(body).messages);
    for (const cut of structure.cutPoints("pair-safe")) {
      const broken = structure.pairing.calls.find(
        (call) => call.at.message < cut && call.results.some(({ at }) => at.message >= cut),
      );
      demand(broken === undefined, `a cut before ${cut} separates call ${broken?.part.callId} from its result`);
    }
  },
};

function demandValid(format: Format, body: unknown): void {
  const [violation] = format.validate(body);
  demand(violation === undefined, `refused: ${violation?.rule} at ${violation?.path}: ${violation?.message}`);
}

function allTexts({ messages }: Conversation): readonly string[] {
  return messages.flatMap(({ parts }) => [
    ...textsOf(parts),
    ...parts.flatMap((part) => (part.type === "tool-call" ? inputTexts(part.input) : [])),
  ]);
}

function inputTexts(input: JsonValue): readonly string[] {
  return typeof input === "object" && input !== null
    ? Object.values(input).filter((value) => typeof value === "string")
    : [];
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function demand(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}
