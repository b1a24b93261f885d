/**
 * Whether an error says that the context window was exceeded, and with which numbers. One list of wordings for all
 * formats, because compatible servers mix them. Reads only what errors are made of, never a request that hangs on one.
 */

import { isArray, isObject, type JsonObject, numberOf } from "../core/json.ts";
import type { Overflow } from "../core/ports.ts";

/** Takes a thrown error, a parsed body or stream event of any provider, a text, or a bare HTTP status. */
export function readOverflow(error: unknown): Overflow | undefined {
  const report = gather(error);
  if (report.statuses.some((status) => BUSY_STATUSES.has(status))) return undefined;
  if (saysAny(report, NOT_OVERFLOW_WORDINGS)) return undefined;
  const matches = OVERFLOW_WORDINGS.flatMap((wording) => report.texts.map((text) => wording.exec(text))).filter(
    (match) => match !== null,
  );
  if (matches.length > 0) return { ...numbersOf(matches), ...report.numbers };
  const isBodySize = report.statuses.includes(TOO_LARGE_STATUS) || saysAny(report, BODY_SIZE_WORDINGS);
  return isBodySize ? { isBodySize } : undefined;
}

/** What an error says, wherever SDKs, proxies and providers put it. */
export function errorTexts(error: unknown): readonly string[] {
  return gather(error).texts;
}

function saysAny({ texts }: Report, wordings: readonly RegExp[]): boolean {
  return texts.some((text) => wordings.some((wording) => wording.test(text)));
}

/** Rate limited, unavailable, overloaded: never a matter of size, whatever the text says. */
const BUSY_STATUSES: ReadonlySet<number> = new Set([429, 503, 529]);
const TOO_LARGE_STATUS = 413;

/** The longest chain of nested causes that is followed. */
const DEPTH_MAX = 8;
/** Some errors quote the request; what is wrong stands at their beginning. */
const TEXT_CHARACTERS_MAX = 8_192;

/** Where SDKs, proxies and HTTP clients put the error inside the error. */
const NESTED_KEYS = [
  ...["error", "errors", "cause", "response", "body", "data", "details", "lastError", "responseBody"],
  ...["metadata", "$metadata"],
];
const TEXT_KEYS = [
  "message",
  "code",
  "type",
  "status",
  "name",
  "__type",
  "error_code",
  "raw",
  "msg",
  "detail",
  "reason",
  "statusText",
];
const STATUS_KEYS = ["status", "statusCode", "status_code", "httpStatusCode", "code"];

interface Report {
  readonly texts: string[];
  readonly statuses: number[];
  numbers: Overflow;
}

function gather(error: unknown): Report {
  const report: Report = { texts: [], statuses: [], numbers: {} };
  const seen = new Set<unknown>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "number") report.statuses.push(value);
    if (typeof value === "string") addText(report, value);
    if (depth > DEPTH_MAX || seen.has(value)) return;
    seen.add(value);
    if (isArray(value)) for (const element of value) visit(element, depth + 1);
    if (!isObject(value)) return;
    addFields(report, value);
    for (const key of NESTED_KEYS) visit(value[key], depth + 1);
  };
  visit(error, 0);
  return report;
}

function addFields(report: Report, object: JsonObject): void {
  for (const key of STATUS_KEYS) {
    const status = numberOf(object[key]);
    if (status !== undefined) report.statuses.push(status);
  }
  for (const key of TEXT_KEYS) {
    const text = object[key];
    if (typeof text === "string") addText(report, text);
  }
  // llama.cpp states both beside its sentence.
  const actual = numberOf(object.n_prompt_tokens);
  const maximum = numberOf(object.n_ctx);
  if (actual !== undefined) report.numbers = { ...report.numbers, actualTokens: actual };
  if (maximum !== undefined) report.numbers = { ...report.numbers, maximumTokens: maximum };
}

/** Texts name the status too: `429 {"type":"error",…}`, `Error code: 413 - …`, `HTTP/1.1 413 …`, `status code 413`. */
const STATED_STATUS = /(?:^\W*|\bHTTP\S*\s+|\b(?:status|error)(?: code)?:?\s*)(?<status>[45]\d\d)\b(?! tokens)/i;

function addText(report: Report, text: string): void {
  const start = text.slice(0, TEXT_CHARACTERS_MAX);
  report.texts.push(start);
  const status = STATED_STATUS.exec(start)?.groups?.status;
  if (status !== undefined) report.statuses.push(Number(status));
}

