/** Totals add up, cuts are those of a walk from the newest message, and reports make the total what the provider says. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, type Part, text } from "../message.ts";
import type { Overflow } from "../ports.ts";
import type { CutMode } from "../structure/cut-points.ts";
import { structureOf } from "../structure/structure.ts";
import { messageCounter, type TokenCounter } from "../tokens/tokens.ts";
import { type CutOptions, createLedger, type Ledger, type Observation } from "./usage-ledger.ts";

/** One token per character and no overhead, so that sizes can be read off the script. */
const COUNTER = messageCounter({
  name: "length",
  countText: (said) => said.length,
  perMessageTokens: 0,
  perCallTokens: 0,
  perResultTokens: 0,
  perToolTokens: 0,
});

/** `u5` user, `a5` assistant, `c5` a call, `r5` its result, each of five tokens. One word per message. */
function parse(script: string): readonly Message[] {
  let calls = 0;
  return script.split(" ").flatMap((word, index) => {
    if (word === "") return [];
    const said = "x".repeat(Number(word.slice(1)));
    if (word.startsWith("c")) calls++;
    const parts: Readonly<Record<string, Part>> = {
      c: { type: "tool-call", callId: `c${calls}`, name: "", input: said },
      r: { type: "tool-result", callId: `c${calls}`, content: [text(said)], isError: false },
    };
    const role = word.startsWith("u") || word.startsWith("r") ? "user" : "assistant";
    return [{ id: `m${index}`, role, parts: [parts[word.charAt(0)] ?? text(said)] }];
  });
}

function ledgerOf(script: string, counter: TokenCounter = COUNTER): Ledger {
  const ledger = createLedger({ counter });
  for (const message of parse(script)) ledger.append(message);
  return ledger;
}

describe("counts", () => {
  test("of each message, of suffixes and of all", () => {
    const ledger = ledgerOf("u5 a7 u1");
    expect([ledger.length, ledger.estimatedTokens, ledger.totalTokens]).toEqual([3, 13, 13]);
    expect([0, 1, 2, 3].map(ledger.tokensOf)).toEqual([5, 7, 1, 0]);
    expect([0, 1, 2, 3].map(ledger.suffixTokens)).toEqual([13, 8, 1, 0]);
  });

  test("system prompt and tools are counted once, and again only when they differ", () => {
    let counted = 0;
    const counter = { ...COUNTER, countParts: (parts: readonly Part[]) => COUNTER.countParts(parts) + 0 * counted++ };
    const ledger = createLedger({ counter });
    const base = () => ({ system: [text("be brief")], tools: [{ name: "bash" }] });
    for (let turn = 0; turn < 3; turn++) ledger.setBase(base());
    expect([ledger.baseTokens, ledger.totalTokens, counted]).toEqual([8 + 17, 25, 1]);
    ledger.setBase({ ...base(), system: [] });
    expect([ledger.estimatedTokens, counted]).toEqual([17, 2]);
  });

  test("a counter that rounds only the grand total is rounded only there", () => {
    const quarters = { ...COUNTER, tokens: (size: number) => Math.floor(size / 4) };
    expect(ledgerOf("u3 a3 u3", quarters).totalTokens).toBe(2);
  });

  test("a known size is believed and nothing is counted", () => {
    const ledger = createLedger({ counter: { ...COUNTER, size: () => expect.unreachable("counted") } });
    for (const message of parse("u5 a7")) ledger.append(message, 100);
    expect(ledger.totalTokens).toBe(200);
  });
});

