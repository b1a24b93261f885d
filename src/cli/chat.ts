/**
 * `palimpsest chat`: an agent in the terminal over a stored session. Every line is a turn of the loop; the window never overflows, and nothing
 * is lost: not by Ctrl-C, not by a crash, not by a compaction. Commands of the model run only where they are allowed.
 */

import { statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { costUsd } from "../compactor/report.ts";
import { type Compactor, createCompactor } from "../compactor.ts";
import { CompactionError } from "../core/errors.ts";
import { isArray, isObject, type JsonArray, type JsonObject } from "../core/json.ts";
import type { ModelReply } from "../core/model.ts";
import type { FullStore } from "../core/store/store-upkeep.ts";
import { totalUsage } from "../core/usage.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { convert } from "../formats.ts";
import { isProfileName, profileNamed } from "../profiles/profiles.ts";
import { fileMemory, type LoopTool, runLoop } from "../run-loop.ts";
import type { Session } from "../session/session-port.ts";
import { openSession } from "../session.ts";
import { llm } from "../summarizers/llm.ts";
import { folderTools } from "./chat/folder-tools.ts";
import { type Keyboard, openKeyboard } from "./chat/keyboard.ts";
import { callText, openScreen } from "./chat/screen.ts";
import { SCRIPTED_WINDOW_TOKENS, scriptedModel } from "./chat/scripted-model.ts";
import { type ChatState, runSlashCommand, type Spent } from "./chat/slash-commands.ts";
import { type Command, EXIT, type ExitCode, type Io, readWindow, usage, WINDOW_OPTION, type Words } from "./command.ts";
import { type ChosenModel, isKey, loadModel, MODEL_NOTE } from "./model-option.ts";
import { oneLine, safeText } from "./one-line.ts";
import { DEFAULT_STORE, openStoreAt, sessionState } from "./store-command.ts";
import { PROFILE_OPTION, readProfile } from "./subject.ts";

export const command: Command = {
  usage: "--model MODEL [options]",
  options: {
    model: { type: "string", value: "MODEL", about: "who answers (below), or scripted: no key, no network" },
    resume: { type: "string", value: "ID", about: "go on with this session" },
    folder: { type: "string", value: "DIR", about: "where the model may read and work (default here)" },
    yes: { type: "boolean", about: "run the model's commands without asking" },
    window: WINDOW_OPTION,
    profile: PROFILE_OPTION,
    store: { type: "string", value: "URL", about: `where the session is kept (below)` },
  },
  notes: `The model may read, list and search files of the folder, and run commands in it
after you have allowed each. Without a terminal nobody can be asked: commands
then run only with --yes. In the chat, /help lists its commands. Ctrl-C ends the
turn; at an empty prompt, twice, the chat. The session stays in its store
(default ${DEFAULT_STORE}).

${MODEL_NOTE}
Examples:
  palimpsest chat --model scripted
  palimpsest chat --model anthropic:claude-opus-5-5 --folder ~/project
  palimpsest chat --model anthropic:claude-opus-5-5 --resume chat-1
`,
  run,
};

async function run(given: Words, io: Io): Promise<ExitCode> {
  const [word] = given.operands;
  if (word !== undefined) throw usage(`chat takes nothing but options, but was given "${word}"`);
  const options = readOptions(given, io);
  const chosen = await chosenModel(options, io);
  const store = await openStoreAt(options.store, options.resume === undefined ? "any" : "existing");
  const keyboard = openKeyboard(io);
  try {
    return await chat({ ...options, ...chosen, store, keyboard, io });
  } finally {
    keyboard.close();
    await store.close();
  }
}

function readOptions(given: Words, { environment }: Io) {
  const model = given.text("model");
  if (model === undefined) throw usage("chat needs --model; palimpsest chat --model scripted works without a key");
  const folder = resolve(given.text("folder") ?? ".");
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw usage(`--folder ${folder} is no folder`);
  return {
    modelName: model,
    windowTokens: readWindow(given),
    profile: readProfile(given.text("profile")),
    resume: given.text("resume"),
    folder,
    isAllowed: given.isSet("yes"),
    store: given.text("store") ?? DEFAULT_STORE,
    isDefaultStore: given.text("store") === undefined,
    commandEnvironment: Object.fromEntries(Object.entries(environment).filter(([name]) => !isKey(name))),
  };
}

type ChatOptions = ReturnType<typeof readOptions>;

const SCRIPTED = "scripted";
const WORD_PAUSE_MS = 15;

async function chosenModel({ modelName, windowTokens }: ChatOptions, io: Io): Promise<ChosenModel> {
  const options = windowTokens === undefined ? {} : { windowTokens };
  if (modelName !== SCRIPTED) return loadModel(modelName, io.environment, { ...options, others: [SCRIPTED] });
  const pauseMs = io.keyboard === undefined ? 0 : WORD_PAUSE_MS;
  return { model: scriptedModel({ windowTokens: SCRIPTED_WINDOW_TOKENS, ...options, pauseMs }), body: {} };
}

interface ChatInput extends Omit<ChatOptions, "store">, ChosenModel {
  readonly store: FullStore;
  readonly keyboard: Keyboard;
  readonly io: Io;
}

async function chat(input: ChatInput): Promise<ExitCode> {
  const { io, model, store, resume, modelName } = input;
  const screen = openScreen(io);
  const compactor = compactorOf(input);
  compactor.on("notify", screen.onCompaction);
  const session = await sessionOf(input, compactor);
  const { id } = session;
  const tools = await folderTools({
    folder: input.folder,
    environment: input.commandEnvironment,
    allow: asker(input, screen.endLine),
  });
  screen.note(`${model.id} in ${oneLine(basename(input.folder))}/, session ${oneLine(id)}; /help lists the commands`);
  if (modelName === SCRIPTED) screen.note(SCRIPTED_HINT);
  if (resume !== undefined) screen.status(await session.stats());
  const state = { session, store, model, screen };
  try {
    return await conversation({ ...input, ...state, tools });
  } finally {
    const { turnCount } = await session.stats();
    if (turnCount === 0 && resume === undefined) await session.delete();
    else {
      const where = input.isDefaultStore ? "" : ` --store ${store.url}`;
      screen.note("the session stays; to go on:");
      screen.note(`palimpsest chat --model ${oneLine(modelName)} --resume ${oneLine(id)}${where}`);
    }
  }
}

/** A new session, or the one to go on with: it keeps its own system prompt. */
async function sessionOf(input: ChatInput, compactor: Compactor): Promise<Session> {
  const { store, resume, model } = input;
  const { base, first } = emptyRequest(input);
  if (resume !== undefined) {
    const body = { ...base, ...(await baseOf(input, resume)), model: model.id };
    return openSession(resume, { store, compactor, body, create: false });
  }
  const session = await openSession(await newSession(store, compactor), {
    store,
    compactor,
    body: base,
    create: false,
  });
  if (first.length > 0) await session.append(first);
  return session;
}

const SCRIPTED_HINT =
  'The scripted model follows rules: say "tour" to have it read file by file until the window is full. Also "list", "read FILE", "search WORDS", "run COMMAND", or a question.';

function compactorOf({ model, profile, windowTokens, modelName }: ChatInput): Compactor {
  const window = windowTokens ?? model.windowTokens;
  return createCompactor({
    format: model.format,
    // By its name, which events keep.
    profile: isProfileName(profile) ? profile : profileNamed(profile),
    ...(window !== undefined && { windowTokens: window }),
    // The scripted model cannot write summaries.
    ...(modelName !== SCRIPTED && { summarizer: llm({ model }) }),
  });
}

/** A request without a word said yet: the system prompt where the model's format has it, which for Chat is the first message. */
function emptyRequest({ model, folder, body }: ChatInput): { readonly base: JsonObject; readonly first: JsonArray } {
  const system = `You are an agent in a terminal, and work in the folder ${basename(folder)}. Use the tools to read, list and search its files and to run commands. Answer briefly.`;
  const { format } = model;
  const { conversation } = convert(anthropicMessages.decode({ system, messages: [] }), format);
  const request = format.encode(conversation);
  const { [format.listKey]: first, ...base } = isObject(request) ? request : {};
  return { base: { ...base, ...body, model: model.id }, first: isArray(first) ? first : [] };
}

/** What the session was sent with. It stays in the format that it began with. */
async function baseOf({ store, model, modelName }: ChatInput, id: string): Promise<JsonObject> {
  const { format, base } = await sessionState({ store, signal: new AbortController().signal, id });
  if (format === model.format.name) return base;
  throw usage(
    `session ${JSON.stringify(id)} is in ${format}, and --model ${modelName} answers in ${model.format.name}`,
  );
}

/** `chat-1`, `chat-2` …: the next number that is free in the store. */
async function newSession(store: FullStore, { format }: Compactor): Promise<string> {
  let last = 0;
  for await (const { id } of store.sessions()) last = Math.max(last, Number(/^chat-(\d{1,9})$/.exec(id)?.[1] ?? 0));
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const id = `chat-${last + attempt}`;
    try {
      await store.create({ id, format: format.name, base: {} });
      return id;
    } catch (error) {
      // Another chat began at the same moment.
      if (!(error instanceof CompactionError && error.code === "session-exists")) throw error;
    }
  }
  throw new CompactionError("store-conflict", "Others begin chats all the time; try again.", { retryable: true });
}