/** The first wording that states a number decides; wordings are ordered from specific to vague. */
function numbersOf(matches: readonly RegExpExecArray[]): Overflow {
  for (const { groups } of matches) {
    const actual = toNumber(groups?.actual);
    const maximum = toNumber(groups?.maximum);
    if (actual === undefined && maximum === undefined) continue;
    const extra = toNumber(groups?.extra);
    const output = extra ?? toNumber(groups?.output);
    return {
      ...(actual !== undefined && { actualTokens: actual + (extra ?? 0) }),
      ...(output !== undefined && { outputTokens: output }),
      ...(maximum !== undefined && { maximumTokens: maximum }),
    };
  }
  return {};
}

function toNumber(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits.replace(/\D/g, ""));
}

/** A token count, thousands separators allowed; never the front of `128k` or `1.05M`. */
const N = String.raw`(?:\d{1,3}(?:[,_\u00a0\u202f]\d{3})+|\d+)(?![\dkm]|[.,]\d)`;
const ACTUAL = `(?<actual>${N})`;
const MAXIMUM = `(?<maximum>${N})`;
const EXTRA = `(?<extra>${N})`;
const OUTPUT = `(?<output>${N})`;
/** What else has limits, stated before or behind the number. Never a window. */
const NO_WINDOW =
  "(?:\\b|(?<=\\d))(?:images?|pictures?|files?|audio|video|documents?|pdfs?|pages?|uploads?|bytes?|[kmg]i?b|size|dimensions?|pixels?|px|names?|tools?|functions?|characters?|messages|requests|rate|seconds?|minutes?)\\b";
/** Some words in between, but not a whole document. */
const GAP = "[^]{0,120}?";

