/** Files of the shop as the assistant reads them. Written for this example; no real shop's code. */

export const RUNBOOK = `# Runbook: payments

## Who decides
- Refunds above 20 EUR in total need the approval of finance (Mira Okafor). Write the list first, then ask.
- Nobody writes to the production database by hand. Reading goes through the replica \`larder-replica-2\`.
- A flag may be switched by whoever is on call. Flags live in \`config/flags.yaml\`; a merge to \`main\` ships them in about 90 s.

## Double charges
1. Compare \`payment_intents\` per order: more than one with state \`captured\` is a double charge, unless \`orders.shipments\`
   is above 1. Orders that ship in parts are charged per parcel, and that is right.
2. Stop the bleeding before looking for the cause. The usual switch is \`checkout.retry_on_timeout\`.
3. Keep the gateway's own log: it is deleted after 72 hours. Export it with \`scripts/export-gateway-log.sh\`.
4. Refund the second intent, never the first: the invoice refers to the first.

## Gateway limits
- Timeout of a charge: 8000 ms on our side. The gateway may still capture it up to 60 s later.
- Idempotency keys are honoured for 24 hours. The same key with another amount is refused with \`409 key_reused\`.
- 20 refunds per second and account; above that \`429 rate_limited\`.

## Contacts
On call this week: Jonas Lindqvist. Gateway support: case numbers begin with \`GW-\`.`;

export const DEPLOY_LOG = `2026-11-11T09:10:22Z  larder-checkout  2026.46.0  3f08c1d  ok
2026-11-11T15:31:07Z  larder-checkout  2026.46.1  b52a7e0  ok
2026-11-12T13:42:38Z  larder-checkout  2026.46.2  7c1e9fa  ok
2026-11-12T13:43:02Z  larder-worker    2026.46.2  7c1e9fa  ok`;

export const GIT_LOG = `7c1e9fa  Let customers correct the address until the charge is captured        Anneke Vos
b52a7e0  Show the tax of each parcel                                            Tomas Reyes
3f08c1d  Raise the batch size of the mail queue                                 Jonas Lindqvist
91d44b2  Name the worker's queues in one place                                  Anneke Vos
0e7a6c3  Retry a charge once when the gateway does not answer (LARDER-1188)     Tomas Reyes`;

export const DIFF_7C1E9FA = `diff --git a/src/address/save.ts b/src/address/save.ts
@@ -14,9 +14,12 @@ export async function saveAddress(db: Database, orderId: string, address: Address)
-  const order = await loadOrder(db, orderId);
-  if (order.state !== "open") throw new ShopError("address-locked", orderId);
+  const order = await loadOrder(db, orderId);
+  if (order.state === "captured") throw new ShopError("address-locked", orderId);
   await db.query("update addresses set line1 = $2, city = $3, country = $4 where order_id = $1", [...]);
+  await db.query("update orders set version = version + 1 where id = $1", [orderId]);
   return order;
diff --git a/src/payments/idempotency.ts b/src/payments/idempotency.ts
@@ -3,8 +3,8 @@
-export function chargeKey(order: Order): string {
-  return "chk_" + digest([order.id, order.totalCents, order.currency]);
+export function chargeKey(order: Order): string {
+  return "chk_" + digest([order.id, order.version, order.totalCents, order.currency]);
 }
diff --git a/src/payments/idempotency.test.ts b/src/payments/idempotency.test.ts
@@ -11,4 +11,8 @@
+test("a corrected address gives a new key", () => {
+  expect(chargeKey({ ...ORDER, version: 2 })).not.toBe(chargeKey({ ...ORDER, version: 1 }));
+});`;

export const SUBMIT_TS = `import { chargeKey } from "../payments/idempotency.ts";
import { enqueue } from "../worker/queues.ts";
import { totalsOf } from "./totals.ts";
import type { Database } from "../database.ts";

/** POST /v1/checkout. Answers 202 as soon as the order is stored; charging is the worker's business. */
export async function submitOrder(db: Database, request: CheckoutRequest): Promise<CheckoutAnswer> {
  const totals = totalsOf(request.lines, request.country);
  const order = await db.transaction(async (tx) => {
    const row = await tx.one(
      "insert into orders (id, customer_id, total_cents, currency, version, state) values ($1, $2, $3, $4, 1, 'open') returning *",
      [request.orderId, request.customerId, totals.cents, totals.currency],
    );
    await reserveLines(tx, row.id, request.lines);
    return row;
  });
  await enqueue("charge", { orderId: order.id, attempt: 1 });
  return { status: 202, orderId: order.id, state: "open" };
}

/** Lines are reserved in the order of their SKU, so that two orders never wait for each other. */
async function reserveLines(tx: Database, orderId: string, lines: readonly Line[]): Promise<void> {
  for (const line of [...lines].sort((a, b) => a.sku.localeCompare(b.sku))) {
    await tx.query("insert into reservations (order_id, sku, units) values ($1, $2, $3)", [orderId, line.sku, line.units]);
  }
}`;

