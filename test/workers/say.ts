/** One line of JSON to whoever started this process, written before the call returns: what was said was done. */

import { writeSync } from "node:fs";

export function say(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
