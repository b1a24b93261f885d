/** The commands' names, each with its line in the list of commands: known without loading the commands themselves. */

/** In the order of the list. */
export const FILE_COMMANDS = {
  inspect: "Show what fills the context of a conversation.",
  check: "Say whether a provider would accept a conversation; repair it.",
  compact: "Compact a conversation now; no model is asked.",
  explain: "Say why it would or would not be compacted now.",
  profiles: "Show what each profile does, or one in full.",
} as const;

export const SESSION_COMMANDS = {
  import: "Bring a conversation from a file into a store.",
  sessions: "List the sessions of a store.",
  show: "Show the messages of a session: view, archive, or one event's.",
  history: "List the compactions of a session.",
  diff: "Show what one compaction did to each message.",
  rollback: "Take a compaction of a session back.",
  pin: "Keep messages of a session out of every compaction.",
  unpin: "Let compaction have pinned messages again.",
  recall: "Search everything a session ever held.",
  export: "Write a session as a request body, or all of it.",
  purge: "Delete archived messages for good, by age.",
  doctor: "Check a store for damage, and say how to mend it.",
} as const;

export const SUMMARIES = { ...FILE_COMMANDS, ...SESSION_COMMANDS } as const;

export type CommandName = keyof typeof SUMMARIES;
