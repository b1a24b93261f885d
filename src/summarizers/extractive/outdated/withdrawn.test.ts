import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { createProse } from "../reading/prose.ts";
import { inUse, withdrawnIn } from "./withdrawn.ts";

function check(request: string, names: readonly string[], language: Language = "en"): void {
  const item = createProse({
    message: 3,
    isUser: true,
    isRequest: true,
    isFinal: false,
    speaker: "",
    text: request,
  });
  expect(
    withdrawnIn([item], language).map(({ name }) => name),
    request,
  ).toEqual(names);
}

test("names that the user gave up", () => {
  check("Use Brass instead of Copper.", ["Copper"]);
  check("ok, please remove the SluiceGate code and go on", ["SluiceGate"]);
  check("Drop `wheel_lock`, it is too slow.", ["wheel_lock"]);
  check("can you get rid of TideClock?", ["TideClock"]);
  check("Let's replace Copper with Brass.", ["Copper"]);
  check("We don't want Copper any more.", ["Copper"]);
  check("Migrate away from Copper.", ["Copper"]);
  check("Please swap Copper for Brass.", ["Copper"]);
  check("Move from Copper to Brass.", ["Copper"]);
  check("No, please drop Copper.", ["Copper"]);
  check("I want you to drop Copper!", ["Copper"]);
});

test("in the other languages", () => {
  check("Bitte entferne den SluiceGate Code.", ["SluiceGate"], "de");
  check("Nimm Brass3 statt TideClock.", ["TideClock"], "de");
  check("Utilise Brass au lieu de Copper.", ["Copper"], "fr");
  check("Usa Brass en lugar de Copper.", ["Copper"], "es");
  check("Substitua Copper por Brass.", ["Copper"], "pt");
  check("Usa Brass invece di Copper.", ["Copper"], "it");
  check("Используй Brass вместо Copper.", ["Copper"], "ru");
  check("用 Brass 代替 Copper。", ["Copper"], "zh");
  check("Copper を削除してください。", ["Copper"], "ja");
  check("Copper 대신 Brass를 사용해 주세요.", ["Copper"], "ko");
  check("استخدم Brass بدلا من Copper.", ["Copper"], "ar");
});

test("not a part of a thing, a common word, a question, or what is denied or told", () => {
  check("Remove the Copper lamp from the tower.", []);
  check("Remove Copper from the list.", []);
  check("Replace Copper with Brass in the tower.", []);
  check("drop the old lamp and use the new one instead of it", []);
  check("Remove the API.", []);
  check("Should we drop Copper?", []);
  check("Please don't remove Copper.", []);
  check("If it leaks, drop Copper.", []);
  check("The keeper said that the tower uses Brass instead of Copper.", []);
  check("Bitte entferne den Schalter.", [], "de");
});

let next = 0;
const said = (role: Message["role"], words: string): Message => ({ id: `m${next++}`, role, parts: [text(words)] });
const works = (): readonly Message[] => [
  {
    id: `m${next++}`,
    role: "assistant",
    parts: [{ type: "tool-call", callId: "c", name: "bash", input: { command: "date" } }],
  },
  {
    id: `m${next++}`,
    role: "user",
    parts: [{ type: "tool-result", callId: "c", content: [text("noon")], isError: false }],
  },
];
const WAY = "We decided to cast the lamps in Copper";
const DONE = "I've added the Copper lamps to the tower.";
const MENDED = "Fixed a crack in the Copper lamp of the pier.";
const FOUND = "The root cause is that Copper bends in the heat of the lamp.";

