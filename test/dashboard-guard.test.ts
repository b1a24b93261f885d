/** Whom the dashboard lets read and change, and what it forbids its own page: an attacker's list. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SessionReport, SessionsPage } from "../src/dashboard/wire.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { type DashboardServer, startDashboard } from "./dashboard-server.ts";
import { open, talk } from "./session-world.ts";

const store = memoryStore();
let server: DashboardServer;

beforeAll(async () => {
  await talk(await open({ store }, "s"), 3);
  server = await startDashboard({ store });
});

afterAll(() => server.close());

describe("changes", () => {
  const pageTokenOf = (page: string): string => /name="palimpsest-page" content="([^"]*)"/.exec(page)?.[1] ?? "";
  const rollback = (session: string, event: string, cascade = false): string =>
    JSON.stringify({ session, event, cascade });

  async function changeable() {
    const session = await open({ store: memoryStore() }, "s");
    await talk(session, 6);
    await session.compact();
    await talk(session, 6);
    await session.compact();
    const own = await startDashboard({ store: session.store, allowChanges: true });
    onTestFinished(async () => {
      await own.close();
      await session.store.close();
    });
    const { text } = await own.ask("/");
    const headers = { "content-type": "application/json", "x-palimpsest-page": pageTokenOf(text), origin: own.origin };
    return { session, own, headers, events: await session.history() };
  }

  test("the page takes a compaction back, and what rests on it where that is asked for", async () => {
    const { session, own, headers, events } = await changeable();
    const [first] = events;
    const refused = await own.post("/dashboard/rollback", rollback("s", first?.id ?? ""), headers);
    expect([refused.status, JSON.parse(refused.text).code]).toEqual([409, "needs-cascade"]);
    const done = await own.post("/dashboard/rollback", rollback("s", first?.id ?? "", true), headers);
    expect([done.status, JSON.parse(done.text)]).toEqual([200, { undone: 2 }]);
    expect((await session.view()).length).toBe(24);
    const { compactions } = await own.get<SessionReport>("session", { session: "s" });
    expect(compactions.every(({ undoneAt }) => undoneAt !== null)).toBe(true);
  });

  test.each([
    ["another origin", { origin: "http://evil.example" }],
    ["no origin", { origin: "" }],
    ["no token of the page", { "x-palimpsest-page": "" }],
    ["a guessed token", { "x-palimpsest-page": "A".repeat(32) }],
    ["a form", { "content-type": "application/x-www-form-urlencoded" }],
    ["another site, as browsers say", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" }],
  ])("a request from %s changes nothing", async (_, wrong) => {
    const { session, own, headers, events } = await changeable();
    const answer = await own.post("/dashboard/rollback", rollback("s", events[1]?.id ?? ""), { ...headers, ...wrong });
    expect(answer.status).toBe(403);
    expect((await session.history()).every(({ undoneAt }) => undoneAt === null)).toBe(true);
  });

  test("without leave nothing can be changed, and the page has no token", async () => {
    const { text } = await server.ask("/");
    expect(pageTokenOf(text)).toBe("");
    const headers = { "content-type": "application/json", "x-palimpsest-page": "", origin: server.origin };
    expect((await server.post("/dashboard/rollback", rollback("s", "x"), headers)).status).toBe(403);
  });

  test.each(["{", "[]", "null", '{"session":1,"event":"x"}', `{"session":"${"x".repeat(70_000)}"}`])(
    "junk: %.20s",
    async (body) => {
      const { own, headers } = await changeable();
      expect((await own.post("/dashboard/rollback", body, headers)).status).toBe(400);
    },
  );
});

describe("who may ask", () => {
  test.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1:4100"])(
    "not a page that reaches it as %j",
    async (host) => {
      for (const path of ["/", "/dashboard/sessions", "/dashboard/page.js"])
        expect((await server.ask(path, { host })).status).toBe(421);
    },
  );

  test.each(["localhost", "LOCALHOST:4100", "[::1]:4100", "127.0.0.1"])("a request to %s passes", async (host) => {
    expect((await server.ask("/dashboard/sessions", { host })).status).toBe(200);
  });

  test("names that the operator gives pass, with the token alone", async () => {
    const own = await startDashboard({ store, hosts: ["Agents.example"], token: "s3cret" });
    const host = "agents.example:4100";
    const basic = (word: string): string => `Basic ${Buffer.from(`me:${word}`).toString("base64")}`;
    const statusOf = async (authorization?: string): Promise<number> =>
      (await own.ask("/dashboard/sessions", { host, ...(authorization !== undefined && { authorization }) })).status;
    expect(await statusOf()).toBe(401);
    for (const wrong of ["Bearer s3cre", "Bearer", basic(""), basic("s3cret2"), "Digest s3cret"])
      expect(await statusOf(wrong), wrong).toBe(401);
    expect([await statusOf("Bearer s3cret"), await statusOf(basic("s3cret"))]).toEqual([200, 200]);
    await own.close();
  });

  test("a script of another site may not read, a link from it may lead here", async () => {
    const from = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await server.ask("/dashboard/sessions", from)).status).toBe(403);
    expect((await server.ask("/", { ...from, "sec-fetch-mode": "navigate" })).status).not.toBe(403);
  });

  test("a tenant sees its own sessions, however it asks", async () => {
    const tenants = memoryStore();
    for (const tenant of ["one", "two"]) {
      const session = await open({ store: tenants, metadata: { tenant } }, tenant);
      await talk(session, 6);
      await session.compact();
    }
    const own = await startDashboard({ store: tenants, tenant: "one", allowChanges: true });
    expect((await own.get<SessionsPage>("sessions")).rows.map(({ id }) => id)).toEqual(["one"]);
    const [event] = await Array.fromAsync(tenants.events("two"));
    for (const name of ["session", "messages", "message", "search", "compaction", "changes", "sources", "export"]) {
      const { status } = await own.ask(
        `/dashboard/${name}?session=two&event=${event?.id}&message=m1&messages=m1&query=step`,
      );
      expect(status, name).toBe(404);
    }
    await own.close();
    await tenants.close();
  });

  test("every answer forbids what a page could be made to load", async () => {
    for (const path of ["/", "/dashboard/sessions", "/dashboard/nothing", `/dashboard/export?session=s`]) {
      const { headers } = await server.ask(path);
      const policy = String(headers["content-security-policy"]);
      expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toMatch(/unsafe|\*|https?:/);
      expect(headers["x-content-type-options"]).toBe("nosniff");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test.each([
    ["/dashboard/../../etc/passwd", 404],
    ["/dashboard/page.js%00", 404],
    ["/dashboard/__proto__", 404],
    ["/dashboard/constructor", 404],
    ["/dashboard/session?session=nobody", 404],
    ["/dashboard/session", 404],
    ["/dashboard/message?session=%ff&message=__proto__", 404],
    ["//dashboard/sessions", 404],
    ["/v1/messages", 404],
    ["/dashboards", 404],
  ])("%s is answered by %i", async (path, status) => {
    expect((await server.ask(path)).status).toBe(status);
  });
});
