/**
 * Machine-made text in the classes that no package ships: ids, ciphers, logs, tables, traces, emoji. Deterministic. The
 * shapes for the fit and for the check are different generators, not different seeds of one.
 */

import { type Random, seeded } from "./random.ts";

export interface Generator {
  readonly category: string;
  readonly name: string;
  readonly split: "fit" | "check";
  /** One line or block; repeated until a text is long enough. */
  readonly make: (random: Random) => string;
}

const HEX = "0123456789abcdef";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";
const WORDS =
  "server request user session cache token index buffer stream worker config build deploy module queue retry timeout status order payment invoice account customer product search filter metric trace upload download image report export import schedule cluster replica shard backup restore migrate version release branch commit merge review comment".split(
    " ",
  );
const LEVELS = ["INFO", "WARN", "ERROR", "DEBUG", "TRACE"];
const NAMES = ["Anna", "Bela", "Chen", "Dmitri", "Elif", "Farid", "Grace", "Hiro", "Ines", "Jonas"];

const two = (value: number): string => String(value).padStart(2, "0");
const time = (r: Random): string =>
  `20${10 + r.below(18)}-${two(1 + r.below(12))}-${two(1 + r.below(28))}T${two(r.below(24))}:${two(r.below(60))}:${two(r.below(60))}.${String(r.below(1000)).padStart(3, "0")}Z`;
const uuid = (r: Random): string => [8, 4, 4, 4, 12].map((length) => r.string(HEX, length)).join("-");
const words = (r: Random, count: number): string => Array.from({ length: count }, () => r.pick(WORDS)).join(" ");
const camel = (r: Random): string => {
  const [first, second] = [r.pick(WORDS), r.pick(WORDS)];
  return first + second.charAt(0).toUpperCase() + second.slice(1);
};
const address = (r: Random): string => Array.from({ length: 4 }, () => r.below(256)).join(".");
const base64 = (r: Random, bytes: number): string => Buffer.from(r.bytes(bytes)).toString("base64");
const wrapped = (text: string, width: number): string => text.replace(new RegExp(`.{${width}}`, "g"), "$&\n");

const SMILEYS = [..."😀😃😄😁😆😅🤣😂🙂😉😊😇🥰😍🤩😘😋😛🤪🤔😐😏🙄😬😴🤒🤯🥳😎🤓😕😮😢😭😱😡💀👻🤖"];
const THINGS = [..."🐶🐱🦊🐻🐼🍎🍌🍕🍔⚽🏀🎸🎹🚗🚕✈🚀⌚📱💻💡🔋📷📚✏📌🔒🔑🔨🎁🎉🎈🏆🌍🌈⭐🔥💧❄🌊🌸🌲"];
const PEOPLE = [..."👋👍👎👏🙏💪👶👧👦👩👨👵👴👮👷🧑🤷🤦🏃🚴"];
const TONES = ["🏻", "🏼", "🏽", "🏾", "🏿"];
const FAMILIES = ["👨‍👩‍👧‍👦", "👩‍💻", "👨‍🚀", "🏳️‍🌈", "👩‍❤️‍👨", "🧑‍🤝‍🧑", "👁️‍🗨️", "🐻‍❄️", "👩‍🔬", "🧑‍🎄"];
const FLAGS = ["🇩🇪", "🇯🇵", "🇧🇷", "🇫🇷", "🇺🇸", "🇰🇷", "🇮🇳", "🇿🇦", "🇺🇦", "🇨🇳"];
const SELECTED = ["❤️", "☀️", "✔️", "⚠️", "✈️", "☎️", "♻️", "1️⃣", "⬆️", "🕊️"];

const fit = (category: string, name: string, make: Generator["make"]): Generator => ({
  category,
  name,
  split: "fit",
  make,
});
const check = (category: string, name: string, make: Generator["make"]): Generator => ({
  category,
  name,
  split: "check",
  make,
});

