import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";
import { storeContract } from "../testing/store-contract.ts";
import { jsonlStore } from "./jsonl.ts";

const contract = storeContract("jsonl", async () => {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-jsonl-"));
  const open = () => jsonlStore({ directory });
  return { store: open(), reopen: async () => open(), dispose: () => rm(directory, { recursive: true }) };
});
for (const { name, run } of contract) test(name, run);
