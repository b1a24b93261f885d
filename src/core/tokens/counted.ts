/** What decides, beside the messages themselves, how many tokens they cost: the provider, its model, and what a request asks for. */

import type { JsonValue } from "../json.ts";
import type { FormatName } from "../message.ts";
import { requestDetail } from "./media-detail.ts";

export interface Counted {
  readonly format: FormatName;
  readonly model?: string;
  readonly mediaDetail?: string;
}

/** Of a request body (or a bare list) that goes to a model; an empty name is none. */
export function countedIn(format: FormatName, body: JsonValue | undefined, model: string | undefined): Counted {
  const mediaDetail = requestDetail(format, body);
  return {
    format,
    ...(model !== undefined && model !== "" && { model }),
    ...(mediaDetail !== undefined && { mediaDetail }),
  };
}
