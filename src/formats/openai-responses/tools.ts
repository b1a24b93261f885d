/** Responses tool definitions, read and written in the neutral form. */

import { isArray, isObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { ReadTools, ToolDefinition } from "../../core/ports.ts";
import { readFunction } from "../openai-tools.ts";

export function readTools(tools: JsonValue | undefined): ReadTools {
  const definitions: ToolDefinition[] = [];
  const foreign: string[] = [];
  for (const tool of isArray(tools) ? tools : []) {
    if (!isObject(tool)) continue;
    const definition = tool.type === "function" ? readFunction(tool) : undefined;
    if (definition !== undefined) definitions.push(definition);
    else foreign.push(stringOf(tool.name) ?? stringOf(tool.server_label) ?? stringOf(tool.type) ?? "");
  }
  return { definitions, foreign };
}

/** `strict` defaults to true here, which would refuse schemas that other providers accept. */
export function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? null,
    strict: false,
  }));
}
