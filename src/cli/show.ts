/** `palimpsest show`: the messages of a session: its view, its archive, what one compaction replaced, or one in full. Changes nothing. */

import { CompactionError } from "../core/errors.ts";
import { bodyText } from "../core/search/body-text.ts";
import type { CompactionEvent, SessionState } from "../core/store/store.ts";
import { EXIT, usage, type Words } from "./command.ts";
import { reportLine, standingOf } from "./history.ts";
import { readAll } from "./interrupt.ts";
import { count, minuteOf, oneLine, plural, safeText, wrap } from "./one-line.ts";
import {
  counterOf,
  eventsOf,
  findEvent,
  type ShownStored,
  type StoreRequest,
  sessionState,
  shownMessages,
  storeCommand,
  viewConversation,
} from "./store-command.ts";
import { type Blocks, ELASTIC, LEFT, RIGHT, type Style, type Terminal, THIRD } from "./terminal.ts";

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
  begin: (given) => {
    const { name, show } = readWhat(given);
    return async (request) => {
      await show(request, await sessionState(request), name);
      return EXIT.ok;
    };
  },
});

type Show = (request: StoreRequest, state: SessionState, name: string) => Promise<void>;

function readWhat(given: Words): { readonly name: string; readonly show: Show } {
  const asked = Object.entries(SHOWS).filter(([option]) => given.isSet(option) || given.text(option) !== undefined);
  if (asked.length > 1) throw usage("show takes one of --view, --archive, --event and --message");
  const [option, show] = asked[0] ?? ["view", showView];
  return { name: given.text(option) ?? "", show };
}

/** By the option that asks for it. */
const SHOWS: Readonly<Record<string, Show>> = {
  view: showView,
  archive: showArchive,
  event: showEvent,
  message: showMessage,
};

async function showView({ print }: StoreRequest, state: SessionState): Promise<void> {
  const { system, tools } = viewConversation(state);
  const counter = counterOf(state);
  const around = { systemTokens: counter.countParts(system), toolsTokens: counter.countTools(tools) };
  const messages = shownMessages(state, state.view);
  const tokens = messages.reduce((sum, message) => sum + message.tokens, around.systemTokens + around.toolsTokens);
  const { id, format, counters } = state;
  const about = `${format}, ${plural(messages.length, "message")} in view, ${count(tokens)} tokens (estimate)`;
  print({ session: id, format, tokens, ...around, counters, messages }, (terminal) => [
    [titleOf(id, about, terminal), ...aroundLine(around)],
    ...listBlocks(messages, terminal),
  ]);
}

export function viewBlocks(state: SessionState, terminal: Terminal): Blocks {
  return listBlocks(shownMessages(state, state.view), terminal);
}

function listBlocks(messages: readonly ShownStored[], terminal: Terminal): Blocks {
  return [
    messages.length === 0 ? ["the view is empty"] : storedLines(messages, terminal),
    noteLines(messages, terminal),
  ];
}

async function showArchive(request: StoreRequest, state: SessionState): Promise<void> {
  const messages = shownMessages(state, await readAll(request.store.archive(state.id), request.signal));
  const events = await eventsOf(request);
  request.print({ session: state.id, messages }, (terminal) => {
    if (messages.length === 0) return [[terminal.fit(`nothing has left the view of session ${oneLine(state.id)}`)]];
    const groups = Map.groupBy(messages, ({ archivedBy }) => archivedBy);
    return [
      [titleOf(state.id, `${plural(messages.length, "message")} in the archive`, terminal)],
      ...[...groups].map(([by, group]) => {
        const number = events.find((event) => event.id === by)?.number ?? "?";
        return [terminal.heading(`Replaced by compaction ${number}`), ...storedLines(group, terminal)];
      }),
      noteLines(messages, terminal),
    ];
  });
}

async function showEvent(request: StoreRequest, state: SessionState, name: string): Promise<void> {
  const event = findEvent(await eventsOf(request), name);
  const archived = await readAll(request.store.archive(state.id, { eventId: event.id }), request.signal);
  const messages = shownMessages(state, archived);
  request.print({ session: state.id, event, messages }, (terminal) => [
    eventLines(event, terminal),
    event.summary === null ? [] : [terminal.heading("Summary"), ...wrapped(event.summary, terminal)],
    replacedLines(event, messages, terminal),
  ]);
}

