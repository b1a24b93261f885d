/**
 * The embedded default summarizer: builds the checkpoint from the messages themselves, in the conversation's own words and
 * language, under a token budget. No model, no network, no clock: the same input gives the same bytes, in linear time.
 */

import type { ToolFailure } from "../core/checkpoint/checkpoint.ts";
import { failuresIn, OUTCOME_MARK } from "../core/checkpoint/checkpoint.ts";
import type { Language } from "../core/checkpoint/language.ts";
import type { Summarizer, SummaryInput, SummaryResult } from "../core/checkpoint/summary.ts";
import { rankFacts } from "../core/facts/facts.ts";
import { type Message, textsOf } from "../core/message.ts";
import { isForeignSummary } from "../core/plan/user-voice.ts";
import { once } from "../core/remember.ts";
import { argumentNamesOf } from "./extractive/calls/argument-names.ts";
import { failureKeyOf } from "./extractive/calls/call-keys.ts";
import { isWorthTelling } from "./extractive/calls/call-outcome.ts";
import { compose, type Draft } from "./extractive/compose/compose.ts";
import { createContext } from "./extractive/compose/context-sentences.ts";
import { focusOn } from "./extractive/compose/focus.ts";
import { offersMax } from "./extractive/compose/identifiers.ts";
import { mergeFacts, mergeFailures, mergeFiles, mergeStatements } from "./extractive/compose/merge.ts";
import { callLog, resultProse } from "./extractive/compose/result-lines.ts";
import { CUES } from "./extractive/cues/cues.ts";
import { askingChars, askingQuote } from "./extractive/goal/asking.ts";
import { askedFor, requestLines, stillTelling } from "./extractive/goal/requests.ts";
import { overcomeIn } from "./extractive/outdated/overcome.ts";
import { namedIn } from "./extractive/outdated/plain-names.ts";
import { supersededIn } from "./extractive/outdated/superseded.ts";
import { type Withdrawal, withdrawnIn } from "./extractive/outdated/withdrawn.ts";
import { type Earlier, earlierOf } from "./extractive/reading/earlier-summary.ts";
import { claimingCalls, closingCalls, commitsOf } from "./extractive/reading/evidence.ts";
import { foreignCheckpoint } from "./extractive/reading/foreign-checkpoint.ts";
import { foreignPending, takenUp } from "./extractive/reading/foreign-goal.ts";
import { inOrder, type KeptView, readKept } from "./extractive/reading/kept-view.ts";
import { type Failure, isTalk, type Reading, readMessages } from "./extractive/reading/reading.ts";
import { carriedOpen } from "./extractive/state/carried-open.ts";
import { todosInTime } from "./extractive/state/earlier-todos.ts";
import { withFailingTest } from "./extractive/state/failing-test.ts";
import { finalAnswer } from "./extractive/state/final-answer.ts";
import { type CallTalk, newestCallIn } from "./extractive/state/newest-call.ts";
import { failedBefore, type NextInput, nextOf } from "./extractive/state/next-steps.ts";
import { openFailureIn } from "./extractive/state/open-failure.ts";
import { turnChanges } from "./extractive/state/turn-changes.ts";
import { assistantLanguage } from "./extractive/statements/assistant-language.ts";
import { readStatements } from "./extractive/statements/statements.ts";
import { distinct } from "./extractive/text/distinct.ts";
import { userLabel } from "./extractive/text/labels.ts";
import { stoppedLine } from "./extractive/text/stopped-line.ts";

const VERSION = "1";
const FAILURES_MAX = 8;
const FINDINGS_MAX = 6;
const RESULTS_READ = 100;
const NO_WORDS: ReadonlySet<string> = new Set();

/** The embedded default summarizer: no model, no options, the same bytes for the same messages. */
export function extractive(): Summarizer {
  return {
    name: "extractive",
    version: VERSION,
    planCalls: () => 0,
    summarize: async (input, { signal }) => {
      signal.throwIfAborted();
      return summarizeExtractively(input);
    },
  };
}

function summarizeExtractively(input: SummaryInput): SummaryResult {
  const { budgetTokens, counter } = input;
  const leaving = [...input.messages, ...input.turnPrefix];
  const view = readKept(input);
  const { userTools } = input;
  const read = readMessages(leaving, { isStarted: view.isStarted, userTools });
  // A to-do list that stays in the view is newer than one that leaves.
  const { todos, left } = todosInTime(view.todos ?? read.todos, [...leaving, ...view.messages], {
    language: read.language,
    userTools,
  });
  const reading = { ...read, todos };
  for (const message of input.cut ?? []) reading.ledger.add(message);
  const foreign = foreignSummary([...input.kept, ...leaving]);
  const before = input.previous === undefined ? earlierIn(leaving) : earlierOf(input.previous);
  const isNamed = namedIn([...leaving, ...view.messages]);
  const withdrawn = withdrawnIn(inOrder(reading.prose, view.prose), reading.language, isNamed);
  const draft = draftOf({ leaving, reading, kept: view, before, foreign, withdrawn, left, userTools }, input);
  const kept = input.kept.flatMap(readableTexts);
  const { checkpoint, text } = compose(draft, { budgetTokens, counter, language: reading.language, kept });
  const notes = text === "" ? [`A budget of ${budgetTokens} tokens holds no summary.`] : [];
  return { text, checkpoint, calls: 0, notes };
}