export const CHARGE_JOB_TS = `import { CHARGE_TIMEOUT_MS, RETRY_DELAY_MS } from "../config.ts";
import { isFlagOn } from "../flags.ts";
import { charge } from "../payments/charge.ts";
import { loadOrder } from "../orders/load.ts";

/** One attempt to charge an order. A timeout says nothing about what the gateway did: it may capture later. */
export async function runChargeJob(context: JobContext, job: ChargeJob): Promise<JobResult> {
  const order = await loadOrder(context.db, job.orderId);
  if (order.state === "captured") return { type: "done" };
  try {
    const intent = await charge(context.gateway, order, { timeoutMs: CHARGE_TIMEOUT_MS });
    await context.db.query("insert into payment_intents (id, order_id, state, cents) values ($1, $2, 'captured', $3)", [
      intent.id,
      order.id,
      intent.cents,
    ]);
    await context.db.query("update orders set state = 'captured' where id = $1", [order.id]);
    return { type: "done" };
  } catch (error) {
    if (!isTimeout(error)) throw error;
    if (job.attempt >= 2 || !isFlagOn("checkout.retry_on_timeout")) return { type: "park", reason: "gateway-timeout" };
    return { type: "again", job: { ...job, attempt: job.attempt + 1 }, delayMs: RETRY_DELAY_MS };
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof GatewayError && error.code === "timeout";
}`;

export const IDEMPOTENCY_TS = `import { createHash } from "node:crypto";

/** The same order must give the same key for as long as the gateway honours it, or it is charged again. */
export function chargeKey(order: Order): string {
  return "chk_" + digest([order.id, order.version, order.totalCents, order.currency]);
}

export function refundKey(intentId: string): string {
  return "ref_" + digest([intentId]);
}

function digest(parts: readonly (string | number)[]): string {
  return createHash("sha256").update(parts.join("\\u0000")).digest("hex").slice(0, 24);
}`;

export const CHARGE_TS = `import { chargeKey } from "./idempotency.ts";
import type { Gateway, Intent } from "./gateway.ts";
import type { Order } from "../orders/order.ts";

export interface ChargeOptions {
  readonly timeoutMs: number;
}

/** Asks the gateway for the money. Throws GatewayError("timeout") when no answer came in time. */
export async function charge(gateway: Gateway, order: Order, { timeoutMs }: ChargeOptions): Promise<Intent> {
  return gateway.post("/v2/intents", {
    headers: { "idempotency-key": chargeKey(order) },
    body: { amount: order.totalCents, currency: order.currency, capture: true, metadata: { order: order.id } },
    signal: AbortSignal.timeout(timeoutMs),
  });
}`;

export const FLAGS_YAML = `# Shipped with the next merge to main, in about 90 s. Whoever is on call may change them.
checkout:
  retry_on_timeout: true
  address_after_submit: true
  express_lane: false
mail:
  order_received: true
  parcel_sent: true
stock:
  strict_reservations: true`;

export const MIGRATION_0142 = `-- 0142: an order has one captured intent per parcel, and the database says so.
alter table payment_intents add column parcel smallint not null default 1;

create unique index payment_intents_one_capture
  on payment_intents (order_id, parcel)
  where state = 'captured';`;

export const REFUND_SCRIPT = `import { readFileSync } from "node:fs";
import { refundKey } from "../src/payments/idempotency.ts";
import { connectGateway } from "../src/payments/gateway.ts";

/** Refunds the intents of a file, one per line. Says what it would do unless --really is given. */
const [file = "", ...words] = process.argv.slice(2);
const isReal = words.includes("--really");
const gateway = connectGateway();
const PER_SECOND = 10;

for (const line of readFileSync(file, "utf8").trim().split("\\n")) {
  const [order = "", intent = "", cents = ""] = line.split(",");
  if (!isReal) {
    console.log(order, intent, cents, "(dry run)");
    continue;
  }
  const refund = await gateway.post("/v2/refunds", {
    headers: { "idempotency-key": refundKey(intent) },
    body: { intent, amount: Number(cents), reason: "duplicate" },
  });
  console.log(order, intent, cents, refund.id);
  await new Promise((resolve) => setTimeout(resolve, 1000 / PER_SECOND));
}`;
