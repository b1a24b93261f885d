import { describe, expect, test } from "vitest";
import { CREDENTIAL_KINDS, credentialOf } from "../../../test/credential-kinds.ts";
import { isNamedSecret, redactSecrets, secretMark } from "./secrets.ts";

describe("no credential is left in a text", () => {
  test.each(Object.keys(CREDENTIAL_KINDS))("%s", (kind) => {
    for (let seed = 1; seed <= 20; seed++) {
      const { text, value } = credentialOf(kind, seed);
      const nested = JSON.stringify({
        stdout: JSON.stringify([{ type: "text", text: JSON.stringify({ out: text }) }]),
      });
      for (const whole of [text, `First line.\n${text}\nLast line.`, `said "${text}" twice: ${text}`, nested]) {
        const redacted = redactSecrets(whole);
        expect(redacted).not.toContain(value);
        expect(redacted).toContain(secretMark());
        expect(redactSecrets(redacted)).toBe(redacted);
      }
    }
  });
});

/** What ordinary texts hold, none of it to be hidden. */
const ORDINARY: readonly string[] = [
  "commit 3f786850e387550fdab836ed7e6dc881de23001b on main",
  "index 89e6c98d92887913cadf06b2adb97f26cde4849b..2b66fd261ee5c6cfc8de7fa466bab600bcfe4f69",
  "550e8400-e29b-41d4-a716-446655440000",
  "request id 7c9e6679-7425-40de-944b-e07fc1f90afe failed",
  "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  '"integrity": "sha512-6PHmvhfNqQ2J7Rw4jxDkQxW8BqCnOmrq9bYo6ZnDq3w4X8vY1nRzJmT5kLpWcVbXsHdFgUeQaKiOyNtMlBrZ0w=="',
  "src/components/UserProfileCard2/useUserProfile.ts",
  "/var/lib/postgresql/16/main/base/16384",
  "C:\\Users\\bob\\AppData\\Local\\Temp\\build-2291",
  "dist/assets/index-B3xK9aZ1.js and dist/assets/UserProfile-Dw8aFTs0.css",
  "node_modules/.pnpm/@types+node@22.10.1/node_modules/@types/node",
  "XMLHttpRequestEventTargetFactory and averageDailyVolume3Month",
  "getServerSidePropsForProductDetailPageV2",
  "MAX_CONNECTIONS_PER_HOST=32",
  "max_tokens: 4096, total_tokens: 18234",
  '{"prompt_tokens": 9231, "completion_tokens": 112}',
  "tokenizer=cl100k_base",
  "2025-11-18T12:03:55.123Z",
  "https://github.com/nodejs/node/blob/v24.1.0/lib/internal/modules/esm/loader.js#L543",
  "https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit",
  "http://localhost:3000/users/@me?page=2&sort=name",
  "git@github.com:team/repo.git",
  "ssh://git@git.internal:22/team/repo.git",
  "mailto:bob@example.com",
  "registry.npmjs.org/@scope/package/-/package-1.2.3.tgz",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl bob@host",
  "password: string;",
  "interface Login { password: string; token?: string }",
  "const password = await getPassword(user);",
  "connect(user=user, password=password, host=settings.host)",
  "password=os.environ['DB_PASSWORD']",
  "client_secret: env.AUTH0_CLIENT_SECRET",
  "DB_PASSWORD=$" + "{DB_PASSWORD}",
  "DB_PASSWORD=$DB_PASSWORD",
  "password: ********",
  "password_file: /run/secrets/db",
  "secretName: web-tls",
  "secretKeyRef: { name: db, key: url }",
  "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf",
  "Password: reset flow is done",
  "Secret rotation: done, keys are renewed every month",
  "The token bucket is refilled ten times a second.",
  "Token: refresh works",
  "key: value",
  "primary_key=id, foreign_key=user_id, cache_key=user:42:profile",
  "<input type=password name=password>",
  "Authorization: Bearer $" + "{token}",
  "the author: Jane Doe, authored 2 days ago",
  "42 passed, 1 failed, pass: 42",
  "keyboard: us, keys: 104, keymap: qwerty",
  "session: checkout flow, signature: (a: number) => string",
  "toolu_01A09q90qw90lq917835lq9 answered call_Zq3yXw9LmNpR5sTuVbCdEfGh",
  "arm64-apple-darwin24.1.0-x86_64-linux-gnu",
  "pk_orders_customer_id and sk-learn-contrib-lightning-models",
  "npm_config_registry and hf_hub_download",
  "task-runner-2-something-long-x1",
  "curl -u https://example.com",
  "docker run -p 8080:80 -v /a:/b image",
  "mysql -u root -p main_database_name",
  "mysql -u root -p",
  "pages 5432: the next step",
  "session_id: 550e8400-e29b-41d4-a716-446655440000",
  'spreadsheet {"id": "1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms", "fileId":"0B7xQ2mKp9dLsT3vNaZbYcWeRfUg"}',
  "file id 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms is a sheet",
  "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
  "SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDmqj6yKSPGyDj9kVo bob@host",
  "pip install pypi-attestations and call gsk_renderer_render_texture()",
  "msg_qkyA1yfW_tool_toolu_01ASLWrsc7sQ1adiRstjQa2n and call_00_MYiKq2phNBtYd9chUKjkAgdV",
  "{ session_id: 'sesn_011CZkZAtmR3yMPDzynEDxu7' }",
  "sesn_011CZkZAtmR3yMPDzynEDxu7 and cp_zc4Q7MP6XxulcVzj4MZdwsAB, GET /v1/sessions/sesn_011CZkZAtmR3yMPDzynEDxu7/events",
  "type JsonOutputKeyToolsParserParamsV3 and interface X448KeyPairKeyObjectOptions",
  "constructor(session: ClientHttp2Session, socket)",
  "fetch(url, { credentials: 'same-origin' }) and credentials: 'include'",
  "new GoogleGenAI({ apiKey: GEMINI_API_KEY })",
  "const pageToken = randomBytes(24).toString('base64url')",
  "credentials: preparedRequest?.credentials",
  "const COMMAND_KEY = /^(?:command|cmd|script)$/i;",
  '"pgpass": "1.0.5", "auth-token": "^1.0.2"',
  'pin-sha256="k2v657xBsOVe1PQRwOsHsw3bsGT2VzIqz5K+59sNQws="; x',
  "It is identified by its key: 'x' or `y`.",
  'authorization: "<oauth-access-token>", requireApproval: "never"',
  "data:image/svg+xml;base64,PD94bWwgdmVyc2lvbj0iMS4wIiBlbmNvZGluZz0idXRmLTgiPz4KPHN2Zz4",
  "agent_msg_01QVA9ZtQhiqWU7kKBrXThFY",
  "API_KEY=your-api-key, API_KEY=YOUR_API_KEY, API_KEY=replace_me",
  "export OPENAI_API_KEY=sk-...",
  "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
  "patterns: ghp_/gho_/ghu_/ghs_/ghr_",
  "postgres://user:password@localhost/db, postgres://USER:PASSWORD@HOST/db",
  "SSL_KEY=/etc/ssl/private/server.key",
  "GOOGLE_APPLICATION_CREDENTIALS=/home/x/creds.json",
  "PWD=/home/bob/project1",
  "const STORAGE_KEY = 'vue-todo-list'",
  '"forgotPassword": "Forgot your password?"',
  '<input type="password" value={password} />',
  "compass=north",
  "Authorization: the header must be set",
  "secret/db-credentials created",
  'secret "db-v2" deleted',
  '{"required":["password","token"]}',
  "pick(user, 'password', 'email')",
  "type Login = Password | Token",
  "| password | string | the user's password |",
  "kind: SecretStore\ndata:\n  region: eu-west-1",
  "echo done | tee log",
  "echo $PASSWORD | docker login --password-stdin",
  "curl -sSu $USER:$PASSWORD https://ci.internal",
  "-----BEGIN CERTIFICATE REQUEST-----",
];

