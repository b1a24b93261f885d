/** The merge prompt: partial summaries of one conversation become one. Later parts win; nothing is counted twice. */

export const PROMPT_VERSION = 1;

export const mergeTask = (task: string): string =>
  `The summaries below cover one conversation in parts, oldest first. Merge them into a single cohesive summary of the whole.
Keep decisions, things still to be done, open questions and constraints. Where parts disagree, the later one is right: what an
earlier part lists as open and a later one as finished is finished. Say each thing once. If a part is marked as missing, do
not guess what it held. The merged summary takes the form that this description asks for, which was given for each part:

${task}`;
