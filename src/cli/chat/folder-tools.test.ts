import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../test/run-cli.ts";
import type { JsonObject } from "../../core/json.ts";
import { folderTools } from "./folder-tools.ts";

const NEVER = new AbortController().signal;

/** A project beside a secret, with links that lead there. */
async function project(allow: (command: string) => boolean = () => true) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const root = join(folder.path, "project");
  for (const inner of ["", "src", "node_modules/x"]) mkdirSync(join(root, inner), { recursive: true });
  mkdirSync(join(folder.path, "outside"));
  folder.file("outside/secret.txt", "a secret");
  folder.file("secret.txt", "a secret");
  const write = (name: string, text: string | Buffer): void => writeFileSync(join(root, name), text);
  write("README.md", "one\ntwo\nThree\n");
  write("src/main.ts", `${Array.from({ length: 450 }, (_, index) => `line ${index + 1}`).join("\n")}\n`);
  write("picture.bin", Buffer.from([1, 0, 2]));
  write("node_modules/x/index.js", "two");
  symlinkSync(join(folder.path, "secret.txt"), join(root, "link.txt"));
  symlinkSync(join(folder.path, "outside"), join(root, "linked"));
  symlinkSync("README.md", join(root, "inner-link.md"));
  const environment = { PATH: process.env.PATH, WORD: "known" };
  const tools = await folderTools({ folder: root, environment, allow: async (command) => allow(command) });
  const call = async (name: string, input: JsonObject, signal = NEVER): Promise<string> => {
    const tool = tools.find((each) => each.name === name);
    return String(await tool?.run(input, { signal, callId: undefined }));
  };
  return { root, call };
}

test.each([
  ["read_file", "../secret.txt"],
  ["read_file", "src/../../secret.txt"],
  ["read_file", "/etc/passwd"],
  // Not even whether it is there is told.
  ["read_file", "../none.txt"],
  ["read_file", "link.txt"],
  ["read_file", "linked/secret.txt"],
  ["read_file", "src/../linked/secret.txt"],
  ["list_files", ".."],
  ["list_files", "/"],
  ["list_files", "linked"],
  ["search", "../outside"],
  ["search", "link.txt"],
  ["search", tmpdir()],
])("%s %s does not leave the folder", async (name, path) => {
  const { call } = await project();
  await expect(call(name, { path, text: "secret" })).rejects.toThrow("leads out of the folder");
});

test("a link that stays inside is a file of the folder, and an absolute path of it too", async () => {
  const { root, call } = await project();
  expect(await call("read_file", { path: "inner-link.md" })).toBe("one\ntwo\nThree");
  expect(await call("read_file", { path: join(root, "README.md") })).toBe("one\ntwo\nThree");
});

test("a long file is read in parts", async () => {
  const { call } = await project();
  const first = (await call("read_file", { path: "src/main.ts" })).split("\n");
  expect(first.slice(-2)).toEqual(["line 200", "[lines 1 to 200 of 450]"]);
  const last = (await call("read_file", { path: "src/main.ts", from_line: 401 })).split("\n");
  expect(last.slice(-2)).toEqual(["line 450", "[lines 401 to 450 of 450]"]);
  expect(await call("read_file", { path: "src/main.ts", from_line: 900 })).toBe("The file has 450 lines.");
});

test.each([
  ["read_file", { path: "picture.bin" }, "is no text"],
  ["read_file", { path: "src" }, "is no file"],
  ["read_file", { path: "none.ts" }, "There is no"],
  ["read_file", {}, "path is missing"],
  ["search", {}, "text is missing"],
  ["run_command", { command: "echo \u202eolleh" }, "cannot be shown"],
] as const)("%s %j: says why not", async (name, input, said) => {
  const { call } = await project();
  await expect(call(name, input)).rejects.toThrow(said);
});

test("files are listed in order, links and packages left out", async () => {
  const { call } = await project();
  expect(await call("list_files", {})).toBe("README.md\npicture.bin\nsrc/main.ts");
  expect(await call("list_files", { path: "src" })).toBe("src/main.ts");
});

test("a text is found whatever its case, and only in files of the folder", async () => {
  const { call } = await project();
  expect(await call("search", { text: "THREE" })).toBe("README.md:3: Three");
  expect(await call("search", { text: "secret" })).toBe("Nothing was found.");
  expect((await call("search", { text: "line 4" })).split("\n")).toHaveLength(61);
});

test("a command runs in the folder where it is allowed, with the environment that it is given", async () => {
  const { root, call } = await project((command) => !command.startsWith("rm"));
  expect(await call("run_command", { command: "cat README.md | head -1; echo $WORD; exit 3" })).toBe(
    "exit code 3\none\nknown",
  );
  await expect(call("run_command", { command: "rm README.md" })).rejects.toThrow("did not allow");
  expect(existsSync(join(root, "README.md"))).toBe(true);
});

test("an abort ends a command and what it started", async () => {
  const { root, call } = await project();
  const controller = new AbortController();
  const started = join(root, "started");
  const command = "(touch started; sleep 2; touch survived) & wait";
  const running = call("run_command", { command }, controller.signal);
  while (!existsSync(started)) await pause(10);
  controller.abort();
  expect(await running).toBe("exit code none");
  await pause(2_500);
  expect(existsSync(join(root, "survived"))).toBe(false);
});
