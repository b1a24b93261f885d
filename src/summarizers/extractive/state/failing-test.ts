/**
 * Which test or place a check that failed names first: "2 failed" alone does not say where to begin. Reads the one result of the failure that
 * is still open, a bounded part of it. Never rewords what the runner printed.
 */

import { type Message, type Part, textsOf } from "../../../core/message.ts";
import { FAILURE_CHARS_MAX } from "../calls/call-outcome.ts";
import { isCheckFailure } from "../outdated/failed-checks.ts";
import type { Failure } from "../reading/reading.ts";
import { oneLine } from "../text/sentences.ts";

const READ_CHARS = 40_000;
const NAME_CHARS_MAX = 100;

/** What an open failure says, with the first test that failed where it is a check, does not name it already, and there is room. */
export function withFailingTest(failure: Failure, messages: readonly Message[]): string {
  const { summary, message } = failure;
  if (!isCheckFailure(failure)) return summary;
  const failing = firstFailing(messages[message]?.parts ?? []);
  if (failing === undefined || summary.includes(failing)) return summary;
  const whole = `${summary}; ${failing}`;
  return whole.length > FAILURE_CHARS_MAX ? summary : whole;
}

function firstFailing(parts: readonly Part[]): string | undefined {
  for (const part of parts) {
    const texts = part.type === "tool-result" ? textsOf(part.content) : part.type === "text" ? [part.text] : [];
    for (const text of texts) {
      const found = FAILING.exec(text.slice(0, READ_CHARS).replace(COLOURS, ""))?.slice(1).find(Boolean);
      if (found !== undefined) return oneLine(found, NAME_CHARS_MAX);
    }
  }
  return undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is the character with which terminals begin a colour
const COLOURS = /\u001b\[[0-9;]{0,20}[A-Za-z]/g;

/** As runners and compilers mark it at the beginning of a line; a file with its tests follows as a whole. */
const FAILING =
  /^[^\S\n]*(?:(?:FAIL(?:ED)?:? +|--- FAIL: +|[✗×✕✖❌] +|● +)(?!\d+ (?:tests?|failed)|tests?:?$|\|)(\S[^\n]*[^\s\n])|not ok \d+ -? ?(\S[^\n]*)|\d+\) (test [^\n]+)|((?:\S+\(\d+,\d+\): |\S+:\d+:\d+ - )error TS\d+: [^\n]+)|(error\[E\d+\]: [^\n]+))$/m;
