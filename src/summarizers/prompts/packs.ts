/**
 * Prompt packs: a task, the headings its answer must have, and the prompts made from them. A pack's version is stored beside
 * each summary it made. A custom pack brings its own task; the fences and the rules around it stay.
 */

import { CompactionError } from "../../core/errors.ts";
import type { PromptPackName } from "../../core/settings/settings.ts";
import { CHECKPOINT_SECTIONS, PROMPT_VERSION as CHECKPOINT_VERSION, checkpointTask } from "./checkpoint.ts";
import { PROMPT_VERSION as MERGE_VERSION, mergeTask } from "./merge.ts";
import { PROMPT_VERSION as MINIMAL_VERSION, minimalTask } from "./minimal.ts";
import { PROMPT_VERSION as NARRATIVE_VERSION, narrativeTask } from "./narrative.ts";
import { assemble, type Prompt, type PromptContext } from "./prompt.ts";
import { PROMPT_VERSION as REPAIR_VERSION } from "./repair.ts";
import { PROMPT_VERSION as SAFEGUARD_VERSION, safeguardTask } from "./safeguard.ts";
import { EXISTING_HEADING, NEW_HEADING, PROMPT_VERSION as UPDATE_VERSION, updateTask } from "./update.ts";

export interface PromptPack {
  readonly name: string;
  readonly version: string;
  readonly task: string;
  /** Headings that an answer must have, in order, with their marks; none for free text. */
  readonly sections: readonly string[];
}

export interface CustomPack {
  readonly name: string;
  readonly version: string;
  readonly task: string;
  readonly sections?: readonly string[];
}

const SHARED_VERSION = `${UPDATE_VERSION}.${MERGE_VERSION}.${REPAIR_VERSION}`;

const PACKS: Readonly<Record<PromptPackName, PromptPack>> = {
  narrative: pack("narrative", NARRATIVE_VERSION, narrativeTask()),
  checkpoint: pack("checkpoint", CHECKPOINT_VERSION, checkpointTask(), CHECKPOINT_SECTIONS),
  safeguard: pack("safeguard", SAFEGUARD_VERSION, safeguardTask()),
  minimal: pack("minimal", MINIMAL_VERSION, minimalTask()),
};

export function promptPack(choice: PromptPackName | CustomPack): PromptPack {
  if (typeof choice === "string") return PACKS[choice];
  if (choice.task.trim() === "") throw new CompactionError("invalid-settings", "A custom prompt pack needs a task.");
  return { sections: [], ...choice };
}

export function firstPrompt({ task }: PromptPack, transcript: string, context: PromptContext): Prompt {
  return assemble(task, [{ label: "conversation", text: transcript }], context);
}

export interface UpdateInput {
  readonly previous: string;
  readonly transcript: string;
}

export function updatePrompt(
  { task }: PromptPack,
  { previous, transcript }: UpdateInput,
  context: PromptContext,
): Prompt {
  const data = [
    { heading: EXISTING_HEADING, label: "summary", text: previous },
    { heading: NEW_HEADING, label: "conversation", text: transcript },
  ];
  return assemble(updateTask(task), data, context);
}

/** Parts oldest first; an existing summary is the oldest part of all. */
export function mergePrompt({ task }: PromptPack, parts: readonly string[], context: PromptContext): Prompt {
  const data = parts.map((text, index) => ({
    heading: `## Part ${index + 1} of ${parts.length}`,
    label: "summary",
    text,
  }));
  return assemble(mergeTask(task), data, context);
}

function pack(name: string, version: number, task: string, sections: readonly string[] = []): PromptPack {
  return { name, version: `${version}/${SHARED_VERSION}`, task, sections };
}
