/** A user's own words out of a user message: without the blocks that clients put around or in place of them. Never rewords. */

import { MISSING_START_TEXT } from "../repair/roles.ts";
import { INTERRUPTED_TEXT } from "../repair/rounds.ts";

/** Written in a user's place by our own repair. */
const REPAIR_NOTES: ReadonlySet<string> = new Set([MISSING_START_TEXT, INTERRUPTED_TEXT]);

/** Empty when the message is only a client's note, such as a reminder, a bare slash command or the output of a local one. */
export function requestOf(text: string): string {
  if (NOTIFICATION.test(text.slice(0, 80))) return "";
  const words = (text.includes("</") ? ownWords(text) : text).trim();
  if (/^\/[\w:-]*$/.test(words)) return "";
  return CLIENT_NOTE.test(words) || REPAIR_NOTES.has(words) ? "" : words;
}

/** Announces itself; what follows the block is about it. */
const NOTIFICATION = /^\s*<(?:task-notification|task_notification|subagent_notification|turn_aborted)>/;
/** Said by programs in the user's place. */
const CLIENT_NOTE =
  /^(?:\[Request interrupted|\[Image: source|Caveat: |This session is being continued|Base directory for this skill: |Stop hook feedback|Continue from where you left off\.?$|# AGENTS\.md instructions|\[SYSTEM\b|Tool loaded\.|<[a-z]+(?:[-_][a-z]+)+>[^<]{0,200}$)/;

/** What clients add: reminders, output of commands, the state of an editor. */
const CLIENT_BLOCK =
  /<(system-reminder|system_reminder|local-command-[a-z]+|command-(?:message|name|contents)|bash-(?:input|stdout|stderr)|task-notification|task_notification|user-prompt-submit-hook|user_instructions|turn_aborted|subagent_notification|environment_details|environment_context|ide_[a-z_]+|system-note|user_info|workspace_info|reminderInstructions|attachments|context|editorContext|skill)>/g;

/** What clients wrap around the user's words. */
const WRAPPER =
  /<\/?(?:command-args|user_query|user_request|userRequest|user_message|user-message|feedback|answer|task)>/g;

function ownWords(text: string): string {
  const rest = withoutClientBlocks(text);
  return rest.includes("<") ? rest.replace(WRAPPER, "") : rest;
}

/** Whether a client passes on, in a block of its own, what the user wrote while the model was at work. */
export function hasQueuedWords(text: string): boolean {
  return text.includes(QUEUED) && requestOf(text) !== "";
}

const QUEUED = "The user sent the following message:";
/** What the client says behind the words. */
const QUEUE_ADVICE = /\n\s*(?:Please address this message|IMPORTANT:|After completing your current task)[\s\S]*$/;

/** The user's words in a block of a client's; empty where there are none. */
function queuedIn(block: string): string {
  const start = block.trimStart();
  return start.startsWith(QUEUED) ? start.slice(QUEUED.length).replace(QUEUE_ADVICE, "").trim() : "";
}

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
    words += text.slice(from, match.index) + queuedIn(text.slice(match.index + tag.length, end));
    from = end + name.length + 3;
  }
  return words + text.slice(from);
}
