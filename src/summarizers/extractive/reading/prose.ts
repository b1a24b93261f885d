/** What was said in words. Its sentences are cut when somebody first reads them, and once for all who do. */

import { saidSentences, writtenSentences } from "../text/message-sentences.ts";

export interface Prose {
  readonly message: number;
  readonly isUser: boolean;
  /** A user began a turn with it. */
  readonly isRequest: boolean;
  /** The assistant ended its turn with it: it called nothing. */
  readonly isFinal: boolean;
  /** The name in front of the text, where the conversation has more than two sides. */
  readonly speaker: string;
  readonly text: string;
  /** A user's as they were cut, without the name in front; an assistant's without their layout. */
  readonly sentences: () => readonly string[];
}

export function createProse({ message, isUser, isRequest, isFinal, speaker, text }: Omit<Prose, "sentences">): Prose {
  let cut: readonly string[] | undefined;
  const sentences = (): readonly string[] => {
    cut ??= isUser ? saidSentences(speaker === "" ? text : text.slice(speaker.length + 1)) : writtenSentences(text);
    return cut;
  };
  return { message, isUser, isRequest, isFinal, speaker, text, sentences };
}
