/** Contract suites for plug-ins, and the generators behind them. For test code; nothing in the library imports this. */

export { type ContractCase, type ContractOptions, formatContract } from "./format-contract.ts";
export { createRandom, type Random } from "./random.ts";
export { generateScript, type Item, type Line, type ScriptOptions } from "./script.ts";
export { parseShorthand } from "./shorthand.ts";
export { type OpenedStore, type StoreCase, storeContract } from "./store-contract.ts";
export { generateBody } from "./wire-bodies.ts";
