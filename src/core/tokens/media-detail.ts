/** How closely media are looked at, where the provider lets a request say so: that decides what they cost. Pure. */

import { formatRules } from "../format-rules.ts";
import { isObject, type JsonObject, type JsonValue, stringOf } from "../json.ts";
import type { FormatName, MediaPart } from "../message.ts";

/** Gemini's `mediaResolution` for all media of a request: in `generationConfig` of a REST body, in the SDK's `config`. A part's own wins. */
export function requestDetail(format: FormatName, body: JsonValue | undefined): string | undefined {
  if (!isObject(body)) return undefined;
  for (const key of formatRules(format).mediaDetailKeys) {
    const holder = body[key];
    const stated = isObject(holder) ? resolutionIn(holder) : undefined;
    if (stated !== undefined) return stated;
  }
  return undefined;
}

/** OpenAI's `detail` stands in the block or inside its `image_url`; Gemini's `mediaResolution` in the part. */
export function partDetail({ wire }: MediaPart): string | undefined {
  if (wire === undefined) return undefined;
  return detailIn(wire) ?? detailIn(wire.image_url) ?? resolutionIn(wire);
}

function detailIn(holder: JsonValue | undefined): string | undefined {
  return isObject(holder) ? (stringOf(holder.detail) ?? stringOf(holder.level)) : undefined;
}

/** A bare word, or an object around it; undefined where it only says that it says nothing. */
function resolutionIn(holder: JsonObject): string | undefined {
  const stated = holder.mediaResolution ?? holder.media_resolution;
  const level = stringOf(isObject(stated) ? stated.level : stated);
  return level === "MEDIA_RESOLUTION_UNSPECIFIED" ? undefined : level;
}
