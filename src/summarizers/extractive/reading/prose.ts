/** What was said in words. Its sentences are cut when somebody first reads them, and once for all who do. */

import { saidSentences, writtenSentences } from "../text/message-sentences.ts";

export interface Prose {
  readonly message: number;
  readonly isUser: boolean;
  /** A user began a turn with it. */
  readonly isRequest: boolean;
  /** The assistant ended its turn with it: it called nothing. */
  readonly isFinal: boolean;
  /** The name in front of the text: of a person, where the conversation has more than two sides, or that a tool says it. */
  readonly speaker: string;
  readonly text: string;
  /** Without the name in front: a user's as they were cut, an assistant's and a tool's without their layout. */
  readonly sentences: () => readonly string[];
}

export function createProse({ message, isUser, isRequest, isFinal, speaker, text }: Omit<Prose, "sentences">): Prose {
  let cut: readonly string[] | undefined;
  const sentences = (): readonly string[] => {
    const words = speaker === "" ? text : text.slice(speaker.length + 1);
    cut ??= isUser ? saidSentences(words) : writtenSentences(words);
    return cut;
  };
  return { message, isUser, isRequest, isFinal, speaker, text, sentences };
}
