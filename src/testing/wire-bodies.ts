/** A script written out as a request body of each format, with the unknown fields and odd shapes that real bodies have. */

import type { JsonObject } from "../core/json.ts";
import type { FormatName } from "../core/message.ts";
import { createRandom, type Random } from "./random.ts";
import { generateScript, type Item, type Line, type ScriptOptions } from "./script.ts";

/** A generated request body. The same seed gives the same conversation in every format. */
export function generateBody(format: FormatName, options: ScriptOptions): JsonObject {
  return WRITERS[format](generateScript(options), createRandom(options.seed + 1), options.broken);
}

type Write = (lines: readonly Line[], random: Random, broken: boolean) => JsonObject;

const WRITERS: Readonly<Record<FormatName, Write>> = {
  "anthropic-messages": (lines, random, broken) => {
    // One is in the system prompt, and four are allowed.
    const marks = { left: broken ? Number.POSITIVE_INFINITY : 3 };
    // The newer one takes system messages in the list, the older one is asked to think by a budget.
    const isNew = random.chance(0.4);
    const hasBudget = !isNew && random.chance(0.5);
    const spoken = hasBudget && !broken ? lines.map(withFirstThought) : lines;
    const messages = spoken.map((line) => anthropicMessage(line, random, marks));
    const searched = random.chance(0.3) ? withServerTools(messages, random, broken) : messages;
    return {
      model: isNew ? "claude-opus-5" : "claude-opus-4-5",
      system: [{ type: "text", text: "You are a build agent.", cache_control: { type: "ephemeral" } }],
      messages: isNew ? withControls(searched, random, broken) : searched,
      max_tokens: 1000,
      ...(hasBudget && { thinking: { type: "enabled", budget_tokens: 2048 } }),
    };
  },
  "openai-chat": (lines, random, broken) => ({
    messages: [{ role: "developer", content: "You are a build agent." }, ...chatList(lines, random, broken)],
    model: "gpt-5.1",
    tools: [{ type: "function", function: { name: "bash", parameters: { type: "object" } } }],
  }),
  "openai-responses": (lines, random) => ({
    model: "gpt-6-sol",
    instructions: "You are a build agent.",
    input: lines.flatMap((line) => responsesItems(line, random)),
    store: false,
  }),
  gemini: (lines, random, broken) => {
    const style = { signs: random.chance(0.5), hasIds: random.chance(0.5), broken };
    return {
      systemInstruction: { parts: [{ text: "You are a build agent." }] },
      contents: lines.map((line) => geminiContent(line, random, style)),
      generationConfig: { temperature: 0 },
    };
  },
};

/** With a budget for thinking, a model thinks before it says or calls anything in a turn. */
function withFirstThought(line: Line, index: number, lines: readonly Line[]): Line {
  const isFirst = line.role === "assistant" && lines[index - 1]?.role === "user";
  if (!isFirst || line.items[0]?.type === "reasoning") return line;
  return { ...line, items: [{ type: "reasoning", text: `thought-${index}`, signature: "c2ln" }, ...line.items] };
}

/** As Claude Code and pi steer a turn: behind what the user says, with nothing in it but a field. */
function withControls(messages: readonly JsonObject[], random: Random, broken: boolean): readonly JsonObject[] {
  return messages.flatMap((message, index) => {
    const next = messages[index + 1]?.role ?? "assistant";
    const mayStand = broken || (message.role === "user" && next === "assistant");
    if (!mayStand || !random.chance(0.3)) return [message];
    const forms: readonly [JsonObject, ...JsonObject[]] = [
      { content: "" },
      { content: [] },
      {},
      { content: "Be brief." },
    ];
    const control = { role: "system", ...random.pick(forms), output_config: { effort: random.pick(["low", "high"]) } };
    return [message, { ...control, ...(random.chance(0.3) && { clear_at: "turn_end" }) }];
  });
}

