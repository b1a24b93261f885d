/** Numbers as people read them: `12,345`, `7.4 %`, `-0.3 %`, `1 turn`, `2 turns`. The same on every machine. */

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