async function told(request: string, kept: readonly Message[] = []): Promise<readonly boolean[]> {
  const messages = [
    said("user", "Please mend the lamps of the harbour."),
    ...works(),
    said("assistant", `${WAY} because it is light. ${DONE} ${MENDED}`),
    said("user", "Why is the tower so dark?"),
    said("assistant", FOUND),
    said("user", request),
    ...works(),
  ];
  const { text: summary } = await extractive().summarize(
    { messages, turnPrefix: [], kept, budgetTokens: 1_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return [WAY, DONE, FOUND, MENDED].map((sentence) => summary.includes(sentence.replace(/\.$/, "")));
}

test("what was decided, done and found about a name is over with it", async () => {
  const all = [true, true, true, true];
  expect(await told("Light them in the evening.")).toEqual(all);
  expect(await told("Use Brass instead of Copper.")).toEqual([false, false, false, true]);
  expect(await told("Use Brass instead of Iron.")).toEqual(all);
  expect(await told("Light them.", [said("user", "Use Brass instead of Copper.")])).toEqual([
    false,
    false,
    false,
    true,
  ]);
});

test("so is the user's own order", async () => {
  const order = "Take Copper for the lamps because it is light.";
  const decided = async (request: string): Promise<boolean> => {
    const messages = [said("user", "Please mend the lamps."), ...works(), said("user", order), ...works()];
    const { checkpoint } = await extractive().summarize(
      {
        messages: [...messages, said("user", request), ...works()],
        turnPrefix: [],
        kept: [],
        budgetTokens: 1_000,
        counter: estimateTokens(),
      },
      { signal: new AbortController().signal, progress: () => undefined },
    );
    return JSON.stringify(checkpoint?.decisions).includes("Take Copper");
  };
  expect(await decided("Light them in the evening.")).toBe(true);
  expect(await decided("Replace Copper with Brass.")).toBe(false);
});

test("so it is with what an earlier summary told", () => {
  const said = { message: 3, isUser: true, isRequest: true, isFinal: false, speaker: "", text: "Drop Copper." };
  const item = createProse(said);
  const withdrawn = withdrawnIn([item], "en");
  const decisions = [
    { decision: WAY },
    { decision: "We took Brass rather than Copper." },
    { decision: "CopperPipe stays." },
  ];
  const settled = { decisions, done: [DONE, MENDED, "Removed Copper from the list."], findings: [FOUND] };
  expect(inUse(settled, -1, withdrawn)).toEqual({
    decisions: decisions.slice(1),
    done: settled.done.slice(1),
    findings: [],
  });
  expect(inUse(settled, 3, withdrawn)).toEqual(settled);
});

async function summaryOf(messages: readonly Message[]): Promise<string> {
  const { text: summary } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 1_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return summary;
}

const installed = (command: string): Message => ({
  id: `m${next++}`,
  role: "assistant",
  parts: [{ type: "tool-call", callId: "i", name: "bash", input: { command } }],
});

test("a name in lower case is one where it was installed, imported or written as code", async () => {
  const talk = (before: Message, order: string): Promise<string> =>
    summaryOf([
      said("user", "Please read the tables of the tides."),
      ...works(),
      said("assistant", "We decided to read the tables with tidewheel because it is small. Shall I take tidewheel?"),
      said("user", "Yes, tidewheel is fine."),
      before,
      said("user", "Please always feed tidewheel with commas."),
      ...works(),
      said("user", order),
      ...works(),
      said("assistant", "The tables are read line by line now."),
    ]);
  const wanted = ["Yes, tidewheel is fine", "decided to read the tables with tidewheel", "always feed tidewheel"];
  const isTold = (summary: string): readonly boolean[] => wanted.map((words) => summary.includes(words));
  const order = "Drop tidewheel, it is too slow.";
  const all = [true, true, true];
  const none = [false, false, false];
  expect(isTold(await talk(installed("npm install -D tidewheel"), "Read them again."))).not.toEqual(none);
  expect(isTold(await talk(installed("npm install -D tidewheel"), order))).toEqual(none);
  expect(isTold(await talk(installed("echo 'import t from \"tidewheel\"' > a.ts"), order))).toEqual(none);
  expect(isTold(await talk(said("assistant", "I put `tidewheel` into the list."), order))).toEqual(none);
  const noun = said("assistant", "I oiled the tidewheel beside `tidewheel`.");
  for (const other of [installed("ls tidewheel"), noun]) expect(isTold(await talk(other, order))).toEqual(all);
});

test("what users forbade before stays forbidden", async () => {
  const messages = [
    said("user", "Please read the tables. Never feed Copper with commas."),
    ...works(),
    said("user", "Drop Copper."),
    ...works(),
  ];
  expect(await summaryOf(messages)).toContain("Never feed Copper with commas");
});
