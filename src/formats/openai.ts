/**
 * What both OpenAI formats share: names and arguments of calls, media, function definitions, the text of failed results. A call that was
 * not changed keeps its exact arguments, because models write JSON with their own spacing and key order. Never fetches, never decodes bytes.
 */

import { isArray, isObject, isTooDeep, type JsonObject, type JsonValue, parseJson, stringOf } from "../core/json.ts";
import { type MediaPart, type MediaSource, type Part, type Role, text, textsOf } from "../core/message.ts";
import type { ToolDefinition } from "../core/ports.ts";
import { invalid, kindOf, toolDefinition } from "./body.ts";

/** `names` maps the wire's roles to ours. Throws for a role that is not among them. */
export function decodeRole(names: ReadonlyMap<unknown, Role>, role: JsonValue | undefined, path: string): Role {
  const known = names.get(role);
  if (known !== undefined) return known;
  const all = [...names.keys()].map((name) => JSON.stringify(name)).join(", ");
  throw invalid(`${path}.role must be one of ${all}, not ${JSON.stringify(role)}.`);
}

/** A bare string is shorthand for one text block; its part has no block of its own. A block that `read` cannot read stays opaque. */
export function decodeContent(content: JsonValue | undefined, path: string, read: ReadBlock): readonly Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [text(content)];
  if (!isArray(content)) throw invalid(`${path} must be a string or an array of parts, not ${kindOf(content)}.`);
  return content.map((block, position) => {
    if (!isObject(block)) throw invalid(`${path}.${position} must be an object, not ${kindOf(block)}.`);
    return decodeBlock(block, read);
  });
}

type ReadBlock = (block: JsonObject, kind: string) => Part | undefined;

export function decodeBlock(block: JsonObject, read: ReadBlock): Part {
  const kind = stringOf(block.type) ?? "";
  return read(block, kind) ?? { type: "opaque", kind, wire: block };
}

/** The parsed value, or the string as it is when it does not parse or nests too deeply. Some servers send an object at once. */
export function decodeArguments(json: JsonValue | undefined): JsonValue {
  if (json === undefined || json === null) return {};
  if (typeof json !== "string") return json;
  if (isTooDeep(json)) return json;
  const value = parseJson(json);
  return value === undefined ? json : value;
}

/** `holder` is the object that held `arguments` before. */
export function encodeArguments(input: JsonValue, holder: JsonObject | undefined): JsonValue | undefined {
  const isSame = holder !== undefined && isSameJson(decodeArguments(holder.arguments), input);
  return isSame ? holder.arguments : asText(input);
}

/** `holder` is the object that held `input` before. */
export function encodeFreeText(input: JsonValue, holder: JsonObject | undefined): JsonValue | undefined {
  const isSame = holder !== undefined && isSameJson(holder.input ?? "", input);
  return isSame ? holder.input : asText(input);
}

export function decodeName(holder: JsonObject): string {
  return stringOf(holder.name) ?? "";
}

export function encodeName(name: string, holder: JsonObject | undefined): JsonValue | undefined {
  return holder !== undefined && decodeName(holder) === name ? holder.name : name;
}

function asText(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

function isSameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true;
  const areObjects = isObject(a) && isObject(b);
  const areArrays = isArray(a) && isArray(b);
  return (areObjects || areArrays) && JSON.stringify(a) === JSON.stringify(b);
}

type UrlSource = Pick<MediaPart, "source" | "mediaType">;

/** How much of a data URL is searched for the end of its header. */
const DATA_URL_HEADER_CHARS = 200;
const DATA_URL_HEADER = /^data:([^;,]+)(?:;[^,]*)?;base64,/;

const AUDIO_TYPES: ReadonlyMap<string, string> = new Map([
  ["mp3", "audio/mpeg"],
  ["wav", "audio/wav"],
]);

