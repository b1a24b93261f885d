/**
 * Agent and session id together name a session, while a store knows one name for each. The first agent that uses an id has it for
 * the name, so that whoever looks into a database finds the ids that were given; every other agent's session has the id with the
 * agent behind it. Both SQL schemas take such names apart by the same rule.
 */

const SEPARATOR = "\u001f";

export function agentKey(sessionId: string, agentId: string): string {
  return `${sessionId}${SEPARATOR}${agentId}`;
}

/** The id that was given, of a session that is stored under `key`. */
export function sessionIdIn(key: string, agentId: string): string {
  const ending = `${SEPARATOR}${agentId}`;
  return agentId !== "" && key.endsWith(ending) && key.length > ending.length ? key.slice(0, -ending.length) : key;
}
