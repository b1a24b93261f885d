/**
 * A model for a demonstration without a key: answers a question with the sentence of the request that shares most words with
 * it, and anything else with a long "noted", so that a small window fills up soon. It knows nothing but what it is sent.
 */

/** The part of a Chat request that is read. */
interface ChatRequest {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

export function toyReply(request: ChatRequest): object {
  const newest = request.messages.findLastIndex(({ role }) => role === "user");
  const asked = request.messages[newest]?.content ?? "";
  const told = request.messages.slice(0, newest).map(({ content }) => content);
  const content = asked.trim().endsWith("?") ? answer(asked, told) : noted(asked);
  const characters = request.messages.reduce((sum, message) => sum + message.content.length, 0);
  return {
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }],
    usage: { prompt_tokens: Math.ceil(characters / 4), completion_tokens: Math.ceil(content.length / 4) },
  };
}

function answer(question: string, told: readonly string[]): string {
  const asked = wordsOf(question);
  const sentences = told.flatMap((text) => text.split(/(?<=[.!])\s+|\n/)).filter((text) => text.trim() !== "");
  const ranked = sentences
    .map((text) => ({ text: text.trim(), shared: [...wordsOf(text)].filter((word) => asked.has(word)).length }))
    .sort((a, b) => b.shared - a.shared);
  const [best] = ranked;
  if (best === undefined || best.shared === 0) return "Nothing in what I was sent says anything about that.";
  return `What I was sent says: "${best.text}"`;
}

function noted(text: string): string {
  const words = [...wordsOf(text)];
  const about = words.length === 0 ? "that" : words.slice(0, 4).join(", ");
  const thoughts = THOUGHTS.map((thought, index) => `Seen from side ${index + 1}, ${thought}.`);
  return [`Noted, about ${about}.`, ...thoughts].join(" ");
}

const THOUGHTS: readonly string[] = [
  "it changes little in how the parts are put together, and much in who has to be told before the week is over",
  "it may cost some time now and save more of it later, which is the better bargain if nobody is in a hurry",
  "there is a simple way that works today and a thorough way that works for longer, and both are honest work",
  "somebody will want to know why it was done, so a line about the reason belongs beside the thing itself",
  "what is easy to undo can be tried at once, and what is hard to undo deserves a second pair of eyes",
  "the numbers should be written down while they are fresh, because nobody remembers them on the day they matter",
];

/** Shorter ones are mostly grammar. */
const WORD_CHARACTERS_MIN = 4;

function wordsOf(text: string): ReadonlySet<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}-]+/gu) ?? [];
  return new Set(words.filter((word) => word.length >= WORD_CHARACTERS_MIN));
}
