/**
 * Kinds of credentials, each as a piece of text that holds one, and what must not be told of it. Values are made when a test runs, from
 * pieces, so that nothing in the repository looks like a key.
 */

import { createRandom, type Random } from "../src/testing/random.ts";

export interface Credential {
  readonly text: string;
  /** The credential itself. */
  readonly value: string;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const HEX = `${DIGITS}abcdef`;
const ALL = LOWER + UPPER + DIGITS;

/** So many characters of an alphabet, of which letters and digits are both there. */
function chars(random: Random, count: number, alphabet: string = ALL): string {
  const drawn = Array.from({ length: count }, () => alphabet[random.below(alphabet.length)] ?? "").join("");
  return alphabet === ALL && count >= 8 ? `q7${drawn.slice(2, -2)}Z4` : drawn;
}

/** A person's password. */
function word(random: Random): string {
  return `${chars(random, 4, LOWER)}${chars(random, 3, DIGITS)}!${chars(random, 3, UPPER)}`;
}

type Make = (random: Random) => Credential;

const beginning =
  (start: string, rest: number, alphabet: string = ALL): Make =>
  (random) => {
    const value = start + chars(random, rest, alphabet);
    return { text: `found ${value} there`, value };
  };

/** `#` stands for the value. */
const around =
  (frame: string, make: (random: Random) => string = word): Make =>
  (random) => {
    const value = make(random);
    return { text: frame.replace("#", () => value), value };
  };

const random40 = (random: Random): string => `${chars(random, 18)}/${chars(random, 12)}+${chars(random, 8)}`;
const hex32 = (random: Random): string => chars(random, 32, HEX);
const token = (random: Random): string => chars(random, 32);
const uuid = (random: Random): string => [8, 4, 4, 4, 12].map((count) => chars(random, count, HEX)).join("-");
const segments = (random: Random): string => `${chars(random, 24)}.${chars(random, 6)}.${chars(random, 32)}`;

function keyBlock(kind: string): Make {
  return (random) => {
    const line = chars(random, 60);
    const lines = [`-----BEGIN ${kind}-----`, chars(random, 64), line, chars(random, 40), `-----END ${kind}-----`];
    return { text: lines.join("\n"), value: line };
  };
}

export const CREDENTIAL_KINDS: Readonly<Record<string, Make>> = {
  "a password in a Postgres address": around("postgres://app:#@db.internal:5432/main"),
  "a password with a slash in an address": around("mysql://root:#@db:3306/main", (random) => `pa/${word(random)}`),
  "a password in a MongoDB address": around("mongodb+srv://app:#@cluster0.mongodb.net/main"),
  "a password without a user in an address": around("redis://:#@cache:6379/0"),
  "a password of digits in an address": around(
    "postgres://app:#@db:5432/main",
    (random) => `1${chars(random, 8, DIGITS)}`,
  ),
  "a password in a driver's address": around("app:#@tcp(127.0.0.1:3306)/main"),
  "a password in an AMQP address": around("amqp://guest:#@queue:5672"),
  "a password in a web address": around("https://deploy:#@registry.internal/v2"),
  "a token as the user of an address": around("https://#@git.internal/team/repo.git", token),
  "access_token in an address": around("https://api.internal/v1/me?access_token=#&page=2", token),
  "api_key in an address": around("https://api.internal/v1?q=rain&api_key=#", hex32),
  "a signature in an address": around("https://x.blob.core.windows.net/c/f?sv=2024-11-04&sig=#", token),
  "DB_PASSWORD=": around("DB_PASSWORD=#"),
  "an exported secret": around("export CLIENT_SECRET=#"),
  "an exported token": around("export DEPLOY_TOKEN=#", token),
  "a key in the environment": around("ENCRYPTION_KEY=#", token),
  "SMTP_PASS in quotes": around('SMTP_PASS="#"'),
  "PGPASSWORD before a command": around("PGPASSWORD=# psql -h db main"),
  "a password in JSON": around('{"user": "app", "password": "#"}'),
  "a password in JSON in JSON": around('{\\"user\\":\\"app\\",\\"password\\":\\"#\\"}'),
  "an apiKey in JSON": around('{"apiKey":"#"}', token),
  "a client_secret in YAML": around("oauth:\n  client_secret: #\n  scope: all"),
  "a password in YAML": around("database:\n  password: #\n  port: 5432"),
  "a password in a block of YAML": around("database:\n  password: |\n    #\n  port: 5432"),
  "a password in TOML": around('[db]\npassword = "#"'),
  "a password in a properties file": around("spring.datasource.password=#"),
  "the value field of a manifest": around("- name: DB_PASSWORD\n  value: #"),
  "a password in a table that a person reads": around("| user | bob |\n| password | # |"),
  "a password in bold": around("**Password:** #"),
  "an API key in bold": around("- **API Key**: `#`", token),
  "an API key of two words": around("API key: #", token),
  "a password in a PHP constant": around("define('DB_PASSWORD', '#');"),
  "a password as an argument": around('config.setPassword("#")'),
  "a password in SQL": around("ALTER USER app WITH PASSWORD '#';"),
  "a password of a database user": around("CREATE USER 'app'@'%' IDENTIFIED BY '#';"),
  "a password in a server's configuration": around("port 6379\nrequirepass #\n"),
  "a pre-shared key": around('network={\n  ssid="x"\n  psk="#"\n}'),
  "a mnemonic": around('MNEMONIC="#"', () => "walk nut penalty hip pave soap entry language right filter choice test"),
  "a personal access token": around("AZURE_DEVOPS_PAT=#", token),
  "a token without capitals": around("token: #", (random) => `x${chars(random, 14, LOWER)}${chars(random, 4, DIGITS)}`),
  "a variable of an image": around("ENV API_TOKEN #", token),
  "a value of a Secret in YAML": around(
    "apiVersion: v1\ndata:\n  a.conf: #\nkind: Secret\nmetadata:\n  name: db",
    (random) => `${chars(random, 10)}==`,
  ),
  "a value of a Secret in JSON": around(
    '{"data":{"url":"#"},"kind":"Secret","metadata":{"name":"db"}}',
    (random) => `${chars(random, 10)}==`,
  ),
  "a password element": around("<server><password>#</password></server>"),
  "a key attribute": around('<add key="ApiKey" value="#" />', token),
  "a passphrase of several words": around('passphrase: "#"', (random) => `${word(random)} ${word(random)}`),
  "a bearer header": around("Authorization: Bearer #", token),
  "a basic header": around("authorization: Basic #", (random) => `${chars(random, 22)}==`),
  "a bearer token in a command": around("curl -H 'Authorization: Bearer #' https://api.internal", token),
  "x-api-key": around("x-api-key: #", token),
  "a cookie header": around("Cookie: session=#; theme=dark", token),
  "a set-cookie header": around("Set-Cookie: sid=#; Path=/; HttpOnly", token),
  "a JSON web token": (random) => {
    const value = `eyJ${chars(random, 20)}.eyJ${chars(random, 40)}.${chars(random, 43)}`;
    return { text: `token ${value} ok`, value };
  },
  "an RSA private key": keyBlock("RSA PRIVATE KEY"),
  "an OpenSSH private key": keyBlock("OPENSSH PRIVATE KEY"),
  "a PKCS 8 private key": keyBlock("PRIVATE KEY"),
  "a service account's private_key": (random) => {
    const value = chars(random, 60);
    const text = `{"private_key": "-----BEGIN PRIVATE KEY-----\\n${value}\\n-----END PRIVATE KEY-----\\n"}`;
    return { text, value };
  },
  "an age key": beginning("AGE-SECRET-KEY-1", 58, UPPER + DIGITS),
  "an AWS access key": beginning("AKIA", 16, UPPER + DIGITS),
  "an AWS session key": beginning("ASIA", 16, UPPER + DIGITS),
  "an AWS secret key with its name": around("aws_secret_access_key = #", random40),
  "an AWS secret key alone": around("the second line was # there", random40),
  "a Google API key": beginning("AIza", 35),
  "a Google client secret": beginning("GOCSPX-", 28),
  "a Google access token": beginning("ya29.", 60),
  "an Azure account key": around(
    "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=#;",
    (r) => `${random40(r)}==`,
  ),
  "a GitHub token": beginning("ghp_", 36),
  "a GitHub OAuth token": beginning("gho_", 36),
  "a GitHub user token": beginning("ghu_", 36),
  "a GitHub server token": beginning("ghs_", 36),
  "a GitHub refresh token": beginning("ghr_", 36),
  "a fine-grained GitHub token": beginning("github_pat_", 60),
  "a GitLab token": beginning("glpat-", 20),
  "a Slack bot token": beginning("xoxb-", 40),
  "a Slack user token": beginning("xoxp-", 40),
  "a Slack app token": beginning("xapp-", 40),
  "a Slack hook": around(
    "https://hooks.slack.com/services/#",
    (r) => `T${chars(r, 9)}/B${chars(r, 9)}/${chars(r, 24)}`,
  ),
  "a Teams hook": around(
    "https://acme.webhook.office.com/webhookb2/#",
    (r) => `${uuid(r)}@${uuid(r)}/IncomingWebhook/${hex32(r)}`,
  ),
  "a Zapier hook": around("https://hooks.zapier.com/hooks/catch/#/", (r) => `1${chars(r, 6, DIGITS)}/${chars(r, 8)}`),
  "a Discord hook": around("https://discord.com/api/webhooks/#", (r) => `1${chars(r, 17, DIGITS)}/${chars(r, 60)}`),
  "a Discord bot token": around("client.login with # now", (random) => `M${segments(random)}`),
  "a Stripe key": beginning("sk_live_", 24),
  "a restricted Stripe key": beginning("rk_live_", 24),
  "a Stripe signing secret": beginning("whsec_", 32),
  "a Twilio token": around("TWILIO_AUTH_TOKEN=#", hex32),
  "a SendGrid key": (random) => {
    const value = `SG.${chars(random, 22)}.${chars(random, 43)}`;
    return { text: `mail goes out with ${value}`, value };
  },
  "a Mailgun key": beginning("key-", 32, HEX),
  "an npm token": beginning("npm_", 36),
  "an npmrc line": around("//registry.npmjs.org/:_authToken=#", uuid),
  "a PyPI token": beginning("pypi-", 60),
  "a Docker token": beginning("dckr_pat_", 27),
  "a Databricks token": beginning("dapi", 32, HEX),
  "a Linear key": beginning("lin_api_", 40),
  "a Notion secret": beginning("secret_", 43),
  "a Notion token": beginning("ntn_", 46),
  "a Figma token": beginning("figd_", 40),
  "an Atlassian token": beginning("ATATT3", 60),
  "a Vault token": beginning("hvs.", 24),
  "a DigitalOcean token": beginning("dop_v1_", 64, HEX),
  "a Shopify token": beginning("shpat_", 32, HEX),
  "an OpenAI key": beginning("sk-proj-", 48),
  "an old OpenAI key": beginning("sk-", 48),
  "an Anthropic key": beginning("sk-ant-api03-", 48),
  "a Hugging Face token": beginning("hf_", 34, LOWER + UPPER),
  "a Telegram bot token": (random) => {
    const value = `AA${chars(random, 33)}`;
    return { text: `bot 5${chars(random, 9, DIGITS)}:${value} is up`, value };
  },
  "a Heroku key": around("HEROKU_API_KEY=#", uuid),
  "a netrc line": around("machine git.internal login bob password #"),
  "netrc lines": around("machine git.internal\n  login bob\n  password #"),
  "a pgpass line": around("db.internal:5432:main:app:#"),
  "a --password argument": around("restic backup --password # /srv"),
  "a --token argument": around("vault login --token=#", token),
  "a mysql -p argument": around("mysql -u root -p# main"),
  "a sshpass -p argument": around("sshpass -p # ssh root@host"),
  "a curl -u argument": around("curl -u admin:# https://ci.internal"),
  "a curl -su argument": around("curl -su admin:# https://ci.internal"),
  "a curl -u argument on the second line": around("curl -X POST \\\n  -u admin:# https://ci.internal"),
  "a mongosh -p argument": around("mongosh -u root -p # main"),
  "an unzip -P argument": around("unzip -P # backup.zip"),
  "an ssh-keygen -N argument": around(
    "ssh-keygen -t ed25519 -N '#' -f key",
    (random) => `${word(random)} ${word(random)}`,
  ),
  "an htpasswd argument": around("htpasswd -b .htpasswd bob #"),
  "an openssl -k argument": around("openssl enc -aes-256-cbc -k # -in a"),
  "a password that is piped": around("echo # | docker login -u bob --password-stdin"),
  "a user's password that is piped": around("echo 'bob:#' | sudo chpasswd"),
  "a redis-cli -a argument": around("redis-cli -h cache -a # ping"),
  "a docker login -p argument": around("docker login -u bob -p # registry.internal"),
  "an ADO connection string": around("Server=db;Database=main;User Id=sa;Password=#;Encrypt=True"),
  "a password hash": around("bob:#:19000:0:99999", (random) => `$6$${chars(random, 8)}$${chars(random, 60)}`),
  "a bcrypt hash": around("hash $2b$10$# stored", (random) => chars(random, 53)),
  "a password in a sentence": around("the root password is #, as before"),
  "a password that was changed": around("The password was changed to #"),
  "a quoted password in a sentence": around('Log in with the password "#" please'),
  "a German password": around("Passwort: #"),
  "a Spanish password": around("contraseña: #"),
  "a Russian password": around("пароль: #"),
  "a Chinese password": around("密码：#"),
};

export function credentialOf(kind: string, seed: number): Credential {
  const make = CREDENTIAL_KINDS[kind];
  if (make === undefined) throw new Error(`There is no kind ${kind}.`);
  return make(createRandom(seed));
}
