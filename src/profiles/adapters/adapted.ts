/** What every adapter returns, and how it refuses a configuration: problems are reported with the configuration's own keys. */

import { checkSchema, type Problem, refuseProblems } from "../../core/settings/check-schema.ts";
import type { Schema } from "../../core/settings/schema.ts";
import type { SettingsInput } from "../../core/settings/settings.ts";
import type { ProfileName } from "../profiles.ts";

/** Goes into `resolveSettings` as it is. */
export interface AdaptedSettings {
  readonly profile: ProfileName;
  readonly user: SettingsInput;
}

export function refuseUnless(value: unknown, schema: Schema, subject: string): void {
  const problems = checkSchema(value, schema, { partial: true, subject: `The ${subject}` });
  refuseProblems(problems.map((problem) => inSubject(problem, subject)));
}

export function inSubject({ path, message }: Problem, subject: string): Problem {
  return { path, message: path === "" ? message : `${message} (${subject})` };
}
