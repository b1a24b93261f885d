import { expect, test } from "vitest";
import type { IdentifierKind } from "./identifier-runs.ts";
import { scanIdentifiers, scanLineStarts } from "./identifier-scan.ts";

/** What is found, as `kind:text`. */
function check(text: string, expected: readonly `${IdentifierKind}:${string}`[]): void {
  const found: string[] = [];
  scanIdentifiers(text, (start, end, kind) => found.push(`${kind}:${text.slice(start, end)}`));
  expect(found).toEqual(expected);
}

test("plain prose has none", () => check("The build fails, again. Why? See the log; it is long.", []));
test("paths, without the line number behind them", () =>
  check("see src/a/b.ts:12 and ./x.js, ~/foo/bar.md; /etc/hosts.", [
    "path:src/a/b.ts",
    "path:./x.js",
    "path:~/foo/bar.md",
    "path:/etc/hosts",
  ]));
test("a closing tag is no path, a comment neither", () => check("<div>x</div> // note", []));
test("words joined by slashes are a pair", () =>
  check("and/or who/what/when /clear", ["pair:and/or", "pair:who/what/when", "pair:/clear"]));
test("what has the marks of a name is a path", () =>
  check("lint/style/noVar src/app-two /usr/bin/env", [
    "path:lint/style/noVar",
    "path:src/app-two",
    "path:/usr/bin/env",
  ]));
test("a mark at an end alone makes no name of a word", () =>
  check("_gate gate_ -tide- tide_gate _tide_gate tide-gate- tide2_Gate TIDE gateTide2", [
    "snake:tide_gate",
    "snake:_tide_gate",
    "kebab:tide-gate",
    "snake:tide2_Gate",
    "camel:gateTide2",
  ]));
test("what is written as a value is no word", () => {
  check('use "application/json", `origin/tide` or start/exit', [
    "path:application/json",
    "path:origin/tide",
    "pair:start/exit",
  ]);
  check("set TIDEPORT=3, read $TIDEPATH; Status: FLOODED, a WARNING", [
    "constant:TIDEPORT",
    "constant:TIDEPATH",
    "constant:FLOODED",
    "capitals:WARNING",
  ]);
});
test("line numbers that a tool prints are no values", () => {
  check("  1474→  const a = 1;\n1475:x\n1476\ty\n1477| z", []);
  check("about 1474: it is\n 4711 boats", ["number:1474", "number:4711"]);
});
test("a timestamp is its day, a measure is nothing", () =>
  check("at 2026-05-12T02:17:00Z 0.02/s, 12/page but 2nd/gate.ts", ["number:2026-05-12", "path:2nd/gate.ts"]));
test("the sides of a diff are no part of a path", () => {
  const path = "path:src/tide.ts";
  check("diff --git a/src/tide.ts b/src/tide.ts\n--- a/src/tide.ts\n+++ b/src/tide.ts", [path, path, path, path]);
  check("copy a/one.ts b/two.ts", ["path:a/one.ts", "path:b/two.ts"]);
});
test("colours of a terminal are no part of a name", () =>
  check("\u001b[34mtide_table\u001b[0m [1;31msrc/tide.ts [2Kopen_gate list[3].tide_row", [
    "snake:tide_table",
    "path:src/tide.ts",
    "snake:open_gate",
    "snake:tide_row",
  ]));
test("URLs end before brackets and full stops", () =>
  check("(https://a.example/b?c=d#e). http://x.example/.", ["url:https://a.example/b?c=d#e", "url:http://x.example/"]));
test("file names, hosts and addresses", () =>
  check("open theme.ts or clinic.example.org, ask a.b@c.example", [
    "file:theme.ts",
    "url:clinic.example.org",
    "email:a.b@c.example",
  ]));
test("members of a chain are looked at one by one", () =>
  check("foo.bar_baz.quxQuux()", ["snake:bar_baz", "camel:quxQuux"]));
test("names in code", () =>
  check("ReadableStream is_nil MAX_SIZE REDACTED __DIR__ word", [
    "camel:ReadableStream",
    "snake:is_nil",
    "constant:MAX_SIZE",
    "capitals:REDACTED",
    "constant:__DIR__",
  ]));
test("numbers of four digits and more, dates, hashes, codes", () =>
  check("30 3000 2026-02-12 06/01/2016 7e3f2aa NCT04280705 #808080 spotter-4te", [
    "number:3000",
    "number:2026-02-12",
    "number:06/01/2016",
    "hex:7e3f2aa",
    "code:NCT04280705",
    "number:#808080",
    "code:spotter-4te",
  ]));
test("an escaped line break is not part of the word behind it", () =>
  check(String.raw`one\ntwo_three\nFour five`, ["snake:two_three"]));
test("other scripts end a name, but belong to a path", () =>
  check("使用foo_bar函数，查看 /root/文档/报告.md。", ["snake:foo_bar", "path:/root/文档/报告.md"]));
test("the rest of a file name that began in another script is nothing", () => check("抽奖_v2.xlsx", []));
test("what is too long is data", () => check(`/${"a".repeat(300)}`, []));
test("half a surrogate pair at the end is no trouble", () => check("a_b\ud83d", []));

test("line starts are capitalised words behind a line break", () => {
  const found: string[] = [];
  scanLineStarts("One\nTwo x\nthree\n\nFour", (word) => found.push(word));
  expect(found).toEqual([String.raw`\nTwo`, String.raw`\nFour`]);
});

test("letters whose lower bits look like ASCII marks are letters all the same", () =>
  check("ŮABCDEF0 /tmp/ĭĮįİ/ūŬŭ.txt ŮŮ http://a.example/ů", [
    "code:ABCDEF0",
    "path:/tmp/ĭĮįİ/ūŬŭ.txt",
    "url:http://a.example/",
  ]));
test("what the text ends with is found", () => {
  check("see http://a.example/b", ["url:http://a.example/b"]);
  check("see http:/", []);
  check("MAX_SIZE", ["constant:MAX_SIZE"]);
});

test("a text of any length is read as a whole: nothing is cut, lost or found twice", () => {
  const line = 'const userName = "src/deep/path.ts"; // see https://a.example/b?c=1 and MAX_SIZE\\nSummary </div>\n';
  const perLine: string[] = [];
  scanIdentifiers(line, (start, end, kind) => perLine.push(`${kind}:${line.slice(start, end)}`));
  expect(perLine).toHaveLength(4);
  for (const indent of [0, 1, 2, 3, 17, 40, 61, 80]) {
    const text = " ".repeat(indent) + line.repeat(1_500);
    const found: string[] = [];
    scanIdentifiers(text, (start, end, kind) => found.push(`${kind}:${text.slice(start, end)}`));
    expect(found).toEqual(Array.from({ length: 1_500 }, () => perLine).flat());
  }
});

test("a run longer than any stretch is no name, and what follows it is found", () => {
  check(`${"Ab1".repeat(40_000)} src/after.ts`, ["path:src/after.ts"]);
});

test("a scan inside a scan disturbs neither", () => {
  const outer: string[] = [];
  const inner: string[] = [];
  const text = "one_name two_name";
  scanIdentifiers(text, (start, end) => {
    outer.push(text.slice(start, end));
    scanIdentifiers("inner_name", (from, to) => inner.push("inner_name".slice(from, to)));
  });
  expect(outer).toEqual(["one_name", "two_name"]);
  expect(inner).toEqual(["inner_name", "inner_name"]);
});
