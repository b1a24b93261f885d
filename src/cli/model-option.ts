/**
 * `--model PROVIDER:NAME`: a model behind its provider's own client, which is loaded only when it is asked for. Keys come from the
 * environment alone, and are neither stored nor printed.
 */

import { CompactionError } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import type { Model } from "../core/model.ts";
import { anthropic } from "../models/anthropic.ts";
import { gemini } from "../models/gemini.ts";
import type { ModelOptions } from "../models/model.ts";
import { openaiChat } from "../models/openai-chat.ts";
import { openaiResponses } from "../models/openai-responses.ts";
import { didYouMean, type OptionSpec, usage } from "./command.ts";
import type { Environment } from "./terminal.ts";

interface Provider {
  readonly package: string;
  /** Variables of the environment that may hold the key; the client reads them itself. */
  readonly keys: readonly string[];
  /** What a request to this provider needs beside its messages. */
  readonly body: JsonObject;
  load(name: string, options: ModelOptions): Promise<Model>;
}

/** Room for one answer, where the provider wants it stated. */
const ANSWER_TOKENS = 8_192;
const OPENAI = { package: "openai", keys: ["OPENAI_API_KEY"] } as const;

const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    package: "@anthropic-ai/sdk",
    keys: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
    body: { max_tokens: ANSWER_TOKENS },
    load: async (name, options) => {
      const { default: Anthropic } = await import("@anthropic-ai/sdk");
      return anthropic(new Anthropic(), name, options);
    },
  },
  openai: {
    ...OPENAI,
    body: { store: false },
    load: async (name, options) => {
      const { default: OpenAI } = await import("openai");
      return openaiResponses(new OpenAI(), name, options);
    },
  },
  "openai-chat": {
    ...OPENAI,
    body: {},
    load: async (name, options) => {
      const { default: OpenAI } = await import("openai");
      return openaiChat(new OpenAI(), name, options);
    },
  },
  gemini: {
    package: "@google/genai",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    body: {},
    load: async (name, options) => {
      const { GoogleGenAI } = await import("@google/genai");
      return gemini(new GoogleGenAI({}), name, options);
    },
  },
};

/** Whether a variable of the environment holds a key: no command of a model is given it. */
export function isKey(variable: string): boolean {
  return Object.values(PROVIDERS).some(({ keys }) => keys.includes(variable));
}

export const MODEL_OPTION: OptionSpec = { type: "string", value: "MODEL", about: "who writes the summary (below)" };

export const MODEL_NOTE = `MODEL is anthropic:NAME, openai:NAME (Responses), openai-chat:NAME or
gemini:NAME. The provider's client has to be installed beside palimpsest, and
its key in the environment: ANTHROPIC_API_KEY, OPENAI_API_KEY, GEMINI_API_KEY.
`;

export interface ChosenModel {
  readonly model: Model;
  /** Fields of every request. */
  readonly body: JsonObject;
}

interface LoadOptions extends ModelOptions {
  /** Names that the caller knows without a provider. */
  readonly others?: readonly string[];
}

/** Fails with one clear line where the name is none, the key is missing or the client is not installed. */
export async function loadModel(
  text: string,
  environment: Environment,
  { others = [], ...options }: LoadOptions = {},
): Promise<ChosenModel> {
  const [, prefix = text, name = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  const provider = Object.hasOwn(PROVIDERS, prefix) ? PROVIDERS[prefix] : undefined;
  if (provider === undefined || name.trim() === "")
    throw usage(refusal(text, prefix, provider === undefined ? others : undefined));
  const { keys, body } = provider;
  if (!keys.some((key) => environment[key])) {
    throw new CompactionError("invalid-settings", `--model ${prefix} needs a key: set ${keys[0]} in the environment`);
  }
  try {
    return { model: await provider.load(name.trim(), options), body };
  } catch (cause) {
    if (!isMissing(cause, provider.package)) throw cause;
    const message = `--model ${prefix} needs ${provider.package}: npm install ${provider.package}`;
    throw new CompactionError("missing-dependency", message, { cause });
  }
}

/** `others` is undefined where the provider is known and the name is missing. */
function refusal(text: string, prefix: string, others: readonly string[] | undefined): string {
  if (others === undefined) return `--model ${prefix} needs a name behind it, such as ${prefix}:NAME`;
  const known = Object.keys(PROVIDERS);
  const names = [...others, ...known.map((name) => `${name}:NAME`)].join(", ");
  return `--model is one of ${names}, not "${text}"${didYouMean(prefix, [...others, ...known])}`;
}

function isMissing(cause: unknown, name: string): boolean {
  return (
    cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND" && cause.message.includes(name)
  );
}