export const GENERATORS: readonly Generator[] = [
  fit("hex", "uuid-lines", (r) => `${uuid(r)}\n`),
  fit("hex", "sha1", (r) => `${r.string(HEX, 40)}  ${r.pick(WORDS)}.tar.gz\n`),
  fit("hex", "addresses", (r) => `0x${r.string(HEX, 16)} `),
  fit("hex", "bytes", (r) => `${Array.from({ length: 16 }, () => r.string(HEX, 2)).join(" ")}\n`),
  fit("hex", "upper", (r) => `${r.string(HEX, 32).toUpperCase()},`),
  check("hex", "sha256", (r) => `sha256:${r.string(HEX, 64)}\n`),
  check("hex", "uuid-json", (r) => `{"id":"${uuid(r)}","parent":"${uuid(r)}"},`),
  check("hex", "short-commits", (r) => `${r.string(HEX, 7)} ${r.string(HEX, 40)}\n`),
  check("hex", "object-ids", (r) => `ObjectId("${r.string(HEX, 24)}"), `),
  fit("base64", "wrapped", (r) => `${wrapped(base64(r, 456), 76)}\n\n`),
  fit("base64", "tokens", (r) => `${r.string(LOWER + UPPER + DIGITS, 24)} `),
  fit("base64", "integrity", (r) => `"integrity": "sha512-${base64(r, 64)}",\n`),
  check("base64", "one-run", (r) => base64(r, 900)),
  check("base64", "keys", (r) => `key_${r.string(`${LOWER}${UPPER}${DIGITS}_-`, 43)}\n`),
  check(
    "base64",
    "jwt",
    (r) =>
      `eyJhbGciOiJIUzI1NiJ9.${r.string(`${LOWER}${UPPER}${DIGITS}_-`, 180)}.${r.string(`${LOWER}${UPPER}${DIGITS}_-`, 43)}\n`,
  ),
  fit("base64-text", "of-prose", (r) => `${Buffer.from(words(r, 40)).toString("base64")}\n`),
  check(
    "base64-text",
    "of-json",
    (r) => `${Buffer.from(JSON.stringify({ user: r.pick(NAMES), text: words(r, 20) })).toString("base64")}\n`,
  ),
  fit("random-letters", "lower", (r) => `${r.string(LOWER, 3 + r.below(20))} `),
  fit("random-letters", "upper", (r) => `${r.string(UPPER, 3 + r.below(12))} `),
  check("random-letters", "run", (r) => r.string(LOWER, 400)),
  fit(
    "logs",
    "service",
    (r) =>
      `${time(r)} ${r.pick(LEVELS)} [${r.pick(WORDS)}-${r.below(64)}] ${words(r, 3 + r.below(6))} id=${uuid(r)} took ${r.below(9000)}ms\n`,
  ),
  fit(
    "logs",
    "access",
    (r) =>
      `${address(r)} - - [${two(1 + r.below(28))}/Mar/2026:${two(r.below(24))}:${two(r.below(60))}:${two(r.below(60))} +0000] "GET /api/v${1 + r.below(3)}/${r.pick(WORDS)}/${r.below(100000)}?page=${r.below(50)} HTTP/1.1" ${r.pick([200, 201, 304, 404, 500])} ${r.below(90000)}\n`,
  ),
  fit(
    "logs",
    "key-value",
    (r) =>
      `ts=${1_700_000_000 + r.below(99_999_999)} level=${r.pick(LEVELS).toLowerCase()} component=${r.pick(WORDS)} msg="${words(r, 5)}" attempt=${r.below(9)} latency=${r.below(100)}.${r.below(100)}ms\n`,
  ),
  check(
    "logs",
    "syslog",
    (r) =>
      `Oct ${1 + r.below(28)} ${two(r.below(24))}:${two(r.below(60))}:${two(r.below(60))} host-${r.below(99)} ${r.pick(WORDS)}[${r.below(32768)}]: ${words(r, 4)} from ${address(r)} port ${r.below(65536)}\n`,
  ),
  check(
    "logs",
    "json-lines",
    (r) =>
      `${JSON.stringify({ time: time(r), level: r.pick(LEVELS), service: r.pick(WORDS), message: words(r, 6), durationMs: r.below(5000), traceId: r.string(HEX, 32) })}\n`,
  ),
  check(
    "logs",
    "bracketed",
    (r) =>
      `[${two(r.below(24))}:${two(r.below(60))}:${two(r.below(60))}] ${camel(r)}.${camel(r)}: ${words(r, 5)} (${r.below(1000)}/${r.below(1000)})\n`,
  ),
  fit(
    "traces",
    "node",
    (r) =>
      `    at ${camel(r)} (/srv/app/src/${r.pick(WORDS)}/${r.pick(WORDS)}.ts:${1 + r.below(900)}:${1 + r.below(80)})\n`,
  ),
  fit(
    "traces",
    "python",
    (r) =>
      `  File "/usr/lib/python3.12/site-packages/${r.pick(WORDS)}/${r.pick(WORDS)}.py", line ${r.below(2000)}, in ${r.pick(WORDS)}_${r.pick(WORDS)}\n    return self.${r.pick(WORDS)}(${r.pick(WORDS)}, *args)\n`,
  ),
  check(
    "traces",
    "java",
    (r) =>
      `\tat com.example.${r.pick(WORDS)}.${camel(r).replace(/^./, (c) => c.toUpperCase())}.${camel(r)}(${r.pick(WORDS)}.java:${r.below(900)})\n`,
  ),
  check(
    "traces",
    "rust",
    (r) =>
      `  ${r.below(40)}: 0x${r.string(HEX, 12)} - ${r.pick(WORDS)}::${r.pick(WORDS)}::${r.pick(WORDS)}\n             at ./src/${r.pick(WORDS)}.rs:${r.below(500)}:${r.below(50)}\n`,
  ),
  fit(
    "tables",
    "markdown",
    (r) => `| ${r.pick(WORDS)} | ${r.below(10000)} | ${r.below(100)}.${two(r.below(100))} % | ${r.pick(NAMES)} |\n`,
  ),
  fit(
    "tables",
    "csv",
    (r) =>
      `${r.below(100000)},${r.pick(NAMES)},${r.pick(WORDS)},${r.below(1000)}.${two(r.below(100))},20${10 + r.below(18)}-${two(1 + r.below(12))}-${two(1 + r.below(28))}\n`,
  ),
  fit(
    "tables",
    "padded",
    (r) => `${r.pick(WORDS).padEnd(20)}${String(r.below(100000)).padStart(10)}${r.pick(NAMES).padStart(16)}\n`,
  ),
  fit("tables", "ruled", (r) => `${"-".repeat(10 + r.below(60))}\n${r.pick(WORDS)}\n${"=".repeat(10 + r.below(60))}\n`),
  fit(
    "tables",
    "tree",
    (r) => `${"│   ".repeat(r.below(4))}${r.pick(["├──", "└──"])} ${r.pick(WORDS)}.${r.pick(["ts", "md", "json"])}\n`,
  ),
  fit(
    "tables",
    "frame",
    (r) =>
      `┌${"─".repeat(4 + r.below(30))}┐\n│ ${r.pick(WORDS)} → ${r.below(100)} │\n└${"─".repeat(4 + r.below(30))}┘\n`,
  ),
  check(
    "tables",
    "tsv",
    (r) => `${r.pick(NAMES)}\t${r.below(9999)}\t${words(r, 2)}\t${r.below(2) === 0}\t${r.below(1000) / 8}\n`,
  ),
  check(
    "tables",
    "box",
    (r) => `│ ${r.pick(WORDS).padEnd(12)} │ ${String(r.below(9999)).padStart(6)} │\n├──────────────┼────────┤\n`,
  ),
  check("tables", "quoted-csv", (r) => `"${r.pick(NAMES)}","${words(r, 3)}","${r.below(9999)}","${time(r)}"\n`),
  fit(
    "json",
    "records",
    (r) =>
      `${JSON.stringify({ id: r.below(100000), name: r.pick(NAMES), tags: [r.pick(WORDS), r.pick(WORDS)], active: r.below(2) === 0, score: r.below(1000) / 10, note: words(r, 8) })},\n`,
  ),
  fit(
    "json",
    "indented",
    (r) =>
      `${JSON.stringify({ type: r.pick(WORDS), [camel(r)]: { [r.pick(WORDS)]: words(r, 4), list: [r.below(9), r.below(99), r.below(999)] }, missing: null }, null, 2)},\n`,
  ),
  check(
    "json",
    "calls",
    (r) =>
      `${JSON.stringify({ tool: `${r.pick(WORDS)}_${r.pick(WORDS)}`, arguments: { path: `/home/${r.pick(NAMES)}/${r.pick(WORDS)}.txt`, [camel(r)]: words(r, 10), limit: r.below(500) } })}\n`,
  ),
  check(
    "json",
    "geo",
    (r) =>
      `{"type":"Feature","geometry":{"type":"Point","coordinates":[${r.below(180)}.${r.below(1_000_000)},-${r.below(90)}.${r.below(1_000_000)}]},"properties":{"${r.pick(WORDS)}":${r.below(1000)}}},`,
  ),
  check(
    "json",
    "lockfile",
    (r) =>
      `    "node_modules/${r.pick(WORDS)}-${r.pick(WORDS)}": {\n      "version": "${r.below(20)}.${r.below(30)}.${r.below(40)}",\n      "resolved": "https://packages.example/${r.pick(WORDS)}/-/${r.pick(WORDS)}-${r.below(9)}.0.${r.below(9)}.tgz",\n      "integrity": "sha512-${base64(r, 64)}",\n      "license": "MIT"\n    },\n`,
  ),
  fit("emoji", "smileys", (r) => `${r.pick(SMILEYS)}${r.pick(SMILEYS)} `),
  fit("emoji", "things", (r) => `${r.pick(THINGS)} ${r.pick(WORDS)} `),
  fit("emoji", "tones", (r) => `${r.pick(PEOPLE)}${r.pick(TONES)} ${r.pick(PEOPLE)}`),
  fit("emoji", "joined", (r) => `${r.pick(FAMILIES)} ${r.pick(FLAGS)}${r.pick(SELECTED)}`),
  fit("emoji", "repeated", (r) => `${r.pick(SMILEYS).repeat(2 + r.below(5))} ${r.pick(NAMES)} `),
  fit("emoji", "run", (r) => r.pick([SMILEYS, THINGS, PEOPLE][r.below(3)] ?? SMILEYS)),
  check("emoji", "chat", (r) => `${words(r, 2)} ${r.pick(SMILEYS)}${r.pick(THINGS)} ${r.pick(SELECTED)}\n`),
  check(
    "emoji",
    "reactions",
    (r) => `${r.pick(PEOPLE)}${r.pick(TONES)}${r.pick(PEOPLE)}${r.pick(TONES)}${r.pick(FAMILIES)}`,
  ),
  check("emoji", "lines", (r) => `${r.pick(SMILEYS)}${r.pick(SMILEYS)}${r.pick(THINGS)}${r.pick(FLAGS)}\n`),
  fit("blanks", "spaces", (r) => `${r.pick(WORDS)}${" ".repeat(r.below(500))}${r.pick(WORDS)}\n`),
  fit("blanks", "breaks", (r) => `${r.pick(WORDS)}${"\n".repeat(r.below(100))}`),
  fit("numbers", "plain", (r) => `${r.below(10 ** (1 + r.below(9)))} `),
  fit("numbers", "decimals", (r) => `${r.below(1000)}.${r.below(100000)}, `),
  check(
    "numbers",
    "matrix",
    (r) => `[${r.below(100)}.${r.below(1000)}, -${r.below(10)}.${r.below(1000)}e-${two(r.below(20))}]\n`,
  ),
];

/** Texts of one generator, each of about so many characters. */
export function generate(generator: Generator, count: number, chars: number): readonly string[] {
  return Array.from({ length: count }, (_unused, index) => {
    const random = seeded(index * 7919 + generator.name.length * 131 + generator.name.charCodeAt(0));
    let text = "";
    while (text.length < chars) text += generator.make(random);
    return text;
  });
}
