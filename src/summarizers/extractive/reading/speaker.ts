/** Who speaks in a message of a conversation with more than two sides. Reads a bounded beginning. */

const SPEAKER = /^([\p{Lu}\p{Lo}][\p{L}\p{N} .'’_-]{0,39})[:：]\s/u;
const SPEAKER_WORDS_MAX = 4;

/** The name before a colon at the very beginning, as in the transcript of a meeting; empty when there is none. */
export function speakerOf(text: string): string {
  const start = text.slice(0, 60);
  // Most beginnings have no colon, and to look for one takes less than to ask for letters of every script.
  if (!start.includes(":") && !start.includes("：")) return "";
  const name = SPEAKER.exec(start)?.[1] ?? "";
  return name.split(" ").length <= SPEAKER_WORDS_MAX ? name : "";
}
