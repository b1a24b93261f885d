/** Whether a session in memory is as its rules say. Finds; mends nothing. */

import type { Finding } from "../../core/store/store-upkeep.ts";
import { eventsInForce } from "./make-record.ts";
import type { SessionLog } from "./session-log.ts";

export function examineLog(log: SessionLog): readonly Finding[] {
  const problems = [...viewProblems(log), ...rowProblems(log), ...eventProblems(log)];
  return problems.map(([rule, message]) => ({ sessionId: log.id, rule, message, remedy: REMEDY }));
}

type Problem = readonly [rule: string, message: string];

const REMEDY = "Keep the session as it is and report this; a fork of an earlier copy can be gone on with.";

function viewProblems({ view }: SessionLog): readonly Problem[] {
  return view.flatMap((row, index): readonly Problem[] => {
    const before = view[index - 1];
    if (row.archivedBy !== null) return [["view-archived", `Message ${row.id} is in the view, yet archived.`]];
    if (before === undefined || before.order < row.order) return [];
    return [["view-order", `Messages ${before.id} and ${row.id} stand at the same place or in the wrong order.`]];
  });
}

function rowProblems(log: SessionLog): readonly Problem[] {
  const inForce = new Set(eventsInForce(log).map(({ facts }) => facts.id));
  return [...log.rows.values()].flatMap((row): readonly Problem[] => {
    const problems: Problem[] = [];
    const by = row.archivedBy;
    if (by !== null && !inForce.has(by) && by !== row.madeBy) {
      problems.push(["archived-by", `Message ${row.id} is archived by ${by}, which is not in force.`]);
    }
    if (row.madeBy !== null && !log.events.has(row.madeBy)) {
      problems.push(["made-by", `Message ${row.id} was made by ${row.madeBy}, which is not there.`]);
    }
    if (row.sequence > log.sequence) problems.push(["sequence", `Message ${row.id} is numbered beyond the last.`]);
    for (const { eventId } of row.edits) {
      if (!inForce.has(eventId))
        problems.push(["edited-by", `Message ${row.id} is edited by ${eventId}, not in force.`]);
    }
    return problems;
  });
}

function eventProblems(log: SessionLog): readonly Problem[] {
  const inForce = eventsInForce(log);
  const count = inForce.filter(({ facts }) => facts.isCompaction).length;
  const problems: Problem[] = inForce.flatMap(({ facts, archived }): readonly Problem[] => {
    if (facts.purgedAt !== null || !(archived.length < facts.messagesRemoved)) return [];
    const message = `Compaction ${facts.id} took ${facts.messagesRemoved} messages out of the view and has ${archived.length} of them.`;
    return [["archive-incomplete", message]];
  });
  if (count !== log.counters.compactionCount) {
    problems.push(["compaction-count", `${log.counters.compactionCount} compactions are counted, ${count} are there.`]);
  }
  if (log.head !== null && inForce.length === 0) problems.push(["head", `The newest event ${log.head} is not there.`]);
  const standing = [...log.events.values()].filter(({ facts }) => facts.undoneAt === null).length;
  if (standing !== inForce.length)
    problems.push(["event-chain", `${standing - inForce.length} events hang in the air.`]);
  return problems;
}
