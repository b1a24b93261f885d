/** A user's own words out of a user message: without the blocks that clients put around them. Never rewords. */

/** Longer messages are mostly pasted material; what is asked stands at their beginning or end. */
const REQUEST_CHARS_MAX = 200_000;

/** Empty when the message is only a client's note, such as a reminder, a bare slash command or the output of a local one. */
export function requestOf(text: string): string {
  if (text.length > REQUEST_CHARS_MAX) return text;
  let words = text;
  if (words.includes("</")) {
    words = words.replace(
      /<(system-reminder|local-command-[a-z]+|command-[a-z]+|environment_details|environment_context|ide_[a-z_]+)>[\s\S]*?<\/\1>/g,
      "",
    );
  }
  if (/^\s*\/[\w:-]+\s*$/.test(words)) return "";
  if (/^\s*(?:\[Request interrupted|Caveat: |This session is being continued)/.test(words)) return "";
  return words.trim();
}

const SPEAKER = /^([\p{Lu}\p{Lo}][\p{L}\p{N} .'’_-]{0,39})[:：]\s/u;
const SPEAKER_WORDS_MAX = 4;

/** The name before a colon at the very beginning, as in the transcript of a meeting; empty when there is none. */
export function speakerOf(text: string): string {
  const name = SPEAKER.exec(text.slice(0, 60))?.[1] ?? "";
  return name.split(" ").length <= SPEAKER_WORDS_MAX ? name : "";
}
