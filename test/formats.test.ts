import { describe, test } from "vitest";
import { formatNamed, formatNames } from "../src/formats.ts";
import { formatContract } from "../src/testing/format-contract.ts";
import { sampleOf, seed } from "./sample.ts";

describe.each(formatNames)("%s", (name) => {
  for (const { name: promise, run } of formatContract(formatNamed(name), { seed, count: sampleOf(20_000, 150) })) {
    test(promise, run);
  }
});