function wrapped(text: string, { columns }: Terminal): readonly string[] {
  const lines = safeText(text).split("\n");
  return lines.flatMap((line) => wrap(line, columns));
}

function eventLines(event: CompactionEvent, terminal: Terminal): readonly string[] {
  const standing = standingOf(event);
  const when = `${minuteOf(event.createdAt)} UTC, trigger ${oneLine(event.trigger)}, profile ${oneLine(event.profile)}`;
  const focus = event.instructions === null ? [] : [terminal.fit(`focus: ${oneLine(event.instructions)}`)];
  return [
    terminal.heading(terminal.signs(oneLine(reportLine(event)))),
    terminal.fit(`compaction ${event.number}${standing === "" ? "" : ` (${standing})`}, ${when}`),
    terminal.note(`id ${event.id}`),
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
  return [terminal.heading(`Replaced: ${plural(messages.length, "message")}`), ...storedLines(messages, terminal)];
}

async function showMessage({ store, print }: StoreRequest, state: SessionState, name: string): Promise<void> {
  const [message] = await store.messages(state.id, [name]);
  if (message === undefined) {
    const hint = "palimpsest show ID and show ID --archive list them";
    throw new CompactionError("message-missing", `the session has no message ${JSON.stringify(name)}; ${hint}`);
  }
  const { id, role, createdAt, archivedBy, body } = message;
  const about = `${role}, ${minuteOf(createdAt)} UTC, ${archivedBy === null ? "in view" : "archived"}`;
  print({ session: state.id, message }, (terminal) => [[titleOf(id, about, terminal)], [safeText(bodyText(body))]]);
}

function titleOf(id: string, about: string, terminal: Terminal): string {
  const line = terminal.fit(`${oneLine(id)}  ${about}`);
  const name = oneLine(id);
  return line.startsWith(name) ? terminal.paint("bold", name) + line.slice(name.length) : line;
}

function aroundLine({ systemTokens, toolsTokens }: { systemTokens: number; toolsTokens: number }): readonly string[] {
  const parts = [
    ...(systemTokens > 0 ? [`system prompt ${count(systemTokens)}`] : []),
    ...(toolsTokens > 0 ? [`tool definitions ${count(toolsTokens)}`] : []),
  ];
  return parts.length === 0 ? [] : [`of these: ${parts.join(", ")}`];
}

/** What the marks mean, for those that are there. */
function noteLines(messages: readonly ShownStored[], terminal: Terminal): readonly string[] {
  const present = MARKS.filter(({ has }) => messages.some(has));
  const note = present.map(({ letter, meaning }) => `${letter} ${meaning}`).join(", ");
  return note === "" ? [] : [terminal.note(note)];
}

function storedLines(messages: readonly ShownStored[], terminal: Terminal): readonly string[] {
  const marksOf = messages.map((message) => MARKS.filter(({ has }) => has(message)));
  const rows = messages.map(({ id, what, tokens, begins }, index) => [
    id,
    marksOf[index]?.map(({ letter }) => letter).join("") ?? "",
    oneLine(what),
    count(tokens),
    oneLine(begins),
  ]);
  return terminal.table(rows, {
    titles: ["id", "", "message", "tokens", "begins"],
    columns: [RIGHT, LEFT, THIRD, RIGHT, ELASTIC],
    indent: 0,
    // A summary that is pinned is painted as a summary.
    styleOf: (index) => (messages[index]?.isSummary ? "green" : marksOf[index]?.[0]?.style),
  });
}

const MARKS: readonly {
  readonly letter: string;
  readonly meaning: string;
  readonly style: Style;
  has(message: ShownStored): boolean;
}[] = [
  { letter: "P", meaning: "pinned", style: "cyan", has: ({ isPinned }) => isPinned },
  { letter: "S", meaning: "summary", style: "green", has: ({ isSummary }) => isSummary },
  { letter: "~", meaning: "shortened or changed by a compaction", style: "yellow", has: ({ isEdited }) => isEdited },
];
