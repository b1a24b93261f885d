import { describe, expect, test } from "vitest";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));
const RAN: readonly Message[] = [
  message("assistant", { type: "tool-call", callId: "a", name: "bash", input: { command: "ls" } }),
  message("user", { type: "tool-result", callId: "a", content: [text("ferry.csv")], isError: false }),
];

async function nextSteps(messages: readonly Message[]): Promise<readonly string[] | undefined> {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint?.nextSteps;
}

/** What comes next after an answer to a request for work. */
async function check(answer: string, expected: string): Promise<void> {
  expect(await nextSteps([user("Please mend the ferry timetable."), ...RAN, assistant(answer)])).toEqual([expected]);
}

const DONE = "The newest request was answered. Nothing is left open: wait for the user.";
const ANSWERED = "The newest request was answered. Wait for the user.";

describe("an answer that ends a turn", () => {
  test("leaves nothing open", () => check("The ferry timetable is mended.", DONE));
  test("is not all where it speaks of more, or of what is stuck", async () => {
    await check("I've updated the first page; the second still needs a new column.", ANSWERED);
    await check("I've mended the first page. The second is locked.", ANSWERED);
    await check("I've mended the first page, as shown here:", ANSWERED);
  });
  test("waits for what it needs of the user, though it asks nothing", async () => {
    const needed = "Once you provide the number of the ferry, I can mend its timetable.";
    await check(`There are two ferries. ${needed}`, `wait for the user's answer: ${needed}`);
    await check("I've mended it. Once you provide anything else, feel free to ask.", DONE);
  });
  test("says what is still to do, of whoever speaks", async () => {
    const owed = "I still have to turn the horn off and run the suite again.";
    await check(`One test fails: the horn sounds twice. ${owed}`, owed);
    await check("You still have three berths left.", ANSWERED);
    await check("If the bell still has to be moved, say so.", ANSWERED);
  });
  test("asks in its own words, without the field that they stand in", async () => {
    const asked = "Please choose the pier from which the ferry leaves.";
    const expected = `wait for the user's answer: ${asked}`;
    await check(`Updated ledger:\n{\n  "is_done": false,\n  "question": {\n    "answer": "${asked}"\n  }\n}`, expected);
    await check(`The timetable has two piers. ${asked}`, expected);
    await check('Please choose "north": yes or no?', `wait for the user's answer: Please choose "north": yes or no?`);
  });
  test("leaves something open where the newest check failed", async () => {
    const ran = (output: string): readonly Message[] => [
      message("assistant", { type: "tool-call", callId: "t", name: "bash", input: { command: "npm test" } }),
      message("user", { type: "tool-result", callId: "t", content: [text(output)], isError: false }),
    ];
    const stepsBehind = (output: string) =>
      nextSteps([user("Please mend the ferry timetable."), ...ran(output), assistant("The table is mended.")]);
    expect(await stepsBehind("Tests: 1 failed, 11 passed")).toEqual([ANSWERED]);
    expect(await stepsBehind("Tests: 12 passed")).toEqual([DONE]);
  });
  test("to a question in passing leaves the task as it was", async () => {
    const messages = [
      user("Please mend the ferry timetable."),
      ...RAN,
      assistant("I've mended it."),
      user("Is it raining?"),
      assistant("No."),
    ];
    expect(await nextSteps(messages)).toEqual([ANSWERED]);
  });
});

