/** Numbers about a gateway, in the text form of Prometheus. Names of models and sessions are nowhere in them, so their number is bounded. */

const SECONDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300] as const;

interface Row {
  readonly type: "counter" | "gauge" | "histogram";
  readonly about: string;
}

const METRICS = {
  requests_total: { type: "counter", about: "Requests that were passed on, by upstream, kind and status" },
  requests_refused_total: { type: "counter", about: "Requests that the gateway refused itself, by reason" },
  requests_open: { type: "gauge", about: "Requests under way" },
  request_seconds: { type: "histogram", about: "Until the end of the answer" },
  first_byte_seconds: { type: "histogram", about: "Until the first byte of the answer" },
  compactions_total: { type: "counter", about: "Requests that were compacted" },
  tokens_freed_total: { type: "counter", about: "Tokens that compactions took out, by the estimate" },
  failed_open_total: { type: "counter", about: "Requests that were sent as they came because something failed here" },
  aborted_total: { type: "counter", about: "Requests whose client went away" },
  upstream_failures_total: { type: "counter", about: "Requests that an upstream did not answer, or not to the end" },
  tokens_total: { type: "counter", about: "Tokens as the providers counted them, by kind" },
  received_bytes_total: { type: "counter", about: "Bytes of requests" },
  sent_bytes_total: { type: "counter", about: "Bytes of answers" },
  buffered_bytes: { type: "gauge", about: "Bytes of conversations that are being read or sent" },
  resident_bytes: { type: "gauge", about: "Memory of the process" },
} as const satisfies Readonly<Record<string, Row>>;

export type MetricName = keyof typeof METRICS;
type Labels = Readonly<Record<string, string | number>>;

export interface Metrics {
  add(name: MetricName, by?: number, labels?: Labels): void;
  observe(name: MetricName, seconds: number): void;
  /** In the text form, version 0.0.4, with what is only known now. */
  write(now: Readonly<Partial<Record<MetricName, number>>>): string;
}

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

export function createMetrics(): Metrics {
  const values = new Map<MetricName, Map<string, number>>();
  const histograms = new Map<MetricName, Histogram>();
  return {
    add: (name, by = 1, labels = {}) => {
      const series = values.get(name) ?? new Map<string, number>();
      values.set(name, series);
      const key = labelText(labels);
      series.set(key, (series.get(key) ?? 0) + by);
    },
    observe: (name, seconds) => {
      const histogram = histograms.get(name) ?? { counts: SECONDS.map(() => 0), sum: 0, count: 0 };
      histograms.set(name, histogram);
      SECONDS.forEach((bound, at) => {
        if (seconds <= bound) histogram.counts[at] = (histogram.counts[at] ?? 0) + 1;
      });
      histogram.sum += seconds;
      histogram.count++;
    },
    write: (now) => {
      const rows = Object.entries(METRICS) as [MetricName, Row][];
      return rows
        .flatMap(([name, { type, about }]) => {
          const full = `palimpsest_gateway_${name}`;
          const histogram = histograms.get(name);
          const series = values.get(name) ?? new Map([["", now[name] ?? 0]]);
          const lines =
            type === "histogram"
              ? histogramLines(full, histogram)
              : [...series].map(([labels, value]) => `${full}${labels} ${value}`);
          return [`# HELP ${full} ${about}`, `# TYPE ${full} ${type}`, ...lines, ""];
        })
        .join("\n");
    },
  };
}

function histogramLines(name: string, { counts, sum, count }: Histogram = { counts: [], sum: 0, count: 0 }): string[] {
  const buckets = SECONDS.map((bound, at) => `${name}_bucket{le="${bound}"} ${counts[at] ?? 0}`);
  return [...buckets, `${name}_bucket{le="+Inf"} ${count}`, `${name}_sum ${sum}`, `${name}_count ${count}`];
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(String(value))}`);
  return pairs.length === 0 ? "" : `{${pairs.join()}}`;
}
