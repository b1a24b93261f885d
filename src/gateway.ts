/** The gateway as a library: an HTTP handler for a server of your own, or a server that is ready. Only names stand here. */

export { createGateway, type Gateway, type GatewayLogLine, type GatewayOptions } from "./gateway/handler.ts";
export type { GatewayLimits } from "./gateway/limits.ts";
export { type GatewayServer, type ServeOptions, serveGateway } from "./gateway/serve.ts";
