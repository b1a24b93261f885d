/**
 * Auto-compaction to play with: a chat in a window so small that it fills up after a few lines. Shows how full it is, what each
 * compaction did, and that everything can be found and taken back. Needs no key; with `--url` any Chat endpoint answers instead.
 * Keeps everything in memory and writes nothing.
 */

import { createInterface } from "node:readline";
import { parseArgs, styleText } from "node:util";
import { wrap } from "../src/cli/one-line.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { CompactionError, openSession, type Session } from "../src/index.ts";
import { toyReply } from "./chat/toy-model.ts";

const { values } = parseArgs({
  options: {
    window: { type: "string", default: "2000" },
    url: { type: "string" },
    model: { type: "string", default: "toy" },
  },
});
const WINDOW_TOKENS = Number(values.window);
const BAR_COLUMNS = 40;
const COLUMNS = 80;
const SHOWN_CHARACTERS_MAX = 160;

const HELP = `Say anything; end with a question mark to ask. The window is ${WINDOW_TOKENS.toLocaleString("en-US")} tokens.
  /compact [focus]   compact now, e.g. /compact the prices
  /undo              take the newest compaction back
  /view              what the model would be sent
  /find WORDS        search everything that was ever said
  /help, /quit`;

/** What a line that begins with a slash does; false ends the chat. */
const COMMANDS: Readonly<Record<string, (session: Session, rest: string) => Promise<boolean>>> = {
  compact: async (session, rest) => {
    const { report } = await session.compact(rest === "" ? {} : { instructions: rest });
    say(`compacted: ${report.tokensBefore} → ${report.tokensAfter} tokens`);
    return true;
  },
  undo: async (session) => {
    const undone = await session.rollback();
    say(`${undone.length} compaction taken back; the view is what it was`);
    return true;
  },
  view: async (session) => {
    for (const { role, body } of await session.view()) say(`${role}: ${shortened(textOf(body))}`);
    return true;
  },
  find: async (session, rest) => {
    for (const { role, snippet, archivedBy } of await session.recall(rest)) {
      say(`${archivedBy === null ? "in the view" : "archived   "}  ${role}: ${snippet.replaceAll("\n", " ")}`);
    }
    return true;
  },
  help: async () => {
    console.log(HELP);
    return true;
  },
  quit: async () => false,
};

const session = await openSession("chat", {
  store: "memory:",
  compactor: { format: openaiChat, windowTokens: WINDOW_TOKENS },
  body: { model: values.model, messages: [] },
});
console.log(HELP);
const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: "\nyou> " });
if (process.stdin.isTTY) lines.prompt();
for await (const line of lines) {
  if (!(await heard(line.trim()))) break;
  if (process.stdin.isTTY) lines.prompt();
}
lines.close();
await session.close();

/** False ends the chat. What goes wrong is said, and the chat goes on. */
async function heard(line: string): Promise<boolean> {
  if (line === "") return true;
  try {
    if (!line.startsWith("/")) return await turn(line);
    const [, name = "", rest = ""] = /^\/(\S*)\s*(.*)$/.exec(line) ?? [];
    const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
    if (command !== undefined) return await command(session, rest);
    say(`there is no /${name}; /help lists what there is`);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    say(error instanceof CompactionError ? `${error.code}: ${error.message}` : error.message);
  }
  return true;
}

/** The whole of auto-compaction: append, ask for the request, send it, append the response. */
async function turn(text: string): Promise<true> {
  await session.append(text);
  const { request, report } = await session.fit();
  if (report.compacted) {
    const messages = `${report.messagesBefore} → ${report.messagesAfter} messages`;
    say(`compacted by itself (${report.reason}): ${report.tokensBefore} → ${report.tokensAfter} tokens, ${messages}`);
  }
  const response = values.url === undefined ? toyReply(chatRequest(request)) : await post(values.url, request);
  await session.append(response);
  const newest = (await session.view()).at(-1);
  console.log(wrapped(`model> ${shortened(textOf(newest?.body))}`));
  const { currentTokens, windowTokens, usedRatio } = await session.stats();
  const filled = Math.min(BAR_COLUMNS, Math.round(usedRatio * BAR_COLUMNS));
  say(`[${"=".repeat(filled)}${"·".repeat(BAR_COLUMNS - filled)}] ${currentTokens} of ${windowTokens} tokens`);
  return true;
}

async function post(url: string, request: object): Promise<object> {
  const key = process.env.OPENAI_API_KEY;
  const headers = { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) };
  const reply = await fetch(url, { method: "POST", headers, body: JSON.stringify(request) });
  if (!reply.ok) throw new Error(`${reply.status} from ${new URL(url).host}: ${await reply.text()}`);
  // Whatever it is: the session reads it, and refuses what is no response.
  return (await reply.json()) as object;
}

/** The session makes Chat requests of texts here, as nothing else was appended. */
function chatRequest(request: object): Parameters<typeof toyReply>[0] {
  return request as Parameters<typeof toyReply>[0];
}

function textOf(body: unknown): string {
  const content = typeof body === "object" && body !== null && "content" in body ? body.content : undefined;
  return typeof content === "string" ? content : JSON.stringify(content);
}

function shortened(text: string): string {
  const line = text.replaceAll("\n", " ");
  if (line.length <= SHOWN_CHARACTERS_MAX) return line;
  // A word is shown whole or not at all.
  return `${line.slice(0, SHOWN_CHARACTERS_MAX).replace(/\s\S*$/, "")} … (${line.length.toLocaleString("en-US")} characters)`;
}

function say(text: string): void {
  console.log(styleText("gray", wrapped(`  ${text}`)));
}

/** Between words, as wide as the terminal; lines that follow stand under the first word. */
function wrapped(line: string): string {
  const [indent = ""] = /^(?:model> | *)/.exec(line) ?? [];
  const columns = (process.stdout.columns ?? COLUMNS) - indent.length;
  return indent + wrap(line.slice(indent.length), columns).join(`\n${" ".repeat(indent.length)}`);
}
