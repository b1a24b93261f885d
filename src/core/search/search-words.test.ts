import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { datesAskedFor, datesIn } from "./search-dates.ts";
import { indexText, queryTerms, searchRequest, searchWords, stemOf } from "./search-words.ts";

function check(text: string, expected: string): void {
  expect(searchWords(text).join(" ")).toBe(expected);
}

test("words in lower case", () => check("The Quick, brown-fox!", "the quick brown fox"));
test("paths and identifiers give their parts", () => check("src/foo_bar.ts:12", "src foo bar ts 12"));
test("digits stay with letters", () => check("abc123 0x1F 3.14", "abc123 0x1f 3 14"));
test("accents are left out, composed or not", () => check("Ünïcode U\u0308ber Ёлка İzmir", "unicode uber елка izmir"));
test("marks that make another letter stay", () => check("がく हिन्दी", "がく हिन्दी"));
test("a pictograph is a word, wherever it stands", () =>
  check("done✅ok 🙂🙂 ❤️ 👩‍💻 🇩🇪", "done ✅ ok 🙂 🙂 ❤ 👩 💻 🇩🇪"));
test("full width and ligatures", () => check("ＡＢＣ ﬁle", "abc file"));
test("Chinese in pairs", () => check("上海交通", "上海 海交 交通"));
test("one character stands for itself", () => check("a 好 b", "a 好 b"));
test("Japanese with its long vowel", () => check("サーバー", "サー ーバ バー"));
test("Korean and Thai", () => check("한국어 ไทย", "한국 국어 ไท ทย"));
test("a change of script begins a new word", () => check("Node版本24号", "node 版本 24 号"));
test("vowel signs belong to their word", () => check("हिन्दी भाषा", "हिन्दी भाषा"));
test("characters beyond the basic plane", () => check("𠮷野家 𝒳", "𠮷野 野家 x"));
test("nothing", () => check(" \n-—_…→ ", ""));
test("long words are cut, pairs are not cut through", () => {
  check("a".repeat(100), "a".repeat(64));
  check(`a${"𐐨".repeat(40)}`, `a${"𐐨".repeat(31)}`);
});

test("the index gets each term once, and the day of the message", () =>
  expect(indexText("to be or not to be", "2026-11-19T01:02:03.004Z")).toBe(
    "to be or not day20261119 day1119 month202611",
  ));

function checkStem(words: string, stem: string): void {
  expect([...new Set(words.split(" ").map(stemOf))].join(" ")).toBe(stem);
}

test("the forms of a word are one term", () => {
  checkStem("camp camps camping camped camper campers", "camp");
  checkStem("deploy deploys deployed deploying deployment deployments", "deplo");
  checkStem("connect connection connections connecting", "connect");
  checkStem("configure configured configuration", "configur");
  checkStem("run running", "run");
  checkStem("hike hikes hiking", "hik");
  checkStem("class classes", "clas");
});
test("short words, numbers and other scripts stay whole", () => {
  for (const word of ["as", "is", "bus", "needs1", "4711", "ключами", "数据", "string", "0x1fed"])
    checkStem(word, word);
});

function checkDates(text: string, indexed: string, asked: string): void {
  expect([datesIn(text).join(" "), datesAskedFor(text).join(" ")]).toEqual([indexed, asked]);
}

test("a day in figures and in words", () => {
  const day = ["day20230508 day0508 month202305", "day20230508 day0508"] as const;
  for (const text of ["2023-05-08", "2023/5/8", "8 may 2023", "8th of may, 2023", "may 8, 2023", "2023年5月8日"]) {
    checkDates(text, ...day);
  }
});
test("a day of any year, and a month", () => {
  for (const text of ["on may 8th", "8 may", "5月8日"]) checkDates(text, "day0508", "day0508");
  for (const text of ["in may 2023", "2023-05"]) checkDates(text, "month202305", "month202305");
});
test("what is no date", () => {
  for (const text of ["may", "you may 2", "2023", "2023-13-40", "1.2.3", "12023-05-081", "mayor 5"]) {
    checkDates(text, text === "you may 2" ? "day0502" : "", text === "you may 2" ? "day0502" : "");
  }
});

test("FTS5 splits the index text at spaces and nowhere else", () => {
  const text =
    "Grüße हिन्दी İstanbul 上海交通 サーバー 한국어 ไทย abc123 ½ ① a\u0301\u0327 𠮷野家 ᏣᎳᎩ 0x1F e\u20dd 🙂✅ 🇩🇪 café";
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE found USING fts5(words, content='', tokenize='ascii')");
  database.exec("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(found, row)");
  database.prepare("INSERT INTO found(rowid, words) VALUES (1, ?)").run(indexText(text, ""));
  const terms = database.prepare("SELECT term FROM vocabulary").all();
  expect(terms.map(({ term }) => term).sort()).toEqual([...new Set(searchWords(text).map(stemOf))].sort());
  database.close();
});

function checkQuery(query: string, all: string, telling: string): void {
  const terms = queryTerms(query);
  const told = terms.filter(({ isTelling }) => isTelling);
  expect([terms, told].map((each) => each.map(({ term }) => term).join(" "))).toEqual([all, telling]);
}

test("each term once", () => checkQuery("to be or to be", "to be or", "to be or"));
test("a term knows the words of the query", () => {
  const [may, camp] = queryTerms("camps camping 8 May").filter(({ term }) => term.length > 3);
  expect([[...(camp?.words ?? [])], may]).toEqual([
    ["camps", "camping"],
    { term: "day0508", words: new Set(), isTelling: true },
  ]);
});
test("single letters tell nothing beside words", () => checkQuery("a part of 1", "a part of 1", "part of"));
test("alone they do", () => checkQuery("a 1", "a 1", "a 1"));
test("a character of a language without spaces is a word", () => checkQuery("a 好", "a 好", "好"));
test("the number of terms is bounded", () => {
  const words = Array.from({ length: 50 }, (_, index) => `w${index}`);
  checkQuery(words.join(" "), words.slice(0, 32).join(" "), words.slice(0, 32).join(" "));
  const asked = `${words.join(" ")} in may 2023`;
  expect(queryTerms(asked).map(({ term }) => term)).toEqual(["month202305", ...words.slice(0, 31)]);
});

test("everything is searched unless told", () =>
  expect(searchRequest("x", 3)).toEqual({ query: "x", limit: 3, scope: "all" }));

test.each([[undefined], [null], [5], [["x"]], [{}]])("%j is no query", (query) => {
  expect(() => searchRequest(query, 3)).toThrow(expect.objectContaining({ code: "invalid-settings" }));
});

test.each([[-1], [1.5], [Number.NaN], ["5"], [null]])("%j is no limit", (limit) => {
  expect(() => searchRequest("x", limit)).toThrow(expect.objectContaining({ code: "invalid-settings" }));
});

test("a scope that does not exist is refused", () => {
  expect(() => searchRequest("x", 3, "view")).toThrow(expect.objectContaining({ code: "invalid-settings" }));
});