/** A search that the provider ran itself; a careless client puts it, or one half of it, into the user's message. */
function withServerTools(messages: readonly JsonObject[], random: Random, broken: boolean): readonly JsonObject[] {
  let count = 0;
  return messages.map((message) => {
    const { role, content } = message;
    const isPlace = role === "assistant" || (broken && role === "user");
    if (!isPlace || !Array.isArray(content) || !random.chance(0.3)) return message;
    const id = `srvtoolu_${++count}`;
    const hit = { type: "web_search_result", url: "https://example.org", title: "Hit", encrypted_content: "EqgB" };
    const search = { type: "server_tool_use", id, name: "web_search", input: { query: `query-${count}` } };
    const found = { type: "web_search_tool_result", tool_use_id: id, content: [hit] };
    const halves: readonly [readonly JsonObject[], ...(readonly JsonObject[])[]] = [[search, found], [found], [search]];
    const first = content.findIndex((block) => block.type !== "thinking");
    const at = Math.max(first, 0);
    const blocks = broken ? random.pick(halves) : [search, found];
    return { ...message, content: [...content.slice(0, at), ...blocks, ...content.slice(at)] };
  });
}

const MARKED = { cache_control: { type: "ephemeral" } };

/** Cache marks that may still be set. */
interface Marks {
  left: number;
}

function anthropicMessage({ role, items }: Line, random: Random, marks: Marks): JsonObject {
  const [only] = items;
  const wireRole = role === "tool" ? "user" : role;
  if (items.length === 1 && only?.type === "text" && random.chance(0.5)) return { role: wireRole, content: only.text };
  return { content: items.map((item) => anthropicBlock(item, random, marks)), role: wireRole };
}

function anthropicBlock(item: Item, random: Random, marks: Marks): JsonObject {
  switch (item.type) {
    case "text":
      return { type: "text", text: item.text, ...(random.chance(0.2) && marks.left-- > 0 && MARKED) };
    case "image":
      return { type: "image", source: { type: "base64", media_type: "image/png", data: item.data } };
    case "reasoning":
      return { type: "thinking", thinking: item.text, ...(item.signature && { signature: item.signature }) };
    case "call":
      return { id: item.id, type: "tool_use", name: item.name, input: item.input };
    case "result": {
      const content = random.chance(0.5) ? item.text : [{ type: "text", text: item.text }];
      return { type: "tool_result", tool_use_id: item.id, content, ...(item.isError && { is_error: true }) };
    }
    case "unknown":
      return { type: "brand_new_block", note: item.text };
    default:
      return item satisfies never;
  }
}

/** A filtered answer has no content; clients that build messages themselves leave it out in other places too. */
function chatList(lines: readonly Line[], random: Random, broken: boolean): readonly JsonObject[] {
  const messages = lines.flatMap(chatMessages);
  if (!broken || random.chance(0.5)) return messages;
  const role = random.pick(["assistant", "assistant", "user", "developer"]);
  const nothing = { ...withoutContent({ role }, random), ...(random.chance(0.3) && { refusal: null }) };
  messages.splice(random.below(messages.length + 1), 0, nothing);
  const place = random.below(messages.length);
  return messages.map((message, index) => {
    const { content, ...rest } = message;
    const isMute = content === null || message.role === "tool";
    return index === place && isMute ? withoutContent(rest, random) : message;
  });
}

function withoutContent(message: JsonObject, random: Random): JsonObject {
  const forms: readonly [JsonObject, ...JsonObject[]] = [{ content: null }, {}, { content: [] }];
  return { ...message, ...random.pick(forms) };
}

function chatMessages({ role, items }: Line): readonly JsonObject[] {
  const results = items.flatMap((item): readonly JsonObject[] => {
    if (item.type !== "result") return [];
    return [{ role: "tool", tool_call_id: item.id, content: item.isError ? `ERROR: ${item.text}` : item.text }];
  });
  const calls = items.flatMap((item): readonly JsonObject[] => {
    if (item.type !== "call") return [];
    const call = { name: item.name, arguments: JSON.stringify(item.input) };
    return [{ id: item.id, type: "function", function: call }];
  });
  const rest = items.filter(({ type }) => type !== "result" && type !== "call");
  if (rest.length === 0 && calls.length === 0) return results;
  const name = role === "tool" ? "user" : role;
  const message =
    name === "assistant" ? assistantMessage(rest, calls) : { role: name, content: rest.flatMap(chatPart) };
  return [message, ...results];
}

