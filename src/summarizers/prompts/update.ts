/** The update prompt: an existing summary is carried on by what is new. Six rules; the layout never changes. */

export const PROMPT_VERSION = 1;

export const EXISTING_HEADING = "## Existing Summary";
export const NEW_HEADING = "## New Conversation";

export const updateTask = (task: string): string =>
  `An existing summary and the conversation that followed it are given below. Write the updated summary:
1. Keep what the existing summary says, unless something newer supersedes it.
2. Add new progress, new decisions and new context.
3. Move what has been finished to what is done; never list finished work as still to do.
4. Rewrite the next steps for how things stand now.
5. Keep exact file paths, function names and error texts.
6. Keep the layout of the existing summary.
Reply with the updated summary only. For new material the description of a first summary holds as well:

${task}`;
