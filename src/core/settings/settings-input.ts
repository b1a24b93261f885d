/**
 * Settings as a caller writes them: any part of them. Lists and values told apart by `type` are given whole; what a key
 * leaves out, the layer below decides. `false` switches off what may be off.
 */

import type { Settings, Trigger } from "./settings.ts";

export type SettingsInput = InputOf<Settings>;

/** The comparison may be left out. Strict for amounts, at-or-above for shares; a floor left out is none. */
export type TriggerInput = Trigger extends infer One ? (One extends Trigger ? WithDefaults<One> : never) : never;

type WithDefaults<One extends Trigger> = Omit<One, DefaultedKey> & Partial<Pick<One, Extract<DefaultedKey, keyof One>>>;
type DefaultedKey = "comparison" | "floorTokens" | "raisedByTokens";

type InputOf<Value> = Value extends readonly Trigger[]
  ? readonly TriggerInput[]
  : Value extends readonly unknown[] | { readonly type: string }
    ? Value
    : Value extends object
      ? { readonly [Key in keyof Value]?: InputOf<Value[Key]> | Off<Value[Key]> | undefined }
      : Value;

type Off<Value> = undefined extends Value ? false : never;
