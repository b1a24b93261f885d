/** The `content` of a Chat message from its parts. A string stays a string while it is one text; blocks stay blocks. */

import { isArray, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { MediaPart, Part, Role } from "../../core/message.ts";
import { describeMedia, toAudioBlock, toDataUrl } from "../openai-media.ts";
import { overlay, sameOr } from "../overlay.ts";
import { isFieldPart } from "./fields.ts";

export function isContentPart(part: Part): boolean {
  return (part.type === "text" || part.type === "media" || part.type === "opaque") && !isFieldPart(part);
}

export function encodeContent(parts: readonly Part[], before: JsonValue | undefined, role: Role): JsonValue {
  const [first] = parts;
  if (first === undefined) return "";
  const isPlain = parts.length === 1 && first.type === "text" && first.wire === undefined;
  if (isPlain && !(isArray(before) && before.length > 0)) return first.text;
  const blocks = parts.flatMap((part) => encodeBlock(part, role));
  return isArray(before) ? sameOr(before, blocks) : blocks;
}

function encodeBlock(part: Part, role: Role): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      if (part.wire?.type === "refusal") return [overlay(part.wire, { refusal: part.text })];
      return [overlay(part.wire, { type: "text", text: part.text })];
    case "media":
      return [part.wire ?? encodeMedia(part, role)];
    case "opaque":
      return [part.wire];
    case "reasoning":
    case "tool-call":
    case "tool-result":
      return []; // fields or messages of their own
    default:
      return part satisfies never;
  }
}

/** Only user messages may hold media, and of remote media only images; elsewhere a note stands for it. */
function encodeMedia(part: MediaPart, role: Role): JsonObject {
  const note: JsonObject = { type: "text", text: describeMedia(part) };
  return role === "user" ? (encodeUserMedia(part) ?? note) : note;
}

function encodeUserMedia({ kind, source, mediaType, name }: MediaPart): JsonObject | undefined {
  if (source.type === "file") return { type: "file", file: { file_id: source.fileId } };
  if (source.type === "text" || kind === "video") return undefined;
  if (kind === "image") {
    const url = source.type === "url" ? source.url : toDataUrl(source.data, mediaType ?? "image/png");
    return { type: "image_url", image_url: { url } };
  }
  if (source.type === "url") return undefined;
  if (kind === "audio") return toAudioBlock(source.data, mediaType);
  const fileData = toDataUrl(source.data, mediaType ?? "application/pdf");
  return { type: "file", file: { filename: name ?? "document", file_data: fileData } };
}
