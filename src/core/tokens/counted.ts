/** The facts beside the messages that decide how many tokens they cost: provider, model, detail of media. Nothing learned from usage. */

import { formatRules } from "../format-rules.ts";
import { isObject, type JsonObject, type JsonValue, stringOf } from "../json.ts";
import type { FormatName, MediaPart } from "../message.ts";
import { isClaude, isKnownBefore, SINCE_OPUS_4_7 } from "../thinking.ts";

export interface Counted {
  readonly format: FormatName;
  readonly model?: string;
  readonly mediaDetail?: string;
}

/** The facts of a request body (or a bare list) for a model; an empty name counts as none. */
export function countedIn(format: FormatName, body: JsonValue | undefined, model: string | undefined): Counted {
  const mediaDetail = requestDetail(format, body);
  return {
    format,
    ...(model !== undefined && model !== "" && { model }),
    ...(mediaDetail !== undefined && { mediaDetail }),
  };
}

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

/** A bare word, or an object around it; undefined where the resolution is stated as unspecified. */
function resolutionIn(holder: JsonObject): string | undefined {
  const stated = holder.mediaResolution ?? holder.media_resolution;
  const level = stringOf(isObject(stated) ? stated.level : stated);
  return level === "MEDIA_RESOLUTION_UNSPECIFIED" ? undefined : level;
}

/** Anthropic's documentation: "roughly 30 % more" than earlier Claude models, whose counts the estimate matches. */
const NEW_CLAUDE_FACTOR = 1.3;

/** Tokens of a text for a model, as a multiple of the estimate; 1 for a model that is not named or not known. */
export function textFactor(model = ""): number {
  return isClaude(model) && !isKnownBefore(SINCE_OPUS_4_7, model) ? NEW_CLAUDE_FACTOR : 1;
}
