/** The bulky parts of the story: logs, tables and measurements, drawn from a seeded generator. The same on every machine. */

/** A small linear congruential generator: enough for made-up log lines. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const LETTERS = "abcdefghjkmnpqrstvwxyz0123456789";

function word(chance: () => number, length: number): string {
  return Array.from({ length }, () => LETTERS[Math.floor(chance() * LETTERS.length)] ?? "x").join("");
}

function between(chance: () => number, low: number, high: number): number {
  return low + Math.floor(chance() * (high - low + 1));
}

function clock(ms: number): string {
  return new Date(Date.UTC(2026, 10, 12) + ms).toISOString().slice(11, 23);
}

const MINUTE_MS = 60_000;

export interface Affected {
  readonly order: string;
  readonly customer: string;
  readonly first: string;
  readonly second: string;
  readonly cents: number;
  readonly currency: "EUR" | "CHF";
  readonly gapMs: number;
  readonly atMs: number;
}

/** The orders that were charged twice between the deployment and the switch. */
export const AFFECTED: readonly Affected[] = (() => {
  const chance = createChance(2291);
  return Array.from({ length: 41 }, (_, index) => ({
    order: `ord_${word(chance, 10)}`,
    customer: `cus_${word(chance, 8)}`,
    first: `pi_${word(chance, 14)}`,
    second: `pi_${word(chance, 14)}`,
    cents: between(chance, 1_190, 18_940),
    currency: index === 11 || index === 29 ? ("CHF" as const) : ("EUR" as const),
    gapMs: between(chance, 10_020, 10_940),
    atMs: 13 * 60 * MINUTE_MS + 44 * MINUTE_MS + Math.floor((index / 41) * 52 * MINUTE_MS) + between(chance, 0, 40_000),
  }));
})();

export function amountText({ cents, currency }: Affected): string {
  return `${(cents / 100).toFixed(2)} ${currency}`;
}

/** Lines of the checkout service; every affected order of the stretch shows up among ordinary traffic. */
export function serviceLog(seed: number, fromMinute: number, lines: number): string {
  const chance = createChance(seed);
  const startMs = 13 * 60 * MINUTE_MS + fromMinute * MINUTE_MS;
  let atMs = startMs;
  const said: { readonly ms: number; readonly line: string }[] = [];
  for (let index = 0; index < lines; index++) {
    atMs += between(chance, 90, 1_900);
    said.push({ ms: atMs, line: ordinaryLine(chance) });
  }
  for (const one of AFFECTED.filter((candidate) => candidate.atMs >= startMs && candidate.atMs < atMs).slice(0, 4)) {
    said.push(
      { ms: one.atMs, line: `WARN  gateway   charge timeout after 8000 ms order=${one.order} intent=${one.first}` },
      { ms: one.atMs + 40, line: `INFO  worker    requeue charge order=${one.order} attempt=2 delay=2000` },
      {
        ms: one.atMs + one.gapMs,
        line: `INFO  gateway   charge accepted order=${one.order} intent=${one.second} ${amountText(one)}`,
      },
    );
  }
  return said
    .sort((a, b) => a.ms - b.ms)
    .map(({ ms, line }) => `${clock(ms)} ${line}`)
    .join("\n");
}

function ordinaryLine(chance: () => number): string {
  const order = `ord_${word(chance, 10)}`;
  const lines: readonly (() => string)[] = [
    () => `INFO  http      POST /v1/checkout 202 ${between(chance, 38, 210)} ms order=${order}`,
    () => `INFO  http      GET /v1/orders/${order} 200 ${between(chance, 4, 31)} ms`,
    () => `DEBUG address   saved order=${order} version=${between(chance, 1, 4)} country=${pick(chance, COUNTRIES)}`,
    () => `INFO  stock     reserved sku=${pick(chance, PRODUCTS)} units=${between(chance, 1, 4)} order=${order}`,
    () =>
      `INFO  gateway   charge accepted order=${order} intent=pi_${word(chance, 14)} ${between(chance, 900, 7_600)} ms`,
    () => `INFO  mail      queued template=order-received order=${order}`,
    () => `DEBUG tax       rate=${pick(chance, ["7.0", "8.1", "19.0", "20.0"])} country=${pick(chance, COUNTRIES)}`,
    () => `INFO  worker    took job=charge order=${order} waited=${between(chance, 2, 880)} ms`,
  ];
  return pick(chance, lines)();
}

