/** The first line of a session file: pi's header, with what we know of the session beside it. */

import { CompactionError } from "../../core/errors.ts";
import { FORMAT_NAMES } from "../../core/format-rules.ts";
import { isObject, type JsonObject, numberOf, stringOf } from "../../core/json.ts";
import { isPiHeader } from "../../core/pi-entries/live-path.ts";
import type { Created } from "../log/log-record.ts";

/** Of what we write under `palimpsest`; pi's own version stands in its own field. */
const FORM_VERSION = 1;
const PI_VERSION = 3;

export function headerOf(created: Created, cwd: string): JsonObject {
  const { id, at, incarnation, format, base, agentId, parentId, metadata } = created;
  const palimpsest = { version: FORM_VERSION, incarnation, format, base, agentId, parentId, metadata };
  return { type: "session", version: PI_VERSION, id, timestamp: at, cwd, palimpsest };
}

/** Undefined for what is no header; a file that pi or OpenClaw began is a session in Anthropic's format. */
export function createdIn(header: JsonObject): Created | undefined {
  const id = stringOf(header.id) ?? "";
  if (!isPiHeader(header) || id === "") return undefined;
  const own = isObject(header.palimpsest) ? header.palimpsest : {};
  if (isTooNew(header)) throw tooNew(id);
  const at = timeOf(header.timestamp) ?? new Date(0).toISOString();
  return {
    id,
    at,
    // Of older files and of others', nothing else tells it.
    incarnation: stringOf(own.incarnation) ?? at,
    format: FORMAT_NAMES.find((format) => format === own.format) ?? "anthropic-messages",
    base: isObject(own.base) ? own.base : {},
    agentId: stringOf(own.agentId) ?? "",
    parentId: stringOf(own.parentId) ?? null,
    metadata: isObject(own.metadata) ? own.metadata : {},
  };
}

export function isOwnHeader(header: JsonObject): boolean {
  return isObject(header.palimpsest);
}

/** Written by a version of ours, or of pi, that may know better. */
export function isTooNew({ palimpsest, version }: JsonObject): boolean {
  const own = isObject(palimpsest) ? numberOf(palimpsest.version) : undefined;
  return (own ?? 0) > FORM_VERSION || (numberOf(version) ?? 0) > PI_VERSION;
}

/** As we write times; undefined for what is none. */
export function timeOf(value: unknown): string | undefined {
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  if (typeof value === "string" && OUR_TIME.test(value)) return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Nearly every time that is read was written by us. */
const OUR_TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

function tooNew(id: string): CompactionError {
  const message = `The file of session ${JSON.stringify(id.slice(0, 80))} was written by a newer version of this package, or of pi or OpenClaw, than this one knows. Nothing was changed; upgrade the package.`;
  return new CompactionError("schema-too-new", message);
}
