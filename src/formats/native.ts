/** What reading the answers of providers' own compactions has in common. */

import type { JsonValue } from "../core/json.ts";
import type { NativeReading } from "../core/native-wire.ts";

export function hasText(value: JsonValue | undefined): boolean {
  return typeof value === "string" && value !== "";
}

export function unusable(because: string): NativeReading {
  return { type: "unusable", because };
}
