/** Where a gateway is, and how each client is pointed to it, one row each: what `palimpsest gateway --help NAME` prints. */

export const PORT = 4_100;
export const HOST = "127.0.0.1";

export function urlAt(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

export interface ClientHelp {
  readonly title: string;
  /** The line or lines to run or to write, given the gateway's address. */
  lines(origin: string): string;
  /** Where the token of a gateway that needs one goes. */
  token(token: string): string;
}

const IN_ADDRESS = (token: string): string => `Put /t/${token} behind the gateway's address.`;

export const CLIENTS: Readonly<Record<string, ClientHelp>> = {
  "claude-code": {
    title: "Claude Code",
    lines: (origin) => `ANTHROPIC_BASE_URL=${origin} claude`,
    token: (token) => `Add ANTHROPIC_CUSTOM_HEADERS="x-palimpsest-token: ${token}".`,
  },
  codex: {
    title: "Codex",
    lines: (origin) => `codex -c openai_base_url="${origin}/v1"`,
    token: IN_ADDRESS,
  },
  "gemini-cli": {
    title: "Gemini CLI, with an API key",
    lines: (origin) => `GOOGLE_GEMINI_BASE_URL=${origin} gemini`,
    token: IN_ADDRESS,
  },
  opencode: {
    title: "opencode, in opencode.json",
    lines: (origin) =>
      `{ "provider": { "anthropic": { "options": { "baseURL": "${origin}/v1" } } } }\n(of "google" it ends in /v1beta)`,
    token: IN_ADDRESS,
  },
  kilo: {
    title: "Kilo",
    lines: (origin) => `KILO_CONFIG_CONTENT='{"provider":{"anthropic":{"options":{"baseURL":"${origin}/v1"}}}}' kilo`,
    token: IN_ADDRESS,
  },
  pi: {
    title: "pi, in ~/.pi/agent/models.json",
    lines: (origin) => `{ "providers": { "anthropic": { "baseUrl": "${origin}" } } }\n(of "openai" it ends in /v1)`,
    token: IN_ADDRESS,
  },
  qwen: {
    title: "Qwen Code",
    lines: (origin) => `OPENAI_BASE_URL=${origin}/v1 qwen --auth-type openai`,
    token: IN_ADDRESS,
  },
  copilot: {
    title: "Copilot CLI, with a key of your own",
    lines: (origin) =>
      `COPILOT_OFFLINE=true COPILOT_PROVIDER_TYPE=anthropic COPILOT_PROVIDER_BASE_URL=${origin} COPILOT_PROVIDER_MAX_PROMPT_TOKENS=1000000 copilot`,
    token: IN_ADDRESS,
  },
  kimi: {
    title: "Kimi Code",
    lines: (origin) => `KIMI_MODEL_PROVIDER_TYPE=openai KIMI_MODEL_BASE_URL=${origin}/v1 kimi`,
    token: IN_ADDRESS,
  },
  cline: {
    title: "Cline, in ~/.cline/data/settings/providers.json",
    lines: (origin) => `"settings": { "baseUrl": "${origin}" }`,
    token: IN_ADDRESS,
  },
  continue: {
    title: "Continue, in config.yaml, beside a contextLength of 1000000",
    lines: (origin) => `apiBase: ${origin}/v1/`,
    token: IN_ADDRESS,
  },
  anthropic: {
    title: "Anthropic's SDK",
    lines: (origin) => `new Anthropic({ baseURL: "${origin}" })`,
    token: (token) => `Add defaultHeaders: { "x-palimpsest-token": "${token}" }.`,
  },
  openai: {
    title: "OpenAI's SDK",
    lines: (origin) => `new OpenAI({ baseURL: "${origin}/v1" })`,
    token: (token) => `Add defaultHeaders: { "x-palimpsest-token": "${token}" }.`,
  },
  "google-genai": {
    title: "Google's SDK",
    lines: (origin) => `new GoogleGenAI({ httpOptions: { baseUrl: "${origin}" } })`,
    token: IN_ADDRESS,
  },
};
