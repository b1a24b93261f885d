/** First part: customers are charged twice. From the report to the switch that stops it. */

import { affectedTable, metricSeries, serviceLog } from "./generated.ts";
import { command, type Entry, edit, failed, query, read, step, todos, user } from "./script.ts";
import {
  CHARGE_JOB_TS,
  CHARGE_TS,
  DEPLOY_LOG,
  DIFF_7C1E9FA,
  FLAGS_YAML,
  GIT_LOG,
  IDEMPOTENCY_TS,
  RUNBOOK,
  SUBMIT_TS,
} from "./shop-sources.ts";

export const INCIDENT: readonly Entry[] = [
  user(
    "INC-2291: customers say they were charged twice for one order. Support has 37 tickets since about 13:45 UTC today, the first one is SUP-60418. Please find out why, stop it, and prepare the refunds.\n\nPlease mind: nobody writes to the production database, not even you. Reading goes through the replica. The public answer of POST /v1/checkout must not change, two mobile apps depend on it. And no refund goes out before Mira from finance has approved the list.",
  ),
  step(
    "I'll begin with the runbook and with what was deployed around that time.",
    read("docs/runbooks/payments.md", RUNBOOK),
    command("tail -n 4 deploys.log", DEPLOY_LOG),
    todos(
      ["doing", "Find out what changed around 13:45 UTC"],
      ["open", "Stop further double charges"],
      ["open", "List the affected orders"],
      ["open", "Fix the cause, with a test"],
      ["open", "Prepare the refunds for Mira's approval"],
    ),
  ),
  step(
    "2026.46.2 went out at 13:42:38, three minutes before the first ticket. That fits. Next: what is in it, and what the service says.",
    command("git log --format='%h  %s  %an' -5", GIT_LOG),
    command("scripts/logs.sh larder-checkout --from 13:40 --lines 162", serviceLog(11, 40, 162)),
  ),
  step(
    "There are gateway timeouts followed by a second accepted charge for the same order about ten seconds later. That is the worker's retry. It should be harmless, because both attempts carry the same idempotency key. I'll look at how often it happens before and after the deployment.",
    command("scripts/metrics.sh gateway --from 12:40 --minutes 60", metricSeries(21, -20, 60, false)),
    command("scripts/metrics.sh gateway --from 13:42 --minutes 50", metricSeries(22, 42, 50, true)),
  ),
  step(
    "Two things changed at once. The gateway became slow (p95 from about 1.4 s to more than 7 s), and second charges appear, which there were none of in the hour before, although there were timeouts then too. So slowness is not enough as a cause: before 13:42 a timeout did not lead to a second charge. The key must be different now. I'll read the code that makes it.",
    read("src/payments/idempotency.ts", IDEMPOTENCY_TS),
    read("src/payments/charge.ts", CHARGE_TS),
    read("src/worker/charge-job.ts", CHARGE_JOB_TS),
  ),
  step(
    "The key contains `order.version`. I want to see whether that is new and who changes the version.",
    command("git show 7c1e9fa -- src/address src/payments", DIFF_7C1E9FA),
    read("src/checkout/submit.ts", SUBMIT_TS),
  ),
  step(
    "That is the cause, I am fairly sure:\n\n- Commit 7c1e9fa lets customers correct their address until the charge is captured, and each correction raises `orders.version`.\n- The same commit put the version into `chargeKey`.\n- When the gateway does not answer within 8000 ms, the worker tries again after 2000 ms. It loads the order anew. If the customer saved the address in between, the key is another one, and the gateway takes the retry for a new charge. The first one is captured later all the same.\n\nThe mobile apps save the address once more when the waiting screen opens, so nearly every timeout becomes a double charge. I decided to check that against the data before touching anything, because the apps' behaviour is from memory.",
    query(
      "select order_id, customer, first_intent, second_intent, amount, charged_at, gap_ms from double_charges('2026-11-12 13:42', '2026-11-12 14:10') order by charged_at limit 25",
      affectedTable(0, 25),
    ),
    query(
      "select o.id, o.version, o.shipments from orders o join double_charges('2026-11-12 13:42', '2026-11-12 14:10') d on d.order_id = o.id group by 1, 2, 3",
      "25 rows: version 2 in 23 of them, version 3 in 2; shipments 1 in all of them",
    ),
  ),
  user(
    "Good find. Stop it first, the cause can wait half an hour. Jonas is on call and says you may switch the flag. Don't roll back the deployment: Anneke needs the address correction for the press campaign that started at noon.",
  ),
  step(
    "Then I switch `checkout.retry_on_timeout` off and leave 2026.46.2 where it is. A timed-out charge is parked instead of repeated; parked orders have to be looked at later, because the gateway may still capture them.",
    read("config/flags.yaml", FLAGS_YAML),
    edit("config/flags.yaml", "  retry_on_timeout: true", "  retry_on_timeout: false"),
    failed(
      command(
        "git commit -am 'Do not retry a charge while INC-2291 is open' && git push origin main",
        "remote: error: GH013: branch main is protected: changes must be made through a pull request\nTo git.larder.example:shop/larder.git\n ! [remote rejected] main -> main (protected branch hook declined)",
      ),
    ),
  ),
  step(
    "`main` is protected, as it should be. I'll open a pull request and ask Jonas for the approval.",
    command(
      "git switch -c inc-2291-flag && git push -u origin inc-2291-flag && scripts/open-pr.sh --reviewer jonas.lindqvist",
      "Branch 'inc-2291-flag' set up to track 'origin/inc-2291-flag'.\nOpened pull request #4816: Do not retry a charge while INC-2291 is open\nReviewer: jonas.lindqvist",
    ),
  ),
  step(
    "#4816 is open. While it waits I save the gateway's own log, because the runbook says that it is deleted after 72 hours.",
    failed(
      command(
        "scripts/export-gateway-log.sh 2026-11-12T13:40 2026-11-12T15:00",
        "export-gateway-log: environment variable GATEWAY_EXPORT_TOKEN is not set",
      ),
    ),
    command(
      "scripts/pr-status.sh 4816",
      "#4816  approved by jonas.lindqvist  checks: 12/12 passed  merged 14:34:41 UTC as e90b1d7",
    ),
  ),
  user(
    "The export token is in the vault under payments/gateway-export, run it through `vault exec payments/gateway-export -- COMMAND` so it never shows up anywhere.",
  ),
  step(
    "Thank you. The token stays in the vault's process, I do not see it.",
    command(
      "vault exec payments/gateway-export -- scripts/export-gateway-log.sh 2026-11-12T13:40 2026-11-12T15:00",
      "wrote exports/gateway-2026-11-12.ndjson.zst (18,442 events, 3.1 MB)\nsha256 5b0c2f9e7d7741c2a7f0a9f3f3a0ce1b0c41b8aa",
    ),
    command("scripts/logs.sh larder-worker --from 14:30 --lines 126", serviceLog(12, 90, 126)),
    command("scripts/metrics.sh gateway --from 14:30 --minutes 25", metricSeries(23, 90, 25, false)),
  ),
  step(
    "The switch works: the flag was live at 14:36:10, and since then there has not been a single second charge. The gateway itself recovered at about 14:31, but that is luck; with the flag off a slow gateway does no harm either.\n\nNow the complete list. The function `double_charges` is what I used above; I extend the time to the moment of the switch.",
    query(
      "select order_id, customer, first_intent, second_intent, amount, charged_at, gap_ms from double_charges('2026-11-12 13:42', '2026-11-12 14:37') order by charged_at offset 0 limit 41",
      affectedTable(0, 41),
    ),
    query(
      "select id, state, parked_reason from jobs where queue = 'charge' and state = 'parked' and parked_at > '2026-11-12 14:36'",
      " id      | state  | parked_reason\n---------+--------+----------------\n 8841207 | parked | gateway-timeout\n 8841390 | parked | gateway-timeout\n 8841455 | parked | gateway-timeout\n(3 rows)",
    ),
    todos(
      ["done", "Find out what changed around 13:45 UTC"],
      ["done", "Stop further double charges (flag off, #4816, e90b1d7)"],
      ["doing", "List the affected orders"],
      ["open", "Look at the parked jobs 8841207, 8841390, 8841455"],
      ["open", "Fix the cause, with a test"],
      ["open", "Prepare the refunds for Mira's approval"],
    ),
  ),
];
