/** Contract suites for plug-ins, the generators behind them, and a server that stands in for the model providers. For test code; nothing in the library imports this. */

export { type ContractCase, type ContractOptions, formatContract } from "./format-contract.ts";
export { createRandom, type Random } from "./random.ts";
export { generateScript, type Item, type Line, type ScriptOptions } from "./script.ts";
export {
  type Fault,
  type ModelRequest,
  type OverflowMode,
  type ProviderCall,
  type ProviderServer,
  type ProviderServerOptions,
  type RecordedRequest,
  type Reply,
  type RequestOutcome,
  type ScriptedReply,
  type ScriptedStop,
  startProviderServer,
  type ToolCall,
} from "./server.ts";
export { parseShorthand } from "./shorthand.ts";
export { type OpenedStore, type StoreCase, storeContract, trafficContract } from "./store-contract.ts";
export { generateBody } from "./wire-bodies.ts";
