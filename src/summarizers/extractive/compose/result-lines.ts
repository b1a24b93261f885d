/** What tools returned, for the room that nothing else wants: a log of calls with their outcome, and sentences for people. */

import { OUTCOME_MARK } from "../../../core/checkpoint/checkpoint.ts";
import type { Language } from "../../../core/checkpoint/language.ts";
import type { ToolResultPart } from "../../../core/message.ts";
import { isLooking, outcomeOf } from "../calls/call-outcome.ts";
import { createProse, type Prose } from "../reading/prose.ts";
import type { LoggedCall } from "../reading/reading.ts";
import { toolOutputName } from "../text/labels.ts";
import { quick } from "../text/quick-expressions.ts";
import { splitSentences } from "../text/sentences.ts";

/** The newest first. Of calls of one kind that returned nothing but data, the newest stands for all: they looked something up. */
export function* callLog(newestFirst: Iterable<LoggedCall>): Iterable<string> {
  const looked = new Set<string>();
  for (const call of newestFirst) {
    const { line, isData } = told(call);
    const kind = isData ? kindOf(call) : "";
    if (line === "" || looked.has(kind)) continue;
    if (isData) looked.add(kind);
    yield line;
  }
}

/** A command by its first two words: "git push" and "git show" differ. */
function kindOf({ name, brief }: LoggedCall): string {
  const words = brief.split(/\s+/, 2);
  return [name, ...(COMMAND_TOOL.test(name) ? words : words.slice(0, 1))].join(" ");
}

const COMMAND_TOOL = /bash|shell|terminal|command|exec$/i;

/** Behind "status: ok" there is more than that. */
const DATA_CHARS_MIN = 200;

interface ToldCall {
  /** Empty for a call that only looked at something, and for commits, which stand elsewhere. */
  readonly line: string;
  /** Something came of it, but no words. */
  readonly isData: boolean;
}

function told({ name, brief, result }: LoggedCall): ToldCall {
  const nothing: ToldCall = { line: "", isData: false };
  if (isLooking(brief.replace(REDIRECTION, "")) || LOOKING_TOOL.test(name) || brief.includes("git commit"))
    return nothing;
  const said = outcomeOf(result);
  const outcome = EMPTY_OUTCOME.test(said) ? "" : said;
  // Neither what was called for nor what came of it, or a search that found nothing.
  if (outcome === "" && (brief === "" || /\|\s*(?:grep|rg|head|tail)\b/.test(brief))) return nothing;
  const line = `${name}: ${brief}${outcome === "" ? "" : `${OUTCOME_MARK}${outcome}`}`;
  const charsMin = said === "" ? 1 : DATA_CHARS_MIN;
  const isData = outcome === "" && result.content.some((part) => part.type === "text" && part.text.length >= charsMin);
  return { line, isData };
}

/** What was found by them is told by what was done with it. */
const LOOKING_TOOL =
  /^(?:grep|glob|ls|read|view|search|find|list|think|todo)(?![a-z])|(?:^|_)(?:read|list|search|glob|grep|view|find)_(?:files?|dir(?:ectory)?|code|text|pattern)|todo_?write|process_thoughts/i;
/** Where a command's words go changes nothing that it does. */
const REDIRECTION = /\s*(?:2>&1|[12&]?>\s*\/dev\/null)/g;

/** "(no output)", "success: true": every call ends so. */
const EMPTY_OUTCOME =
  /^[\s"'{[(\\]*(?:(?:bash |command |tool )?(?:ran |executed |completed )?(?:with |successfully,? (?:with )?)?no (?:output|content|result)s?|(?:success|ok|status|result)["'\\]*\s*[:=]\s*["'\\]*(?:true|ok|success|done|null)|success|ok|done|true|null|none|undefined|debugger attached)["'\s}\]).,\\]*$/i;

const RESULT_CHARS = 1_200;
const RESULT_SENTENCES_MAX = 12;

/** Sentences from the beginnings of results that are written for people: full stops, few marks of code, said only once. Each as the tool's. */
export function resultProse(results: readonly ToolResultPart[], language: Language): readonly Prose[] {
  const speaker = toolOutputName(language);
  const found = results.map(sentencesOf);
  const times = new Map<string, number>();
  for (const sentences of found) {
    for (const key of new Set(sentences.map(keyOf))) times.set(key, (times.get(key) ?? 0) + 1);
  }
  return found.flatMap((sentences, message) => {
    const once = sentences.filter((sentence) => (times.get(keyOf(sentence)) ?? 0) <= 1).join("\n");
    if (once === "") return [];
    const text = `${speaker}: ${once}`;
    return [createProse({ message, isUser: false, isRequest: false, isFinal: false, speaker, text })];
  });
}

function sentencesOf(result: ToolResultPart): readonly string[] {
  const part = result.content.find((inner) => inner.type === "text");
  if (part?.type !== "text") return [];
  const beginning = part.text.slice(0, RESULT_CHARS);
  if (!MAYBE_FOR_PEOPLE.test(beginning)) return [];
  const note = beginning.indexOf("<system-reminder>");
  return splitSentences(note < 0 ? beginning : beginning.slice(0, note), { sentencesMax: RESULT_SENTENCES_MAX }).filter(
    isWrittenForPeople,
  );
}

/** What tools say every time differs in names and numbers only. */
function keyOf(sentence: string): string {
  return sentence.replace(/\S*[/\d_]\S*/g, "#");
}

/** What every such sentence has in it; most results have nothing of the kind, and one look tells. */
const MAYBE_FOR_PEOPLE =
  /(?<![A-Za-z0-9_/:-])[A-Z\u0080-\uffff](?=[^{}<>=|\\\n]{20})[^{}<>=|\\\n.!?。！？]*[.!?。！？]/;

function isWrittenForPeople(sentence: string): boolean {
  return (
    /^[\p{Lu}\p{Lo}].{20,}[.!?。！？]$/u.test(sentence) &&
    !/[{}<>=|\\]|::|->|\(\)/.test(sentence) &&
    !TELLS_READER.test(sentence)
  );
}

/** "Please retry your edit command.", "Use `mix explain` for more.": what a tool wants its caller to do says nothing about what it found. */
const TELLS_READER = quick(
  String.raw`^(?:(?:please|kindly|bitte|veuillez|por favor|per favore|per piacere|пожалуйста)(?!\p{L})|(?:use|run|try|see|check|consider|ensure|review|read|visit|call|retry|provide|specify|install|add|remove|set|refer|fix|open|pass|avoid|remember)(?= (?:[\x60"'“]|(?:the|a|an|this|that|these|your|it|them|another|again|to|using|running|with)(?!\p{L})))|(?:make sure|do not|don['’]t|be sure)(?!\p{L}))|^请|(?:ください|下さい)[。！]$|(?:하세요|하십시오)[.]$`,
  "i",
);
