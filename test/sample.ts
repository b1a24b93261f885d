/** How many generated cases a test runs, and from which seed: a sample by default, everything under `npm run soak`. */

/** `SEED=123 npm test` replays a run; every failure names its seed. */
export const seed: number = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9));

const isSoak = process.env.SOAK !== undefined;

export function sampleOf(full: number, sample: number): number {
  return isSoak ? full : sample;
}

console.log(`seed ${seed} (replay with SEED=${seed})`);