interface Source {
  readonly leaving: readonly Message[];
  readonly reading: Reading;
  readonly kept: KeptView;
  readonly before: Earlier;
  /** The newest summary that another tool left; empty when there is none. */
  readonly foreign: string;
  /** Names that the user gave up. */
  readonly withdrawn: readonly Withdrawal[];
  /** To-dos of an earlier task. */
  readonly left: readonly string[];
  readonly userTools: SummaryInput["userTools"];
}

function draftOf(source: Source, input: SummaryInput): Draft {
  const { leaving, reading, kept, before, withdrawn } = source;
  const { checkpoint: earlier, lines } = before;
  const language = assistantLanguage(reading);
  const fresh = readStatements({
    reading,
    kept,
    language,
    commits: commitsOf(leaving),
    messages: [...leaving, ...kept.messages],
    withdrawn,
  });
  const { findings, ...statements } = mergeStatements(fresh, earlier, source);
  const files = mergeFiles(reading, earlier);
  const asked = askedFor(source, statements.done, input.budgetTokens);
  const open = openFailureIn(source);
  const items = itemsOf(source, statements.done);
  const newestCall = newestCallIn([...leaving, ...kept.messages], writtenLast(source));
  const carried = carriedOpen({ reading, kept, language, closed: items.closed });
  const left = [...statements.nextSteps, ...source.left, ...(fresh.nextSteps.length > 0 ? [] : carried.nextSteps)];
  const next = { ...source, ...statements, ...items, language, isTalk: isTalk(reading), asked, open, newestCall, left };
  const steps = { next, left, isOfTurn: carried.isOfTurn, isPlanned: fresh.nextSteps.length > 0 };
  const nextSteps = distinct(inTurn(steps, source));
  const answer = finalAnswer({ reading, kept, language });
  const { facts, ...sentences } = factsAndSentences(source, input);
  return {
    goal: asked.goal,
    ...statements,
    done: [...answer, ...statements.done],
    inProgress: distinct([...items.taken, ...statements.inProgress]),
    constraints: statements.constraints.filter((rule) => !asked.goal.some((text) => text === rule)),
    nextSteps,
    blocked: distinct([
      ...(open === undefined || !isWorthTelling(open) ? [] : [`${open.toolName}: ${withFailingTest(open, leaving)}`]),
      ...statements.blocked,
      ...carried.blocked,
    ]),
    ...files,
    ...(asked.latest === undefined ? {} : { latestRequest: asked.latest }),
    criticalContext: [
      ...findings.slice(0, FINDINGS_MAX),
      ...requestLines(reading, { ...asked, rules: statements.constraints, withdrawn }),
      ...earlierContext(lines, reading.language),
    ],
    toolFailures: failuresOf(source, open),
    identifiers: [],
    facts: mergeFacts(facts, before, files),
    isTalk: isTalk(reading),
    quote: (text, charsMax) => askingQuote(asked.wholes.get(text) ?? text, charsMax, reading.language),
    charsNeeded: (text) => askingChars(asked.wholes.get(text) ?? text, reading.language),
    leading: asked.leading,
    turnDone: [...turnChanges(statements.done, source, nextSteps), ...answer],
    argumentNames: argumentNamesOf(leaving, facts),
    log: remembered(logOf(source)),
    ...sentences,
  };
}

/** What fills the room that the sections leave: names by their rank, and sentences to choose from; what the instructions name comes first. */
function factsAndSentences(source: Source, input: SummaryInput) {
  const { reading, before } = source;
  const results = once(() => resultProse(resultsToTell(reading, input), reading.language));
  const focus =
    input.instructions === undefined ? undefined : focusOn(input.instructions, [...reading.prose, ...results()]);
  const given = { counter: input.counter, language: reading.language, focus: focus?.words ?? NO_WORDS };
  const said = () => ({ ...given, ...whatCameSince(source), earlier: before.lines });
  return {
    facts: focus?.raise(rankFacts(reading.ledger)) ?? rankFacts(reading.ledger, offersMax(input.budgetTokens)),
    context: once(() => createContext(stillTelling(reading), said())),
    resultContext: once(() => createContext(results(), { ...given, earlier: [] })),
    ...(focus !== undefined &&
      focus.prose.length > 0 && { focused: once(() => createContext(focus.prose, { ...given, earlier: [] })) }),
  };
}

/** What makes sentences untrue. */
function whatCameSince({ reading, kept, withdrawn }: Source) {
  const isOvercome = overcomeIn(reading, kept);
  return { mendedUpTo: reading.mendedUpTo, withdrawn, isSuperseded: supersededIn(reading, kept), isOvercome };
}

