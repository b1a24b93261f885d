import { describe, expect, test } from "vitest";
import { type CompactorOptions, createCompactor } from "../src/compactor.ts";
import { parseCheckpoint } from "../src/core/checkpoint/checkpoint.ts";
import type { FormatName } from "../src/core/message.ts";
import { formatNamed } from "../src/formats.ts";
import { profileNames } from "../src/profiles/profiles.ts";
import { resolveSettings } from "../src/settings.ts";
import { guarded } from "../src/summarizers/guard.ts";
import { BODIES, FORMATS, type Line } from "./tool-conversations.ts";

/** A tool that the host declares to be the user's voice: what it returns is what the user said. No other result is. */

const TASK = "Please review the deploy scripts of the harbour site, and never deploy without asking me.";
const ANSWER = "Leave the scripts alone. Write the tide table for the pilots to docs/tides.md instead.";

const quiet = (index: number): Line => ({
  said: `Script ${index} deploys the pier in three steps.`,
  command: `cat scripts/deploy-${index}.sh`,
  output: `set -e\n${"rsync -a build/ pier:/srv/site\n".repeat(20)}`,
});
const asked = (output: string): Line => ({ said: "I have to ask.", command: "ask", output });

const LEAVING: readonly Line[] = [
  { user: TASK },
  quiet(0),
  asked(ANSWER),
  ...[1, 2, 3, 4].map(quiet),
  { assistant: "The table is half written." },
];

async function compacted(format: FormatName, script: readonly Line[], options: Partial<CompactorOptions> = {}) {
  const compactor = createCompactor({
    format: formatNamed(format),
    windowTokens: 60_000,
    protect: { tailMessages: 0, tailTokens: 0, firstUser: false, latestRequest: false },
    telemetry: false,
    ...options,
  });
  const { request, report } = await compactor.compact(BODIES[format](script));
  return { request: JSON.stringify(request), summary: report.result?.summary ?? "", report };
}

const READ =
  "The deploy scripts were to be reviewed. They were read one after the other, and the table is half written by now.";

const model = (): Partial<CompactorOptions> => ({
  summarizer: guarded({
    name: "scripted",
    version: "1",
    planCalls: () => 0,
    summarize: async () => ({ text: READ, calls: 0, notes: [] }),
  }),
});

describe.each(FORMATS)("%s", (format) => {
  test("the goal is what the user said through the tool", async () => {
    const { summary } = await compacted(format, LEAVING, { userTools: ["ask_*"] });
    expect(parseCheckpoint(summary)?.goal.join()).toContain("Write the tide table");
  });

  test("and the latest request behind a model's summary", async () => {
    const { summary } = await compacted(format, LEAVING, { ...model(), userTools: ["ask_user"] });
    expect(parseCheckpoint(summary)?.latestRequest).toBe(ANSWER);
  });

  test("neither where nobody declared the tool", async () => {
    for (const userTools of [[], ["ask", "ask_users*"]]) {
      const { summary } = await compacted(format, LEAVING, { userTools });
      expect(parseCheckpoint(summary)?.goal.join()).toContain("review the deploy scripts");
      const told = await compacted(format, LEAVING, { ...model(), userTools });
      expect(parseCheckpoint(told.summary)?.latestRequest).toBe(TASK);
    }
  });

  test("the newest answer stays in the view as the newest request does", async () => {
    const protect = { tailMessages: 0, tailTokens: 0, firstUser: false, latestRequest: true };
    const declared = await compacted(format, LEAVING, { ...model(), protect, userTools: ["ask_user"] });
    const other = await compacted(format, LEAVING, { ...model(), protect });
    const isKept = ({ request, summary }: typeof declared): boolean =>
      request.replace(JSON.stringify(summary).slice(1, -1), "").includes("Write the tide table");
    expect([isKept(declared), isKept(other)]).toEqual([true, false]);
  });

  test("an answer is never shortened", async () => {
    const long = `${ANSWER} ${"Every pilot has a copy. ".repeat(400)}`;
    const script = [{ user: TASK }, asked(long), ...Array.from({ length: 12 }, (_, index) => quiet(index))];
    const prune = { capOnArrivalChars: 2_000, highWaterRatio: 0.05, lowWaterRatio: 0.01, keepLast: 0, clearAfter: 1 };
    const fitted = async (userTools: readonly string[]): Promise<string> => {
      const options = {
        format: formatNamed(format),
        windowTokens: 60_000,
        prune,
        userTools,
        telemetry: false,
      } as const;
      return JSON.stringify((await createCompactor(options).fit(BODIES[format](script))).request);
    };
    expect(await fitted(["ask_user"])).toContain(long.trim());
    expect(await fitted([])).not.toContain(long.trim());
  });
});

test("no profile declares one", () => {
  for (const profile of profileNames) expect(resolveSettings({ profile }).userTools).toEqual([]);
});

test.each([[["ask", "ask"]], [[" "]], ["ask"], [[1]]])("%j declares nothing", (userTools) =>
  expect(() =>
    // What a host in plain JavaScript may write.
    resolveSettings({ user: { userTools: userTools as readonly string[] } }),
  ).toThrow(/userTools/),
);
