import { AsyncLocalStorage } from "node:async_hooks";
import { describe, expect, test } from "vitest";
import { conversation, listening, scriptedSummarizer } from "../test/watched-pass.ts";
import type { CompactorOptions } from "./compactor.ts";
import type { Attributes } from "./core/hooks/hook-events.ts";
import type { TelemetryMeter, TelemetryParts, TelemetrySpan, TelemetryTracer } from "./telemetry.ts";

interface KeptSpan {
  readonly name: string;
  readonly parent: string | undefined;
  readonly attributes: Attributes;
  status: { code: number; message?: string } | undefined;
  ends: number;
}

/** Keeps spans, and knows the parent as an SDK does: from the asynchronous context. */
function memoryTracer(): TelemetryTracer & { readonly spans: KeptSpan[] } {
  const active = new AsyncLocalStorage<KeptSpan>();
  const spans: KeptSpan[] = [];
  return {
    spans,
    startActiveSpan: (name, { attributes }, run) => {
      const parent = active.getStore()?.name;
      const kept: KeptSpan = { name, parent, attributes: { ...attributes }, status: undefined, ends: 0 };
      spans.push(kept);
      const span: TelemetrySpan = {
        setAttributes: (more) => Object.assign(kept.attributes, more),
        setStatus: (status) => {
          kept.status = status;
        },
        end: () => {
          kept.ends++;
        },
      };
      return active.run(kept, () => run(span));
    },
  };
}

type Point = readonly [name: string, value: number, attributes: Attributes];

function memoryMeter(): TelemetryMeter & { readonly points: Point[]; readonly units: Record<string, string> } {
  const points: Point[] = [];
  const units: Record<string, string> = {};
  const keep =
    (name: string) =>
    (value: number, attributes: Attributes): void => {
      points.push([name, value, attributes]);
    };
  const created = (name: string, { unit }: { readonly unit: string }): void => {
    units[name] = unit;
  };
  return {
    points,
    units,
    createCounter: (name, options) => {
      created(name, options);
      return { add: keep(name) };
    },
    createHistogram: (name, options) => {
      created(name, options);
      return { record: keep(name) };
    },
  };
}

const LARGE = conversation(12, 28_200);

function fitted(telemetry: boolean | TelemetryParts, options: Partial<CompactorOptions> = {}, answer?: Error) {
  return listening({ telemetry, ...options }, scriptedSummarizer(answer)).compactor.fit(LARGE);
}

describe("spans", () => {
  test("one around the pass, one around the summarizer inside it", async () => {
    const tracer = memoryTracer();
    const { report } = await fitted({ tracer });
    expect(tracer.spans).toEqual([
      {
        name: "palimpsest.compact",
        parent: undefined,
        attributes: {
          "palimpsest.profile": "micro-agent",
          "palimpsest.reason": "absolute",
          "palimpsest.outcome": "absolute",
          "palimpsest.compacted": true,
          "palimpsest.tokens.before": report.tokensBefore,
          "palimpsest.tokens.after": report.tokensAfter,
          "palimpsest.calls": 1,
          "palimpsest.steps": 1,
        },
        status: undefined,
        ends: 1,
      },
      {
        name: "palimpsest.summarize",
        parent: "palimpsest.compact",
        attributes: {
          "palimpsest.summarizer": "scripted 3",
          "palimpsest.messages": 18,
          "palimpsest.budget_tokens": expect.any(Number),
          "palimpsest.calls": 1,
        },
        status: undefined,
        ends: 1,
      },
    ]);
  });

  test("none for a request that is let through", async () => {
    const tracer = memoryTracer();
    await listening({ telemetry: { tracer } }).compactor.fit(conversation(2, 100));
    expect(tracer.spans).toEqual([]);
  });

  test("a failure is marked, and named without its text", async () => {
    const tracer = memoryTracer();
    const ladder = { failure: { ladder: ["throw"] } } as const;
    await expect(fitted({ tracer }, ladder, new Error("secret words"))).rejects.toThrow();
    expect(tracer.spans.map(({ name, status, ends }) => ({ name, status, ends }))).toEqual([
      { name: "palimpsest.compact", status: { code: 2, message: "summary-failed" }, ends: 1 },
      { name: "palimpsest.summarize", status: { code: 2, message: "Error" }, ends: 1 },
    ]);
    expect(JSON.stringify(tracer.spans)).not.toContain("secret");
  });
});

describe("metrics", () => {
  test("count, freed tokens, seconds and ratio of a compaction", async () => {
    const meter = memoryMeter();
    const { report } = await fitted({ meter });
    const labels = {
      "palimpsest.profile": "micro-agent",
      "palimpsest.reason": "absolute",
      "palimpsest.strategy": "summarize",
    };
    expect(meter.points).toEqual([
      ["palimpsest.compactions", 1, labels],
      ["palimpsest.tokens.freed", report.tokensBefore - report.tokensAfter, labels],
      ["palimpsest.compaction.duration", 0.005, labels],
      ["palimpsest.compaction.ratio", report.ratios.whole, labels],
    ]);
    expect(meter.units["palimpsest.compaction.duration"]).toBe("s");
  });

  test("a failed summary is counted, and no compaction", async () => {
    const meter = memoryMeter();
    await fitted({ meter }, {}, new Error("no model"));
    const labels = { "palimpsest.profile": "micro-agent", "palimpsest.fallback": "keep-and-trim" };
    expect(meter.points).toEqual([["palimpsest.summary.failures", 1, labels]]);
  });
});

describe("whatever telemetry does, the pass is the same", () => {
  const broken = (): never => {
    throw new Error("exporter broke");
  };
  const brokenSpan: TelemetrySpan = { setAttributes: broken, setStatus: broken, end: broken };
  const cases: readonly (readonly [string, boolean | TelemetryParts])[] = [
    ["switched off", false],
    ["the package, installed or not", true],
    ["a tracer that throws", { tracer: { startActiveSpan: broken } }],
    ["a tracer that never calls back", { tracer: { startActiveSpan: () => undefined as never } }],
    ["spans that throw", { tracer: { startActiveSpan: (_name, _options, run) => run(brokenSpan) } }],
    ["a meter that throws", { meter: { createCounter: broken, createHistogram: broken } }],
    [
      "instruments that throw",
      { meter: { createCounter: () => ({ add: broken }), createHistogram: () => ({ record: broken }) } },
    ],
  ];

  test.each(cases)("%s", async (_name, telemetry) => {
    const expected = await fitted(false);
    const { request, report } = await fitted(telemetry);
    expect(request).toEqual(expected.request);
    expect(report).toEqual(expected.report);
  });
});

interface ApiModule {
  readonly trace: { setGlobalTracerProvider(provider: unknown): void; disable(): void };
}

const API: string = "@opentelemetry/api";
const api = await import(API).then(
  (loaded: ApiModule) => loaded,
  () => undefined,
);
if (api === undefined) console.log("skipped: @opentelemetry/api is not installed");

test.skipIf(api === undefined)("the installed package is found by itself", async () => {
  const tracer = memoryTracer();
  api?.trace.setGlobalTracerProvider({ getTracer: () => tracer });
  try {
    await fitted(true);
    expect(tracer.spans.map(({ name, parent, ends }) => [name, parent, ends])).toEqual([
      ["palimpsest.compact", undefined, 1],
      ["palimpsest.summarize", "palimpsest.compact", 1],
    ]);
  } finally {
    api?.trace.disable();
  }
});
