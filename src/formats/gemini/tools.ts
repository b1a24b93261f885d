/** Gemini tool definitions, read and written in the neutral form. Reading turns Gemini's own schema into JSON Schema. */

import { isArray, isObject, type JsonArray, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import type { ReadTools, ToolDefinition } from "../../core/ports.ts";
import { fieldOf, keyOf } from "./spelling.ts";

export function readTools(tools: JsonValue | undefined): ReadTools {
  const groups = listOf(tools).filter(isObject);
  return {
    definitions: groups.flatMap((group) => listOf(fieldOf(group, "functionDeclarations")).flatMap(readDeclaration)),
    // Every other key is a tool that the provider runs: `googleSearch`, `codeExecution`, `urlContext`, …
    foreign: groups.flatMap((group) =>
      Object.keys(group).filter((key) => key !== keyOf(group, "functionDeclarations")),
    ),
  };
}

export function writeTools(definitions: readonly ToolDefinition[]): JsonValue {
  if (definitions.length === 0) return [];
  const functionDeclarations = definitions.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  }));
  return [{ functionDeclarations }];
}

function readDeclaration(declaration: JsonValue): readonly ToolDefinition[] {
  if (!isObject(declaration)) return [];
  const name = stringOf(declaration.name);
  if (name === undefined) return [];
  const own = isObject(declaration.parameters) ? toJsonSchema(declaration.parameters) : undefined;
  const parameters = fieldOf(declaration, "parametersJsonSchema") ?? own;
  return [
    {
      name,
      ...(typeof declaration.description === "string" && { description: declaration.description }),
      ...(parameters !== undefined && { parameters }),
    },
  ];
}

/** Gemini's schema is OpenAPI's: types may be upper case, null is a flag, and the order of properties is stated. */
function toJsonSchema(schema: JsonObject): JsonObject {
  const { nullable, propertyOrdering: _, property_ordering: __, ...rest } = schema;
  const fields = Object.entries(rest).map(([key, value]): [string, JsonValue | undefined] => {
    if (key === "type" && typeof value === "string") return [key, toType(value, nullable === true)];
    if (key === "anyOf" || key === "any_of") return ["anyOf", isArray(value) ? value.map(schemaOr) : value];
    if (key === "items") return [key, schemaOr(value ?? null)];
    if (key === "properties" && isObject(value)) return [key, mapValues(value)];
    return COUNTS.has(key) && typeof value === "string" ? [key, Number(value)] : [key, value];
  });
  return Object.fromEntries(fields);
}

/** 64-bit integers, which protobuf JSON writes as strings. */
const COUNTS: ReadonlySet<string> = new Set([
  "minItems",
  "maxItems",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
]);

function toType(type: string, isNullable: boolean): JsonValue {
  return isNullable ? [type.toLowerCase(), "null"] : type.toLowerCase();
}

function schemaOr(value: JsonValue): JsonValue {
  return isObject(value) ? toJsonSchema(value) : value;
}

function mapValues(properties: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, schemaOr(value ?? null)]));
}

function listOf(value: JsonValue | undefined): JsonArray {
  if (isArray(value)) return value;
  return value === undefined ? [] : [value];
}
