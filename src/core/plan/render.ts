/**
 * Places a summary: merged into the first user message, as a pair, as one flagged message, in the system prompt, or as
 * an entry. Each is valid for every provider: where two neighbours of one role would be refused, a short line of the
 * other role separates them, so that no kept message changes.
 */

import type { FormatRules } from "../format-rules.ts";
import { isArray } from "../json.ts";
import { type Conversation, type Message, text } from "../message.ts";
import type { RenderSettings } from "../settings/settings.ts";
import { isTurnStart } from "../structure/structure.ts";
import { thinksManually, waitingTurn } from "../thinking.ts";
import { acknowledgementText, stripParts, summaryPart, withoutSummary, withSummary } from "./summary-marks.ts";
import { isPassedOn, isRequest, userVoice } from "./user-voice.ts";

type RenderedSummary = Pick<Conversation, "system" | "messages">;

interface RenderInput {
  readonly conversation: Conversation;
  /** Kept messages that must come before the summary and must not hold it. */
  readonly lead: readonly Message[];
  /** Kept messages in order, without earlier summaries. */
  readonly head: readonly Message[];
  readonly tail: readonly Message[];
  readonly summary: string;
  readonly settings: RenderSettings;
  readonly rules: FormatRules;
}

export function renderSummary(input: RenderInput): RenderedSummary {
  const { conversation, settings, rules } = input;
  // Replaces a summary that an earlier pass put into the prompt or into a kept message.
  const system = conversation.system.some((part) => part.type === "text")
    ? unmarked(conversation.system, settings)
    : conversation.system;
  const stripped = (messages: readonly Message[]): readonly Message[] =>
    messages.flatMap((message) => {
      const rest = withoutSummary(message, settings);
      return rest !== message && rest.parts.length === 0 ? [] : [rest];
    });
  const head = stripped(input.head);
  const rendered = RENDERERS[settings.renderer]({ ...input, head, conversation: { ...conversation, system } });
  return { ...rendered, messages: bridge([...stripped(input.lead), ...rendered.messages], settings, rules) };
}

type Render = (input: RenderInput) => RenderedSummary;

const RENDERERS: Readonly<Record<RenderSettings["renderer"], Render>> = {
  "merge-first-user": (input) => {
    const { conversation, head, tail, summary, settings } = input;
    // Never in the output of a tool, where no reader expects it.
    const first = head.findIndex((candidate) => isTurnStart(candidate) && !isPassedOn(candidate));
    const message = head[first];
    // A pinned message stays unchanged; the summary then follows it.
    if (message === undefined || message.pinned) return RENDERERS.pair(input);
    const merged = withSummary(message, summary, settings);
    const messages = [...head.with(first, merged), ...acknowledgedBefore(input), ...tail];
    return { system: conversation.system, messages };
  },
  pair: (input) => {
    const { conversation, head, tail, summary, settings } = input;
    const pair = [summaryMessage(summary, settings), ...acknowledgedBefore(input)];
    return { system: conversation.system, messages: [...head, ...pair, ...tail] };
  },
  "flagged-message": (input) => plainMessage(input),
  entry: (input) => plainMessage(input),
  system: (input) => {
    const { conversation, head, tail, summary, settings, rules } = input;
    if (rules.systemPrompt === "separate" && holdsPrompt(conversation)) {
      return { system: [...conversation.system, summaryPart(summary, settings)], messages: [...head, ...tail] };
    }
    if (rules.systemInList !== "anywhere") return plainMessage(input);
    const lead = head.findIndex(({ role }) => role !== "system");
    const at = lead < 0 ? head.length : lead;
    const message: Message = { id: SUMMARY_ID, role: "system", parts: [summaryPart(summary, settings)] };
    return { system: conversation.system, messages: [...head.slice(0, at), message, ...head.slice(at), ...tail] };
  },
};

/** False for a bare list: it has no system prompt, so the summary goes into the list. */
export function holdsPrompt({ wire }: Conversation): boolean {
  return !isArray(wire?.json);
}

const SUMMARY_ID = "summary";

/** An upper bound of what a summary adds besides its text: its marks, and an acknowledgement where a user message may follow it. */
export function frameMessages(settings: RenderSettings, mayUserFollow: boolean): readonly Message[] {
  const isAnswered = settings.renderer === "pair" || settings.renderer === "merge-first-user";
  return [summaryMessage("", settings), ...(isAnswered ? acknowledged(settings, mayUserFollow) : [])];
}

