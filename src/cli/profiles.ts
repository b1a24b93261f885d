/** `palimpsest profiles`: what each profile does, side by side, or one of them in full. Reads nothing. */

import { describeProfile, settingsReference } from "../profiles/describe-profile.ts";
import { isProfileName, type ProfileName, profileNamed, profileNames } from "../profiles/profiles.ts";
import { type Command, EXIT, type ExitCode, type Io, print, usage, type Words } from "./command.ts";
import { padEnd, wrap } from "./one-line.ts";
import { type Blocks, ELASTIC, LEFT, type Terminal } from "./terminal.ts";

export const command: Command = {
  usage: "[NAME] [options]",
  options: { json: { type: "boolean", about: "complete settings as JSON instead of text" } },
  notes: `A profile is a complete, named set of settings; compact and explain take one by
--profile. Amounts are those for the profile's own window: on a smaller one they
are capped at a share of it.

Examples:
  palimpsest profiles
  palimpsest profiles openclaw
  palimpsest profiles balanced --json
`,
  run,
};

type ProfileEntry = ReturnType<typeof entryOf>;

async function run(given: Words, io: Io): Promise<ExitCode> {
  const [name, extra] = given.operands;
  if (extra !== undefined) {
    throw usage(`profiles takes one NAME, or none for all, but was given ${given.operands.length}`);
  }
  const entries = (name === undefined ? profileNames : [nameOf(name)]).map(entryOf);
  const only = name === undefined ? undefined : entries[0];
  print({ given, io }, only ?? { profiles: entries }, (terminal) =>
    only === undefined ? renderProfiles(entries, terminal) : renderProfile(only, terminal),
  );
  return EXIT.ok;
}

function nameOf(name: string): ProfileName {
  if (isProfileName(name)) return name;
  profileNamed(name); // throws, with the nearest name
  throw new Error(`${name} is no profile`);
}

/** What it does is short texts by topic, the same topics for every profile. */
function entryOf(name: ProfileName) {
  const does: Readonly<Record<string, string>> = Object.fromEntries(
    describeProfile(name).map(({ topic, value }) => [topic, value]),
  );
  return { name, does, settings: profileNamed(name) };
}

/** What tells profiles apart; the rest is shown of one profile at a time. */
const TOPICS = [
  "compacts by itself",
  "trigger",
  "counted",
  "strategy",
  "target",
  "kept always",
  "tail",
  "cut",
  "prune",
  "summary",
  "summary size",
  "renderer",
  "on failure",
  "on overflow",
  "message limit",
] as const;

const GAP = 2;
const CELL_COLUMNS_MIN = 18;

function renderProfiles(entries: readonly ProfileEntry[], terminal: Terminal): Blocks {
  const presets = entries.filter(({ name }) => name.startsWith("agentpg-"));
  const main = entries.filter((entry) => !presets.includes(entry));
  const topicColumns = Math.max(...TOPICS.map((topic) => topic.length));
  const room = terminal.columns - topicColumns;
  const perBlock = Math.min(main.length, Math.max(1, Math.floor(room / (CELL_COLUMNS_MIN + GAP))));
  const layout = { topicColumns, cellColumns: Math.floor(room / perBlock) - GAP };
  const blocks = Array.from({ length: Math.ceil(main.length / perBlock) }, (_, block) =>
    blockLines(main.slice(block * perBlock, (block + 1) * perBlock), terminal, layout),
  );
  const presetRows = presets.map(({ name, does }) => [name, does.for ?? ""]);
  return [
    ...blocks,
    [terminal.heading("Presets of agentpg"), ...terminal.table(presetRows, { columns: [LEFT, ELASTIC] })],
    [terminal.note("one in full: palimpsest profiles NAME")],
  ];
}

/** What it does, then every key with its value, all of it. */
function renderProfile({ name, does, settings }: ProfileEntry, terminal: Terminal): Blocks {
  const topics = Object.entries(does).map(([topic, value]): Row => [topic, terminal.signs(value)]);
  const keys = settingsReference(settings).flatMap(({ key, value }): readonly Row[] =>
    value === "" ? [] : [[key, breakable(value)]],
  );
  return [
    [terminal.heading(name), ...rowLines(topics, terminal)],
    [terminal.heading("Settings"), ...rowLines(keys, terminal)],
  ];
}

/** Lists and objects may be broken behind their commas. */
function breakable(value: string): string {
  return /^[[{]/.test(value) ? value.replaceAll(/,(?=["{[])/g, ", ") : value;
}

type Row = readonly [name: string, value: string];

const INDENT = 2;
/** Values that would be squeezed into less stand below their names. */
const VALUE_COLUMNS_MIN = 18;

function rowLines(rows: readonly Row[], terminal: Terminal): readonly string[] {
  const width = Math.max(...rows.map(([name]) => name.length));
  const beside = terminal.columns - width - INDENT - GAP;
  const isBelow = beside < VALUE_COLUMNS_MIN;
  const [columns, margin] = isBelow ? [terminal.columns - 2 * INDENT, 2 * INDENT] : [beside, INDENT + width + GAP];
  return rows.flatMap(([name, value]) => {
    const [first = "", ...rest] = wrap(value, columns).map((line) => `${" ".repeat(margin)}${line}`);
    const label = terminal.paint("gray", isBelow ? name : padEnd(name, width));
    const head = `${" ".repeat(INDENT)}${label}`;
    return isBelow ? [head, first, ...rest] : [`${head}${first.slice(INDENT + width)}`, ...rest];
  });
}

function blockLines(
  entries: readonly ProfileEntry[],
  terminal: Terminal,
  { topicColumns, cellColumns }: { readonly topicColumns: number; readonly cellColumns: number },
): readonly string[] {
  const gap = " ".repeat(GAP);
  const line = (topic: string, cells: readonly string[]): string =>
    `${topic}${gap}${cells.map((cell) => padEnd(cell, cellColumns)).join(gap)}`.trimEnd();
  const titles = entries.map(({ name }) => terminal.paint("bold", padEnd(name, cellColumns)));
  return [
    `${" ".repeat(topicColumns)}${gap}${titles.join(gap)}`.trimEnd(),
    ...TOPICS.flatMap((topic) => {
      const cells = entries.map(({ does }) => wrap(terminal.signs(does[topic] ?? ""), cellColumns));
      const height = Math.max(...cells.map((lines) => lines.length));
      return Array.from({ length: height }, (_, row) =>
        line(
          terminal.paint("gray", padEnd(row === 0 ? topic : "", topicColumns)),
          cells.map((lines) => lines[row] ?? ""),
        ),
      );
    }),
  ];
}
