/** The dashboard in real Chromium: its flows, by mouse and by keys; what hostile transcripts do to it; accessibility; large stores. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FullStore } from "../src/core/store/store-upkeep.ts";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { sqliteStore } from "../src/stores/sqlite.ts";
import { chromiumPath, startChromium } from "./chromium.ts";
import { type DashboardServer, startDashboard } from "./dashboard-server.ts";
import { work } from "./dashboard-world.ts";
import { sampleOf } from "./sample.ts";
import { answer, open, question, talk } from "./session-world.ts";

const root = join(import.meta.dirname, "..");

interface Seen {
  readonly page: Page;
  /** Errors of the page and its console, and requests to anywhere else. */
  readonly problems: string[];
}

interface Look {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

const isUpdate = process.env.UPDATE !== undefined;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-browser-"));
let browser: Browser;
let server: DashboardServer;
let store: ReturnType<typeof sqliteStore>;
const contexts: BrowserContext[] = [];

async function show(own: DashboardServer, { width = 1440, colorScheme = "light" }: Look = {}): Promise<Seen> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, reducedMotion: "reduce" });
  contexts.push(context);
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("dialog", (dialog) => problems.push(`dialog: ${dialog.message()}`));
  page.on("request", (request) => request.url().startsWith(own.origin) || problems.push(request.url()));
  await page.goto(own.origin);
  await page.locator("h1").waitFor();
  return { page, problems };
}

/** What is wrong with the whole page as it is now. */
async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(
    "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))",
  );
}

async function isWithinScreen(page: Page): Promise<boolean> {
  return page.evaluate("document.documentElement.scrollWidth <= innerWidth");
}

const LOOKS = [
  { width: 360, colorScheme: "light" },
  { width: 1440, colorScheme: "dark" },
  { width: 360, colorScheme: "dark" },
  { width: 1440, colorScheme: "light" },
] as const;

const TASK = "Fix the rounding of invoice totals: INV-20417 is a cent off.";

