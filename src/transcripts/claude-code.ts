/**
 * Claude Code session files (`projects/…/<id>.jsonl`, sub-agent files, `stream-json` output) as Anthropic messages.
 * The client's system prompt and tools are not recorded, so the bodies have none. See claude-code-tree.ts for branches.
 */

import type { JsonObject } from "../core/json.ts";
import { assembleMessages, type Entry } from "./assemble-messages.ts";
import { type Line, readLine } from "./claude-code-lines.ts";
import { type Stretch, stretchesOf } from "./claude-code-tree.ts";
import type { Counter } from "./record-counts.ts";
import { distinct, textOf } from "./recorded-text.ts";
import type { RecordedCompaction, RecordedConversation } from "./transcript.ts";

export function readClaudeCode(records: Iterable<JsonObject>, counter: Counter): readonly RecordedConversation[] {
  const main: Line[] = [];
  const sidechains = new Map<string, Line[]>();
  const groupOf = new Map<string, string>();
  let index = 0;
  for (const record of records) {
    const line = readLine(record, index, counter);
    index += 1;
    if (!line.isSidechain) {
      main.push(line);
      continue;
    }
    const group = line.agentId ?? groupOf.get(line.parent ?? "") ?? line.uuid;
    groupOf.set(line.uuid, group);
    const known = sidechains.get(group);
    if (known === undefined) sidechains.set(group, [line]);
    else known.push(line);
  }
  const mainId = main.findLast((line) => line.sessionId !== undefined)?.sessionId ?? "main";
  return [
    ...conversationOf(main, mainId, "main"),
    ...[...sidechains].flatMap(([group, lines]) => conversationOf(lines, group, `sidechain ${group}`)),
  ];
}

function conversationOf(lines: readonly Line[], id: string, label: string): readonly RecordedConversation[] {
  const stretches = stretchesOf(lines);
  const assembled = stretches.map((stretch) => assembleMessages(entriesOf(stretch)));
  const last = assembled.at(-1);
  if (last === undefined || assembled.every((segment) => segment.messages.length === 0)) return [];
  const calls = assembled.flatMap((segment, index) => segment.calls.map((call) => ({ segment: index, ...call })));
  const answeredBy = stretches.flatMap((stretch) => stretch.lines.map((line) => line.model));
  const model = answeredBy.findLast((name) => name !== undefined);
  return [
    {
      id,
      label,
      format: "anthropic-messages",
      body: { ...(model === undefined ? {} : { model }), messages: last.messages },
      models: distinct(answeredBy),
      calls,
      segments: assembled.map(({ messages }) => ({ messages })),
      compactions: compactionsOf(stretches),
    },
  ];
}

function entriesOf(stretch: Stretch): readonly Entry[] {
  return [
    ...stretch.summary.flatMap((line) => entryOf(line, false)),
    ...stretch.carried.flatMap((line) => entryOf(line, true)),
    ...stretch.lines.flatMap((line) => entryOf(line, false)),
  ];
}

function entryOf(line: Line, carried: boolean): readonly Entry[] {
  const { role, blocks, responseId, model, usage } = line;
  if (role === undefined) return [];
  return [
    {
      role,
      blocks,
      carried,
      ...(responseId === undefined ? {} : { responseId }),
      ...(model === undefined ? {} : { model }),
      ...(usage === undefined ? {} : { usage }),
    },
  ];
}

function compactionsOf(stretches: readonly Stretch[]): readonly RecordedCompaction[] {
  return stretches.flatMap(({ opening, summary }, index) => {
    // A file that begins with a summary continues a session recorded elsewhere.
    if (opening === undefined || index === 0) return [];
    const text = summary.map((line) => textOf(line.blocks)).join("\n");
    return [
      {
        afterSegment: index - 1,
        ...(opening.trigger === undefined ? {} : { trigger: opening.trigger }),
        ...(opening.tokensBefore === undefined ? {} : { tokensBefore: opening.tokensBefore }),
        ...(text === "" ? {} : { summary: text }),
      },
    ];
  });
}
