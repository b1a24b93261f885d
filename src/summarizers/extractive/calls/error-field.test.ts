import { expect, test } from "vitest";
import { text } from "../../../core/message.ts";
import { failureOf } from "./call-outcome.ts";

const failed = (value: unknown): string | undefined =>
  failureOf({ type: "tool-result", content: [text(JSON.stringify(value))], isError: false });

test.each([
  [{ error: "card_declined", message: "Tarjeta rechazada" }, "Tarjeta rechazada"],
  [{ error: "card_declined" }, "card_declined"],
  [{ error: "Карта отклонена" }, "Карта отклонена"],
  [{ error: { code: "berth_taken", message: "Der Liegeplatz ist belegt" } }, "Der Liegeplatz ist belegt"],
  [{ error: { code: 4711 }, request: "r-4" }, "4711"],
  [{ error: true, message: "予約できません" }, "予約できません"],
  [{ error: "invalid_berth", message: "Ce poste est fermé", data: null }, "Ce poste est fermé"],
])("%j failed, in any language", (value, said) => expect(failed(value)).toBe(said));

test.each([
  { error: null, message: "Tarjeta aceptada" },
  { error: false, message: "Tarjeta aceptada" },
  { error: "", message: "Tarjeta aceptada" },
  { error: 0, message: "Tarjeta aceptada" },
  { error: {}, message: "Tarjeta aceptada" },
  { error: "none" },
  { error: "No error." },
  { error: "нет" },
  { ok: true, error: "card_expires_soon" },
  { status: "success", error: "card_expires_soon" },
  { error: "deprecated_field", data: [{ berth: 4 }] },
  { berths: [{ berth: 4, error: "card_declined" }] },
  { note: 'the field "error" holds a code', message: "Tarjeta aceptada" },
])("%j did not", (value) => expect(failed(value)).toBeUndefined());
