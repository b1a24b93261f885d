/** The telemetry port: spans around the work, numbers of events. Whoever implements it never throws and changes nothing. */

import type { HookEvent } from "./hook-events.ts";

export type Attributes = Record<string, string | number | boolean>;

export interface Telemetry {
  /** Runs within a span that ends with it; spans that are started inside become its children. */
  span<Result>(
    name: string,
    attributes: Attributes,
    run: (note: (attributes: Attributes) => void) => Promise<Result>,
  ): Promise<Result>;
  /** Metrics of an event; most have none. */
  record(event: HookEvent, attributes: Attributes): void;
}
