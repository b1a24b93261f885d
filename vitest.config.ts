import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    // The slowest tests wait for processes that they started; a core that is kept free would wait with them.
    maxWorkers: Math.max(2, availableParallelism()),
    // Tests start the command line and workers many times: what those load is compiled once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/node-compile") },
    globalSetup: ["test/postgres-server.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: process.env.SOAK === undefined ? 60_000 : 3_600_000,
  },
});
