import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    // The slowest tests wait for processes that they started; a core that is kept free would wait with them.
    maxWorkers: Math.max(2, availableParallelism()),
    globalSetup: ["test/postgres-server.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: process.env.SOAK === undefined ? 60_000 : 3_600_000,
  },
});