describe.runIf(chromiumPath !== undefined)("in Chromium", () => {
  beforeAll(async () => {
    store = sqliteStore({ file: join(folder, "sessions.db"), durability: "normal" });
    const agent = { model: "claude-opus-4-8", windowTokens: 32_000 };
    await work(store, { ...agent, task: "Write the release notes for 4.2.", rounds: 3, client: "pi/0.87" });
    await work(store, {
      ...agent,
      task: "Why is the export slow?",
      rounds: 22,
      client: "opencode/1.4",
      windowTokens: 60_000,
    });
    await work(store, { ...agent, task: TASK, rounds: isUpdate ? 150 : sampleOf(150, 60), client: "claude-cli/2.1.4" });
    server = await startDashboard({ store, allowChanges: true });
    browser = await startChromium();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
    await store?.close();
    rmSync(folder, { recursive: true });
  });

  test("docs/dashboard.png shows a session; UPDATE=1 makes it again", async () => {
    const picture = join(root, "docs/dashboard.png");
    if (isUpdate) {
      const { page } = await show(server, { width: 1200 });
      await page.getByRole("link", { name: TASK }).click();
      await page.getByRole("slider").nth(1).waitFor();
      // As wide as the page, as high as its figures and charts.
      await page.setViewportSize({ width: 1200, height: 1094 });
      writeFileSync(picture, await page.screenshot());
    }
    expect(existsSync(picture)).toBe(true);
    expect(readFileSync(join(root, "docs/dashboard.md"), "utf8")).toContain("](dashboard.png)");
  });

  test("from the list to a session, to a compaction, to the message behind a line, and back in time", async () => {
    const { page, problems } = await show(server);
    await page.getByRole("searchbox").fill("claude-cli");
    await page.getByText("1 of 3 sessions").waitFor();
    await page.getByRole("link", { name: TASK }).click();
    await page.getByRole("heading", { level: 1, name: TASK }).waitFor();
    expect(await page.locator(".tile").allInnerTexts()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/Context now\s+[\d.]+k of 32k/),
        expect.stringMatching(/Saved\s+\$\d/),
        expect.stringMatching(/Read from the cache\s+9\d %/),
      ]),
    );
    await page.getByRole("link", { name: "Compaction 1", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "Compaction 1" }).waitFor();
    const left = page.getByRole("list", { name: "Messages before" }).getByRole("button").first();
    await left.click();
    await page.locator(".body pre").first().waitFor();
    await page.locator(".said").first().click();
    await page.locator(".origin .message").first().waitFor();
    await page.getByRole("button", { name: "Show all again" }).click();

    await page.getByRole("button", { name: "Roll back…" }).click();
    await page
      .getByRole("dialog")
      .getByText(/later compactions? will be rolled back too/)
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.goBack();
    await page.locator(".compactions tbody tr").first().getByRole("link").click();
    await page.getByRole("button", { name: "Roll back…" }).click();
    await page.getByRole("button", { name: "Roll back", exact: true }).click();
    await page.locator(".facts").getByText("rolled back").waitFor();
    expect(await page.getByRole("button", { name: "Roll back…" }).count()).toBe(0);
    const [session] = await Array.fromAsync(store.sessions());
    const events = await Array.fromAsync(store.events(session?.id ?? ""));
    expect(events.map(({ undoneAt }) => undoneAt !== null)).toEqual(
      events.map((_, index) => index === events.length - 1),
    );
    expect(problems).toEqual([]);
  });

  test("everything by keys: the list, the chart, a tab, a message", async () => {
    const { page, problems } = await show(server);
    const link = page.getByRole("link", { name: TASK });
    await link.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: TASK }).waitFor();
    expect(await page.evaluate("document.activeElement.tagName")).toBe("H1");
    const chart = page.getByRole("slider", { name: /Context size/ });
    await chart.focus();
    await page.keyboard.press("Home");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^request 1 ·/);
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/^request 2 · .* tokens/);
    await page.getByRole("button", { name: "Search" }).focus();
    await page.keyboard.press("Space");
    await page.getByLabel("Search everything this session ever held").fill("expected 119.00");
    const hit = page.getByRole("list", { name: "Found messages" }).getByRole("button").first();
    await hit.focus();
    await page.keyboard.press("Enter");
    await page.locator(".body pre").getByText("expected 119.00, got 118.99").first().waitFor();
    expect(problems).toEqual([]);
  });

  test("what is new shows by itself", async () => {
    const live = memoryStore();
    const session = await open({ store: live }, "first");
    const own = await startDashboard({ store: live });
    const { page, problems } = await show(own);
    await page.getByRole("link", { name: "first" }).waitFor();
    await talk(session, 2);
    await talk(await open({ store: live }, "second"), 1);
    await page.getByText("2 sessions").waitFor();
    await page.locator("tr", { hasText: "first" }).getByText("2", { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await own.close();
  });

  describe.each(LOOKS.slice(0, sampleOf(4, 2)))("$width px, $colorScheme", (look) => {
    test("accessible, and nothing beyond the edge", async () => {
      const { page, problems } = await show(server, look);
      await page.locator(".sessions tbody tr").first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await isWithinScreen(page)).toBe(true);
      await page.getByRole("link", { name: TASK }).click();
      await page.locator(".messages li").first().waitFor();
      await page.locator(".messages button").nth(3).click();
      await page.locator(".body pre").first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await isWithinScreen(page)).toBe(true);
      await page.getByRole("link", { name: "Compaction 2", exact: true }).click();
      await page.locator(".said").nth(1).click();
      await page.locator(".origin").waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await isWithinScreen(page)).toBe(true);
      expect(problems).toEqual([]);
    });
  });

  test("a hostile transcript is text and nothing else", async () => {
    const own = await hostileDashboard();
    const { page, problems } = await show(own);
    await page.locator(".sessions tbody tr").first().waitFor();
    expect(await isWithinScreen(page)).toBe(true);
    await page.locator(".sessions a").first().click();
    await page.locator(".messages li").first().waitFor();
    for (const button of await page.locator(".messages li > button").all()) await button.click();
    await page.locator(".body pre").nth(3).waitFor();
    const shown = await page.locator("main").textContent();
    expect(shown).toContain("<script>");
    expect(shown).toContain("⟨U+202E⟩");
    expect(await page.locator("main script, main img, main iframe, main [onclick], main style").count()).toBe(0);
    expect(await isWithinScreen(page)).toBe(true);
    await page.locator(".compactions a").first().click();
    await page.locator(".said").first().click();
    await page.locator(".origin").waitFor();
    expect(await isWithinScreen(page)).toBe(true);
    expect(await page.evaluate("'pwned' in globalThis")).toBe(false);
    expect(problems).toEqual([]);
    await own.close();
  });

  test("10,000 sessions: a page of them at a time, found by a word", async () => {
    const many = memoryStore();
    for (let index = 0; index < 10_000; index++) {
      const metadata = { client: `agent-${index % 7}` };
      await many.create({
        id: `session-${index}`,
        format: "anthropic-messages",
        base: { model: "claude-opus-5-5" },
        metadata,
      });
    }
    const own = await startDashboard({ store: many });
    const { page, problems } = await show(own);
    await page.getByText("10,000 sessions").waitFor();
    expect(await page.locator(".sessions tbody tr").count()).toBe(50);
    await page.getByRole("button", { name: "Last sessions" }).click();
    await page.getByText("9,951–10,000 of 10,000").waitFor();
    await page.getByRole("searchbox").fill("session-4711");
    await page.getByRole("link", { name: "session-4711" }).waitFor();
    expect(await page.locator(".sessions tbody tr").count()).toBe(1);
    expect(problems).toEqual([]);
    await own.close();
  });

  test("5,000 messages: charted whole, listed a page at a time", async () => {
    const own = await startDashboard({ store: await longStore() });
    const { page, problems } = await show(own);
    await page.getByRole("link").filter({ hasText: "Question 1" }).click();
    await page.getByRole("slider", { name: /Context size/ }).waitFor();
    expect(await page.getByRole("slider").getAttribute("aria-valuemax")).toBe("5001");
    await page.getByRole("button", { name: /^Archive 4,\d/ }).click();
    await page.getByRole("button", { name: "Last Archived messages" }).click();
    await page.getByText(/4,\d01–4,\d+ of 4,\d/).waitFor();
    expect(await page.locator(".messages li").count()).toBeLessThanOrEqual(100);
    await page.locator(".compactions a").first().click();
    await page.getByRole("button", { name: /^left 4,\d/ }).waitFor();
    expect(await page.locator(".sides li").count()).toBeLessThanOrEqual(200);
    expect(problems).toEqual([]);
    await own.close();
  });
});