function pick<Item>(chance: () => number, items: readonly [Item, ...Item[]] | readonly Item[]): Item {
  const item = items[Math.floor(chance() * items.length)];
  if (item === undefined) throw new Error("nothing to pick from");
  return item;
}

const COUNTRIES = ["DE", "AT", "CH", "NL", "DK", "FR"] as const;
const PRODUCTS = [
  "honey-500",
  "quince-jam-210",
  "rye-crisp-12",
  "elderflower-700",
  "mustard-190",
  "oat-bar-24",
] as const;

/** What the replica answers about double charges, as its client prints it. */
export function affectedTable(from: number, to: number): string {
  const rows = AFFECTED.slice(from, to).map(
    (one) =>
      ` ${one.order} | ${one.customer} | ${one.first} | ${one.second} | ${amountText(one).padStart(10)} | ${clock(one.atMs)} | ${one.gapMs}`,
  );
  const head =
    " order_id       | customer     | first_intent      | second_intent     |     amount | charged_at   | gap_ms";
  return [head, head.replace(/[^|]/g, "-").replaceAll("|", "+"), ...rows, `(${rows.length} rows)`].join("\n");
}

/** One line per minute: requests, timeouts, share of second charges, and the 95th percentile of the gateway. */
export function metricSeries(seed: number, fromMinute: number, minutes: number, isBroken: boolean): string {
  const chance = createChance(seed);
  const rows = Array.from({ length: minutes }, (_, index) => {
    const requests = between(chance, 84, 131);
    const timeouts = isBroken ? between(chance, 0, 5) : between(chance, 0, 1);
    const p95 = isBroken ? between(chance, 6_900, 8_400) : between(chance, 1_150, 1_720);
    const doubled = isBroken ? Math.min(timeouts, between(chance, 0, 2)) : 0;
    const at = clock(13 * 60 * MINUTE_MS + (fromMinute + index) * MINUTE_MS).slice(0, 5);
    return `${at},${requests},${timeouts},${doubled},${p95}`;
  });
  return ["minute,requests,gateway_timeouts,second_charges,gateway_p95_ms", ...rows].join("\n");
}

/** A run of the test suite, file by file. */
export function testRun(seed: number, failure?: string): string {
  const chance = createChance(seed);
  const files = [
    "src/checkout/submit.test.ts",
    "src/checkout/totals.test.ts",
    "src/payments/charge.test.ts",
    "src/payments/refund.test.ts",
    "src/payments/idempotency.test.ts",
    "src/worker/charge-job.test.ts",
    "src/worker/backoff.test.ts",
    "src/address/save.test.ts",
    "src/stock/reserve.test.ts",
    "src/mail/templates.test.ts",
    "src/tax/rates.test.ts",
    "src/cart/expiry.test.ts",
  ];
  const lines = files.map((file) => ` ok   ${file} (${between(chance, 3, 24)} tests) ${between(chance, 12, 940)} ms`);
  const shown = failure === undefined ? lines : [...lines.slice(0, 4), failure, ...lines.slice(5)];
  const verdict = failure === undefined ? "Test files 12 passed (12)" : "Test files 1 failed | 11 passed (12)";
  return [...shown, "", verdict, ` Duration ${between(chance, 6, 11)}.${between(chance, 10, 99)} s`].join("\n");
}

/** The refund script, order by order. */
export function refundRun(from: number, to: number, isDry: boolean): string {
  const chance = createChance(7_000 + from);
  const lines = AFFECTED.slice(from, to).map((one, index) => {
    const id = isDry ? "(dry run)" : `re_${word(chance, 14)}`;
    return `${String(from + index + 1).padStart(3)}  ${one.order}  ${one.second}  ${amountText(one).padStart(10)}  ${id}`;
  });
  const cents = AFFECTED.slice(from, to).reduce((sum, { cents: one }) => sum + one, 0);
  return [...lines, `${to - from} orders, ${(cents / 100).toFixed(2)} in mixed currencies`].join("\n");
}
