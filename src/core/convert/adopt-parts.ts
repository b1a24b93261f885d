/** Converts a message's parts to what another format can hold. Any other part becomes text if it is readable, otherwise it is dropped. */

import type { FormatRules } from "../format-rules.ts";
import { isArray, isObject, type JsonObject, type JsonValue, stringOf } from "../json.ts";
import {
  type MediaPart,
  type OpaquePart,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  text,
  textsOf,
} from "../message.ts";
import type { Loss, Renamed } from "./adopt.ts";

export interface AdoptContext {
  readonly rules: FormatRules;
  /** The tool's name for each paired result. */
  readonly names: ReadonlyMap<Part, string>;
  /** Ids of calls, and names of tools, that the format would refuse. */
  readonly callIds: Renamed;
  readonly tools: Renamed;
  report(what: string, became: Loss["became"]): void;
}

export function adoptParts(parts: readonly Part[], context: AdoptContext): readonly Part[] {
  return parts.flatMap((part) => adoptPart(part, context));
}

/** Fields of a block that only its provider knows. They are dropped and reported. */
const LEFT_BEHIND: readonly (readonly [key: string, what: string])[] = [
  ["cache_control", "cache-mark"],
  ["citations", "citations"],
  ["annotations", "citations"],
];

function reportLeftBehind({ wire }: Part, { report }: AdoptContext): void {
  for (const [key, what] of LEFT_BEHIND) {
    const value = wire?.[key] ?? null;
    if (value !== null && !(isArray(value) && value.length === 0)) report(what, "dropped");
  }
}

function adoptPart(part: Part, context: AdoptContext): readonly Part[] {
  if (part.type !== "opaque") reportLeftBehind(part, context);
  switch (part.type) {
    case "text":
      return part.text === "" ? [] : [text(part.text)];
    case "media":
      return [adoptMedia(part, context)];
    case "tool-call":
      return [part.server ? describeServerPart(part, context) : adoptCall(part, context)];
    case "tool-result":
      return [part.server ? describeServerPart(part, context) : adoptResult(part, context)];
    case "reasoning":
      context.report("reasoning", "dropped");
      return [];
    case "opaque":
      return adoptOpaque(part, context);
    default:
      return part satisfies never;
  }
}

function adoptOpaque(part: OpaquePart, { report }: AdoptContext): readonly Part[] {
  const described = describeOpaque(part);
  report(`opaque:${part.kind}`, described === undefined ? "dropped" : "text");
  return described === undefined ? [] : [text(described)];
}

function adoptMedia(part: MediaPart, { rules, report }: AdoptContext): Part {
  if (part.source.type === "text") {
    report("text-document", "text");
    return text(part.source.text);
  }
  const { wire: _, ...bare } = part;
  if (rules.media.includes(part.kind) && isPortable(part, rules)) return bare;
  report(part.source.type === "file" ? `${part.kind}-by-file-id` : part.kind, "text");
  return text(describeMedia(part));
}

/** File ids belong to one provider; some take documents only as data. */
function isPortable({ source, kind }: MediaPart, { documentUrls }: FormatRules): boolean {
  if (source.type === "url") return kind === "image" || documentUrls;
  return source.type === "base64";
}

function describeMedia({ kind, mediaType, name, source }: MediaPart): string {
  const details = [name, mediaType, source.type === "url" ? source.url : undefined].filter(
    (detail) => detail !== undefined,
  );
  return `[${kind}${details.length === 0 ? "" : ` ${details.join(", ")}`}: not available here]`;
}

/** Wire types of function calls. Calls of other types, such as shell calls, become function calls. */
const FUNCTION_KINDS: ReadonlySet<string> = new Set(["function", "function_call", "tool_use"]);

function adoptCall(part: ToolCallPart, { rules, callIds, tools, report }: AdoptContext): Part {
  const { callId, name, input, wire } = part;
  const isFit = isObject(input) || !rules.objectInputs;
  // A tool that takes free text becomes a function with that text for arguments.
  const isCustom = wire?.type === "custom" || wire?.type === "custom_tool_call";
  if (!isFit || isCustom) report("free-text-input", "changed");
  const kind = stringOf(wire?.type);
  if (kind !== undefined && !isCustom && !FUNCTION_KINDS.has(kind)) report(`call:${kind}`, "changed");
  if (callId !== undefined && callIds.has(callId)) report("call-id", "changed");
  const id = callId === undefined ? {} : { callId: callIds.get(callId) ?? callId };
  return { type: "tool-call", ...id, name: tools.get(name) ?? name, input: isFit ? input : { input } };
}

function adoptResult(part: ToolResultPart, context: AdoptContext): Part {
  const { rules, names, callIds, tools, report } = context;
  if (part.isError && !rules.errorFlag) report("error-flag", "text");
  const name = part.name ?? names.get(part);
  const content = part.content.flatMap((inner) => {
    if (inner.type !== "media" || rules.resultMedia) return adoptPart(inner, context);
    report(`${inner.kind}-in-tool-result`, "text");
    return [text(inner.source.type === "text" ? inner.source.text : describeMedia(inner))];
  });
  return {
    type: "tool-result",
    ...(part.callId !== undefined && { callId: callIds.get(part.callId) ?? part.callId }),
    ...(name !== undefined && { name: tools.get(name) ?? name }),
    content,
    isError: part.isError,
  };
}

function describeServerPart(part: ToolCallPart | ToolResultPart, { report }: AdoptContext): Part {
  if (part.type === "tool-call") {
    report(`server-tool:${part.name}`, "text");
    return text(`[${part.name}] ${JSON.stringify(part.input)}`);
  }
  report("server-tool-result", "text");
  return text(`[Result] ${readableText(part)}`);
}

/** All that can be read of a result: search results and blocks without a type hold text too. */
export function readableText({ content }: ToolResultPart): string {
  return content
    .flatMap((inner) => (inner.type === "opaque" ? (describeOpaque(inner) ?? []) : textsOf([inner])))
    .join("\n");
}

/** Only the provider can read these. */
const UNREADABLE_KEYS: ReadonlySet<string> = new Set([
  "encrypted_content",
  "signature",
  "data",
  "id",
  "type",
  "thoughtSignature",
]);

/** Undefined where nothing of it can be read. */
export function describeOpaque({ kind, wire }: OpaquePart): string | undefined {
  if (typeof wire.content === "string") return wire.content;
  const readable: JsonObject = Object.fromEntries(
    Object.entries(wire).filter((entry): entry is [string, JsonValue] => !UNREADABLE_KEYS.has(entry[0])),
  );
  if (Object.keys(readable).length === 0) return undefined;
  return `[${kind || "unknown"}] ${JSON.stringify(readable, (_, value: unknown) => withoutData(value))}`;
}

/** Longer than any id or hash. A text of this length without a space is a file or encrypted data, and is left out. */
const DATA_CHARACTERS_MIN = 400;

function withoutData(value: unknown): unknown {
  if (typeof value !== "string" || value.length < DATA_CHARACTERS_MIN || !/^[\w+/=-]+$/.test(value)) return value;
  return `(${value.length} characters of data)`;
}
