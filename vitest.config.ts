import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What `npm run soak` runs: the tests that take a sample otherwise. */
const SOAKED = [
  "src/summarizers/llm-draft.test.ts",
  "src/testing/server-validity.test.ts",
  "test/compactor-loop.test.ts",
  "test/compactor-missed-target.test.ts",
  "test/compactor-recorded.test.ts",
  "test/compactor-renderers.test.ts",
  "test/compactor-sendable.test.ts",
  "test/compactor-settings.test.ts",
  "test/compactor-validity.test.ts",
  "test/concurrency.test.ts",
  "test/convert.test.ts",
  "test/crash.test.ts",
  "test/credentials.test.ts",
  "test/dashboard-browser.test.ts",
  "test/fetch-cache.test.ts",
  "test/fetch-clients.test.ts",
  "test/fetch-many.test.ts",
  "test/fetch-recall.test.ts",
  "test/formats.test.ts",
  "test/gateway-attacks.test.ts",
  "test/gateway-clients.test.ts",
  "test/gateway-kill.test.ts",
  "test/hostile-bodies.test.ts",
  "test/injection.test.ts",
  "test/linear.test.ts",
  "test/overflow.test.ts",
  "test/quiet-turn.test.ts",
  "test/run-loop-cache.test.ts",
  "test/run-loop-faults.test.ts",
  "test/run-loop-kill.test.ts",
  "test/run-loop.test.ts",
  "test/session-rollback.test.ts",
  "test/sources/agentpg.test.ts",
];

const isSoak = process.env.SOAK !== undefined;
const timeoutMs = isSoak ? 3_600_000 : 180_000;

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    // The slowest tests wait for processes that they started; a core that is kept free would wait with them.
    maxWorkers: Math.max(2, availableParallelism()),
    // Tests start the command line and workers many times: what those load is compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/node-compile") },
    globalSetup: ["test/postgres-server.ts", "test/dashboard-page.ts"],
    include: isSoak ? SOAKED : ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Only what hangs is ended: how long a test takes beside other work says nothing about it.
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
});