test.runIf(chromiumPath === undefined)("without Chromium the page itself is not tested", () => {
  console.warn("No Chromium was found, so the dashboard's page is not tested; PALIMPSEST_TEST_CHROMIUM names one.");
});

const EVIL = `</pre></script><script>globalThis.pwned = 1</script><img src=x onerror="pwned=1"><svg onload=alert(1)>`;

/** Markup, direction marks and endless words wherever a transcript, a client or a tool can put them. */
async function hostileDashboard(): Promise<DashboardServer> {
  const evil = memoryStore();
  const session = await openSession(`id ${EVIL}`, {
    store: evil,
    compactor: { format: anthropicMessages, windowTokens: 60_000 },
    body: { model: `model ${EVIL}`, max_tokens: 100, system: EVIL },
    metadata: { client: `client ${EVIL} \u202egnp.exe`, [EVIL]: EVIL },
  });
  const call = { type: "tool_use", id: "toolu_1", name: "bash", input: { [EVIL]: `javascript:alert(1) ${EVIL}` } };
  const output = {
    type: "tool_result",
    tool_use_id: "toolu_1",
    content: `\u202e\u2066\u0007${EVIL}${"W".repeat(20_000)}`,
  };
  await session.append([
    { role: "user", content: `${EVIL}\u202e ${"endless".repeat(2_000)}` },
    { role: "assistant", content: [{ type: "text", text: `<a href="javascript:alert(1)">x</a>${EVIL}` }, call] },
    { role: "user", content: [output] },
    { role: "assistant", content: EVIL },
  ]);
  for (let turn = 0; turn < 8; turn++) await session.append([question(turn), answer(turn)]);
  await session.compact({ instructions: EVIL, target: { ratio: 0.2 } });
  return startDashboard({ store: evil });
}

async function longStore(): Promise<FullStore> {
  const long = memoryStore();
  const session = await openSession("long", {
    store: long,
    compactor: { format: anthropicMessages, windowTokens: 1_000_000 },
    body: { model: "claude-opus-5-5", max_tokens: 100 },
  });
  for (let turn = 1; turn <= 2_500; turn += 50) {
    const turns = Array.from({ length: 50 }, (_, index) => [question(turn + index), answer(turn + index)]);
    await session.append(turns.flat());
  }
  await session.compact({ target: { ratio: 0.02 } });
  return long;
}
