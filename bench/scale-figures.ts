/** What the model of bench/scale.ts is fed with: measured by `npm run store`, on the machine that docs/scale.md names. */

export const FIGURES = {
  /** Postgres, messages of 2 KB on average, sessions that grew side by side and were compacted ten times each. */
  bytesPerMessage: [
    { name: "messages", bytes: 2_576 },
    { name: "messages_archive", bytes: 176 },
    { name: "messages_pkey", bytes: 124 },
    { name: "compaction_events and its indexes", bytes: 60 },
    { name: "messages_view", bytes: 8 },
  ],
  bytesPerSession: 1_000,
  /** Only of sessions in which somebody has searched: words, and two indexes. */
  searchBytesPerMessage: 3_807,
  /** What a row of the view takes, with its body and its entries in two indexes: the same as any row, without the archive's index. */
  liveBytesPerMessage: 2_700,
  liveMessages: 200,
  appendsPerTurn: 2,
  /** The statements of turns by eight workers, a session each; workers and server shared two cores with other programs. */
  turnsPerSecond: 605,
  /** One session, eight workers. */
  sessionAppendsPerSecond: 744,
};
