/** `palimpsest profiles`: what each profile does, side by side, or one of them in full. Reads nothing. */

import type { Settings } from "../core/settings/settings.ts";
import { describeProfile } from "../profiles/describe-profile.ts";
import { isProfileName, type ProfileName, profileNamed, profileNames } from "../profiles/profiles.ts";
import { type OptionSpecs, parseWords, usage } from "./arguments.ts";
import { type Command, EXIT, type ExitCode, type Io, showHelp } from "./command.ts";
import { indentedJson } from "./indented-json.ts";
import { renderProfile, renderProfiles } from "./render-profiles.ts";
import { terminalOf } from "./terminal.ts";

const OPTIONS = {
  json: { type: "boolean", about: "complete settings as JSON instead of text" },
} as const satisfies OptionSpecs;

export const profilesCommand: Command = {
  name: "profiles",
  usage: "[NAME] [options]",
  options: OPTIONS,
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

export interface ProfileEntry {
  readonly name: ProfileName;
  /** Short texts by topic, the same topics for every profile. */
  readonly does: Readonly<Record<string, string>>;
  readonly settings: Settings;
}

async function run(words: readonly string[], io: Io): Promise<ExitCode> {
  const given = parseWords(words, OPTIONS);
  if (given.isHelpWanted) {
    showHelp(profilesCommand, io);
    return EXIT.ok;
  }
  const [name, extra] = given.operands;
  if (extra !== undefined) {
    throw usage(`profiles takes one NAME, or none for all, but was given ${given.operands.length}`);
  }
  const entries = (name === undefined ? profileNames : [nameOf(name)]).map(entryOf);
  const terminal = terminalOf(io.stdout, io.environment);
  const [only] = entries;
  if (given.isSet("json")) {
    const json = name === undefined ? { profiles: entries } : only;
    io.stdout.write(indentedJson(json));
  } else
    io.stdout.write(
      name === undefined || only === undefined ? renderProfiles(entries, terminal) : renderProfile(only, terminal),
    );
  return EXIT.ok;
}

function nameOf(name: string): ProfileName {
  if (isProfileName(name)) return name;
  profileNamed(name); // throws, with the nearest name
  throw new Error(`${name} is no profile`);
}

function entryOf(name: ProfileName): ProfileEntry {
  const does = Object.fromEntries(describeProfile(name).map(({ topic, value }) => [topic, value]));
  return { name, does, settings: profileNamed(name) };
}
