/** What a line of a chat that begins with a slash does: one row for each command. None of them says anything to the model. */

import { calibratedCounter } from "../../compactor/engine.ts";
import { CompactionError } from "../../core/errors.ts";
import type { Model } from "../../core/model.ts";
import type { Usage } from "../../core/ports.ts";
import type { FullStore } from "../../core/store/store-upkeep.ts";
import { countConversation } from "../../core/tokens/tokens.ts";
import type { Session } from "../../session/session-port.ts";
import { sharesOf } from "../breakdown.ts";
import { didYouMean } from "../command.ts";
import { historyBlocks } from "../history.ts";
import { count, oneLine, percent, plural } from "../one-line.ts";
import { BECAUSE } from "../protections.ts";
import { hitLines } from "../recall.ts";
import { SHARE_LOOKS } from "../render-compaction.ts";
import { viewBlocks } from "../show.ts";
import { counterOf, findEvent, sessionState, viewConversation } from "../store-command.ts";
import { LEFT, RIGHT } from "../terminal.ts";
import type { Screen } from "./screen.ts";

export interface ChatState {
  readonly session: Session;
  readonly store: FullStore;
  readonly model: Model;
  readonly screen: Screen;
  /** Calls of this chat so far, with their usage and cost. */
  readonly spent: Spent;
}

export interface Spent {
  readonly calls: number;
  readonly usage: Usage;
  /** Undefined where a price is not known. */
  readonly costUsd: number | undefined;
}

interface SlashCommand {
  readonly usage: string;
  readonly about: string;
  /** Called with the words behind the name. */
  run(chat: ChatState, words: string, signal: AbortSignal): Promise<void>;
}

const SLASH_COMMANDS: Readonly<Record<string, SlashCommand>> = {
  context: { usage: "", about: "what fills the window", run: showContext },
  compact: { usage: "[focus]", about: "compact now; the summary keeps to the focus", run: compact },
  history: {
    usage: "",
    about: "the compactions so far",
    run: async ({ session, screen }, _words, signal) => {
      const events = await session.history({ signal });
      if (events.length === 0) screen.note("nothing was compacted yet");
      else screen.print(historyBlocks(events, screen.terminal()));
    },
  },
  rollback: { usage: "[E]", about: "take compaction E back, or the newest", run: rollBack },
  pin: { usage: "[M...]", about: "keep messages out of every compaction; without M, list them", run: pin },
  unpin: { usage: "M...", about: "let compaction have them again", run: unpin },
  recall: { usage: "WORDS", about: "search everything that was ever said", run: recall },
  cost: { usage: "", about: "tokens and price of this chat", run: async (chat) => showCost(chat) },
  help: { usage: "", about: "this list", run: async ({ screen }) => screen.print([helpLines(screen)]) },
};

/** Leaving is the chat's own. */
const QUIT = { name: "quit", about: "leave; the session stays" };

/** False where the chat ends. */
export async function runSlashCommand(chat: ChatState, line: string, signal: AbortSignal): Promise<boolean> {
  const [, name = "", words = ""] = /^\/(\S*)\s*(.*)$/s.exec(line) ?? [];
  if (name === QUIT.name || name === "exit") return false;
  const command = Object.hasOwn(SLASH_COMMANDS, name) ? SLASH_COMMANDS[name] : undefined;
  if (command !== undefined) await command.run(chat, words.trim(), signal);
  else {
    const known = [...Object.keys(SLASH_COMMANDS), QUIT.name].map((each) => `/${each}`);
    const hint = didYouMean(`/${name}`, known) || "; /help lists what there is";
    chat.screen.note(`there is no /${oneLine(name)}${hint}`);
  }
  return true;
}

function helpLines(screen: Screen): readonly string[] {
  const rows = Object.entries(SLASH_COMMANDS).map(([name, { usage, about }]) => [`/${name} ${usage}`.trim(), about]);
  return screen.terminal().table([...rows, [`/${QUIT.name}`, QUIT.about]], { columns: [LEFT, LEFT] });
}

