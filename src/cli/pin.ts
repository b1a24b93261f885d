/** `palimpsest pin` and `unpin`: messages that no compaction may touch. Only messages of the view that are whole can be pinned. */

import { CompactionError } from "../core/errors.ts";
import { firstShortened } from "../session/pinnable.ts";
import { type OptionSpecs, parseWords, usage, type Words } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, indentedJson, showHelp } from "./command.ts";
import { plural } from "./numbers.ts";
import { oneLine } from "./one-line.ts";
import { AGENT_OPTION, overStore, STORE_NOTE, STORE_OPTION, type StoreTask } from "./over-store.ts";
import { formatOf, sessionState } from "./stored-session.ts";
import { terminalOf } from "./terminal.ts";
import { fitted } from "./text-blocks.ts";

const COMMON = {
  agent: AGENT_OPTION,
  store: STORE_OPTION,
  json: { type: "boolean", about: "JSON instead of text" },
} as const satisfies OptionSpecs;

const UNPIN = { unpin: { type: "boolean", about: "the other way round, as palimpsest unpin" } } as const;

const NOTES = `MESSAGE is the id that \`palimpsest show ID\` lists; several may be given, and all
are taken or none.
`;

export const pinCommand: Command = {
  name: "pin",
  usage: "ID MESSAGE... [options]",
  options: { ...UNPIN, ...COMMON },
  notes: `${NOTES}
Examples:
  palimpsest pin my-session m3 m4
  palimpsest pin my-session m3 --unpin

${STORE_NOTE}`,
  run: (words, io) => run(pinCommand, words, io),
};

export const unpinCommand: Command = {
  name: "unpin",
  usage: "ID MESSAGE... [options]",
  options: COMMON,
  notes: `${NOTES}
Examples:
  palimpsest unpin my-session m3

${STORE_NOTE}`,
  run: (words, io) => run(unpinCommand, words, io),
};

async function run(command: Command, words: readonly string[], io: Io): Promise<ExitCode> {
  const given = parseWords(words, command.options);
  if (given.isHelpWanted) {
    showHelp(command, io);
    return EXIT.ok;
  }
  const [id = "", ...messageIds] = given.operands;
  if (id === "") throw usage(`${command.name} needs an ID`);
  if (messageIds.length === 0) throw usage(`${command.name} needs a MESSAGE`);
  const isPinned = command.name === "pin" && !given.isSet("unpin");
  return overStore({ io, given }, (task) =>
    setPinned({ task, id, messageIds: [...new Set(messageIds)], isPinned, given, io }),
  );
}

interface PinTask {
  readonly task: StoreTask;
  readonly id: string;
  readonly messageIds: readonly string[];
  readonly isPinned: boolean;
  readonly given: Words;
  readonly io: Io;
}

async function setPinned({ task, id, messageIds, isPinned, given, io }: PinTask): Promise<ExitCode> {
  const state = await sessionState(task, id);
  const { view } = state;
  const known = new Set(view.map((message) => message.id));
  const strange = messageIds.find((messageId) => !known.has(messageId));
  if (strange !== undefined) {
    const message = `message ${JSON.stringify(strange)} is not in the view of the session; nothing was changed (palimpsest show ID lists them)`;
    throw new CompactionError("message-missing", message);
  }
  const asked = view.filter((message) => messageIds.includes(message.id));
  const short = isPinned ? await firstShortened({ id, store: task.store, format: formatOf(state) }, asked) : undefined;
  if (short !== undefined) {
    const message = `message ${JSON.stringify(short)} was shortened by a compaction, and only what is whole can be pinned; nothing was changed (palimpsest rollback ID takes compactions back)`;
    throw new CompactionError("message-missing", message);
  }
  task.signal.throwIfAborted();
  await task.store.setPinned(id, messageIds, isPinned);
  if (given.isSet("json")) {
    io.stdout.write(indentedJson({ session: id, messages: messageIds, isPinned }));
    return EXIT.ok;
  }
  const which = messageIds.length === 1 ? messageIds[0] : plural(messageIds.length, "message");
  const line = `${isPinned ? "pinned" : "unpinned"} ${which} of ${oneLine(id)}`;
  io.stdout.write(`${fitted(line, terminalOf(io.stdout, io.environment))}\n`);
  return EXIT.ok;
}