describe("cuts", () => {
  function check(script: string, options: CutOptions, expected: number | undefined): void {
    expect(ledgerOf(script).findCut(options)).toBe(expected);
  }
  const turnStart = (keepTokens: number): CutOptions => ({ keepTokens, mode: "turn-start" });
  const pairSafe = (keepTokens: number): CutOptions => ({ keepTokens, mode: "pair-safe" });
  const splitTurn = (keepTokens: number): CutOptions => ({ keepTokens, mode: "split-turn" });

  test("everything fits", () => check("u5 a5 u5 a5", turnStart(20), 0));
  test("an empty conversation", () => check("", turnStart(20), 0));
  test("the walk stops where the budget is reached", () => check("u5 a5 u5 a5", turnStart(10), 2));
  test("from inside a turn on to the next", () => check("u5 a5 u5 a5 u5 a5", turnStart(15), 4));
  test("no turn starts after it: no cut", () => check("u5 a5 u5 a50", turnStart(20), undefined));
  test("a result is no turn start", () => check("u5 c5 r5 a5 c5 r5", turnStart(10), undefined));
  test("a call stays with its result by keeping more", () => check("u5 c5 r50 u5 a5", pairSafe(20), 1));
  test("pair-safe cuts anywhere else", () => check("u5 a5 u5 a5", pairSafe(5), 3));
  test("a result that reaches to the first message: no cut", () => check("c5 r50", pairSafe(20), undefined));
  test("a turn that is split", () => check("u5 c5 r9 c5 r9 a5", splitTurn(6), 5));
  test("a split at an earlier step when none follows", () => check("u5 c5 r9 c5 r90", splitTurn(20), 3));
  test("the newest messages", () => check("u5 a5 u5 a5", { keepMessages: 2, mode: "pair-safe" }, 2));
  test("more messages than there are", () => check("u5 a5", { keepMessages: 9, mode: "pair-safe" }, 0));
  test("the larger protected area wins", () => {
    check("u5 a5 u5 a5", { keepMessages: 1, keepTokens: 15, mode: "pair-safe" }, 1);
    check("u5 a5 u5 a5", { keepMessages: 3, keepTokens: 5, mode: "pair-safe" }, 1);
  });
  test("an open round is not cut into", () => check("u5 a5 u5 c5", pairSafe(0), 3));

  test("are those of a walk from the newest message, whatever the conversation", () => {
    const kind = fc.constantFrom("u", "a", "c", "r");
    const word = fc.tuple(kind, fc.integer({ min: 1, max: 30 })).map(([letter, size]) => `${letter}${size}`);
    const mode = fc.constantFrom<CutMode>("turn-start", "pair-safe", "split-turn");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), fc.nat(300), mode, (words, keepTokens, cutMode) => {
        check(words.join(" "), { keepTokens, mode: cutMode }, walk(parse(words.join(" ")), keepTokens, cutMode));
      }),
    );
  });

  function walk(messages: readonly Message[], keepTokens: number, mode: CutMode): number | undefined {
    let wanted = messages.length;
    for (let kept = 0; wanted > 0 && kept < keepTokens; wanted--)
      kept += COUNTER.total(messages.slice(wanted - 1, wanted));
    if (wanted === 0) return 0;
    const cuts = structureOf(messages).cutPoints(mode);
    const before = cuts.findLast((cut) => cut <= wanted && cut > 0);
    const after = cuts.find((cut) => cut >= wanted);
    return { "pair-safe": before, "turn-start": after, "split-turn": after ?? before }[mode];
  }
});

describe("reports", () => {
  const report = (reportedInputTokens: number, messageCount: number, model = "m"): Observation => ({
    reportedInputTokens,
    messageCount,
    model,
  });

  /** What the evidence says, give or take what the estimate is trusted by itself. */
  const TRUST = 0.01;

  function checkTotal(script: string, reports: readonly Observation[], expected: number): void {
    const ledger = ledgerOf(script);
    for (const observation of reports) ledger.observe(observation);
    expect(Math.abs(ledger.totalTokens / expected - 1)).toBeLessThan(TRUST);
  }

  test("the reported total is the total", () => {
    const ledger = ledgerOf("u900");
    ledger.observe(report(20_000, 1));
    expect(ledger.totalTokens).toBe(20_000);
    ledger.append(parse("a50")[0] ?? expect.unreachable());
    expect(ledger.totalTokens).toBe(20_050);
  });
  test("the ratio comes from what was added, not from what is hidden", () =>
    checkTotal("u9 a10000 u10000", [report(20_000, 1), report(33_000, 2)], 46_000));
  test("a request we see whole calibrates at once", () => checkTotal("u10000 a1000", [report(13_000, 1)], 14_300));
  test("nothing reported is no report", () => checkTotal("u9", [report(0, 1), report(Number.NaN, 1)], 9));

  test("what may well be hidden is not taken for the ratio", () => {
    const ledger = ledgerOf("u10000 a1000");
    ledger.observe(report(25_000, 1));
    expect([ledger.tokensOf(1), ledger.totalTokens]).toEqual([1_000, 26_000]);
  });

  test("a smaller request teaches nothing about the ratio", () => {
    const ledger = ledgerOf("u10000 a10000");
    for (const observation of [report(40_000, 2), report(12_000, 1)]) ledger.observe(observation);
    expect([ledger.tokensOf(1), ledger.totalTokens]).toEqual([10_000, 22_000]);
  });

  test("estimates stay what they were", () => {
    const ledger = ledgerOf("u10000 a1000");
    ledger.observe(report(13_000, 1));
    expect([ledger.estimatedTokens, ledger.sizeOf(1)]).toEqual([11_000, 1_000]);
    expect(ledger.tokensOf(1)).toBeGreaterThan(1_200);
  });

  test("the cut counts as the total does", () => {
    const ledger = ledgerOf("u10000 u100 u100");
    expect(ledger.findCut({ keepTokens: 120, mode: "pair-safe" })).toBe(1);
    ledger.observe(report(13_000, 1));
    expect(ledger.findCut({ keepTokens: 120, mode: "pair-safe" })).toBe(2);
  });

  test("an edited prefix takes the report away, but not what is hidden", () => {
    const ledger = ledgerOf("u100 a100 u100");
    ledger.observe(report(20_300, 3));
    ledger.truncate(2);
    expect(ledger.totalTokens).toBe(20_200);
  });

  test("a report that covered what was edited is not reckoned from", () => {
    const ledger = ledgerOf("u10000 a1000 u1000");
    ledger.observe(report(6_000, 3));
    ledger.truncate(1);
    expect(ledger.totalTokens).toBe(ledger.suffixTokens(0));
  });

  test("a report survives an edit after its prefix", () => {
    const ledger = ledgerOf("u100 a100 u100");
    ledger.observe(report(55_555, 1));
    ledger.truncate(1);
    expect(ledger.totalTokens).toBe(55_555);
  });

  test("models do not mix, and a new one starts with what is hidden", () => {
    const ledger = ledgerOf("u10 a10000 u1000");
    for (const observation of [report(20_010, 1, "dear"), report(35_010, 2, "dear")]) ledger.observe(observation);
    const dear = ledger.totalTokens;
    const hidden = 35_010 - (10_010 * ledger.tokensOf(1)) / 10_000;
    ledger.useModel("plain");
    expect(Math.abs(ledger.totalTokens - (hidden + 11_010))).toBeLessThan(2);
    ledger.useModel("dear");
    expect(ledger.totalTokens).toBe(dear);
  });

  test("a report of messages that are not there is refused", () => {
    expect(() => ledgerOf("u5").observe(report(10, 2))).toThrow("messageCount is 2");
  });
});