/** An acknowledgement, except at the end, where the model would continue it, and before a message that must begin with thinking. */
function acknowledgedBefore({ tail, settings, conversation }: RenderInput): readonly Message[] {
  const next = tail.find(({ role }) => role !== "system");
  if (next === undefined || (next.role === "assistant" && thinksManually(conversation))) return [];
  return acknowledged(settings, tail[0]?.role === "user");
}

/** The assistant's line after the summary, when the settings say so. */
function acknowledged({ acknowledgement }: RenderSettings, userFollows: boolean): readonly Message[] {
  const { when, text: said } = acknowledgement;
  const isDue = when === "always" || (when === "needed" && userFollows);
  return isDue ? [{ id: `${SUMMARY_ID}/acknowledgement`, role: "assistant", parts: [text(said)] }] : [];
}

function plainMessage({ conversation, head, tail, summary, settings }: RenderInput): RenderedSummary {
  return { system: conversation.system, messages: [...head, summaryMessage(summary, settings), ...tail] };
}

function summaryMessage(summary: string, settings: RenderSettings): Message {
  return { id: SUMMARY_ID, role: "user", parts: [summaryPart(summary, settings)] };
}

const CONTINUE_TEXT = "Please continue.";

/** Separating lines, only where the provider refuses neighbours of one role. */
function bridge(messages: readonly Message[], settings: RenderSettings, { sameRole }: FormatRules): readonly Message[] {
  if (sameRole !== "refused") return messages;
  return messages.flatMap((message, index) => {
    const previous = messages[index - 1];
    if (previous === undefined || previous.role !== message.role) return [message];
    const isUser = message.role === "user";
    const said = isUser ? acknowledgementText(settings) : CONTINUE_TEXT;
    const between: Message = { id: `${message.id}/bridge`, role: isUser ? "assistant" : "user", parts: [text(said)] };
    return [between, message];
  });
}

function unmarked(system: Conversation["system"], settings: RenderSettings): Conversation["system"] {
  const stripped = stripParts(system, settings);
  return stripped.length === system.length && stripped.every((part, index) => part === system[index])
    ? system
    : stripped;
}

interface PlaceOptions {
  /** Tools whose results are the user's words. */
  readonly userTools?: readonly string[];
  /** True where the request has a thinking budget. */
  readonly thinksManually?: boolean;
}

/**
 * The index before which a summary goes; -1 where no message leaves. `kept` are the indices of the messages that stay,
 * ascending. It takes the place of the first message that it replaces. An older request after the summary would read
 * like a new one, so it goes after every request but the newest. With a thinking budget it goes before the turn that
 * waits for the model: inside that turn it would begin another one, without thinking.
 */
export function summaryPlace(
  messages: readonly Message[],
  kept: readonly number[],
  options: PlaceOptions = {},
): number {
  const place = placeAmong(messages, kept, options.userTools ?? []);
  const turn = options.thinksManually ? waitingTurn(messages) : undefined;
  const isInside = turn !== undefined && kept.some((index) => index > turn && index < place);
  return isInside ? turn : place;
}

function placeAmong(messages: readonly Message[], kept: readonly number[], userTools: readonly string[]): number {
  const { hasWordsBeside } = userVoice(messages, userTools);
  const asks = (message: Message): boolean => isRequest(message) || hasWordsBeside(message);
  let first = 0;
  while (kept[first] === first) first++;
  if (first >= messages.length) return -1;
  let end = messages.length;
  let scattered = kept.length;
  while (scattered > 0 && kept[scattered - 1] === end - 1) {
    end--;
    scattered--;
  }
  // Requests before the newest one are old, whether or not that one stays.
  const newest = messages.findLastIndex(asks);
  const oldEnd = kept.includes(newest) ? Math.min(newest, end) : end;
  let place = first;
  for (let at = first; at < scattered; at++) {
    const index = kept[at] ?? 0;
    const message = messages[index];
    if (index >= oldEnd || message === undefined || !asks(message)) continue;
    let gone = index + 1;
    for (let next = at + 1; kept[next] === gone; next++) gone++;
    if (gone < oldEnd) place = gone;
  }
  return place;
}