async function showContext({ session, store, model, screen }: ChatState, _words: string, signal: AbortSignal) {
  const state = await sessionState({ store, signal, id: session.id });
  const { currentTokens, windowTokens, archivedMessages } = await session.stats({ signal });
  const conversation = viewConversation(state);
  const counter = counterOf(state);
  const ownTokens = countConversation(conversation, counter).totalTokens;
  const shares = sharesOf(conversation, {
    counter: ownTokens === 0 ? counter : calibratedCounter(counter, currentTokens / ownTokens),
    render: session.compactor.settings.render,
    totalTokens: currentTokens,
  });
  const terminal = screen.terminal();
  const present = SHARE_LOOKS.filter(({ kind }) => shares[kind] > 0);
  const slices = present.map(({ kind, style, letter }) => ({ style, letter, amount: shares[kind] }));
  const rows = present.map(({ kind, title }) => [title, count(shares[kind]), percent(shares[kind] / windowTokens, 1)]);
  const free = Math.max(0, windowTokens - currentTokens);
  const lines = terminal.table([...rows, ["free", count(free), percent(free / windowTokens, 1)]], {
    columns: [LEFT, RIGHT, RIGHT],
    indent: 0,
    widthMax: terminal.columns - 4,
  });
  const pinned = state.view.filter(({ isPinned }) => isPinned).length;
  const sizes = `${count(currentTokens)} of ${count(windowTokens)} tokens`;
  screen.print([
    terminal.headline(sizes, ` (${percent(currentTokens / windowTokens, 1)}), ${model.id}, session ${session.id}`),
    [`  ${terminal.bar(slices, terminal.columns - 4, windowTokens)}`],
    lines.map((line, index) => {
      const look = present[index];
      return `  ${look === undefined ? " " : terminal.swatch(look)} ${line}`;
    }),
    [
      terminal.note(
        `${plural(state.view.length, "message")} in view, ${count(pinned)} pinned, ${count(archivedMessages)} archived`,
      ),
    ],
  ]);
}

async function compact({ session, screen }: ChatState, instructions: string, signal: AbortSignal): Promise<void> {
  screen.waiting("compacting…");
  try {
    await session.compact({ signal, ...(instructions !== "" && { instructions }) });
  } catch (error) {
    if (!(error instanceof CompactionError && error.code === "nothing-to-compact")) throw error;
    screen.note(`nothing was compacted: ${BECAUSE[error.reason ?? ""] ?? error.message}`);
  }
}

async function rollBack({ session, screen }: ChatState, words: string, signal: AbortSignal): Promise<void> {
  const events = await session.history({ signal });
  const to = words === "" ? {} : { to: findEvent(events, words).id, cascade: true };
  const undone = await session.rollback({ signal, ...to });
  const { currentTokens } = await session.stats({ signal });
  const numbers = undone.map((id) => events.find((event) => event.id === id)?.number ?? "?").join(", ");
  screen.note(`took back compaction ${numbers}; the view is what it was, ${count(currentTokens)} tokens`);
}

async function pin(chat: ChatState, words: string, signal: AbortSignal): Promise<void> {
  const { session, store, screen } = chat;
  if (words === "") {
    const state = await sessionState({ store, signal, id: session.id });
    screen.print(viewBlocks(state, screen.terminal()));
  } else await eachMessage(chat, words, (id) => session.pin(id, { signal }), "pinned");
}

async function unpin(chat: ChatState, words: string, signal: AbortSignal): Promise<void> {
  if (words === "") chat.screen.note("/unpin needs the id of a message; /pin lists them");
  else await eachMessage(chat, words, (id) => chat.session.unpin(id, { signal }), "unpinned");
}

async function eachMessage(
  { screen }: ChatState,
  words: string,
  change: (id: string) => Promise<void>,
  done: string,
): Promise<void> {
  for (const id of words.split(/[\s,]+/)) {
    await change(id);
    screen.note(`${done} ${oneLine(id)}`);
  }
}

const HITS_SHOWN = 3;

async function recall({ session, screen }: ChatState, query: string, signal: AbortSignal): Promise<void> {
  if (query === "") return screen.note("/recall needs words to search for");
  const hits = await session.recall(query, { limit: HITS_SHOWN, signal });
  const events = new Map((await session.history({ signal })).map(({ id, number }) => [id, number]));
  if (hits.length === 0) screen.note("nothing was found; try other or fewer words");
  else screen.print(hits.map((hit) => hitLines(hit, events, screen.terminal())));
}

async function showCost({ session, model, screen, spent }: ChatState): Promise<void> {
  const { calls, usage, costUsd } = spent;
  const compactions = (await session.history()).filter((event) => event.calls > 0);
  const summaryCalls = compactions.reduce((sum, event) => sum + event.calls, 0);
  const summaryCosts = compactions.map((event) => event.costUsd);
  const price = (cost: number | undefined): string => (cost === undefined ? "price unknown" : `$${cost.toFixed(4)}`);
  const summaries = summaryCosts.every((cost) => cost !== null)
    ? summaryCosts.reduce((sum, cost) => sum + cost, 0)
    : undefined;
  const rows = [
    [
      `answers of ${model.id}`,
      plural(calls, "call"),
      count(usage.inputTokens),
      count(usage.outputTokens),
      price(costUsd),
    ],
    ["summaries", plural(summaryCalls, "call"), "", "", price(summaries)],
  ];
  const columns = [LEFT, RIGHT, RIGHT, RIGHT, RIGHT];
  screen.print([screen.terminal().table(rows, { titles: ["", "", "input", "output", "cost"], columns })]);
}
