/** A user's own words out of a user message: without the blocks that clients put around them. Never rewords. */

/** Empty when the message is only a client's note, such as a reminder, a bare slash command or the output of a local one. */
export function requestOf(text: string): string {
  const words = (text.includes("</") ? withoutClientBlocks(text) : text).trim();
  if (/^\/[\w:-]+$/.test(words)) return "";
  return /^(?:\[Request interrupted|Caveat: |This session is being continued)/.test(words) ? "" : words;
}

const CLIENT_BLOCK =
  /<(system-reminder|local-command-[a-z]+|command-[a-z]+|environment_details|environment_context|ide_[a-z_]+)>/g;

/** Searches for each closing tag once, so that tags left open do not make it quadratic. */
function withoutClientBlocks(text: string): string {
  const unclosed = new Set<string>();
  let words = "";
  let from = 0;
  for (const match of text.matchAll(CLIENT_BLOCK)) {
    const [tag, name = ""] = match;
    if (match.index < from || unclosed.has(name)) continue;
    const end = text.indexOf(`</${name}>`, match.index + tag.length);
    if (end < 0) {
      unclosed.add(name);
      continue;
    }
    words += text.slice(from, match.index);
    from = end + name.length + 3;
  }
  return words + text.slice(from);
}

const SPEAKER = /^([\p{Lu}\p{Lo}][\p{L}\p{N} .'’_-]{0,39})[:：]\s/u;
const SPEAKER_WORDS_MAX = 4;

/** The name before a colon at the very beginning, as in the transcript of a meeting; empty when there is none. */
export function speakerOf(text: string): string {
  const name = SPEAKER.exec(text.slice(0, 60))?.[1] ?? "";
  return name.split(" ").length <= SPEAKER_WORDS_MAX ? name : "";
}