describe("overflow", () => {
  function check(overflow: Overflow, expected: readonly [window: number | undefined, total: number]): void {
    const ledger = ledgerOf("u1000");
    ledger.learnWindow(overflow, "m");
    expect([ledger.learnedWindow()?.windowTokens, ledger.totalTokens]).toEqual(expected);
    expect(ledger.learnedWindow("another")).toBeUndefined();
  }

  test("both numbers teach window and size", () =>
    check({ actualTokens: 1_300, maximumTokens: 1_200 }, [1_200, 1_300]));
  test("the maximum alone", () => check({ maximumTokens: 900 }, [900, 1_000]));
  test("the size alone", () => check({ actualTokens: 1_300 }, [650, 1_300]));
  test("the room for the answer is none of the input", () =>
    check({ actualTokens: 1_800, outputTokens: 500, maximumTokens: 1_700 }, [1_200, 1_300]));
  test("no number: half of what failed is assumed", () => check({}, [500, 1_000]));

  test("a report beyond the bound takes it back", () => {
    const ledger = ledgerOf("u1000");
    ledger.learnWindow({}, "m");
    ledger.observe({ reportedInputTokens: 1_000 });
    expect(ledger.learnedWindow()).toBeUndefined();
  });
});

describe("editing", () => {
  test("after a cut the structure is that of what is left", () => {
    const ledger = ledgerOf("u5 c5 r5 u5 c5");
    ledger.truncate(3);
    expect([ledger.length, ledger.structure.length, ledger.structure.openRound()]).toEqual([3, 3, undefined]);
    for (const message of parse("u2 a2")) ledger.append(message);
    expect([ledger.totalTokens, ledger.structure.turns().map(({ start }) => start)]).toEqual([19, [0, 3]]);
  });

  test("another wire form is taken over without losing the report", () => {
    const ledger = ledgerOf("u5 a5");
    ledger.observe({ reportedInputTokens: 700 });
    const [first] = parse("u5");
    const wire = { json: { said: "x" }, role: "user", parts: [] } as const;
    expect(ledger.restate(0, { ...(first ?? expect.unreachable()), wire })).toBe(true);
    expect([ledger.messages[0]?.wire, ledger.totalTokens]).toEqual([wire, 700]);
  });

  test("a message that was changed in place is not the same", () => {
    const input = { cmd: "ls" };
    const message: Message = {
      id: "m0",
      role: "assistant",
      parts: [{ type: "tool-call", callId: "c", name: "", input }],
    };
    const ledger = createLedger({ counter: COUNTER });
    ledger.append(message);
    expect(ledger.restate(0, { ...message })).toBe(true);
    input.cmd = "ls --all";
    expect(ledger.restate(0, { ...message })).toBe(false);
  });

  test("another message is not", () => {
    const ledger = ledgerOf("u5 a5");
    for (const script of ["u6", "a5", "c5"]) {
      const [message] = parse(script);
      expect(ledger.restate(0, message ?? expect.unreachable())).toBe(false);
    }
    expect(ledger.totalTokens).toBe(10);
  });
});
