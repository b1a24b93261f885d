import { expect, test } from "vitest";
import { rankHits } from "./rank-hits.ts";
import { CANDIDATES_MAX, chooseCandidates } from "./search.ts";
import { SNIPPET_CHARACTERS_MAX } from "./snippet.ts";

const candidates = (texts: readonly string[]) =>
  texts.map((text, index) => ({
    messageId: `m${index + 1}`,
    sequence: index + 1,
    role: "user" as const,
    text,
    isSummary: text.startsWith("[summary]"),
    archivedBy: null,
    createdAt: "2026-01-01T00:00:00.000Z",
  }));

function check(query: string, texts: readonly string[], expected: string): void {
  const found = candidates(texts);
  const hits = rankHits(query, found, { limit: 10 });
  expect(hits.map(({ messageId }) => messageId).join(" ")).toBe(expected);
  expect(rankHits(query, found.toReversed(), { limit: 10 })).toEqual(hits);
}

test("nothing asked, nothing found", () => {
  check("", ["a"], "");
  check(" … ", ["a"], "");
  check("zebra", ["a horse"], "");
});
test("more of the words is better", () => check("red apple pie", ["red", "apple pie", "pie"], "m2 m1 m3"));
test("rare words weigh more", () => check("error EPIPE", ["an error", "EPIPE", "error", "error"], "m2 m4 m3 m1"));
test("the newest of equals", () => check("port", ["port 1", "port 2"], "m2 m1"));
test("what was said itself before a summary of it, unless that has more of the words", () => {
  check("port", ["port 1", "[summary] port"], "m1 m2");
  check("port scan", ["port 1", "[summary] port scan"], "m2 m1");
});
test("with and without accents", () => {
  check("cafe", ["le café", "coffee"], "m1");
  check("café", ["le cafe", "coffee"], "m1");
});
test("other forms of a word are found, the word itself is better", () => {
  check("deploying", ["deploying now", "we deployed it", "nothing", "a deployment"], "m1 m4 m2");
  check("camping trips", ["a trip", "she camps", "the camp"], "m1 m3 m2");
});
test("what has a term more often is better, what is long is worse", () => {
  const long = "talk of something else. ".repeat(40);
  check("zebra", ["a zebra", `a zebra. ${long}`, "a zebra beside a zebra"], "m3 m1 m2");
});
test("a day is found however it was written, also as the time of a message", () => {
  check("on 8 May 2023", ["2023-05-08", "May 8th, 2023", "2023年5月8日", "the 9th of May 2023"], "m3 m2 m1 m4");
  check("2026-01-01", ["at that time", "2025-01-01"], "m2 m1");
});
test("pictographs", () => {
  check("🙂", ["fine🙂", "not fine 🙁"], "m1");
  check("✅", ["done✅ok", "done"], "m1");
});
test("words, not parts of words", () => check("port", ["support", "export", "the port."], "m3"));
test("a single letter finds nothing beside words", () => {
  check("part 1", ["1", "part 2"], "m2");
  check("1", ["1", "part 2"], "m1");
});
test("the exact phrase first", () => check("open the file", ["open the file", "the file is open"], "m1 m2"));
test("cases and compatible forms", () => check("ＦＩＬＥ", ["ﬁle", "pile"], "m1"));
test("Chinese", () => check("交通大学", ["上海交通大学的学生", "大学", "海上"], "m1 m2"));
test("Latin beside Chinese is a word", () => check("node", ["版本node版本", "nodejs"], "m1"));
test("a letter beyond the basic plane is no border", () => check("a", ["𐐨a", "a"], "m2"));
test("a word longer than words are kept is found by its beginning", () =>
  check("k".repeat(100), ["k".repeat(100)], "m1"));

test("the limit", () => {
  expect(rankHits("a", candidates(["a", "a", "a"]), { limit: 2 })).toHaveLength(2);
  expect(rankHits("a", candidates(["a"]), { limit: 0 })).toEqual([]);
});

const FILLER = "lorem ipsum dolor sit amet ".repeat(50);

function checkSnippet(text: string, query: string, expected: string): void {
  const [hit] = rankHits(query, candidates([text]), { limit: 1 });
  expect(hit?.snippet).toBe(expected);
  expect(hit?.snippet.length).toBeLessThanOrEqual(SNIPPET_CHARACTERS_MAX);
  expect(hit?.snippet.isWellFormed()).toBe(true);
}

test("a short text is shown whole, on one line", () => checkSnippet("one\n  two three ", "two", "one two three"));

test("the place where most of the words stand together", () => {
  const hit = rankHits("alpha beta", candidates([`alpha ${FILLER} beta alpha ${FILLER}`]), { limit: 1 })[0];
  expect(hit?.snippet).toMatch(/^….* beta alpha .*…$/);
  expect(hit?.snippet).toMatch(/^…(lorem|ipsum|dolor|sit|amet) .* (lorem|ipsum|dolor|sit|amet)…$/);
  expect(hit?.snippet.length).toBeLessThanOrEqual(SNIPPET_CHARACTERS_MAX);
});

test("the end of a text", () => {
  const hit = rankHits("omega", candidates([`${FILLER}omega`]), { limit: 1 })[0];
  expect(hit?.snippet).toMatch(/^….*omega$/);
});

test("no word is so long that the snippet is not bounded, no pair is cut through", () => {
  const hit = rankHits("甲乙", candidates([`${"𠮷".repeat(500)}甲乙${"𠮷".repeat(500)}`]), { limit: 1 })[0];
  expect(hit?.snippet).toContain("甲乙");
  expect(hit?.snippet.length).toBeLessThanOrEqual(SNIPPET_CHARACTERS_MAX);
  expect(hit?.snippet.isWellFormed()).toBe(true);
});

test("a text whose search form has another length is shown as it was written", () =>
  checkSnippet("İstanbul ﬁle", "file", "İstanbul ﬁle"));

test("a snippet shows the text as it was written, even where what is searched has another length", () => {
  const text = `${"Waiting… ".repeat(60)}Then ExpireCarts ran`;
  const candidate = {
    messageId: "m1",
    sequence: 1,
    role: "user" as const,
    text,
    isSummary: false,
    archivedBy: null,
    createdAt: "",
  };
  const [hit] = rankHits("expirecarts", [candidate], { limit: 5 });
  expect(hit?.snippet).toContain("ExpireCarts");
});

/** So many numbers down from the first. */
const down = (from: number, count: number) => Array.from({ length: count }, (_, index) => from - index);

function checkChoice(found: readonly (readonly number[])[], expected: readonly number[]): void {
  expect(chooseCandidates(found)).toEqual(expected);
}

test("no words, no messages", () => checkChoice([[], []], []));
test("each message once, the rarest word's first", () => checkChoice([[9, 5, 2], [5], [7, 2]], [5, 7, 2, 9]));
test("a common word takes what room the rare ones leave", () => {
  checkChoice([down(5_000, CANDIDATES_MAX), [3, 1]], [3, 1, ...down(5_000, CANDIDATES_MAX - 2)]);
});
test("of equally common words the first", () => {
  const [first, second] = [down(9_000, CANDIDATES_MAX), down(3_000, CANDIDATES_MAX)];
  checkChoice([first, second], first);
  checkChoice([second, first], second);
});