const ATTEMPTS_MAX = 10;

/** Asks about one command after the other, however many the model wants at once. */
function asker({ keyboard, isAllowed, io }: ChatInput, endLine: () => void) {
  let before: Promise<unknown> = Promise.resolve();
  return (command: string, signal: AbortSignal): Promise<boolean> => {
    if (isAllowed) return Promise.resolve(true);
    if (!keyboard.isTerminal)
      throw new Error("Nobody could be asked whether this command may run; it was not run (--yes).");
    const answer = before.then(async () => {
      signal.throwIfAborted();
      endLine();
      io.stdout.write(`\n${safeText(command).replace(/^/gm, "  $ ")}\n`);
      const heard = await keyboard.ask("run it? [y/N] ", signal);
      signal.throwIfAborted();
      return heard.type === "line" && /^y(?:es)?$/i.test(heard.text.trim());
    });
    before = answer.catch(() => undefined);
    return answer;
  };
}

interface Conversation extends ChatInput, Omit<ChatState, "spent" | "store" | "model"> {
  readonly tools: readonly LoopTool[];
}

async function conversation(input: Conversation): Promise<ExitCode> {
  const { keyboard, screen, session, io } = input;
  const replies: ModelReply[] = [];
  let interrupts = 0;
  for (;;) {
    io.stdout.write("\n");
    const heard = await keyboard.ask(PROMPT);
    if (heard.type === "end") return EXIT.ok;
    if (heard.type === "interrupt" && !keyboard.isTerminal) return EXIT.interrupted;
    if (heard.type === "interrupt" && ++interrupts > 1) return EXIT.ok;
    if (heard.type === "interrupt") screen.note("Ctrl-C once more, or /quit, leaves the chat");
    if (heard.type !== "line") continue;
    interrupts = 0;
    const line = heard.text.trim();
    if (line === "") continue;
    const isCommand = line.startsWith("/");
    const outcome = await heeding({ ...input, isCommand }, async (signal) => {
      if (isCommand) return runSlashCommand({ ...input, spent: spentOn(replies, input) }, line, signal);
      await turn(input, { line, signal, replies });
      screen.status(await session.stats());
      return true;
    });
    if (outcome === "left") return EXIT.ok;
    if (outcome === "interrupted" && !keyboard.isTerminal) return EXIT.interrupted;
  }
}

