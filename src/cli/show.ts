/** `palimpsest show`: the messages of a session: its view, its archive, what one compaction replaced, or one in full. Changes nothing. */

import { CompactionError } from "../core/errors.ts";
import { bodyText } from "../core/search/body-text.ts";
import type { CompactionEvent } from "../core/store/compaction-event.ts";
import type { SessionState } from "../core/store/store.ts";
import { usage, type Words } from "./arguments.ts";
import { EXIT, type ExitCode } from "./command.ts";
import { reportLine, standingOf } from "./history.ts";
import { count, minuteOf, plural } from "./numbers.ts";
import { oneLine, safeText, wrap } from "./one-line.ts";
import { readAll } from "./over-store.ts";
import { type StoreRequest, storeCommand } from "./store-command.ts";
import {
  counterOf,
  eventsOf,
  findEvent,
  type ShownStored,
  sessionState,
  shownMessages,
  viewConversation,
} from "./stored-session.ts";
import { ellipsisOf, paint, type Style, type Terminal } from "./terminal.ts";
import { ELASTIC, fitted, heading, joinBlocks, LEFT, plainSigns, RIGHT, THIRD, tableLines } from "./text-blocks.ts";

export const command = storeCommand({
  use: "reading",
  usage: "ID [--view|--archive|--event E|--message M] [options]",
  operands: ["ID"],
  options: {
    view: { type: "boolean", about: "what the model would be sent (default)" },
    archive: { type: "boolean", about: "what left the view, by compaction" },
    event: { type: "string", value: "E", about: "what compaction E replaced, and its summary" },
    message: { type: "string", value: "M", about: "one message in full, as it was written" },
  },
  notes: `Tokens are our estimate. A compaction is named by its number in \`palimpsest
history ID\`, its id or the beginning of its id.

Examples:
  palimpsest show my-session
  palimpsest show my-session --event 1
  palimpsest show my-session --message m12
`,
  settle: readWhat,
  work: async (request) => {
    const [id = ""] = request.operands;
    const state = await sessionState(request, id);
    const { settled } = request;
    if (settled.type === "archive") return showArchive(request, state);
    if (settled.type === "event") return showEvent(request, state, settled.name);
    if (settled.type === "message") return showMessage(request, state, settled.name);
    return showView(request, state);
  },
});

type What = { readonly type: "view" | "archive" } | { readonly type: "event" | "message"; readonly name: string };

function readWhat(given: Words): What {
  const [event, message] = [given.text("event"), given.text("message")];
  const asked: readonly What[] = [
    ...(given.isSet("view") ? [{ type: "view" } as const] : []),
    ...(given.isSet("archive") ? [{ type: "archive" } as const] : []),
    ...(event === undefined ? [] : [{ type: "event", name: event } as const]),
    ...(message === undefined ? [] : [{ type: "message", name: message } as const]),
  ];
  if (asked.length > 1) throw usage("show takes one of --view, --archive, --event and --message");
  return asked[0] ?? { type: "view" };
}

type ShowRequest = StoreRequest<What>;

async function showView({ print }: ShowRequest, state: SessionState): Promise<ExitCode> {
  const { system, tools } = viewConversation(state);
  const counter = counterOf(state);
  const around = { systemTokens: counter.countParts(system), toolsTokens: counter.countTools(tools) };
  const messages = shownMessages(state, state.view);
  const tokens = messages.reduce((sum, message) => sum + message.tokens, around.systemTokens + around.toolsTokens);
  const { id, format, counters } = state;
  const data = { session: id, format, tokens, ...around, counters, messages };
  print(data, (terminal) => {
    const about = `${format}, ${plural(messages.length, "message")} in view, ${count(tokens)} tokens (estimate)`;
    return joinBlocks([
      [titleOf(id, about, terminal), ...aroundLine(around)],
      messages.length === 0 ? ["the view is empty"] : storedLines(messages, terminal),
      noteLines(messages, terminal),
    ]);
  });
  return EXIT.ok;
}

async function showArchive(request: ShowRequest, state: SessionState): Promise<ExitCode> {
  const messages = shownMessages(state, await readAll(request.store.archive(state.id), request.signal));
  const events = await eventsOf(request, state.id);
  request.print({ session: state.id, messages }, (terminal) => {
    if (messages.length === 0)
      return `${fitted(`nothing has left the view of session ${oneLine(state.id)}`, terminal)}\n`;
    const groups = Map.groupBy(messages, ({ archivedBy }) => archivedBy);
    return joinBlocks([
      [titleOf(state.id, `${plural(messages.length, "message")} in the archive`, terminal)],
      ...[...groups].map(([by, group]) => {
        const number = events.find((event) => event.id === by)?.number ?? "?";
        return [heading(`Replaced by compaction ${number}`, terminal), ...storedLines(group, terminal)];
      }),
      noteLines(messages, terminal),
    ]);
  });
  return EXIT.ok;
}

async function showEvent(request: ShowRequest, state: SessionState, name: string): Promise<ExitCode> {
  const event = findEvent(await eventsOf(request, state.id), name);
  const archived = await readAll(request.store.archive(state.id, { eventId: event.id }), request.signal);
  const messages = shownMessages(state, archived);
  request.print({ session: state.id, event, messages }, (terminal) =>
    joinBlocks([
      eventLines(event, terminal),
      event.summary === null ? [] : [heading("Summary", terminal), ...wrapped(event.summary, terminal)],
      replacedLines(event, messages, terminal),
    ]),
  );
  return EXIT.ok;
}

