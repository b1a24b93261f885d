/** `palimpsest gateway` as operators start it: what it refuses in one line, and how it reads its settings again. */

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, test } from "vitest";
import { startProcess, startUpstream } from "../../test/gateway-world.ts";
import { temporaryFolder } from "../../test/run-cli.ts";
import { runInProcess } from "../../test/run-in-process.ts";
import type { Io } from "./command.ts";
import { runPalimpsest } from "./dispatch.ts";

const folder = temporaryFolder();
afterAll(folder.remove);

describe("what is wrong is refused in one line that says what to do", () => {
  async function check(words: readonly string[], expected: RegExp, exitCode = 2): Promise<void> {
    const { code, stdout, stderr } = await runInProcess(["gateway", ...words]);
    expect([code, stdout, stderr.trim().split("\n").length]).toEqual([exitCode, "", 1]);
    expect(stderr).toMatch(expected);
  }

  test.each([
    [["--port", "99999"], /--port must be a number up to 65535, not "99999"/],
    [["--profile", "nope"], /Unknown profile "nope"; there are balanced, /],
    [["--window", "many"], /--window must be a number of tokens such as 200000 or 200k, not "many"/],
    [
      ["--host", "0.0.0.0"],
      /listens on 0\.0\.0\.0 only with a token: set PALIMPSEST_GATEWAY_TOKEN, or use 127\.0\.0\.1/,
    ],
    [["--store", "redis://x:secret@h"], /not the address of a store. Known are memory:, .* or postgres:/],
    [["--store", "jsonl:./x"], /cannot keep what passes through an exchange. Use SQLite or Postgres/],
    [["--store", `sqlite:${folder.path}`], /cannot be opened.*check that the path is a file/],
    [["--config", `${folder.path}/none.json`], /none\.json cannot be read: there is no such file/],
    [["--config", folder.path], /cannot be read: it is a folder/],
    [["4200"], /takes nothing but options, but was given "4200"/],
    [["--help", "claud"], /no help on "claud"; did you mean claude-code\?/],
    [["--help", "emacs"], /no help on "emacs"; there is on claude-code, codex, /],
  ])("%j", (words, expected) => check(words, expected));

  test("a Postgres that does not answer is worth another try", () =>
    check(["--store", "postgres://u:secret@127.0.0.1:9/d"], /Postgres could not read: connect ECONNREFUSED/, 75));

  test("a port in use", async () => {
    const { origin } = await startUpstream();
    const { port } = new URL(origin);
    await check(
      ["--port", port],
      /cannot listen on 127\.0\.0\.1, port \d+: something listens there already. Choose another/,
    );
  });

  test.each([
    ["{bad", /is no JSON: .*position 1/],
    ["[]", /must hold one object/],
    [{ prot: 1 }, /unknown key "prot"; did you mean port\?/],
    [{ token: "t" }, /unknown key "token"/],
    [{ port: "4100" }, /port must be a whole number of at least 0 and at most 65,535, but is "4100"/],
    [{ host: "" }, /host must be a text that is not blank/],
    [{ store: 5 }, /not the address of a store/],
    [{ windowTokens: "200k" }, /windowTokens must be a whole number of at least 1, but is "200k"/],
    [{ summarizer: "slef" }, /summarizer must be "self", or a summarizer/],
    [{ conversations: 0 }, /conversations must be a whole number of at least 1, but is 0/],
    [{ conversation: 5 }, /conversation must be a text that is not blank, but is 5/],
    [{ recall: "yes" }, /recall must be true or false, but is "yes"/],
    [{ recall: true }, /`recall` needs a `store`/],
    [{ cacheMarks: "no" }, /cacheMarks must be true or false, but is "no"/],
    [{ callerKey: 5 }, /callerKey must be a text that is not blank, but is 5/],
    [{ upstreams: "https://key@host" }, /upstreams must be an object of names and addresses$/m],
    [{ upstreams: { own: "host.example" } }, /The upstream "own" needs an address such as/],
    [{ hosts: "gateway.internal" }, /hosts must be a list of .*, but is "gateway\.internal"/],
    [{ hosts: 5, store: "memory:" }, /hosts must be a list of .*, but is 5/],
    [{ host: 5, store: "memory:" }, /host must be a text that is not blank, but is 5/],
    [{ limits: { requestMax: 5 } }, /Unknown key limits\.requestMax; did you mean limits\.requestsMax\?/],
    [{ limits: { requestsMax: 0 } }, /limits\.requestsMax must be a whole number of at least 1, but is 0/],
    [{ limits: { requestMs: 1e10 } }, /limits\.requestMs must be .* at most 2,147,483,647, but is 10000000000/],
    [{ settings: 5 }, /"settings" of .* must be an object/],
    [{ settings: { compcat: {} } }, /Unknown key compcat; did you mean compact\?/],
    [{ settings: { hosts: [] } }, /"hosts" of .* belongs beside "settings", not into it/],
  ])("a file with %j", (config, expected) => check(["--config", folder.file("wrong.json", config)], expected));
});