/** A data URL gives its bytes and their type; any other URL stays a URL. */
function sourceOfUrl(url: string): UrlSource {
  const header = DATA_URL_HEADER.exec(url.slice(0, DATA_URL_HEADER_CHARS));
  if (header === null) return { source: { type: "url", url } };
  const mediaType = header[1];
  const source: MediaSource = { type: "base64", data: url.slice(header[0].length) };
  return mediaType === undefined ? { source } : { source, mediaType };
}

export function mediaOfUrl(kind: MediaPart["kind"], url: string, wire: JsonObject): MediaPart {
  return { type: "media", kind, ...sourceOfUrl(url), wire };
}

/** The fields of a file: `file_data`, `file_id` or `file_url`, and `filename`. Undefined when none names content. */
export function mediaOfFile(fields: JsonObject, wire: JsonObject): MediaPart | undefined {
  const { filename, file_data: data, file_id: fileId, file_url: url } = fields;
  const named = typeof filename === "string" ? { name: filename } : {};
  const media = (from: UrlSource): MediaPart => ({ type: "media", kind: "document", ...from, ...named, wire });
  if (typeof data === "string") {
    // The documented form is a data URL; some clients write bare base64.
    return media(data.startsWith("data:") ? sourceOfUrl(data) : { source: { type: "base64", data } });
  }
  if (typeof fileId === "string") return media({ source: { type: "file", fileId } });
  return typeof url === "string" ? media({ source: { type: "url", url } }) : undefined;
}

export function mediaOfAudio(block: JsonObject): MediaPart | undefined {
  const audio = block.input_audio;
  if (!isObject(audio) || typeof audio.data !== "string") return undefined;
  const format = stringOf(audio.format) ?? "wav";
  const mediaType = AUDIO_TYPES.get(format) ?? `audio/${format}`;
  return { type: "media", kind: "audio", mediaType, source: { type: "base64", data: audio.data }, wire: block };
}

export function toDataUrl(data: string, mediaType: string): string {
  return `data:${mediaType};base64,${data}`;
}

export function toAudioBlock(data: string, mediaType: string | undefined): JsonObject {
  const isMp3 = mediaType === "audio/mpeg" || mediaType === "audio/mp3";
  return { type: "input_audio", input_audio: { data, format: isMp3 ? "mp3" : "wav" } };
}

/** A text in place of media that the format cannot hold. */
export function describeMedia({ kind, name, mediaType, source }: MediaPart): string {
  if (source.type === "text") return source.text;
  const details = [name, mediaType, source.type === "url" ? source.url : undefined].filter(
    (detail) => detail !== undefined,
  );
  return details.length === 0 ? `[${kind}]` : `[${kind}: ${details.join(", ")}]`;
}

export function readFunction({ name, description, parameters }: JsonObject): ToolDefinition | undefined {
  return toolDefinition({ name, description, parameters: parameters ?? undefined });
}

const SAYS_ERROR = /^\W*(error|failed|failure|exception|traceback)/i;

export function withErrorText(content: readonly Part[]): readonly Part[] {
  const position = content.findIndex((part) => part.type === "text" && part.text !== "");
  const first = content[position];
  if (first?.type !== "text") return [text("ERROR: the tool call failed"), ...content];
  if (SAYS_ERROR.test(textsOf(content)[0] ?? "")) return content;
  return content.with(position, { ...first, text: `ERROR: ${first.text}` });
}

/** Neighbouring parts that share a message, as one list; each other part alone. */
export function toSegments(parts: readonly Part[], isAlone: (part: Part) => boolean): readonly Segment[] {
  const segments: (Part | Part[])[] = [];
  for (const part of parts) {
    const last = segments.at(-1);
    if (isAlone(part)) segments.push(part);
    else if (Array.isArray(last)) last.push(part);
    else segments.push([part]);
  }
  return segments;
}

type Segment = Part | readonly Part[];

export function isSpeech(segment: Segment): segment is readonly Part[] {
  return Array.isArray(segment);
}

/** Text beside tool results can only have come from the user. */
export function speakerOf(role: Role): Exclude<Role, "tool"> {
  return role === "tool" ? "user" : role;
}
