/** Every setting is read by something that acts on it: one that nobody reads is a promise that nobody keeps. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Schema } from "../src/core/settings/schema.ts";
import { settingsSchema } from "../src/core/settings/settings-schema.ts";

/** Settings that are for whoever runs the loop, and why nothing here reads them. Their description has to say so. */
const FOR_THE_HOST: Readonly<Record<string, string>> = {
  memoryFlush: "a turn of the model is the loop's to take; session.recordMemoryFlush() keeps count of them",
};

const root = join(import.meta.dirname, "..");
/** Where settings are declared, checked, described and shown: being named there is not being acted on. */
const ABOUT = /\.test\.ts$|^src\/(?:settings\b|profiles\/|core\/settings\/|cli\/|testing\/)/;
const code = globSync("src/**/*.ts", { cwd: root })
  .filter((file) => !ABOUT.test(file))
  .map((file) => withoutComments(readFileSync(join(root, file), "utf8")))
  .join("\n");

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

/** Paths of the values themselves; a list, a record or a value told apart by its type is read as one. */
function leaves(schema: Schema, path: readonly string[] = []): readonly (readonly string[])[] {
  if (schema.type !== "object") return [path];
  return Object.entries(schema.keys).flatMap(([key, inner]) => leaves(inner, [...path, key]));
}

/** A name of several words stands for itself. A common word counts only as a property of its group, or taken out of it. */
function isRead(path: readonly string[]): boolean {
  const [leaf = "", group] = path.toReversed();
  if (/[A-Z]/.test(leaf) || group === undefined) return new RegExp(`\\b${leaf}\\b(?!\\??:)`).test(code);
  const type = `${group[0]?.toUpperCase()}${group.slice(1)}Settings`;
  const takenOut = `\\{[^{}]*\\b${leaf}\\b[^{}]*\\}`;
  const forms = [
    `\\b${group}\\??\\.${leaf}\\b`,
    `\\b${group}: ${takenOut}`,
    `${takenOut} = [\\w.]*\\b${group}\\b`,
    `${takenOut}: ${type}\\b`,
    `${takenOut}: Settings\\["${group}"\\]`,
  ];
  return forms.some((form) => new RegExp(form).test(code));
}

const all = leaves(settingsSchema).map((path) => path.join("."));
const isForTheHost = (key: string): boolean => Object.hasOwn(FOR_THE_HOST, key.split(".")[0] ?? "");

test.each(all.filter((key) => !isForTheHost(key)))("%s", (key) => {
  expect(isRead(key.split("."))).toBe(true);
});

test.each(Object.keys(FOR_THE_HOST))("%s says that it is for whoever runs the loop", (key) => {
  const schema: Schema | undefined = Object.entries(settingsSchema.keys).find(([name]) => name === key)?.[1];
  expect(schema?.about).toContain("For whoever runs the loop");
});
