/** Files that the tool calls of some messages read or modified, each once, in order. A file that was modified is not read too. */

import type { FileOperations } from "../../../core/hooks/hooks.ts";
import type { Message } from "../../../core/message.ts";
import { filesOfCall } from "./call-files.ts";

export function filesOfMessages(messages: readonly Message[]): FileOperations {
  const read = new Set<string>();
  const modified = new Set<string>();
  for (const part of messages.flatMap(({ parts }) => parts)) {
    if (part.type !== "tool-call") continue;
    const files = filesOfCall(part);
    for (const path of files.read) read.add(path);
    for (const path of files.modified) modified.add(path);
  }
  return { read: [...read].filter((path) => !modified.has(path)), modified: [...modified] };
}
