/**
 * Everything that was fitted, in one table: `bench/fidelity-fit.ts` tries other values on recorded sessions, leaving one source out at a time, and
 * prints what it finds. Shares are of the budget; gains are in units of one identifier that is certain to be used again.
 */
export const WEIGHTS = {
  /** What each section is offered before all compete for the rest. */
  reserve: {
    answered: 0.45,
    request: 0.22,
    rule: 0.05,
    plan: 0.12,
    log: 0.4,
    failure: 0.06,
    said: 0.12,
    known: 0.15,
    summary: 0.15,
    file: 0.05,
  },
  /** What one content word adds that nothing else said, times the logarithm of how often it was said. */
  word: {
    answered: 0.006,
    request: 0.03,
    rule: 0.05,
    plan: 0.02,
    log: 0.004,
    failure: 0.004,
    said: 0.006,
    known: 0.001,
    summary: 0.01,
    file: 0,
    /** Where nothing is called, in every section. */
    talk: 0.05,
  },
  /** So much more counts the newest of two that are equal. */
  tie: 0.05,
  /** How much more a word counts that many passages share. */
  shared: 1.25,
  /** What a line is worth for itself. */
  change: 0.5,
  run: 0.06,
  read: 0.02,
  failure: 0.3,
  choice: 4,
  conclusion: 0.15,
  /** Of a newest event, how much more it is worth; halved every so many events. */
  recency: 1,
  recencyEvents: 14,
  /** How much a cue raises or lowers a sentence. */
  cue: { rule: 3, exact: 1.5, conclusion: 2 },
  first: 2,
  /** What each character of a cut request's beginning is worth. */
  opening: 0.12,
  openingShare: 0.2,
  /** Behind so many passages, half as much more. */
  openingPassages: 6,
  /** What the newest request answers. */
  answered: 3,
  newest: 3,
  /** Longer lines are a little better than their cost says: each line costs so many characters besides. */
  lineChars: 8,
  /** A shorter unit costs as much as one of so many characters: small talk is short. */
  unitCharsMin: 40,
  /** What a modified file is worth to be listed. */
  modified: 0.1,
  /** How much more a line says that names what the caller asked for. */
  focus: 8,
  focusBonus: 4,
  focusReserve: 0.75,
  /** Bare names fill at most so much. */
  bareShare: 0.14,
};
