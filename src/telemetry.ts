/** Spans and metrics through `@opentelemetry/api`, where it is installed or handed in. Never throws, never records a message's text. */

import type { Attributes, HookEvent, Telemetry } from "./core/hooks/hook-events.ts";
import { once } from "./core/remember.ts";

/** The part of a tracer and a meter that we use; those of `@opentelemetry/api` fit. */
export interface TelemetryParts {
  readonly tracer?: TelemetryTracer;
  readonly meter?: TelemetryMeter;
}

export interface TelemetryTracer {
  startActiveSpan<Result>(
    name: string,
    options: { readonly attributes: Attributes },
    run: (span: TelemetrySpan) => Result,
  ): Result;
}

export interface TelemetrySpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  end(): void;
}

export interface TelemetryMeter {
  createCounter(name: string, options: InstrumentOptions): { add(value: number, attributes: Attributes): void };
  createHistogram(name: string, options: InstrumentOptions): { record(value: number, attributes: Attributes): void };
}

interface InstrumentOptions {
  readonly description: string;
  readonly unit: string;
  /** The API's default boundaries end at 10,000, where a compaction begins. */
  readonly advice?: { readonly explicitBucketBoundaries: number[] };
}

/** Default: `@opentelemetry/api`, where it is installed; it does nothing until an SDK is set up. */
export function createTelemetry(option: boolean | TelemetryParts = true): Telemetry {
  if (option === false) return SILENT;
  let loaded: Instruments | undefined;
  const load = once(async (): Promise<Instruments> => {
    loaded = toInstruments(option === true ? await loadApi() : option);
    return loaded;
  });
  return {
    span: async (name, attributes, run) => inSpan((loaded ?? (await load())).tracer, { name, attributes }, run),
    record: (event, attributes) => quietly(() => loaded?.record?.(event, attributes)),
  };
}

const SILENT: Telemetry = { span: (_name, _attributes, run) => run(() => {}), record: () => {} };

interface Instruments {
  readonly tracer: TelemetryTracer | undefined;
  readonly record: ((event: HookEvent, attributes: Attributes) => void) | undefined;
}

function toInstruments({ tracer, meter }: TelemetryParts): Instruments {
  return { tracer, record: meter === undefined ? undefined : quietly(() => recorderOf(meter)) };
}

const SCOPE = "palimpsest";
/** Not a literal in `import`: compilers and bundlers would require the optional package. */
const API: string = "@opentelemetry/api";
/** Imported once: even for a loaded module the loader takes a tenth of a millisecond. */
const importApi = once((): Promise<unknown> => import(API));

async function loadApi(): Promise<TelemetryParts> {
  try {
    const api = await importApi();
    // By shape: both entry points are the same since version 1.3 of the API.
    const { trace, metrics } = api as {
      readonly trace?: { getTracer(name: string): TelemetryTracer };
      readonly metrics?: { getMeter(name: string): TelemetryMeter };
    };
    const [tracer, meter] = [trace?.getTracer(SCOPE), metrics?.getMeter(SCOPE)];
    return { ...(tracer !== undefined && { tracer }), ...(meter !== undefined && { meter }) };
  } catch {
    // Missing or unusable: like switched off.
    return {};
  }
}

/** OpenTelemetry's `SpanStatusCode.ERROR`. */
const STATUS_ERROR = 2;

async function inSpan<Result>(
  tracer: TelemetryTracer | undefined,
  { name, attributes }: { readonly name: string; readonly attributes: Attributes },
  run: (note: (attributes: Attributes) => void) => Promise<Result>,
): Promise<Result> {
  if (tracer === undefined) return run(() => {});
  // A tracer that throws, before or after its callback, must neither skip the work nor repeat it.
  let work: Promise<Result> | undefined;
  void quietly(() =>
    tracer.startActiveSpan(name, { attributes }, (span) => {
      work ??= run((more) => quietly(() => span.setAttributes(more)));
      return work.then(
        () => quietly(() => span.end()),
        (error: unknown) => {
          quietly(() => span.setStatus({ code: STATUS_ERROR, message: nameOf(error) }));
          quietly(() => span.end());
        },
      );
    }),
  );
  return work ?? run(() => {});
}

/** An error's text may quote a message; its name or code does not. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return "Error";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

/** Meaning of the numbers: docs/operations.md. */
function recorderOf(meter: TelemetryMeter): (event: HookEvent, attributes: Attributes) => void {
  const compactions = meter.createCounter("palimpsest.compactions", {
    description: "Compactions that were carried out",
    unit: "{compaction}",
  });
  const failures = meter.createCounter("palimpsest.summary.failures", {
    description: "Summaries that could not be made; the failure ladder was taken",
    unit: "{failure}",
  });
  const freed = meter.createHistogram("palimpsest.tokens.freed", {
    description: "Tokens that a compaction freed",
    unit: "{token}",
    advice: { explicitBucketBoundaries: [1e3, 5e3, 1e4, 2.5e4, 5e4, 1e5, 2.5e5, 5e5, 1e6] },
  });
  const duration = meter.createHistogram("palimpsest.compaction.duration", {
    description: "Duration of a compaction, summarizer included",
    unit: "s",
    advice: { explicitBucketBoundaries: [0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60] },
  });
  const ratio = meter.createHistogram("palimpsest.compaction.ratio", {
    description: "Tokens before divided by tokens after",
    unit: "1",
    advice: { explicitBucketBoundaries: [1, 1.5, 2, 3, 4, 5, 7.5, 10, 20] },
  });
  return (event, attributes) => {
    if (event.type === "summary-failed") failures.add(1, { ...attributes, "palimpsest.fallback": event.fallback });
    if (event.type !== "conversation-compacted") return;
    const labels = { ...attributes, "palimpsest.reason": event.reason, "palimpsest.strategy": event.strategy };
    compactions.add(1, labels);
    freed.record(event.tokensFreed, labels);
    duration.record(event.durationMs / MS_PER_SECOND, labels);
    ratio.record(event.ratio, labels);
  };
}

const MS_PER_SECOND = 1_000;

/** Runs code that must not make a pass fail; undefined where it throws. */
function quietly<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}
