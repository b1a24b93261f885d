/** What a language's table of cues holds, and how its entries are written. A cue only suggests; it never changes a sentence. */

import { quick } from "../text/quick-expressions.ts";

export interface CueTable {
  /** In a user's message: it asks for something to be done. */
  readonly request: RegExp;
  /** A whole message that only agrees, thanks or tells to go on. */
  readonly assent: RegExp;
  /** In a user's sentence: a rule or a preference. */
  readonly constraint: RegExp;
  /** Says by itself that one of several ways was taken. */
  readonly chosen: RegExp;
  /** Takes a way, but only a reason beside it shows that there were others. */
  readonly commit: RegExp;
  /** Sets out to make or change something, whatever it is: beside what it is for, that was chosen too. Looking, asking and telling change nothing. */
  readonly means: RegExp;
  /** Says what mends a thing, whoever does it: among people who only talk it is advice. */
  readonly remedy: RegExp;
  /** Takes one way and names the other. */
  readonly contrast: RegExp;
  /** Begins a user's order to take one way, or names that way alone: with a reason behind it, that was chosen. */
  readonly pick: RegExp;
  /** Before the way that is not taken. */
  readonly against: RegExp;
  /** Leaves a way open: several are named and none is taken, it is conditional, or it is advice to whoever reads. */
  readonly open: RegExp;
  /** In a question: it leaves a choice to whoever is asked. */
  readonly choice: RegExp;
  /** Begins the clause that says why. */
  readonly reason: RegExp;
  /** Something was done, in the past. */
  readonly done: RegExp;
  /** In a message that ends a turn, told by the form of the verb alone: something has come to its end, whatever it was. */
  readonly finished: RegExp;
  /** Takes a claim of completion back: it is denied, conditional, intended or failed. */
  readonly undone: RegExp;
  /** Something is to come. */
  readonly next: RegExp;
  /** The words before an announced action that can be left out of it. */
  readonly lead: RegExp;
  /** An announced action that only looks at something, tries or tells. */
  readonly looking: RegExp;
  /** Nothing goes on without somebody or something else. */
  readonly blocked: RegExp;
  /** What was found out. */
  readonly finding: RegExp;
  /** Only supposed. */
  readonly hedge: RegExp;
  /** A label above a list of what comes next. */
  readonly nextLabel: RegExp;
  /** A label of what is still owed: a proposal for what might come next is none. */
  readonly leftLabel: RegExp;
  /** In the line above a numbered list: its items are to be done one by one. */
  readonly planLabel: RegExp;
  /** Between two parts of a request, of which the second comes after the first. */
  readonly after: RegExp;
}

/** Whatever its case. */
export const cue = (source: string): RegExp => quick(source, "i");
/**
 * Words of alphabets stand alone. ASCII first: nearly every place is settled by it, and whether a character is a letter of any script
 * takes long to tell.
 */
export const words = (list: string): RegExp => cue(`(?<![a-z0-9]|[\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`);
/** Scripts without blanks, or with endings grown onto words, are searched anywhere. */
export const anywhere = (list: string): RegExp => cue(list);
/** At the very beginning. */
export const opening = (list: string): RegExp => cue(`^(?:${list})`);
/** Nothing else but these and marks between them. */
export const only = (list: string): RegExp =>
  cue(`^(?:[\\s\\p{P}\\p{S}]*(?:${list})(?![\\p{L}\\p{N}]))+[\\s\\p{P}\\p{S}]*$`);
/** The same for scripts without blanks. */
export const onlyAnywhere = (list: string): RegExp => cue(`^(?:[\\s\\p{P}\\p{S}]*(?:${list}))+[\\s\\p{P}\\p{S}]*$`);
/** Words between clauses, with the marks and blanks around them. */
export const between = (list: string): RegExp => cue(`(?:[,;.]\\s+|\\s+)(?:${list}),?\\s+`);
/** The same for scripts without blanks. */
export const betweenAnywhere = (list: string): RegExp => cue(`[，。；、,;.]\\s*(?:${list})[，、,]?\\s*`);
export const never = /(?!)/u;
