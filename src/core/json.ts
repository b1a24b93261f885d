/** The shapes that `JSON.parse` can return, and the few questions asked of them at every border. Reads only. */

export type JsonValue = string | number | boolean | null | JsonArray | JsonObject;
export type JsonArray = readonly JsonValue[];
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isArray(value: unknown): value is JsonArray {
  return Array.isArray(value);
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function numberOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Nesting that recursive walks, `JSON.stringify` among them, are safe with. */
export const JSON_DEPTH_MAX = 512;

/** Whether a JSON text nests deeper than that; looks at brackets outside strings only, and never recurses. */
export function isTooDeep(json: string): boolean {
  if (json.length <= JSON_DEPTH_MAX) return false;
  let depth = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "\\") at++;
    else if (character === '"') isString = !isString;
    else if (isString) continue;
    else if (character === "[" || character === "{") {
      if (++depth > JSON_DEPTH_MAX) return true;
    } else if (character === "]" || character === "}") depth--;
  }
  return false;
}
