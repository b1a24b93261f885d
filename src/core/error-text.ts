/**
 * What was thrown, in words, with what caused it: the one place where text is made from errors, for reports, hooks and logs. One line,
 * bounded, without credentials that it may quote. Never throws: what comes from plug-ins may be anything, even what has no text.
 */

import { isObject } from "./json.ts";
import { redactSecrets } from "./secrets/secrets.ts";
import { headOf } from "./text.ts";

/** An error and the causes behind it. */
const LINKS_MAX = 5;
/** Of each: providers answer with whole pages. */
const LINK_CHARS_MAX = 400;
/** Texts that begin alike are the same one, cut or not. */
const SAME_CHARS = 100;

export function errorText(error: unknown): string {
  try {
    return chainText(error);
  } catch {
    return NO_TEXT;
  }
}

const NO_TEXT = "Something was thrown that has no text.";

/** `fetch failed: connect ECONNREFUSED 127.0.0.1:9`; what an error repeats of its cause is said once. */
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
