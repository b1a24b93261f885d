import { expect, test } from "vitest";
import { cpuMs } from "../../test/cpu-time.ts";
import { createSource, entitiesOf } from "./entities.ts";

function found(text: string): readonly string[] {
  return entitiesOf(text).map((entity) => `${entity.kind} ${entity.text}`);
}

test.each([
  ["mail maria@example.net, then stop.", ["email maria@example.net"]],
  ["see https://example.org/a?b=1).", ["url https://example.org/a?b=1"]],
  ["in `src/core/a.ts:42` and ./b/c.md", ["path src/core/a.ts", "path ./b/c.md"]],
  ["/etc/hosts and ~/notes.txt and C:\\temp\\x.log", ["path /etc/hosts", "path ~/notes.txt", "path C:\\temp\\x.log"]],
  ["host 10.0.0.12 on port 8080 and localhost:3000", ["ip 10.0.0.12", "port 8080", "port 3000"]],
  ["node 24.21.0, v3, version 1.2", ["version 24.21.0", "version v3", "version 1.2"]],
  ["commit 9f3c2ab1", ["hash 9f3c2ab1"]],
  ["took 340 ms, 12.5% of 3 GB, $40", ["amount 340 ms", "amount 12.5%", "amount 3 GB", "amount $40"]],
  ["order 48213", ["number 48213"]],
  ["done in 0m13.08s, pi is 3.14159", []],
  ["read and/or write, TCP/IP, Red/Green/Blue/Grey, 3 files, step 2, he/she, 1.", []],
])("%j", (text, expected) => {
  expect(found(text).toSorted()).toEqual(expected.toSorted());
});

/** Which entities of the summary are not in the source. */
function invented(source: string, summary: string): readonly string[] {
  const ground = createSource([source]);
  return entitiesOf(summary)
    .filter((entity) => !ground.holds(entity))
    .map(({ text }) => text);
}

test.each([
  ["mail maria@example.net", "mario@example.net", ["mario@example.net"]],
  ["mail Maria@Example.net", "maria@example.net", []],
  ["port 8080", "port 8081", ["8081"]],
  ["port 18080", "port 8080", ["8080"]],
  ["version 1.2.3", "v1.2.3", []],
  ["version 1.2.30", "1.2.3", ["1.2.3"]],
  ["took 1500 ms", "took 1,500 ms", []],
  ["rows: 1,250,000", "1250000 tokens", []],
  ['{"duration": 340}', "340 ms", []],
  ["340 ms", "340 s", ["340 s"]],
  ["340 ms", "34 ms", ["34 ms"]],
  ["/home/me/src/a.ts", "src/a.ts", []],
  ["src/a.ts", "src/b.ts", ["src/b.ts"]],
  ["src/a.tsx", "src/a.ts", ["src/a.ts"]],
  ["cwd /home/me, file src/a.ts", "/home/me/src/a.ts", []],
  ["cwd /home/me, file src/a.ts", "/home/you/src/a.ts", ["/home/you/src/a.ts"]],
  ["commit 9f3c2ab1", "9f3c2ab2", ["9f3c2ab2"]],
])("from %j, %j invents %j", (source, summary, expected) => {
  expect(invented(source, summary)).toEqual(expected);
});

test("linear on hostile text", () => {
  const started = cpuMs();
  for (const piece of ["a", "1", "1,", "1.", "a/", "a.", "@", "-", "0f"]) entitiesOf(piece.repeat(100_000));
  expect(cpuMs() - started).toBeLessThan(5_000);
});
