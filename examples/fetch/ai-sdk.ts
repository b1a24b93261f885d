/** An agent with the AI SDK and any of its providers. `ANTHROPIC_API_KEY=… node ai-sdk.ts` */

import { globSync, readFileSync } from "node:fs";
import { createAnthropic } from "@ai-sdk/anthropic";
import { isStepCount, streamText, tool } from "ai";
import { z } from "zod";
import { palimpsest } from "../../src/fetch.ts"; // in your project: "palimpsest/fetch"

const anthropic = createAnthropic({ fetch: palimpsest() });

const { textStream } = streamText({
  model: anthropic("claude-opus-4-5"),
  prompt: `Say what each of these is for: ${globSync("*.{json,md,ts,mts}")}`,
  stopWhen: isStepCount(200),
  tools: {
    read_file: tool({
      inputSchema: z.object({ path: z.string() }),
      execute: ({ path }) => readFileSync(path, "utf8"),
    }),
  },
});
for await (const text of textStream) process.stdout.write(text);
