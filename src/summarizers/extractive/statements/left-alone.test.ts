import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { type Message, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { isChangedSince } from "./left-alone.ts";
import { laidDownBy } from "./user-statements.ts";

function check(asked: string, reply: string, expected: readonly string[], language: Language = "en"): void {
  const { decisions } = laidDownBy({ asked, reply, language, askedIn: language });
  expect(
    decisions.map(({ decision, reason }) => (reason === undefined ? decision : `${decision} | ${reason}`)),
  ).toEqual(expected);
}

test.each([
  "Leave the tide table as it is.",
  "The northern pier is out of scope for this PR.",
  "Do the move of the lamps in a follow-up.",
  "Let's not add a second pump for this.",
  "We'll add the fog horn later.",
  "Go with the iron gate.",
])("%j is settled", (reply) => check("The pier is mended.", reply, [reply]));

test.each([
  "Leave that as it is.",
  "That is out of scope.",
  "That's fine. I'll fix the lamp later.",
  "Is the northern pier out of scope?",
  "I saw them leave the harbour alone and then go with the tide.",
  "The lamp goes out later than the others.",
  "The pump is as it is because it is old.",
])("%j settles nothing by itself", (reply) => check("The pier is mended.", reply, []));

test("beside a question even what points is settled", () => {
  const question = "Should I also rename the tide table?";
  check(`The pier is mended. ${question}`, "Leave that as it is.", [`User: Leave that as it is. | ${question}`]);
  check(`The pier is mended. ${question}`, "That is out of scope.", [`User: That is out of scope. | ${question}`]);
  check(`The pier is mended. ${question}`, "The lamp is out.", []);
});

test.each<[Language, string, string]>([
  ["de", "Lass die Tabelle so wie sie ist.", "Die Tabelle liegt im Hafen."],
  ["fr", "Laisse la table telle quelle.", "Laisse la table au port."],
  ["es", "Deja la tabla como está.", "Deja la tabla en el puerto."],
  ["pt", "Deixe a tabela como está.", "Deixe a tabela no porto."],
  ["it", "Lascia la tabella com'è.", "Lascia la tabella nel porto."],
  ["ru", "Оставь таблицу как есть.", "Оставь таблицу в порту."],
  ["zh", "潮汐表保持不变。", "潮汐表在港口。"],
  ["ja", "潮汐表はそのままにしてください。", "潮汐表は港にあります。"],
  ["ko", "조석표는 그대로 두세요.", "조석표는 항구에 있습니다."],
  ["ar", "اترك الجدول كما هو.", "الجدول في الميناء."],
])("%s: %s", (language, left, other) => {
  check("OK.", left, [left], language);
  check("OK.", other, [], language);
});

test("what was left as it is and then got a value, or an order, did not stay so", () => {
  const isChanged = (later: string): boolean => isChangedSince("no, the block should stay as is", [later], "en");
  expect(isChanged("#b5bd68 is what the codeblock was")).toBe(true);
  expect(isChanged("please paint the block in red")).toBe(true);
  expect(isChanged("is the block 12 metres long?")).toBe(false);
  expect(isChanged("the block looks good")).toBe(false);
  expect(isChanged("please paint the pier in red")).toBe(false);
  expect(isChanged("leave the block as it is, 12 metres will do")).toBe(false);
  expect(isChangedSince("Use brass for the block.", ["please paint the block in red"], "en")).toBe(false);
});

const said = (role: Message["role"], words: string, at: number): Message => ({
  id: `m${at}`,
  role,
  parts: [text(words)],
});

test("it is told until then, wherever the change is said", async () => {
  const decided = async (leaving: readonly string[], staying: readonly string[]): Promise<boolean> => {
    const all = [...leaving, ...staying].map((words, at) => said(at % 2 === 0 ? "user" : "assistant", words, at));
    const { checkpoint } = await extractive().summarize(
      {
        messages: all.slice(0, leaving.length),
        turnPrefix: [],
        kept: all.slice(leaving.length),
        budgetTokens: 1_000,
        counter: estimateTokens(),
      },
      { signal: new AbortController().signal, progress: () => undefined },
    );
    return JSON.stringify(checkpoint?.decisions).includes("Leave the tide table as it is");
  };
  const begun = ["Please paint the pier.", "The pier is red.", "Leave the tide table as it is.", "It stays."];
  const change = ["Please print the tide table in blue.", "It is blue."];
  const other = ["Please print the chart in blue.", "It is blue."];
  expect(await decided([...begun, ...other], [])).toBe(true);
  expect(await decided(begun, other)).toBe(true);
  expect(await decided([...begun, ...change], [])).toBe(false);
  expect(await decided(begun, change)).toBe(false);
});