describe("ordinary text stays as it is", () => {
  test.each(ORDINARY)("%s", (text) => {
    const nested = JSON.stringify({ stdout: JSON.stringify({ out: text }) });
    for (const whole of [text, nested]) expect(redactSecrets(whole)).toBe(whole);
  });
});

test.each(["machine git.internal login bob password #", 'Log in with the password "#" please', "DB_PASSWORD=#"])(
  "a plain word: %s",
  (frame) => {
    expect(redactSecrets(frame.replace("#", "swordfish"))).toBe(frame.replace("#", secretMark()));
  },
);

test("a field's name may tell", () => {
  const hidden = (name: string, value: string): boolean => isNamedSecret(name, value);
  expect(hidden("password", "swordfish")).toBe(true);
  expect(hidden("clientSecret", "a b")).toBe(true);
  expect(hidden("password", "string")).toBe(false);
  expect(hidden("path", "swordfish")).toBe(false);
  expect(hidden("max_tokens", "4096")).toBe(false);
});

test("a mark says where the credential was", () => {
  expect(redactSecrets("DB_PASSWORD=swordfish", { mark: () => secretMark("the result of bash") })).toBe(
    "DB_PASSWORD=[secret, in the result of bash]",
  );
});

/** Texts that make a search go back again and again, if it can. */
const HOSTILE: Readonly<Record<string, (count: number) => string>> = {
  "names without values": (count) => "password ".repeat(count / 9),
  "names as values": (count) => "token=".repeat(count / 6),
  "open quotes": (count) => 'password="'.repeat(count / 10),
  addresses: (count) => "a://b:".repeat(count / 6),
  "openings of tokens": (count) => "-eyJaaaaaaaa".repeat(count / 12),
  "openings of blocks": (count) => "-----BEGIN PRIVATE KEY-----".repeat(count / 27),
  "one long run": (count) => "aB3".repeat(count / 3),
  "runs that are just long enough": (count) => "aB3dE6gH9jK2mN5pQ8sT1vW4 ".repeat(count / 25),
  commands: (count) => "curl -u ".repeat(count / 8),
  manifests: (count) => "kind: Secret\ndata:\n  a: b\n".repeat(count / 26),
  "commands with pipes": (count) => "echo a|".repeat(count / 7),
  hex: (count) => "0123456789abcdef".repeat(count / 16),
};

describe("eight times the text takes about eight times as long, whatever it is", () => {
  test.each(Object.keys(HOSTILE))("%s", (name) => {
    const make = HOSTILE[name] ?? (() => "");
    const msOf = (text: string): number => {
      const times = Array.from({ length: 3 }, () => {
        const start = performance.now();
        redactSecrets(text);
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    const [once, more] = [make(50_000), make(400_000)];
    // Quadratic work would take 64 times as long.
    expect(msOf(more)).toBeLessThan(Math.max(MEASURABLE_MS, msOf(once)) * 40);
  });
});

const MEASURABLE_MS = 5;
