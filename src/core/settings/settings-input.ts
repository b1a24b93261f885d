/**
 * Settings as a caller writes them: any subset of the keys. Lists and values with a `type` are written whole; the layer
 * below decides missing keys. `false` switches an optional group off.
 */

import type { Settings, Trigger } from "./settings.ts";

export type SettingsInput = InputOf<Settings>;

/** A trigger without its optional keys. Default comparison: above for amounts, at or above for shares; default floor: none. */
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