function assistantMessage(rest: readonly Item[], calls: readonly JsonObject[]): JsonObject {
  const reasoning = rest.flatMap((item) => (item.type === "reasoning" ? [item.text] : []));
  const texts = rest.flatMap((item) => (item.type === "text" || item.type === "unknown" ? [item.text] : []));
  return {
    role: "assistant",
    content: texts.length > 0 ? texts.join("\n") : null,
    ...(reasoning.length > 0 && { reasoning_content: reasoning.join("\n") }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function chatPart(item: Item): readonly JsonObject[] {
  if (item.type === "image") return [{ type: "image_url", image_url: { url: `data:image/png;base64,${item.data}` } }];
  return item.type === "call" || item.type === "result" ? [] : [{ type: "text", text: item.text }];
}

function responsesItems({ role, items }: Line, random: Random): readonly JsonObject[] {
  const name = role === "tool" ? "user" : role;
  const hasIds = random.chance(0.7);
  return items.map((item, index): JsonObject => {
    switch (item.type) {
      case "text":
        if (name !== "assistant") return { role: name, content: [{ type: "input_text", text: item.text }] };
        return {
          type: "message",
          ...(hasIds && { id: itemIdFor("msg", item.text) }),
          role: name,
          status: "completed",
          content: [outputText(item.text)],
        };
      case "image":
        return {
          role: "user",
          content: [{ type: "input_image", detail: "auto", image_url: `data:image/png;base64,${item.data}` }],
        };
      case "reasoning":
        return {
          type: "reasoning",
          id: itemIdFor("rs", item.text),
          summary: [{ type: "summary_text", text: item.text }],
          encrypted_content: "gAAAAB",
        };
      case "call":
        return {
          type: "function_call",
          ...(hasIds && { id: `fc_${item.id}` }),
          call_id: item.id,
          name: item.name,
          arguments: JSON.stringify(item.input),
          status: "completed",
        };
      case "result":
        return { type: "function_call_output", call_id: item.id, output: item.text };
      case "unknown":
        return { type: "web_search_call", id: `ws_${index}`, status: "completed", action: { query: item.text } };
      default:
        return item satisfies never;
    }
  });
}

/** The same item has the same id wherever it stands: texts hold a number of their own. */
function itemIdFor(prefix: string, said: string): string {
  return `${prefix}_${/-(\d+)x/.exec(said)?.[1] ?? "0"}`;
}

function outputText(text: string): JsonObject {
  return { type: "output_text", text, annotations: [] };
}

interface GeminiStyle {
  readonly signs: boolean;
  readonly hasIds: boolean;
  readonly broken: boolean;
}

function geminiContent({ role, items }: Line, random: Random, style: GeminiStyle): JsonObject {
  const firstCall = items.find(({ type }) => type === "call");
  const parts = items.map((item) => {
    const isSigned = item === firstCall && style.signs && !(style.broken && random.chance(0.1));
    const hasId = style.hasIds && !(style.broken && random.chance(0.1));
    return { ...geminiPart(item, hasId), ...(isSigned && { thoughtSignature: "CsYB" }) };
  });
  return { role: role === "assistant" ? "model" : "user", parts };
}

function geminiPart(item: Item, hasId: boolean): JsonObject {
  switch (item.type) {
    case "text":
    case "unknown":
      return { text: item.text };
    case "image":
      return { inlineData: { mimeType: "image/png", data: item.data } };
    case "reasoning":
      return { text: item.text, thought: true };
    case "call":
      return { functionCall: { ...(hasId && { id: item.id }), name: item.name, args: item.input } };
    case "result": {
      const response = item.isError ? { error: item.text } : { output: item.text };
      return { functionResponse: { ...(hasId && { id: item.id }), name: item.name, response } };
    }
    default:
      return item satisfies never;
  }
}