function wrapped(text: string, terminal: Terminal): readonly string[] {
  return safeText(text)
    .split("\n")
    .flatMap((line) => wrap(line, terminal.columns));
}

function eventLines(event: CompactionEvent, terminal: Terminal): readonly string[] {
  const standing = standingOf(event);
  const when = `${minuteOf(event.createdAt)} UTC, trigger ${oneLine(event.trigger)}, profile ${oneLine(event.profile)}`;
  const focus = event.instructions === null ? [] : [fitted(`focus: ${oneLine(event.instructions)}`, terminal)];
  return [
    paint(terminal, "bold", fitted(plainSigns(oneLine(reportLine(event)), terminal), terminal)),
    fitted(`compaction ${event.number}${standing === "" ? "" : ` (${standing})`}, ${when}`, terminal),
    paint(terminal, "gray", fitted(`id ${event.id}`, terminal)),
    ...focus,
  ];
}

function replacedLines(
  event: CompactionEvent,
  messages: readonly ShownStored[],
  terminal: Terminal,
): readonly string[] {
  if (event.undoneAt !== null) return ["It was undone: what it had replaced is in the view again."];
  if (event.purgedAt !== null && messages.length === 0) return ["What it replaced was purged."];
  if (messages.length === 0) return ["It replaced no message; tool results were shortened."];
  return [heading(`Replaced: ${plural(messages.length, "message")}`, terminal), ...storedLines(messages, terminal)];
}

async function showMessage({ store, print }: ShowRequest, state: SessionState, name: string): Promise<ExitCode> {
  const [message] = await store.messages(state.id, [name]);
  if (message === undefined) {
    const hint = "palimpsest show ID and show ID --archive list them";
    throw new CompactionError("message-missing", `the session has no message ${JSON.stringify(name)}; ${hint}`);
  }
  print({ session: state.id, message }, (terminal) => {
    const { id, role, createdAt, archivedBy } = message;
    const where = archivedBy === null ? "in view" : "archived";
    const about = `${role}, ${minuteOf(createdAt)} UTC, ${where}`;
    return joinBlocks([[titleOf(id, about, terminal)], [safeText(bodyText(message.body))]]);
  });
  return EXIT.ok;
}

function titleOf(id: string, about: string, terminal: Terminal): string {
  const line = fitted(`${oneLine(id)}  ${about}`, terminal);
  const name = oneLine(id);
  return line.startsWith(name) ? paint(terminal, "bold", name) + line.slice(name.length) : line;
}

function aroundLine({ systemTokens, toolsTokens }: { systemTokens: number; toolsTokens: number }): readonly string[] {
  const parts = [
    ...(systemTokens > 0 ? [`system prompt ${count(systemTokens)}`] : []),
    ...(toolsTokens > 0 ? [`tool definitions ${count(toolsTokens)}`] : []),
  ];
  return parts.length === 0 ? [] : [`of these: ${parts.join(", ")}`];
}

function noteLines(messages: readonly ShownStored[], terminal: Terminal): readonly string[] {
  const note = marksNote(messages);
  return note === "" ? [] : [paint(terminal, "gray", fitted(note, terminal))];
}

function storedLines(messages: readonly ShownStored[], terminal: Terminal): readonly string[] {
  const rows = [
    ["id", "", "message", "tokens", "begins"],
    ...messages.map((message) => [
      message.id,
      marksOf(message),
      oneLine(message.what),
      count(message.tokens),
      oneLine(message.begins),
    ]),
  ];
  const columns = [RIGHT, LEFT, THIRD, RIGHT, ELASTIC];
  const layout = { columns, widthMax: terminal.columns, indent: 0, ellipsis: ellipsisOf(terminal) };
  const [titles = "", ...lines] = tableLines(rows, layout);
  return [
    paint(terminal, "gray", titles),
    ...lines.map((line, index) => {
      const style = styleOf(messages[index]);
      return style === undefined ? line : paint(terminal, style, line);
    }),
  ];
}

/** What the letters mean, for those that are there. */
function marksNote(messages: readonly ShownStored[]): string {
  return MARKS.filter(({ has }) => messages.some(has))
    .map(({ letter, meaning }) => `${letter} ${meaning}`)
    .join(", ");
}

const MARKS: readonly {
  readonly letter: string;
  readonly meaning: string;
  has(message: ShownStored): boolean;
}[] = [
  { letter: "P", meaning: "pinned", has: ({ isPinned }) => isPinned },
  { letter: "S", meaning: "summary", has: ({ isSummary }) => isSummary },
  { letter: "~", meaning: "shortened or changed by a compaction", has: ({ isEdited }) => isEdited },
];

function marksOf(message: ShownStored): string {
  return MARKS.filter(({ has }) => has(message))
    .map(({ letter }) => letter)
    .join("");
}

function styleOf(message: ShownStored | undefined): Style | undefined {
  if (message?.isSummary) return "green";
  if (message?.isPinned) return "cyan";
  return message?.isEdited ? "yellow" : undefined;
}
