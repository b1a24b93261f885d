/** Blocks inside a Responses message, output or `instructions`: text, refusals, media. A new one gets the form that its role needs. */

import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../../core/json.ts";
import { type MediaPart, type Part, type Role, type TextPart, text, textsOf } from "../../core/message.ts";
import { encodeContent, overlay } from "../body.ts";
import {
  decodeContent,
  describeMedia,
  mediaOfAudio,
  mediaOfFile,
  mediaOfUrl,
  toAudioBlock,
  toDataUrl,
} from "../openai.ts";

/** Empty content is written as an empty text, unless it was an empty list. */
export function encodeBlocks(parts: readonly Part[], before: JsonValue | undefined, role: Role): JsonValue {
  if (parts.length === 0 && !isArray(before)) return "";
  return encodeContent(parts, before, (part) => encodeBlock(part, role));
}

/** Undefined for a block that lacks what it needs. */
export function readBlock(block: JsonObject, kind: string): Part | undefined {
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

/** True for the screenshot of a computer call; messages may not hold a block of that type. */
function isScreenshot({ wire }: MediaPart): boolean {
  return wire?.type === "computer_screenshot";
}

function encodeText(part: TextPart, role: Role): JsonObject {
  if (part.wire?.type === "refusal") return overlay(part.wire, { refusal: part.text });
  if (part.wire !== undefined) return overlay(part.wire, { text: part.text });
  return { type: role === "assistant" ? "output_text" : "input_text", text: part.text };
}

/** Assistant messages may hold no media, and inputs no video; a text note replaces those. */
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

export function decodeInstructions(instructions: JsonValue | undefined): readonly Part[] {
  if (typeof instructions === "string") return [text(instructions)];
  return isArray(instructions) ? instructions.filter(isObject).map(decodeInstruction) : [];
}

/** One part per item: its text when that is all it holds. */
function decodeInstruction(item: JsonObject): Part {
  const parts =
    typeof item.content === "string" || isArray(item.content)
      ? decodeContent(item.content, "instructions", readBlock)
      : [];
  const isText = parts.length > 0 && parts.every((part) => part.type === "text");
  if (!isText) return { type: "opaque", kind: stringOf(item.type) ?? "message", wire: item };
  return { type: "text", text: textsOf(parts).join("\n"), wire: item };
}

export function encodeInstructions(system: readonly Part[], before: JsonValue | undefined): JsonValue {
  if (!isArray(before)) return textsOf(system).join("\n\n");
  return system.flatMap((part): readonly JsonObject[] => {
    if (part.type === "opaque") return [part.wire];
    if (part.type !== "text") return [];
    const isSame = part.wire !== undefined && textOf(part.wire) === part.text;
    return [isSame ? part.wire : overlay(part.wire ?? { role: "developer" }, { content: part.text })];
  });
}

function textOf(item: JsonObject): string | undefined {
  const part = decodeInstruction(item);
  return part.type === "text" ? part.text : undefined;
}
