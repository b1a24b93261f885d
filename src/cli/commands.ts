/**
 * The one table of commands, in the order of the help text. A new command is its own file and a row here: its usage, options and notes
 * stand in its file, and parsing, help, hints and the tests of docs/cli.md derive from both.
 */

import type { Command } from "./command.ts";

export interface CommandRow {
  /** The command's line in the list of commands, known without loading the command. */
  readonly summary: string;
  /** Loads the command when it is called: most commands need a small part of the program. */
  load(): Promise<{ readonly command: Command }>;
}

type CommandRows = Readonly<Record<string, CommandRow>>;

export const FILE_COMMANDS: CommandRows = {
  inspect: { summary: "Show what fills the context of a conversation.", load: () => import("./inspect.ts") },
  check: {
    summary: "Say whether a provider would accept a conversation; repair it.",
    load: () => import("./check.ts"),
  },
  compact: { summary: "Compact a conversation now, with a model or without.", load: () => import("./compact.ts") },
  explain: { summary: "Say why it would or would not be compacted now.", load: () => import("./explain.ts") },
  profiles: { summary: "Show what each profile does, or one in full.", load: () => import("./profiles.ts") },
};

export const SESSION_COMMANDS: CommandRows = {
  chat: { summary: "Talk to a model that may work in a folder.", load: () => import("./chat.ts") },
  import: { summary: "Bring a conversation from a file into a store.", load: () => import("./import.ts") },
  sessions: { summary: "List the sessions of a store.", load: () => import("./sessions.ts") },
  show: {
    summary: "Show the messages of a session: view, archive, or one event's.",
    load: () => import("./show.ts"),
  },
  history: { summary: "List the compactions of a session.", load: () => import("./history.ts") },
  diff: { summary: "Show what one compaction did to each message.", load: () => import("./diff.ts") },
  rollback: { summary: "Take a compaction of a session back.", load: () => import("./rollback.ts") },
  pin: { summary: "Keep messages of a session out of every compaction.", load: () => import("./pin.ts") },
  unpin: {
    summary: "Let compaction have pinned messages again.",
    load: async () => ({ command: (await import("./pin.ts")).unpinCommand }),
  },
  recall: { summary: "Search everything a session ever held.", load: () => import("./recall.ts") },
  export: { summary: "Write a session as a request body, or all of it.", load: () => import("./export.ts") },
  purge: { summary: "Delete archived messages for good, by age.", load: () => import("./purge.ts") },
  ui: { summary: "Show the sessions of a store in a browser.", load: () => import("./ui.ts") },
  doctor: { summary: "Check a store for damage, and say how to mend it.", load: () => import("./doctor.ts") },
};

export const SERVER_COMMANDS: CommandRows = {
  gateway: { summary: "Keep any client's conversations inside the window.", load: () => import("./gateway.ts") },
};

export const COMMANDS: CommandRows = { ...FILE_COMMANDS, ...SESSION_COMMANDS, ...SERVER_COMMANDS };
