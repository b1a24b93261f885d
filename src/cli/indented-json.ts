/** JSON as every command writes it. */

export function indentedJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