const OVERFLOW_WORDINGS = [
  // Anthropic, also through Bedrock and Vertex.
  `prompt is too long: ${ACTUAL} tokens > ${MAXIMUM} maximum`,
  `exceed context limit: ${ACTUAL} \\+ ${EXTRA} > ${MAXIMUM}`,
  // Fireworks.
  `prompt is too long: ${ACTUAL},? ${GAP}maximum context length:? ${MAXIMUM}`,
  // OpenAI Chat and the many servers that copied its sentence (Azure, DeepSeek, OpenRouter, vLLM, SGLang).
  `too large: ${EXTRA}\\. ${GAP}maximum context length is ${MAXIMUM} tokens${GAP} has ${ACTUAL} input tokens`,
  `maximum context length (?:is|of) ${MAXIMUM} tokens${GAP}requested(?: about| a total of)? ${ACTUAL} tokens${GAP} ${OUTPUT}(?: tokens)? (?:in|for) (?:the|your) (?:completion|output)`,
  `maximum context length (?:is|of) ${MAXIMUM} tokens${GAP}(?:resulted in|requested(?: about| a total of)?|request has|contains?|contained) ${ACTUAL}(?: input| prompt)? tokens`,
  `maximum context length (?:is|of) ${MAXIMUM}`,
  `input tokens exceed the configured limit of ${MAXIMUM} tokens${GAP}resulted in ${ACTUAL} tokens`,
  // vLLM.
  `prompt \\((?:total )?length ${ACTUAL}\\) is (?:longer than the maximum model length of|too long to fit into the model \\(context length) ${MAXIMUM}`,
  // Models behind Bedrock.
  `too many input tokens${GAP}max input tokens: ${MAXIMUM}, request input token count: ${ACTUAL}`,
  // Gemini and Vertex.
  `input token count \\(${ACTUAL}\\) exceeds the maximum number of tokens allowed \\(${MAXIMUM}\\)`,
  `input token count (?:is|of) ${ACTUAL} but the model only supports up to ${MAXIMUM}`,
  // xAI.
  `maximum prompt length is ${MAXIMUM}(?: tokens)? but the request contains ${ACTUAL}`,
  `maximum prompt length is ${MAXIMUM}`,
  // Together, SGLang.
  `input \\(${ACTUAL} tokens\\) is longer than the model's context length(?: \\(${MAXIMUM} tokens\\))?`,
  // GitHub Copilot. Images and files have limits too, which are no windows.
  `(?:tokens?|prompt|context)\\b[^]{0,40}? ${ACTUAL}(?: tokens)? exceeds the limit of ${MAXIMUM}`,
  `(?:tokens?|prompt|context)\\b[^]{0,40}? exceeds the limit of ${MAXIMUM}(?! ?(?:bytes|[km]b|images?|pages?))`,
  // llama.cpp.
  `request \\(${ACTUAL} tokens\\) exceeds the available context size \\(${MAXIMUM} tokens\\)`,
  `prompt has ${ACTUAL} tokens, but the configured context size is ${MAXIMUM}`,
  // LM Studio.
  `first ${ACTUAL} tokens when${GAP}overflows${GAP}context length of only ${MAXIMUM} tokens`,
  // Kimi.
  `exceeded model token limit: ${MAXIMUM}(?: \\(requested: ${ACTUAL}\\))?`,
  // Mistral.
  `prompt contains ${ACTUAL} tokens${GAP}too large for model with ${MAXIMUM} maximum context length`,
  `too large for model with ${MAXIMUM} maximum context length`,
  // DashScope states the legal range.
  `range of input length should be \\[\\d+, ?${MAXIMUM}\\]`,
  // Cohere.
  `too many tokens: ${GAP}cannot exceed ${MAXIMUM} - received ${ACTUAL}`,
  // Hugging Face text generation inference.
  `must be <= ${MAXIMUM}\\. Given: ${ACTUAL} \`inputs\` tokens and ${EXTRA} \`max_new_tokens\``,
  `\`inputs\` must have less than ${MAXIMUM} tokens\\. Given: ${ACTUAL}`,
  // watsonx.
  `input tokens ${ACTUAL} cannot exceed the total tokens limit ${MAXIMUM}`,
  // Input limits of several gateways.
  `input length(?: of)? ${ACTUAL}(?: tokens)? exceeds (?:the )?maximum allowed input length(?: of ${MAXIMUM})?`,
  `exceeds (?:the )?maximum allowed input length(?: of ${MAXIMUM})?`,

  // Wordings without numbers, or whose numbers are no token counts (codes, "by N tokens").
  "prompt (?:is )?too long",
  "input is too long",
  "exceed(?:s|ed)? (?:the |your )?(?:model'?s )?(?:available |maximum |max )?context (?:window|size|length|limit)",
  "context[_ ](?:length|window|size|limit)(?: has been)?[_ ]exceed(?:ed|s)",
  "maximum context length",
  `input token count${GAP}exceeds`,
  "reduce the length of the (?:messages|prompt|input)",
  "is longer than the (?:model's context length|context length|maximum model length)",
  "greater than the context length",
  "exceeded model token limit",
  "prompt exceeds max(?:imum)? length",
  "tokens in request more than max tokens allowed",
  "too many (?:input )?tokens|token limit exceeded|input tokens exceed",
  `ran out of (?:room|space)${GAP}context window|context window${GAP}ran out of (?:room|space)`,
  "上下文过长|上下文超出|上下文长度超|超出最大上下文|请压缩上下文",
  // The short forms of two above.
  `exceeds the limit of(?<!${NO_WINDOW}[^.]{0,60}exceeds the limit of) ${N}(?! ?(?:%|${NO_WINDOW}))`,
  "range of input length should be",
  // Cerebras refuses with an empty body; clients put this in its place.
  "^\\W*4(?:00|13) (?:status code )?\\(no body\\)",
].map(wording);

/** The body has too many bytes. A shorter one helps, but the error tells nothing about the window. */
const BODY_SIZE_WORDINGS = ["request_too_large|request(?: entity)? too large|payload too large|content too large"].map(
  wording,
);

/** Errors about time, money or load. They win over every wording above, because compacting does not help. */
const NOT_OVERFLOW_WORDINGS = [
  "rate[ _-]?limit|ratelimit",
  "tokens?[ _-]per[ _-](?:second|minute|min|hour|day|month)|\\b(?:TPM|TPD|ITPM|OTPM)\\b",
  "(?:daily|hourly|weekly|monthly) (?:token|usage) limit",
  "resource[ _]?exhausted|quota",
  "too many requests|TooManyRequests",
  "throttl|please wait before trying again",
  "service[ _]?unavailable|overloaded",
].map(wording);

function wording(source: string): RegExp {
  return new RegExp(source, "iu");
}

const WORDINGS = [
  /invalid `?signature`? in `?(?:redacted_)?thinking`? block/i,
  /`?thinking`? or `?redacted_thinking`? blocks in the latest assistant message cannot be modified/i,
  /(?:invalid|corrupted) thought signature/i,
  /invalid_encrypted_content|encrypted content .{0,80}could not be (?:verified|decrypted)/i,
];

/** Takes what `readOverflow` takes. */
export function refusesReasoning(error: unknown): boolean {
  return errorTexts(error).some((text) => WORDINGS.some((wording) => wording.test(text)));
}
