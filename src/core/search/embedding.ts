/**
 * Search by meaning, with the caller's embedding model. Each message has one vector, which is kept beside its text and made when
 * somebody searches. Vectors are kept as bytes, so that every store computes the same. What the model throws becomes `model-failed`.
 */

import { CompactionError } from "../errors.ts";
import type { SearchScope, Waiting } from "../store/store.ts";
import { headOf } from "../text.ts";
import { untilAborted } from "../waiting.ts";

/** A vector for each text, in their order, all of one length. */
export type Embed = (texts: readonly string[], options: Waiting) => Promise<readonly ArrayLike<number>[]>;

/** The vectors of one session, as its store keeps them. */
export interface VectorShelf {
  /** Of the last message that has one. */
  newest(): Promise<MessageVector | undefined>;
  /** Messages with a higher number, in order; archived ones too. */
  texts(after: number, limit: number): Promise<readonly MessageText[]>;
  add(vectors: readonly MessageVector[], waiting: Waiting): Promise<void>;
  clear(waiting: Waiting): Promise<void>;
  /** Of messages in the scope after the number, in order. */
  page(after: number, scope: SearchScope, limit: number): Promise<readonly MessageVector[]>;
}

export interface MessageVector {
  readonly sequence: number;
  readonly vector: Int8Array;
}

export interface MessageText {
  readonly sequence: number;
  readonly text: string;
}

export interface Meaning {
  readonly embed: Embed;
  readonly shelf: VectorShelf;
}

interface MeaningRequest extends Waiting {
  readonly query: string;
  readonly scope: SearchScope;
}

/** As many messages as are taken for near. */
const NEAREST_MAX = 50;

const VECTORS_PER_PAGE = 1_000;

/** The numbers of the messages that are nearest to the query, nearest first. */
export async function nearest(
  { embed, shelf }: Meaning,
  { query, scope, ...waiting }: MeaningRequest,
): Promise<readonly number[]> {
  const [asked = new Int8Array()] = await vectorsOf(embed, [query], waiting);
  await catchUp({ embed, shelf }, asked.length, waiting);
  let best: { readonly sequence: number; readonly likeness: number }[] = [];
  for (let after = 0; ; ) {
    const page = await shelf.page(after, scope, VECTORS_PER_PAGE);
    const near = page.map(({ sequence, vector }) => ({ sequence, likeness: likenessOf(asked, vector) }));
    best = [...best, ...near.filter(({ likeness }) => likeness > 0)]
      .sort((a, b) => b.likeness - a.likeness || b.sequence - a.sequence)
      .slice(0, NEAREST_MAX);
    const last = page.at(-1);
    if (last === undefined || page.length < VECTORS_PER_PAGE) return best.map(({ sequence }) => sequence);
    after = last.sequence;
  }
}

const TEXTS_PER_CALL = 64;

/** A longer text is embedded by its beginning: models take about 8,000 tokens. */
const TEXT_CHARACTERS_MAX = 8_000;

/** Gives every message its vector. Vectors of another length are another model's, and all are made anew. */
async function catchUp({ embed, shelf }: Meaning, length: number, waiting: Waiting): Promise<void> {
  let newest = await shelf.newest();
  if (newest !== undefined && newest.vector.length !== length) {
    await shelf.clear(waiting);
    newest = undefined;
  }
  for (let after = newest?.sequence ?? 0; ; ) {
    const messages = await shelf.texts(after, TEXTS_PER_CALL);
    const spoken = messages.filter(({ text }) => text.trim() !== "");
    const texts = spoken.map(({ text }) => headOf(text, TEXT_CHARACTERS_MAX));
    const vectors = texts.length === 0 ? [] : await vectorsOf(embed, texts, waiting);
    if (vectors.some((vector) => vector.length !== length)) throw unusable("vectors of different lengths");
    const bySequence = new Map(spoken.map(({ sequence }, index) => [sequence, vectors[index]]));
    // A message without text is like nothing.
    const none = new Int8Array(length);
    await shelf.add(
      messages.map(({ sequence }) => ({ sequence, vector: bySequence.get(sequence) ?? none })),
      waiting,
    );
    const last = messages.at(-1);
    if (last === undefined || messages.length < TEXTS_PER_CALL) return;
    after = last.sequence;
  }
}

async function vectorsOf(embed: Embed, texts: readonly string[], waiting: Waiting): Promise<readonly Int8Array[]> {
  const { signal } = waiting;
  let vectors: readonly ArrayLike<number>[];
  try {
    const answer = embed(texts, waiting);
    vectors = await (signal === undefined ? answer : untilAborted(answer, signal));
  } catch (cause) {
    if (signal?.aborted === true) throw new CompactionError("aborted", "The search was aborted.", { cause });
    const message = "The embedding model did not answer, so nothing was searched; the cause says more.";
    throw new CompactionError("model-failed", message, { cause, retryable: true });
  }
  // Not all callers are checked by a compiler.
  if (!Array.isArray(vectors)) throw unusable("no list of vectors");
  if (vectors.length !== texts.length) throw unusable(`${vectors.length} vectors for ${texts.length} texts`);
  return Array.from(vectors, asBytes);
}

const BYTE_MAX = 127;

/** Only the direction counts, so the greatest number becomes the greatest byte. */
function asBytes(vector: ArrayLike<number> | null | undefined): Int8Array {
  const numbers = Array.from(vector ?? []);
  if (numbers.length === 0 || !numbers.every(Number.isFinite)) throw unusable("a vector that is no list of numbers");
  const greatest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  return Int8Array.from(numbers, (number) => (greatest === 0 ? 0 : Math.round((number / greatest) * BYTE_MAX)));
}

function unusable(what: string): CompactionError {
  return new CompactionError("model-failed", `\`embed\` returned ${what}. Nothing was searched.`);
}

/** The cosine of the angle between both; 0 for vectors of different lengths. */
function likenessOf(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0;
  let [product, squaresOfA, squaresOfB] = [0, 0, 0];
  for (let index = 0; index < a.length; index++) {
    const [x, y] = [a[index] ?? 0, b[index] ?? 0];
    product += x * y;
    squaresOfA += x * x;
    squaresOfB += y * y;
  }
  return product === 0 ? 0 : product / Math.sqrt(squaresOfA * squaresOfB);
}
