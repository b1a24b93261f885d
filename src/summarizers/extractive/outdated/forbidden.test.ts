import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { createProse } from "../reading/prose.ts";
import { inUse, isGivenUp, withdrawnIn } from "./withdrawn.ts";

const asked = (request: string, language: Language = "en") =>
  withdrawnIn(
    [createProse({ message: 3, isUser: true, isRequest: true, isFinal: false, speaker: "", text: request })],
    language,
    (name) => name === "tidewheel",
  );

function check(request: string, names: readonly string[], language: Language = "en"): void {
  expect(
    asked(request, language).map(({ name }) => name),
    request,
  ).toEqual(names);
}

test("names that the user forbade", () => {
  check("Don't use COPPER, it bends after a while when it is hot.", ["COPPER"]);
  check("That is not good. Please do not use the Copper!", ["Copper"]);
  check("In the tower it is fine. Don’t use `copper_lamp` any more.", ["copper_lamp"]);
  check("No Copper please.", ["Copper"]);
  check("Two things:\n- never use TideClock\n- light the lamps", ["TideClock"]);
  check("We should not use Copper because it bends.", ["Copper"]);
  check("don't use tidewheel.", ["tidewheel"]);
});

test("in the other languages", () => {
  check("Verwende kein COPPER.", ["COPPER"], "de");
  check("Bitte COPPER nicht verwenden, es ist zu weich.", ["COPPER"], "de");
  check("Nicht COPPER verwenden!", ["COPPER"], "de");
  check("Kein COPPER, bitte.", ["COPPER"], "de");
  check("Nutze TideClock nicht mehr.", ["TideClock"], "de");
  check("N'utilise pas Copper, c'est trop mou.", ["Copper"], "fr");
  check("Pas de Copper s'il te plaît.", ["Copper"], "fr");
  check("No uses Copper, es blando.", ["Copper"], "es");
  check("Não use o Copper.", ["Copper"], "pt");
  check("Non usare Copper, è molle.", ["Copper"], "it");
  check("Пожалуйста, не используй Copper.", ["Copper"], "ru");
  check("这样不好。不要用 Copper，太软了。", ["Copper"], "zh");
  check("Copper は使わないでください。", ["Copper"], "ja");
  check("Copper는 쓰지 마세요.", ["Copper"], "ko");
  check("لا تستخدم Copper.", ["Copper"], "ar");
});

test("not in one place, for a while, on a condition, as a question, or told of others", () => {
  check("Don't use Copper in tests.", []);
  check("In the tests, don't use Copper.", []);
  check("Don't use Copper, except for the lamps.", []);
  check("Don't use Copper now.", []);
  check("If it rains, don't use Copper.", []);
  check("You don't use Copper?", []);
  check("Don't use Copper?", []);
  check("The lamps are old and don't use Copper.", []);
  check("Don't use the Copper lamp.", []);
  check("Don't use ropes.", []);
  check("Verwende kein COPPER in Tests.", [], "de");
  check("Wir verwenden kein COPPER.", [], "de");
  check("Le port n'utilise pas Copper.", [], "fr");
  check("No uses Copper en las pruebas.", [], "es");
  check("Não use Copper nos testes.", [], "pt");
  check("Non usare Copper nei test.", [], "it");
  check("Не используй Copper в тестах.", [], "ru");
  check("在测试里不要用 Copper。", [], "zh");
  check("テストでは Copper を使わないでください。", [], "ja");
  check("테스트에서는 Copper를 쓰지 마세요.", [], "ko");
  check("لا تستخدم Copper في الاختبارات.", [], "ar");
});

test("what was made with it is over, what was found out about it is as true as before", () => {
  const decisions = [{ decision: "We decided to cast the lamps in Copper" }, { decision: "Brass stays." }];
  const done = ["The tower now burns with Copper lamps.", "Removed Copper from the list."];
  const findings = ["The tower is lit with Copper lamps.", "Copper bends in the heat."];
  const settled = { decisions, done, findings };
  const left = { decisions: decisions.slice(1), done: done.slice(1), findings: findings.slice(1) };
  expect(inUse(settled, 1, asked("Don't use Copper."))).toEqual(left);
  expect(inUse(settled, 3, asked("Don't use Copper."))).toEqual(settled);
  expect(inUse(settled, 1, asked("Don't use Copper in tests."))).toEqual(settled);
  expect(inUse(settled, 1, asked("Drop Copper."))).toEqual({ ...left, findings: [] });
  expect(isGivenUp("Copper bends in the heat.", 1, asked("Don't use Copper."))).toBe(false);
});
