/** Numbers, times and hostile text as people read them. Pure. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

export function count(value: number): string {
  return WHOLE.format(value);
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** `41.2k`. */
export function short(value: number): string {
  return SHORT.format(value).replace("K", "k");
}

export function percent(ratio: number): string {
  return `${Math.round(ratio * 100)} %`;
}

export function dollars(usd: number): string {
  const digits = Math.abs(usd) >= 100 ? 0 : Math.abs(usd) >= 0.1 || usd === 0 ? 2 : 4;
  return `$${usd.toFixed(digits)}`;
}

export function dateTime(iso: string): string {
  return TIME.format(new Date(iso));
}

export function seconds(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
];

/** `5 min ago`. */
export function ago(iso: string, nowMs: number): string {
  const passed = Math.max(0, (nowMs - Date.parse(iso)) / 1_000);
  const [size, unit] = UNITS.find(([length]) => passed >= length) ?? [0, ""];
  return size === 0 ? "just now" : `${Math.floor(passed / size)} ${unit} ago`;
}

/** What cannot be seen, and could turn a line around or hide in it. Joiners stay: scripts and pictographs need them. */
const UNSEEN =
  /(?![\t\n\r])[\p{Cc}\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]/gu;

/** Each unseen character by its number. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    const number = character.codePointAt(0) ?? 0;
    return `⟨U+${number.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
