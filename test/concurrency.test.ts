import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../src/formats/anthropic-messages.ts";
import { openSession } from "../src/session.ts";
import { openStore } from "../src/stores.ts";
import { sampleOf } from "./sample.ts";
import { sharedPlaces } from "./shared-places.ts";
import { runWorker } from "./workers/run-worker.ts";

const TURNS = sampleOf(1_000, 30);

const compactor = { format: anthropicMessages, protect: { tailTokens: 100, tailMessages: 2 } };

for (const { name, workers, place } of sharedPlaces) {
  describe(name, () => {
    test(`${workers} processes append and compact: every append once, in one order, no two compactions at a time`, async ({
      skip,
    }) => {
      const there = await place();
      if (typeof there === "string") return skip(there);
      const { url, remove } = there;
      const running = Array.from({ length: workers }, (_, index) =>
        runWorker("busy-worker.ts", [url, "busy", `w${index}`, String(TURNS)]),
      );
      const ends = await Promise.all(running.map(({ ended }) => ended));
      expect(ends.filter(({ code }) => code !== 0)).toEqual([]);
      const done = running.map(({ said }) => said.find(({ type }) => type === "done"));
      const acknowledged = done.flatMap((line) => line?.acknowledged as readonly string[]);
      const store = await openStore(url);
      const stored: string[] = [];
      const sequences: number[] = [];
      for await (const { body, isSummary, sequence } of store.log("busy")) {
        sequences.push(sequence);
        if (!isSummary) stored.push((body as { content: string }).content);
      }
      expect(stored.toSorted()).toEqual(acknowledged.toSorted());
      expect(sequences).toEqual(sequences.map((_, index) => index + 1));
      // One worker's messages stand in the order in which it appended them.
      for (const line of done) {
        const own = new Set(line?.acknowledged as readonly string[]);
        expect(stored.filter((text) => own.has(text))).toEqual([...own]);
      }
      expectApart(running.flatMap(({ said }) => said.filter(({ type }) => type === "summarised")));
      const compactions = done.reduce((sum, line) => sum + Number(line?.compactions), 0);
      expect(compactions).toBeGreaterThanOrEqual(workers);
      expect((await store.open("busy"))?.counters.compactionCount).toBe(compactions);
      const findings = [];
      for await (const finding of store.examine("busy")) findings.push(finding);
      expect(findings).toEqual([]);
      await store.close();
      await remove();
    });

    test.for([true, false])(
      "a worker that was frozen past its lease cannot commit (somebody else compacted: %s)",
      async (isTaken, { skip }) => {
        const there = await place();
        if (typeof there === "string") return skip(there);
        const { url, expireLeases, remove } = there;
        const session = await openSession("frozen", { store: url, compactor, body: { model: "m", max_tokens: 1 } });
        for (let turn = 0; turn < 10; turn++) {
          await session.append([
            { role: "user", content: `question ${turn} ${"word ".repeat(40)}` },
            { role: "assistant", content: `answer ${turn} ${"word ".repeat(40)}` },
          ]);
        }
        const worker = runWorker("slow-worker.ts", [url, "frozen"]);
        await worker.heard("summarising");
        worker.process.kill("SIGSTOP");
        await expect(session.compact()).rejects.toMatchObject({ code: "already-in-progress" });
        await expireLeases();
        if (isTaken) await session.compact();
        const before = JSON.stringify(await session.view());
        worker.process.stdin?.end("go on\n");
        worker.process.kill("SIGCONT");
        expect(await worker.heard("ended")).toEqual({ type: "ended", code: "lease-lost" });
        await worker.ended;
        expect(JSON.stringify(await session.view())).toBe(before);
        expect(await session.history()).toHaveLength(isTaken ? 1 : 0);
        await session.close();
        await remove();
      },
    );
  });
}

/** A worker that was refused at the commit has summarised too, under the same lease as others: apart all the same. */
function expectApart(spans: readonly { readonly [key: string]: unknown }[]): void {
  const sorted = spans
    .map(({ begin, end }) => [BigInt(String(begin)), BigInt(String(end))] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  for (const [index, [begin]] of sorted.entries()) {
    const previous = sorted[index - 1];
    if (previous !== undefined) expect(begin > previous[1], "summaries overlap").toBe(true);
  }
}
