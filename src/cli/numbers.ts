/** Numbers and times as people read them: `12,345`, `7.4 %`, `2 turns`, and times in UTC. The same on every machine. */

const WHOLE = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

export function count(value: number): string {
  return WHOLE.format(value);
}

export function percent(ratio: number, decimals: number): string {
  return `${(ratio * 100).toFixed(decimals)} %`;
}

export function signedPercent(ratio: number, decimals: number): string {
  const text = percent(Math.abs(ratio), decimals);
  const isZero = Number.parseFloat(text) === 0;
  return isZero ? text : `${ratio < 0 ? "-" : "+"}${text}`;
}

export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}

/** `2026-11-15 09:30`. */
export function minuteOf(iso: string): string {
  return iso.slice(0, 16).replace("T", " ");
}

export function dayOf(iso: string): string {
  return iso.slice(0, 10);
}
