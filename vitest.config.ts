import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const timeoutMs = process.env.SOAK === undefined ? 180_000 : 3_600_000;

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    // The slowest tests wait for processes that they started; a core that is kept free would wait with them.
    maxWorkers: Math.max(2, availableParallelism()),
    // Tests start the command line and workers many times: what those load is compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/node-compile") },
    globalSetup: ["test/postgres-server.ts", "test/dashboard-page.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Only what hangs is ended: how long a test takes beside other work says nothing about it.
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
  },
});
