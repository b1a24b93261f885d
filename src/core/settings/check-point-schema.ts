/** The places in a host's loop where triggers are looked at, for settings and for one call alike. Data only. */

import type { SchemaFor } from "./schema.ts";
import type { CheckPoint } from "./settings.ts";

export const checkPointSchema: SchemaFor<CheckPoint> = {
  type: "choice",
  about: "When the triggers are looked at.",
  values: {
    afterUser: "after a user message was added",
    afterToolResults: "after tool results were added",
    beforeModelCall: "before every model call",
    afterTurn: "after a turn has ended",
    onOverflow: "when the provider refuses a request as too long",
    manual: "when asked by hand",
  },
};
