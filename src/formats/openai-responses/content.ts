/** Blocks inside a Responses message or output: text, refusals, media. Kept in their part; new ones in the form the role needs. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type MediaPart, type Part, type Role, type TextPart, text } from "../../core/message.ts";
import { invalid, kindOf } from "../body.ts";
import { describeMedia, mediaOfAudio, mediaOfFile, mediaOfUrl, toAudioBlock, toDataUrl } from "../openai-media.ts";
import { overlay, sameOr } from "../overlay.ts";

/** A bare string is shorthand for one text block; its part has no block of its own. */
export function decodeContent(content: JsonValue | undefined, path: string): readonly Part[] {
  if (content === undefined || content === null) return [];
  if (typeof content === "string") return [text(content)];
  if (!isArray(content)) throw invalid(`${path} must be a string or an array of parts, not ${kindOf(content)}.`);
  return content.map((block, position) => {
    if (!isObject(block)) throw invalid(`${path}.${position} must be an object, not ${kindOf(block)}.`);
    return decodeBlock(block);
  });
}

/** A block that lacks what it needs stays opaque. */
export function decodeBlock(block: JsonObject): Part {
  const kind = stringOf(block.type) ?? "";
  return readBlock(block, kind) ?? { type: "opaque", kind, wire: block };
}

/** A string stays a string while it is one text; what had blocks keeps blocks. */
export function encodeContent(parts: readonly Part[], before: JsonValue | undefined, role: Role): JsonValue {
  const [first] = parts;
  if (first === undefined) return isArray(before) ? sameOr(before, []) : "";
  const isPlain = parts.length === 1 && first.type === "text" && first.wire === undefined;
  if (isPlain && !isArray(before)) return first.text;
  const blocks = parts.flatMap((part) => encodeBlock(part, role));
  return isArray(before) ? sameOr(before, blocks) : blocks;
}

function readBlock(block: JsonObject, kind: string): Part | undefined {
  switch (kind) {
    case "input_text":
    case "output_text":
    case "text":
      return typeof block.text === "string" ? { type: "text", text: block.text, wire: block } : undefined;
    case "refusal":
      return typeof block.refusal === "string" ? { type: "text", text: block.refusal, wire: block } : undefined;
    case "input_image":
    case "computer_screenshot":
      return image(block);
    case "input_file":
      return mediaOfFile(block, block);
    case "input_audio":
      return mediaOfAudio(block);
    default:
      return undefined;
  }
}

function image(block: JsonObject): Part | undefined {
  if (typeof block.image_url === "string") return mediaOfUrl("image", block.image_url, block);
  if (typeof block.file_id !== "string") return undefined;
  return { type: "media", kind: "image", source: { type: "file", fileId: block.file_id }, wire: block };
}

function encodeBlock(part: Part, role: Role): readonly JsonObject[] {
  switch (part.type) {
    case "text":
      return [encodeText(part, role)];
    case "media":
      return [isScreenshot(part) && role !== "tool" ? encodeMedia(part, role) : (part.wire ?? encodeMedia(part, role))];
    case "opaque":
      return [part.wire];
    case "reasoning":
    case "tool-call":
    case "tool-result":
      return []; // items of their own
    default:
      return part satisfies never;
  }
}

/** Of a computer call: no message holds a block of that type. */
function isScreenshot({ wire }: MediaPart): boolean {
  return wire?.type === "computer_screenshot";
}

function encodeText(part: TextPart, role: Role): JsonObject {
  if (part.wire?.type === "refusal") return overlay(part.wire, { refusal: part.text });
  if (part.wire !== undefined) return overlay(part.wire, { text: part.text });
  return { type: role === "assistant" ? "output_text" : "input_text", text: part.text };
}

/** An assistant message holds no media, and no input holds video: there a note stands for it. */
function encodeMedia(part: MediaPart, role: Role): JsonObject {
  const note = encodeText(text(describeMedia(part)), role);
  return role === "assistant" ? note : (encodeInputMedia(part) ?? note);
}

function encodeInputMedia({ kind, source, mediaType, name }: MediaPart): JsonObject | undefined {
  if (source.type === "text" || kind === "video") return undefined;
  if (kind === "image") {
    if (source.type === "file") return { type: "input_image", detail: "auto", file_id: source.fileId };
    const url = source.type === "url" ? source.url : toDataUrl(source.data, mediaType ?? "image/png");
    return { type: "input_image", detail: "auto", image_url: url };
  }
  if (kind === "audio") return source.type === "base64" ? toAudioBlock(source.data, mediaType) : undefined;
  if (source.type === "file") return { type: "input_file", file_id: source.fileId };
  if (source.type === "url") return { type: "input_file", file_url: source.url };
  const fileData = toDataUrl(source.data, mediaType ?? "application/pdf");
  return { type: "input_file", filename: name ?? "document", file_data: fileData };
}
