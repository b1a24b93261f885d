/** `palimpsest pin` and `unpin`: messages that no compaction may touch. Only messages of the view that are whole can be pinned. */

import { CompactionError } from "../core/errors.ts";
import { formatNamed } from "../formats.ts";
import { firstShortened } from "../session/create-session.ts";
import { EXIT, type ExitCode } from "./command.ts";
import { oneLine, plural } from "./one-line.ts";
import { type StoreRequest, sessionState, storeCommand } from "./store-command.ts";

const COMMON = { usage: "ID MESSAGE... [options]", operands: ["ID", "MESSAGE"], furtherWords: "repeated" } as const;

const NOTES = `MESSAGE is the id that \`palimpsest show ID\` lists; several may be given, and all
are taken or none.
`;

export const command = storeCommand({
  ...COMMON,
  options: { unpin: { type: "boolean", about: "the other way round, as palimpsest unpin" } },
  notes: `${NOTES}
Examples:
  palimpsest pin my-session m3 m4
  palimpsest pin my-session m3 --unpin
`,
  begin: (given) => (request) => setPinned(request, !given.isSet("unpin")),
});

export const unpinCommand = storeCommand({
  ...COMMON,
  notes: `${NOTES}
Examples:
  palimpsest unpin my-session m3
`,
  begin: () => (request) => setPinned(request, false),
});

async function setPinned(request: StoreRequest, isPinned: boolean): Promise<ExitCode> {
  const { store, signal, id, operands } = request;
  const messageIds = [...new Set(operands.slice(1))];
  const state = await sessionState(request);
  const known = new Set(state.view.map((message) => message.id));
  const strange = messageIds.find((messageId) => !known.has(messageId));
  if (strange !== undefined) {
    const message = `message ${JSON.stringify(strange)} is not in the view of the session; nothing was changed (palimpsest show ID lists them)`;
    throw new CompactionError("message-missing", message);
  }
  const rows = state.view.filter((message) => messageIds.includes(message.id));
  const short = isPinned ? await firstShortened({ id, store, format: formatNamed(state.format) }, rows) : undefined;
  if (short !== undefined) {
    const message = `message ${JSON.stringify(short)} was shortened by a compaction, and only what is whole can be pinned; nothing was changed (palimpsest rollback ID takes compactions back)`;
    throw new CompactionError("message-missing", message);
  }
  signal.throwIfAborted();
  await store.update(id, { type: "pin", messageIds, isPinned });
  const which = messageIds.length === 1 ? messageIds[0] : plural(messageIds.length, "message");
  const text = `${isPinned ? "pinned" : "unpinned"} ${which} of ${oneLine(id)}`;
  request.print({ session: id, messages: messageIds, isPinned }, (terminal) => [[terminal.fit(text)]]);
  return EXIT.ok;
}
