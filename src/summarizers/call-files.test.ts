import { expect, test } from "vitest";
import type { JsonValue } from "../core/json.ts";
import { filesOfCall } from "./call-files.ts";

function check(name: string, input: JsonValue, read: readonly string[], modified: readonly string[]): void {
  const files = filesOfCall({ type: "tool-call", name, input });
  expect({ read: files.read, modified: files.modified }).toEqual({ read, modified });
}

test("the tool's verb tells", () => {
  check("Read", { file_path: "src/a.ts" }, ["src/a.ts"], []);
  check("str_replace_editor", { path: "a.py", old_str: "x/y.ts" }, [], ["a.py"]);
  check("view_image", { path: "shot.png" }, ["shot.png"], []);
});
test("so does the tool inside a tool", () =>
  check(
    "execute",
    { tool_name: "write_file", params: { path: "/root/r.html", content: "<p>" } },
    [],
    ["/root/r.html"],
  ));
test("the command of an editor goes before its name", () => {
  check("editor", { command: "create", path: "new.md", file_text: "see other.md" }, [], ["new.md"]);
  check("str_replace_editor", { command: "view", path: "a.py" }, ["a.py"], []);
  check("edit_file", { action: "now", path: "a.py" }, [], ["a.py"]);
});
test("lists of files", () => check("read_many", { paths: ["a.ts", "b.ts"] }, ["a.ts", "b.ts"], []));
test("folders, patterns and URLs are no files", () => {
  check("read", { path: "src/" }, [], []);
  check("read", { path: "src/*.ts" }, [], []);
  check("read", { path: "https://example.org/a.html" }, [], []);
});
test("a search reads nothing", () => check("grep", { path: "src/a.ts", pattern: "x" }, [], []));
test("shell commands", () => {
  check("bash", { command: "cd x && cat a.txt 'b.txt' | head -3" }, ["a.txt", "b.txt"], []);
  check("bash", { command: "echo hi > out.log; sed -i s/a/b/ conf.ini" }, [], ["out.log", "conf.ini"]);
  check("shell", { command: ["bash", "-lc", "tee -a notes.md"] }, [], ["notes.md"]);
  check("bash", { command: "npm test 2>&1" }, [], []);
});
test("patches as free text and as an argument", () => {
  const patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n*** Add File: src/b.ts\n*** End Patch";
  check("apply_patch", patch, [], ["src/a.ts", "src/b.ts"]);
  check("apply_patch", { input: patch }, [], ["src/a.ts", "src/b.ts"]);
});
test("a copy modifies what it makes, and reads the rest", () => {
  check("bash", { command: "cp -r src/a.ts src/b.ts" }, ["src/a.ts"], ["src/b.ts"]);
  check("bash", { command: "cd x && cp a.txt b.txt notes/ && ls" }, ["a.txt", "b.txt"], ["notes/b.txt"]);
});
