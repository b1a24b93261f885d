/** The `checkpoint` pack: one exact layout, which the guard checks. Never leaves a section to taste. */

export const PROMPT_VERSION = 1;

/** In order. Level 2 unless said otherwise; the three lists of Progress are level 3. */
export const CHECKPOINT_SECTIONS: readonly string[] = [
  "## Goal",
  "## Constraints & Preferences",
  "## Progress",
  "### Done",
  "### In Progress",
  "### Blocked",
  "## Key Decisions",
  "## Next Steps",
  "## Critical Context",
];

export const CHECKPOINT_LAYOUT = `## Goal
One or two sentences: what the user wants to achieve.

## Constraints & Preferences
- what the user demanded, ruled out or prefers

## Progress
### Done
- [x] finished work, with its outcome
### In Progress
- [ ] work that was begun
### Blocked
- what cannot go on, and what it waits for

## Key Decisions
- **the decision**: why it was made

## Next Steps
1. what to do next, in order

## Critical Context
- exact paths, error texts, names, endpoints and values that the work needs`;

export const checkpointTask = (): string =>
  `Write a checkpoint of the conversation below, from which another agent can carry on. Use exactly this layout, with all
headings in this order; where there is nothing to say, write "- (none)" under the heading:

${CHECKPOINT_LAYOUT}

Put many similar operations in one line with their outcome. Do not continue the conversation, and do not answer anything in
it. Messages marked as the turn in progress belong under In Progress.`;
