/** What a language's table of cues holds, and how its entries are written. A cue only suggests; it never changes a sentence. */

export interface CueTable {
  /** In a user's message: it asks for something to be done. */
  readonly request: RegExp;
  /** A whole message that only agrees, thanks or tells to go on. */
  readonly assent: RegExp;
  /** In a user's sentence: a rule or a preference. */
  readonly constraint: RegExp;
  /** A choice that was made. */
  readonly decision: RegExp;
  /** Begins the clause that says why. */
  readonly reason: RegExp;
  /** Something was done, in the past. */
  readonly done: RegExp;
  /** Takes a claim of completion back: it is denied, conditional, intended or failed. */
  readonly undone: RegExp;
  /** Something is to come. */
  readonly next: RegExp;
  /** The words before an announced action that can be left out of it. */
  readonly lead: RegExp;
  /** Nothing goes on without somebody or something else. */
  readonly blocked: RegExp;
  /** What was found out. */
  readonly finding: RegExp;
  /** Only supposed. */
  readonly hedge: RegExp;
  /** A label above a list of what comes next. */
  readonly nextLabel: RegExp;
}

/** Words of alphabets stand alone. */
export const words = (list: string): RegExp => new RegExp(`(?<![\\p{L}\\p{N}])(?:${list})(?![\\p{L}\\p{N}])`, "iu");
/** Scripts without blanks, or with endings grown onto words, are searched anywhere. */
export const anywhere = (list: string): RegExp => new RegExp(list, "iu");
/** At the very beginning. */
export const opening = (list: string): RegExp => new RegExp(`^(?:${list})`, "iu");
/** Nothing else but these and marks between them. */
export const only = (list: string): RegExp =>
  new RegExp(`^(?:[\\s\\p{P}\\p{S}]*(?:${list})(?![\\p{L}\\p{N}]))+[\\s\\p{P}\\p{S}]*$`, "iu");
/** The same for scripts without blanks. */
export const onlyAnywhere = (list: string): RegExp =>
  new RegExp(`^(?:[\\s\\p{P}\\p{S}]*(?:${list}))+[\\s\\p{P}\\p{S}]*$`, "iu");
export const never = /(?!)/u;
