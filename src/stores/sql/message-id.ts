/** Message ids of the SQL stores: `m` and the number of the message. The text of an id is never put into a statement. */

const MESSAGE_ID = /^m([1-9][0-9]{0,15})$/;

export function messageIdOf(sequence: number): string {
  return `m${sequence}`;
}

/** Undefined for what cannot be an id of ours. */
export function sequenceOf(messageId: string): number | undefined {
  const digits = MESSAGE_ID.exec(messageId)?.[1];
  const sequence = digits === undefined ? Number.NaN : Number(digits);
  return Number.isSafeInteger(sequence) ? sequence : undefined;
}

/** Each number once, in the order given; undefined as soon as one of them cannot be an id of ours. */
export function sequencesOf(messageIds: readonly string[]): readonly number[] | undefined {
  const sequences = new Set<number>();
  for (const messageId of messageIds) {
    const sequence = sequenceOf(messageId);
    if (sequence === undefined) return undefined;
    sequences.add(sequence);
  }
  return [...sequences];
}