/** What tells how far items of a list have come, and those of another tool's summary that were taken up since. */
function itemsOf({ reading, kept, foreign }: Source, done: readonly string[]): Items {
  const calls = [...reading.log.values(), ...Array.from(kept.ends.succeeded, (brief) => ({ name: "", brief }))];
  const closed = [...done, ...closingCalls(calls)];
  return { closed, taken: foreign === "" ? [] : takenUp(foreignPending(foreign, closed), claimingCalls(calls)) };
}

type Items = Pick<NextInput, "closed" | "taken">;

interface Steps {
  readonly next: NextInput;
  readonly left: readonly string[];
  readonly isOfTurn: boolean;
  /** Somebody wrote down what comes next. */
  readonly isPlanned: boolean;
}

/**
 * That the work was stopped stands before all else, what failed before any plan, what the turn that goes on still has to do before where it is;
 * a new request before both.
 */
function inTurn({ next, left, isOfTurn, isPlanned }: Steps, { reading, kept }: Source): readonly string[] {
  const stopped = next.newestCall?.isStopped === true ? [stoppedLine(reading.language)] : [];
  if (isPlanned) return [...stopped, ...failedBefore(next), ...left];
  const now = nextOf(next);
  const isNew = reading.requests.length > 0 || kept.prose.some(({ isUser, message }) => isUser && message >= 0);
  return isNew && !isOfTurn ? [...stopped, ...now, ...left] : [...stopped, ...left, ...now];
}

/** What the assistant said last, of an agent that writes commands instead of calling; empty for any other. */
function writtenLast({ reading, kept, userTools }: Source): CallTalk {
  const last =
    reading.observations + kept.ends.observations > 0 ? inOrder(reading.prose, kept.prose).at(-1) : undefined;
  return { said: last === undefined || last.isUser ? "" : last.text, language: reading.language, userTools };
}

/** Without what succeeded since, here or in the messages that stay. */
function failuresOf({ reading, kept, before }: Source, open: ToolFailure | undefined): readonly ToolFailure[] {
  const keyOf = ({ toolName, summary }: ToolFailure): string => {
    const end = summary.indexOf(OUTCOME_MARK);
    return failureKeyOf(toolName, end < 0 ? "" : summary.slice(0, end));
  };
  const isOvercomeBetween = (failure: Failure): boolean => (kept.overcome.get(keyOf(failure)) ?? -1) > failure.message;
  const fresh = reading.failures
    .filter((failure) => failure !== open && isWorthTelling(failure) && !isOvercomeBetween(failure))
    .toReversed()
    .map(({ toolName, summary }) => ({ toolName, summary }));
  const earlier = before.checkpoint === undefined ? [] : failuresIn(before.checkpoint);
  return mergeFailures(fresh, earlier, reading)
    .filter((failure) => !kept.ends.succeeded.has(keyOf(failure)))
    .slice(0, FAILURES_MAX);
}

/** The newest fill any room that is left, and say more about what goes on than what was read long ago. Who asks for a subject may mean any. */
function resultsToTell({ results }: Reading, { instructions }: SummaryInput): Reading["results"] {
  return instructions === undefined ? results.slice(-RESULTS_READ) : results;
}

/** Newest first, each line made only when there is room for it. */
function* logOf({ reading, kept }: Source): Iterable<string> {
  const { failed } = kept.ends;
  const calls = [...reading.log.values()].toReversed();
  yield* callLog(failed.size === 0 ? calls : calls.filter(({ name, brief }) => !failed.has(failureKeyOf(name, brief))));
}

/** Each item is made when somebody first gets so far, and kept for whoever goes through them again. */
function remembered<Item>(items: Iterable<Item>): () => Iterable<Item> {
  const known: Item[] = [];
  const rest = items[Symbol.iterator]();
  return function* () {
    yield* known;
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      known.push(next.value);
      yield next.value;
    }
  };
}

function foreignSummary(messages: readonly Message[]): string {
  const newest = messages.findLast(isForeignSummary);
  return newest?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
}

/** What a summary of another tool's that leaves says was done and settled; it stands for what came before it. */
function earlierIn(leaving: readonly Message[]): Earlier {
  return { checkpoint: foreignCheckpoint(foreignSummary(leaving)), lines: [], text: "" };
}

/** Of an earlier summary what nobody will say again: the user's corrections, then reasons, newest first. */
function earlierContext(lines: readonly string[], language: Language): readonly string[] {
  const said = lines.toReversed().filter((line) => !line.includes(OUTCOME_MARK));
  const isUsers = (line: string): boolean => line.startsWith(userLabel(language));
  return [...said.filter(isUsers), ...said.filter((line) => !isUsers(line) && CUES[language].reason.test(line))];
}

/** Everything in a kept message that its reader sees, call arguments included. */
function readableTexts(message: Message): readonly string[] {
  const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [JSON.stringify(part.input)] : []));
  return [...textsOf(message.parts), ...calls];
}