const PROMPT = "you> ";

/** Does one thing until it is done or Ctrl-C is pressed. What goes wrong is said, and the chat goes on; a script ends where a turn fails. */
async function heeding(
  { keyboard, screen, isCommand }: Conversation & { readonly isCommand: boolean },
  work: (signal: AbortSignal) => Promise<boolean>,
): Promise<"done" | "left" | "interrupted"> {
  const controller = new AbortController();
  const stopListening = keyboard.onInterrupt(() => controller.abort());
  try {
    return (await work(controller.signal)) ? "done" : "left";
  } catch (error) {
    if (controller.signal.aborted) {
      screen.note("stopped; what was said and done so far stays in the session", "yellow");
      return "interrupted";
    }
    if (!(error instanceof CompactionError)) throw error;
    screen.endLine();
    if (!keyboard.isTerminal && !isCommand) throw error;
    screen.note(oneLine(error.message), "red");
    return "done";
  } finally {
    stopListening();
  }
}

interface Turn {
  readonly line: string;
  readonly signal: AbortSignal;
  /** What the model answered in this chat; a turn adds to it. */
  readonly replies: ModelReply[];
}

async function turn(input: Conversation, { line, signal, replies }: Turn): Promise<void> {
  const { session, model, screen, tools, folder } = input;
  const { enabled: isFlushed } = session.compactor.settings.memoryFlush;
  screen.waiting(`${model.id} …`);
  const { stopReason } = await runLoop({
    session,
    model,
    tools,
    ...(isFlushed && { memory: fileMemory({ directory: folder }) }),
    signal,
    input: line,
    onEvent: (event) => {
      if (event.type === "reply") replies.push(event.reply);
      if (event.type === "memory-flush") replies.push(...event.replies);
      if (event.type === "tool-call") screen.waiting(`${callText(event.call)} …`);
      screen.onLoop(event);
      if (event.type === "tool-result") screen.waiting(`${model.id} …`);
    },
  });
  screen.endLine();
  if (stopReason !== "stop") screen.note(`the answer ended early (${stopReason})`, "yellow");
}

function spentOn(replies: readonly ModelReply[], { model: asked }: Conversation): Spent {
  const none = { inputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 0, reasoningTokens: 0 };
  const bills = replies.flatMap(({ usage, model }) =>
    usage === undefined ? [] : [{ usage, model, isOneRequest: true }],
  );
  return {
    calls: replies.length,
    usage: totalUsage(bills.map((bill) => bill.usage)) ?? none,
    costUsd: replies.length === 0 ? 0 : (costUsd(bills, undefined) ?? costUsd(bills, asked.prices)),
  };
}
