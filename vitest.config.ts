import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    pool: "threads",
    isolate: false,
    globalSetup: ["test/postgres-server.ts"],
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: process.env.SOAK === undefined ? 60_000 : 3_600_000,
  },
});
