/** A function definition: nested in Chat tools, flat in Responses tools, otherwise the same. Reads only. */

import { type JsonObject, stringOf } from "../core/json.ts";
import type { ToolDefinition } from "../core/ports.ts";

export function readFunction(json: JsonObject): ToolDefinition | undefined {
  const { name, parameters } = json;
  const description = stringOf(json.description);
  if (typeof name !== "string") return undefined;
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && parameters !== null && { parameters }),
  };
}
