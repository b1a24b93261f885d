/** Numbers and lists as people read them; the same on every machine. */

export function shown(value: number): string {
  return value.toLocaleString("en-US");
}

export function percent(ratio: number): string {
  return `${Number((ratio * 100).toFixed(2))} %`;
}

export function listed(items: readonly string[], separator = ", "): string {
  return items.join(separator);
}
