/** The repair prompt: a draft and what the guard found wrong with it. Names every problem; never asks for anything new. */

import { assemble, type Prompt, type PromptContext, type PromptData } from "./prompt.ts";

export const PROMPT_VERSION = 1;

export interface RepairInput {
  readonly task: string;
  readonly draft: string;
  /** One sentence each, in our own words. */
  readonly problems: readonly string[];
  /** Exact strings that the draft lacks, each with a few words around it. */
  readonly missing: readonly string[];
  /** Exact strings in the draft that the conversation does not hold. */
  readonly invented: readonly string[];
}

export function repairPrompt(input: RepairInput, context: PromptContext): Prompt {
  const task = `The draft below was written for this task:

${input.task}

It has the following problems. Correct them and change nothing else:
${input.problems.map((problem) => `- ${problem}`).join("\n")}`;
  const data: readonly PromptData[] = [
    { label: "draft", text: input.draft },
    ...listed("missing", input.missing),
    ...listed("invented", input.invented),
  ];
  return assemble(task, data, context);
}

function listed(label: string, items: readonly string[]): readonly PromptData[] {
  return items.length === 0 ? [] : [{ label, text: items.map((item) => `- ${item}`).join("\n") }];
}
