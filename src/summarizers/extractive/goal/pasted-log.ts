/**
 * Leaves out of a request what a program printed and the user pasted into it: several lines in a row that close no sentence, some of
 * which only programs write. Never a line by itself, and never the lines around them that a person may have written.
 */

/** Fewer may be a list that a person wrote. */
const LOG_LINES_MIN = 4;
const SIGNS_MIN = 2;

/** Lines without blank ones among them. */
export function withoutLogs(lines: readonly string[]): readonly string[] {
  if (lines.length < LOG_LINES_MIN) return lines;
  const own: string[] = [];
  for (let start = 0; start < lines.length; ) {
    const end = endOfRun(lines, start);
    own.push(...ownLines(lines.slice(start, Math.max(end, start + 1))));
    start = Math.max(end, start + 1);
  }
  return own;
}

/** The first line behind those that close no sentence or were printed. */
function endOfRun(lines: readonly string[], start: number): number {
  let end = start;
  while (end < lines.length && (!CLOSED.test(lines[end] ?? "") || PRINTED.test(lines[end] ?? ""))) end++;
  return end;
}

function ownLines(run: readonly string[]): readonly string[] {
  const isPrinted = (line: string | undefined): boolean => PRINTED.test(line ?? "");
  if (run.length < LOG_LINES_MIN || run.filter(isPrinted).length < SIGNS_MIN) return run;
  // "it fails again" above a log, and "make it green" below it, need no full stop.
  const last = run.length - 1;
  return run.filter((line, at) => (at === 0 || at === last) && !isPrinted(line));
}

const CLOSED = /[.!?:。！？：؟][)\]"'”’」』）*`]*$/;
/** Runners of tests and builds, compilers, package managers, levels of logs and frames of stacks. */
const PRINTED =
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|(?:FAIL|PASS|ok|not ok|FAILED|PASSED|INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL)\b[\s:[]|[✓✔✗✘×❯●⎯]|(?:[A-Z]\w*)?(?:Error|Exception|Warning)(?: \[?\w+\]?)?: |error(?:\[\w+\]| TS\d+)?: |at \S+ \(|at \S+:\d+|File "|Traceback |##\[|::(?:error|warning|group)|npm (?:warn|err|notice)|> \S+@\d|(?:added|removed|changed|audited) \d+ packages|Run (?:npm|npx|pnpm|yarn|make|cargo|pip|go|docker|git|bash|actions)\b|(?:Tests?|Test Files|Test Suites|Snapshots?|Duration|Time):?\s+\d|\d+ (?:passed|failed|errors?|warnings?)\b|={3,}|-{3,}|\S+\.\w{1,4}:\d+(?::\d+)?\b|\S+\.\w{1,4}\(\d+,\d+\): )|\b(?:exit(?:ed with)?|returned) (?:code|status) \d/u;
