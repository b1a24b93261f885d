/** Chat tool definitions, read and written in the neutral form. */

import { isArray, isObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { ReadTools, ToolDefinition } from "../../core/ports.ts";
import { readFunction } from "../openai-tools.ts";

export function readTools(tools: JsonValue | undefined): ReadTools {
  const definitions: ToolDefinition[] = [];
  const foreign: string[] = [];
  for (const tool of isArray(tools) ? tools : []) {
    if (!isObject(tool)) continue;
    const definition = isObject(tool.function) ? readFunction(tool.function) : undefined;
    if (definition !== undefined) definitions.push(definition);
    else foreign.push((isObject(tool.custom) ? stringOf(tool.custom.name) : undefined) ?? stringOf(tool.type) ?? "");
  }
  return { definitions, foreign };
}

export function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map(({ name, description, parameters }) => ({
    type: "function",
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
    },
  }));
}