describe("a question that ends a turn", () => {
  test("waits for its answer", async () => {
    await check("There are two tables. Which one do you mean?", "wait for the user's answer: Which one do you mean?");
    await check(
      "There are **two** tables. Please name the one you mean. Thanks!",
      "wait for the user's answer: Please name the one you mean.",
    );
  });
  test("that stands elsewhere in the summary is not said again", () =>
    check("I've found two. Could you tell me which one?", "wait for the user's answer"));
  test.each([
    "Is there anything else I can do?",
    "If you have any other questions, please ask.",
    "Please feel free to write again!",
    "Do you have any questions or need any further help?",
    "Is there anything else, or was that all?",
    "If you have questions or need any further help, please ask.",
  ])("asks for nothing out of courtesy: %s", (words) => check(`The ferry timetable is mended. ${words}`, DONE));
  test.each([
    "Would you like to keep the night ferry, or is there anything else I can do?",
    "Would you like me to call the harbour for further assistance?",
    "Soll ich die Nachtfähre streichen, oder kann ich sonst noch helfen?",
    "¿Quito el ferry nocturno o necesita algo más?",
    "要取消夜间渡轮吗，还是还有其他问题？",
    "夜の便を消しますか、それとも他に何かありますか？",
    "야간 페리를 뺄까요, 아니면 더 필요하신 것이 있나요?",
    "Убрать ночной паром или ещё что-нибудь изменить?",
  ])("but this asks for more than that: %s", async (words) => {
    const [line] = (await nextSteps([user("Please mend the ferry timetable."), ...RAN, assistant(words)])) ?? [];
    expect(line).toContain(`: ${words}`);
  });
});

describe("a mark that asks nothing", () => {
  test.each([
    "The rows are split at `/\\r?\\n/` now.",
    "It reads `ferry?.pier` and `berth ?? 0` now.",
    "It reads ferry?.pier and sets berth ?? 0 now.",
    "It is at https://ferry.example/list?page=2 now.",
    'The page "Which pier?" has a table now.',
    'It has a page "Which pier?" now. It is called "Where from?".',
    "See [Which pier?](docs/pier.md) for the rows.",
    "The column `Paid?` is filled.",
  ])("%s", (words) => check(`The ferry timetable is mended. ${words}`, DONE));
  test("nor does a word that only asks for attention", async () => {
    await check("The timetable is mended. Please note that the pier is closed.", DONE);
    const both = "Please note the tide: which pier do you mean?";
    await check(`The timetable is mended. ${both}`, `wait for the user's answer: ${both}`);
  });
  test.each(["Which pier??", "Which pier do you mean ?", '"Which pier do you mean?"', "**Is it `north` or `south`?**"])(
    "but this does: %s",
    (words) => check(`The table has two piers. ${words}`, `wait for the user's answer: ${words.replaceAll("**", "")}`),
  );
});

describe("a question under a condition", () => {
  const ground = "Shall I add the night ferry to the table?";
  test("is told with what the condition is", async () => {
    const asked = `${ground} If so, please name the pier.`;
    await check(`The table is mended. ${asked}`, `wait for the user's answer: ${asked}`);
  });
  test("and with what that points at", async () => {
    const asked =
      "- Night ferry: 105 crowns\n\nWould you like to proceed with these changes? If so, please name the pier.";
    const told = "Night ferry: 105 crowns. Would you like to proceed with these changes? If so, please name the pier.";
    await check(`The table is mended.\n\n${asked}`, `wait for the user's answer: ${told}`);
  });
  test("but any other alone", () =>
    check(
      `${ground} If the pier has a number, please name it.`,
      "wait for the user's answer: If the pier has a number, please name it.",
    ));
  test.each([
    ["Bitte repariere den Fahrplan der Fähre.", "Soll ich die Nachtfähre eintragen?", "Wenn ja, nenne bitte den Steg."],
    ["Corrige l'horaire du ferry, s'il te plaît.", "Dois-je ajouter le ferry de nuit ?", "Si oui, quel quai ?"],
    ["Por favor, corrige el horario del ferry.", "¿Añado el ferry nocturno?", "En caso afirmativo, ¿qué muelle?"],
    ["Por favor, corrija o horário da balsa.", "Devo incluir a balsa noturna?", "Se sim, qual é o cais?"],
    ["Per favore, correggi l'orario del traghetto.", "Aggiungo il traghetto notturno?", "Se sì, quale molo?"],
    ["Исправь, пожалуйста, расписание парома.", "Добавить ночной паром?", "Если да, какой причал?"],
    ["请修正渡轮的时刻表。", "要加上夜间渡轮吗？", "如果是，请告诉我码头。"],
    ["フェリーの時刻表を直してください。", "夜の便も加えますか？", "その場合、桟橋を教えてください。"],
    ["페리 시간표를 고쳐 주세요.", "야간 페리도 넣을까요?", "그렇다면 부두를 알려 주세요."],
    ["من فضلك أصلح جدول العبّارة.", "هل أضيف عبّارة الليل؟", "إذا كان كذلك، ما هو الرصيف؟"],
  ])("%s", async (request, before, question) => {
    const [line] = (await nextSteps([user(request), ...RAN, assistant(`${before} ${question}`)])) ?? [];
    expect(line).toContain(`${before} ${question}`);
  });
});

