/** Inline and referenced files of Gemini parts. What lacks its data is left to be carried as opaque. */

import { type JsonObject, stringOf } from "../../core/json.ts";
import type { MediaPart } from "../../core/message.ts";
import { overlay } from "../overlay.ts";
import { fieldOf, keyOf, objectOf } from "./spelling.ts";

export function decodeMedia(wire: JsonObject): MediaPart | undefined {
  const inline = objectOf(wire, "inlineData");
  if (typeof inline?.data === "string") return media(wire, inline, { type: "base64", data: inline.data });
  const file = objectOf(wire, "fileData");
  const url = file === undefined ? undefined : stringOf(fieldOf(file, "fileUri"));
  return file === undefined || url === undefined ? undefined : media(wire, file, { type: "url", url });
}

export function encodeMedia(part: MediaPart): JsonObject {
  const { source } = part;
  switch (source.type) {
    case "base64":
      return encodeBlob(part, "inlineData", { data: source.data });
    case "url":
    case "file": {
      const file = part.wire === undefined ? undefined : objectOf(part.wire, "fileData");
      return encodeBlob(part, "fileData", {
        [keyOf(file, "fileUri")]: source.type === "url" ? source.url : source.fileId,
      });
    }
    case "text":
      return { text: source.text };
    default:
      return source satisfies never;
  }
}

/** Laid over the wire part while it is of the same sort; a type that was not stated there is not added. */
function encodeBlob(part: MediaPart, field: "inlineData" | "fileData", content: JsonObject): JsonObject {
  const blob = part.wire === undefined ? undefined : objectOf(part.wire, field);
  const wire = blob === undefined ? undefined : part.wire;
  const mimeType = part.mediaType ?? (blob === undefined ? DEFAULT_TYPES[part.kind] : undefined);
  return overlay(wire, { [keyOf(wire, field)]: overlay(blob, { [keyOf(blob, "mimeType")]: mimeType, ...content }) });
}

function media(wire: JsonObject, file: JsonObject, source: MediaPart["source"]): MediaPart {
  const mediaType = stringOf(fieldOf(file, "mimeType"));
  const name = stringOf(fieldOf(file, "displayName"));
  return {
    type: "media",
    kind: kindOfType(mediaType),
    source,
    ...(mediaType !== undefined && { mediaType }),
    ...(name !== undefined && { name }),
    wire,
  };
}

function kindOfType(mediaType = ""): MediaPart["kind"] {
  const family = mediaType.slice(0, mediaType.indexOf("/"));
  return family === "image" || family === "audio" || family === "video" ? family : "document";
}

const DEFAULT_TYPES: Readonly<Record<MediaPart["kind"], string>> = {
  image: "image/png",
  document: "application/pdf",
  audio: "audio/wav",
  video: "video/mp4",
};