describe("where it is", () => {
  /** What it prints to a terminal of 80 columns, or to a pipe, before Ctrl-C ends it. */
  async function greeting(
    words: readonly string[],
    environment = {},
    output: object = {},
    meanwhile: (text: string) => Promise<void> = async () => {},
    ending: NodeJS.Signals = "SIGINT",
  ): Promise<string> {
    const interrupts = new Map<string, () => void>();
    const shown = Promise.withResolvers<string>();
    const io: Io = {
      stdin: Readable.from([]),
      stdout: { ...output, write: shown.resolve },
      stderr: { write: () => true },
      environment,
      onInterrupt: (listener, signal = "SIGINT") => {
        interrupts.set(signal, listener);
        return () => {};
      },
    };
    const ended = runPalimpsest(["gateway", "--port", "0", ...words], io);
    const text = await shown.promise;
    await meanwhile(text);
    interrupts.get(ending)?.();
    expect(await ended).toBe(0);
    return text;
  }

  test("a pipe gets every client's line whole, a narrow terminal those that fit", async () => {
    const [piped, narrow] = [await greeting([]), await greeting([], {}, { isTTY: true, columns: 80 })];
    expect(piped).toMatch(/^ {2}copilot +COPILOT_OFFLINE=true .* copilot$/m);
    expect(narrow).toMatch(/^ {2}claude-code +ANTHROPIC_BASE_URL=http:\/\/127\.0\.0\.1:\d+ claude$/m);
    expect(narrow).toMatch(/^ {2}copilot +palimpsest gateway --port \d+ --help copilot$/m);
    expect(narrow.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  test("a token is asked for, and the dashboard's has to be one of its own", async () => {
    const store = ["--store", "memory:"];
    const tokens = { PALIMPSEST_GATEWAY_TOKEN: "t" };
    expect(await greeting([])).toMatch(/\n\nNo dashboard: it needs --store\.\nNumbers: /);
    expect(await greeting(store)).toMatch(/^Dashboard: http:.*\/$/m);
    expect(await greeting(store, tokens)).toMatch(
      /^Clients bring the token;.*\nNo dashboard: set PALIMPSEST_DASHBOARD_TOKEN/m,
    );
    expect(await greeting(store, { ...tokens, PALIMPSEST_DASHBOARD_TOKEN: "u" })).toMatch(/^Dashboard: /m);
  });

  test("the dashboard answers under the address that is printed", async () => {
    for (const host of ["127.0.0.1", "127.0.0.2", "localhost"]) {
      const words = ["--store", "memory:", "--host", host];
      const seen = await greeting(words, {}, {}, async (text) => {
        const [, url = ""] = /^Dashboard: (.*)$/m.exec(text) ?? [];
        expect(new URL(url).hostname).toBe(host);
        expect((await fetch(url)).status).toBe(200);
      });
      expect(seen).toContain("Dashboard");
    }
  });

  test("without a file to read again, a terminal that is closed ends it", async () => {
    expect(await greeting([], {}, {}, async () => {}, "SIGHUP")).toContain("palimpsest gateway on");
  });

  test("the help on a client has the address that is asked for", async () => {
    const { stdout } = await runInProcess(["gateway", "--help", "codex", "--port", "4200"]);
    expect(stdout).toMatch(/^Codex:\n\ncodex -c openai_base_url="http:\/\/127\.0\.0\.1:4200\/v1"\n\nWith a token: /);
  });
});

test("SIGHUP has it read its settings again: new requests follow them, a stream under way goes on", async () => {
  const next = Promise.withResolvers<void>();
  const one = await startUpstream(async (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: begun\n\n");
    await next.promise;
    response.end("data: ended\n\n");
  });
  const two = await startUpstream();
  const configure = (config: object): string => folder.file("gateway.json", config);
  const gateway = await startProcess(configure({ upstreams: { openai: one.origin } }), 0);
  const reloaded = async (config: object): Promise<object> => {
    configure(config);
    gateway.process.kill("SIGHUP");
    return JSON.parse(await gateway.logged(`"event":"reload"`));
  };
  const [stream] = (await once(get(`${gateway.origin}/v1/events`), "response")) as [IncomingMessage];
  await once(stream, "readable");

  const second = { upstreams: { openai: two.origin }, windowTokens: 90_000 };
  expect(await reloaded(second)).toMatchObject({ level: "info" });
  expect(await (await fetch(`${gateway.origin}/v1/models`)).text()).toBe("ok");

  for (const [wrong, problem] of [
    [{ hosts: "a" }, /hosts must be a list/],
    [{ ...second, store: "memory:" }, /store cannot change while the gateway runs: start it anew/],
    [{ ...second, host: "localhost" }, /port and host cannot change while the gateway runs: start it anew/],
  ] as const) {
    expect(await reloaded(wrong)).toMatchObject({ level: "error", message: expect.stringMatching(problem) });
  }
  expect(await (await fetch(`${gateway.origin}/v1/models`)).text()).toBe("ok");
  next.resolve();
  expect(await text(stream)).toBe("data: begun\n\ndata: ended\n\n");
  gateway.process.kill("SIGTERM");
  expect(await once(gateway.process, "close")).toEqual([0, null]);
});