describe("in the language of the conversation", () => {
  test.each([
    ["Bitte repariere den Fahrplan der Fähre.", "Der Fahrplan ist repariert.", "beantwortet. Nichts ist offen"],
    ["Corrige l'horaire du ferry, s'il te plaît.", "L'horaire du ferry est corrigé.", "réponse. Rien ne reste"],
    ["Por favor, corrige el horario del ferry.", "El horario del ferry está corregido.", "respondida. No queda nada"],
    ["Por favor, corrija o horário da balsa.", "O horário da balsa está corrigido.", "respondido. Nada ficou"],
    ["Per favore, correggi l'orario del traghetto.", "L'orario del traghetto è corretto.", "risposta. Nulla è"],
    ["Исправь, пожалуйста, расписание парома.", "Расписание парома исправлено.", "дан ответ. Ничего не"],
    ["请修正渡轮的时刻表。", "渡轮的时刻表已经修正。", "已答复。 没有未完成"],
    ["フェリーの時刻表を直してください。", "フェリーの時刻表を直しました。", "回答済みです。 未完了"],
    ["페리 시간표를 고쳐 주세요.", "페리 시간표를 고쳤습니다.", "답변함. 남은 일이"],
    ["من فضلك أصلح جدول العبّارة.", "تم إصلاح جدول العبّارة.", "أحدث طلب. لا شيء"],
  ])("%s", async (request, answer, expected) => {
    const [line] = (await nextSteps([user(request), assistant(answer)])) ?? [];
    expect(line).toContain(expected);
  });
  test.each([
    [
      "Bitte repariere den Fahrplan der Fähre.",
      "Ich korrigiere jetzt die dritte Zeile.",
      "Ich warte jetzt auf das Hafenamt.",
    ],
    [
      "Per favore, correggi l'orario del traghetto.",
      "Ora correggo la terza riga.",
      "Ora aspetto la capitaneria di porto.",
    ],
    ["Исправь, пожалуйста, расписание парома.", "Сейчас исправлю третью строку.", "Сейчас жду портовую контору."],
    ["フェリーの時刻表を直してください。", "次に三行目の時刻を直します。", "三行目の時刻を直しました。"],
    ["페리 시간표를 고쳐 주세요.", "이제 셋째 줄을 고치겠습니다.", "이제 셋째 줄을 고쳤습니다."],
    ["من فضلك أصلح جدول العبّارة.", "سأصحح السطر الثالث الآن.", "تم تصحيح السطر الثالث الآن."],
  ])("%s: what was announced is to come", async (request, announced, other) => {
    expect(await nextSteps([user(request), ...RAN, assistant(announced)])).toEqual([announced]);
    expect(await nextSteps([user(request), ...RAN, assistant(other)])).not.toEqual([other]);
  });
  test.each([
    ["Bitte repariere den Fahrplan der Fähre.", "Es gibt zwei Fahrpläne. Welcher ist gemeint?", "auf die Antwort des"],
    ["请修正渡轮的时刻表。", "有两个时刻表。您指的是哪一个？", "等待用户回答: 您指的是哪一个？"],
  ])("%s, with a question", async (request, answer, expected) => {
    const [line] = (await nextSteps([user(request), ...RAN, assistant(answer)])) ?? [];
    expect(line).toContain(expected);
  });
});
