/** Anthropic tool definitions, read and written in the neutral form. */

import { isArray, isObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { ReadTools, ToolDefinition } from "../../core/ports.ts";

export function readTools(tools: JsonValue | undefined): ReadTools {
  const definitions: ToolDefinition[] = [];
  const foreign: string[] = [];
  for (const tool of isArray(tools) ? tools : []) {
    if (!isObject(tool)) continue;
    const type = stringOf(tool.type) ?? "custom";
    if (type !== "custom" || typeof tool.name !== "string") {
      foreign.push(type);
      continue;
    }
    definitions.push({
      name: tool.name,
      ...(typeof tool.description === "string" && { description: tool.description }),
      ...(tool.input_schema !== undefined && { parameters: tool.input_schema }),
    });
  }
  return { definitions, foreign };
}

export function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  return definitions.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    input_schema: parameters ?? { type: "object" },
  }));
}
