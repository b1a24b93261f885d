/** The only place that makes the text of an error and its causes: one line, bounded, without credentials. Never throws. */

import { isObject } from "./json.ts";
import { redactSecrets } from "./secrets/secrets.ts";
import { headOf } from "./text.ts";

/** The error, and the causes behind it. */
const LINKS_MAX = 5;
/** A bound on each text: providers answer with whole pages. */
const LINK_CHARS_MAX = 400;
/** Two texts with the same beginning count as the same, whether or not one was cut. */
const SAME_CHARS = 100;

export function errorText(error: unknown): string {
  try {
    return chainText(error);
  } catch {
    return NO_TEXT;
  }
}

const NO_TEXT = "Something was thrown that has no text.";

/** `fetch failed: connect ECONNREFUSED 127.0.0.1:9`; a text that an error repeats from its cause appears once. */
function chainText(error: unknown): string {
  let text = "";
  let link = error;
  for (let links = 0; links < LINKS_MAX && link !== undefined && link !== null; links++) {
    const own = headOf(redactSecrets(ownText(link)).replace(/\s+/g, " ").trim(), LINK_CHARS_MAX);
    if (own !== "" && !text.includes(own.slice(0, SAME_CHARS)))
      text = text === "" ? own : `${text.replace(/[.:\s]+$/, "")}: ${own}`;
    link = isObject(link) ? link.cause : undefined;
  }
  return text === "" ? redactSecrets(String(error)) : text;
}

/** Some errors have no message, only a code (a refused connection to several addresses) or a name. */
function ownText(link: unknown): string {
  if (!(link instanceof Error)) return isObject(link) && typeof link.message === "string" ? link.message : String(link);
  const { code } = link as { readonly code?: unknown };
  return (
    [link.message, code, link.name].map((text) => (typeof text === "string" ? text : "")).find((text) => text !== "") ??
    ""
  );
}
