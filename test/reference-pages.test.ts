import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { settingsSchema } from "../src/core/settings/settings-schema.ts";
import * as adapters from "../src/profiles/adapters/adapters.ts";
import {
  type DescriptionRow,
  describeProfile,
  type ReferenceRow,
  settingsReference,
} from "../src/profiles/describe-profile.ts";
import { type ProfileName, profileNamed, profileNames } from "../src/profiles/profiles.ts";
import { settingsWarnings } from "../src/settings.ts";
import { ADAPTERS_TEXT, PROFILES_INTRODUCTION, SETTINGS_END, SETTINGS_INTRODUCTION } from "./reference-texts.ts";

/** The two reference pages are written from the values themselves: `npx vitest run test/reference-pages.test.ts -u` renews them. */
async function checkPage(name: string, text: string): Promise<void> {
  const path = join(import.meta.dirname, "../docs", name);
  expect(existsSync(path), `docs/${name} is missing`).toBe(true);
  await expect(text).toMatchFileSnapshot(path);
}

test("docs/settings.md has every key as the schema has it", () => checkPage("settings.md", settingsPage()));

test("docs/profiles.md has every profile as it is", () => checkPage("profiles.md", profilesPage()));

test("what the pages name can be imported", () => {
  const named = [...ADAPTERS_TEXT.matchAll(/^`(\w+Settings)`:/gm)].map(([, name]) => name);
  expect(named).toHaveLength(5);
  expect(Object.keys(adapters)).toEqual(expect.arrayContaining(named));
  expect(settingsWarnings(profileNamed("balanced"))).toEqual([]);
});

function settingsPage(): string {
  const rows = settingsReference(profileNamed("balanced"));
  const sections = Object.entries(settingsSchema.keys).filter(([, schema]) => schema.type === "object");
  const top = rows.filter(({ key }) => !sections.some(([section]) => isWithin(key, section)));
  return [
    SETTINGS_INTRODUCTION,
    "## At the top\n",
    settingsTable(top),
    ...sections.flatMap(([section, { about }]) => [
      `## ${section}\n\n${about}\n`,
      settingsTable(rows.filter(({ key }) => isWithin(key, section))),
    ]),
    SETTINGS_END,
  ].join("\n");
}

function isWithin(key: string, section: string): boolean {
  return key.startsWith(`${section}.`);
}

function settingsTable(rows: readonly ReferenceRow[]): string {
  const lines = rows.map((row) =>
    tableLine([
      `\`${row.key}\``,
      row.type,
      row.value === "" ? "" : `\`${row.value}\``,
      row.allowed.join("<br>"),
      row.about,
    ]),
  );
  return table(["key", "type", "balanced", "allowed", "what it does"], lines);
}

const COMPARED: readonly ProfileName[] = ["balanced", "micro-agent", "agentpg", "nous", "openclaw", "auto-compact"];

function profilesPage(): string {
  const presets = profileNames.filter((name) => !COMPARED.includes(name));
  return [
    PROFILES_INTRODUCTION,
    "## Side by side\n",
    comparison(COMPARED, () => true),
    "## AgentPG's presets\n\nOnly what differs from `agentpg`.\n",
    comparison(["agentpg", ...presets], (values) => new Set(values).size > 1),
    ADAPTERS_TEXT,
  ].join("\n");
}

function comparison(names: readonly ProfileName[], isShown: (values: readonly string[]) => boolean): string {
  const columns = names.map((name) => describeProfile(name));
  const topics: readonly DescriptionRow[] = columns[0] ?? [];
  const rows = topics.map(({ topic }, index) => ({ topic, values: columns.map((rows) => rows[index]?.value ?? "") }));
  const lines = rows.filter(({ values }) => isShown(values)).map(({ topic, values }) => tableLine([topic, ...values]));
  return table(["", ...names], lines);
}

function table(head: readonly string[], lines: readonly string[]): string {
  return [tableLine(head), tableLine(head.map(() => "---")), ...lines, ""].join("\n");
}

function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
}
