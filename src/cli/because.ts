/** Why nothing is done, in words for the person who asked. */

export const BECAUSE: Readonly<Record<string, string>> = {
  "not-triggered": "no trigger fires",
  "auto-off": "this profile does not compact by itself",
  "strategy-none": "the strategy is none",
  "nothing-to-compact": "everything is protected",
  "zone-too-small": "too few messages may go",
  "no-legal-cut": "everything is in the protected tail",
  "frees-nothing": "a summary would not be smaller",
  "would-be-refused": "the provider would refuse what came of it",
  "server-history": "the provider holds the history that the request refers to",
  thrashing: "the last passes freed too little",
};
