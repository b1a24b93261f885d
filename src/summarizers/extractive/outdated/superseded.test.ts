import { expect, test } from "vitest";
import { type Checkpoint, EMPTY_CHECKPOINT } from "../../../core/checkpoint/checkpoint.ts";
import type { JsonObject } from "../../../core/json.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const said = (words: string): Message => message("assistant", text(words));
function called(name: string, input: JsonObject, output = "ok"): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name, input }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError: false }),
  ];
}

interface Told {
  readonly kept?: readonly Message[];
  readonly previous?: readonly string[];
}

/** What is told as done of a conversation, the last part of which may stay in the view. */
async function done(messages: readonly Message[], told: Told = {}): Promise<readonly string[]> {
  return (await summarize(messages, told)).done;
}

async function summarize(messages: readonly Message[], { kept = [], previous }: Told): Promise<Checkpoint> {
  const { checkpoint } = await extractive().summarize(
    {
      messages: [user("Please see to the harbour."), ...messages],
      turnPrefix: [],
      kept,
      budgetTokens: 2_000,
      counter: estimateTokens(),
      ...(previous !== undefined && { previous: { text: "", checkpoint: { ...EMPTY_CHECKPOINT, done: previous } } }),
    },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint ?? EMPTY_CHECKPOINT;
}

const berth = (number: string, fee: string) => called("modify_booking", { booking: "BV-20471", berth: number, fee });
const FIRST = "Your booking BV-20471 has been updated: berth 312 for 570 euros.";
const SECOND = "Your booking BV-20471 has been updated: berth 402 for 744 euros.";
const booked = [...berth("312", "570"), said(FIRST)];

test("of a booking that was changed twice, only how it is now", async () => {
  const order = user("Take the larger berth instead, please.");
  expect(await done([...booked, order])).toEqual([FIRST]);
  expect(await done([...booked, order, ...berth("402", "744"), said(SECOND), user("Thank you!")])).toEqual([SECOND]);
  // Nobody has said it: the call does.
  const silent = ["modify_booking: BV-20471 (berth: 402, fee: 744)"];
  expect(await done([...booked, order, ...berth("402", "744")])).toEqual(silent);
  expect(await done([...booked, order], { kept: berth("402", "744") })).toEqual([]);
});

test("what another call has done with it stays, and so does what only looks", async () => {
  const mail = called("send_receipt", { booking: "BV-20471", to: "keeper@harbour.example" });
  expect(await done([...booked, user("Send me a receipt."), ...mail])).toEqual([FIRST]);
  expect(await done([...booked, user("Show it."), ...called("get_booking", { booking: "BV-20471" })])).toEqual([FIRST]);
  const other = called("modify_booking", { booking: "BV-20472", berth: "9" });
  expect(await done([...booked, user("And the other one."), ...other])).toContain(FIRST);
});

test("what was cancelled since, or set to something else by another call, is not so any more", async () => {
  const cancelled = called("cancel_booking", { booking: "BV-20471" });
  expect(await done([...booked, user("Cancel it."), ...cancelled])).toEqual(["cancel_booking: BV-20471"]);
  // Values that nobody told.
  const unsaid = berth("312", "570");
  expect(await done([...unsaid, user("Cancel it."), ...cancelled])).toEqual(["cancel_booking: BV-20471"]);
  const measured = called("measure_berth", { booking: "BV-20471", berth: "9" });
  expect(await done([...booked, user("Measure it."), ...measured])).toContain(FIRST);
  const moved = called("move_berth", { booking: "BV-20471", berth: "9" });
  expect(await done([...booked, user("Move it."), ...moved])).toEqual(["move_berth: BV-20471 (berth: 9)"]);
  const updated = called("update_berth", { booking: "BV-20471", berth: "9" });
  expect(await done([...booked, user("Move it."), ...updated])).toEqual(["update_berth: BV-20471 (berth: 9)"]);
});

const edits = called("edit_file", { file_path: "lamp.ts", new_string: "x" });

test("a name has its newest value", async () => {
  const amber = "I've updated the lamps: `gateLamp` now uses `amber`.";
  const green = "I've updated the lamps: `gateLamp` now uses `green`.";
  const quay = "I've updated the lamps: `quayLamp` now uses `white`.";
  const order = user("Try another colour.");
  expect(await done([...edits, said(amber), order, ...edits, said(green), user("Good.")])).toEqual([green]);
  const listed = said("Here they are:\n- `quayLamp`: `white`\n- `gateLamp`: `red` (from the old table)");
  expect(await done([...edits, said(amber), order, ...edits, listed, user("Good.")])).toEqual([]);
  const shown = said("Here they are:\n- `quayLamp`: `white`\n- `gateLamp`: `amber`");
  expect(await done([...edits, said(amber), order, ...edits, shown, user("Good.")])).toEqual([amber]);
  const changed = (from: string, to: string) => `I've changed \`dim\` from \`${from}\` (nearly night) to \`${to}\`.`;
  const twice = [...edits, said(changed("#444", "#555")), order, ...edits, said(changed("#555", "#666"))];
  expect(await done([...twice, user("Good.")])).toEqual([changed("#555", "#666")]);
  expect(await done([...edits, said(amber), order, ...edits, said(quay), user("Good.")])).toEqual([amber, quay]);
});

test("a count has its newest number", async () => {
  const grown = (from: number, to: number) => `I've extended the table from ${from} to ${to} lamps.`;
  const rest = [user("One more."), ...edits];
  const again = [...edits, said(grown(37, 42)), ...rest, said(grown(42, 43)), user("Good.")];
  expect(await done(again)).toEqual([grown(42, 43)]);
  const bells = "I've extended the table from 5 to 9 bells.";
  expect(await done([...edits, said(bells), ...rest, said(grown(42, 43)), user("Good.")])).toContain(bells);
});

const CLEAN = "I've finished: the working tree is clean, everything is committed and pushed.";
const commit = called("bash", { command: 'git commit -m "Trim the lamp"' }, "[main 1a2b3c4] Trim the lamp");

test("that all is pushed holds until something is changed", async () => {
  const order = user("Now trim the lamp.");
  expect(await done([...commit, said(CLEAN), order])).toContain(CLEAN);
  expect(await done([...commit, said(CLEAN), order, ...commit])).not.toContain(CLEAN);
  expect(await done([...commit, said(CLEAN), order], { kept: edits })).not.toContain(CLEAN);
  expect(await done([...commit, said(CLEAN), order, ...called("bash", { command: "git log -3" })])).toContain(CLEAN);
});

test("an earlier summary is told as far as it still holds", async () => {
  const previous = [FIRST, "I've painted the quay."];
  expect(await done([user("Go on."), ...called("get_tide", { day: "monday" })], { previous })).toContain(FIRST);
  const later = await done([user("Go on."), ...berth("402", "744")], { previous });
  expect(later).not.toContain(FIRST);
  expect(later).toContain("I've painted the quay.");
});

test("nor is what was said about it in other words", async () => {
  const costs = "The berth of booking BV-20471 costs 570 euros, with water and light.";
  const before = [...berth("312", "570"), said(costs), user("Take the larger one instead, please.")];
  expect((await summarize(before, {})).done).toEqual([costs]);
  const after = [...before, ...berth("402", "744"), said("The harbour master is in until noon."), user("Thank you!")];
  expect(JSON.stringify(await summarize(after, {}))).not.toContain(costs);
  const looked = [...before, ...called("get_booking", { booking: "BV-20471" }), said("It is."), user("Thank you!")];
  expect(JSON.stringify(await summarize(looked, {}))).toContain(costs);
});
