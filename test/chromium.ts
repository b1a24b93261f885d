/** Chromium for tests, where there is one: `PALIMPSEST_TEST_CHROMIUM` names it, else it is where systems install it. It talks to this machine alone. */

import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/** Undefined where there is none. */
export const chromiumPath: string | undefined = [process.env.PALIMPSEST_TEST_CHROMIUM ?? "", ...PLACES].find(
  existsSync,
);

export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? "",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
