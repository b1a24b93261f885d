import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { leans } from "./leaning.ts";

test.each<[Language, string, string]>([
  ["en", "It runs twice a day.", "It seems that the pump runs twice a day."],
  ["en", "Instead use the rope.", "Instead of the chain, the rope holds it."],
  ["en", "This keeps the gate shut.", "This repository keeps the tide tables."],
  ["en", "In that case the lock opens.", "In winter the lock stays shut."],
  ["de", "Das ist zu kurz.", "Das Tor ist zu kurz."],
  ["fr", "Cela suffit pour la nuit.", "Cinq lampes suffisent pour la nuit."],
  ["es", "Esto basta para la noche.", "Está claro que basta una lámpara."],
  ["pt", "Isso basta para a noite.", "O isolamento basta para a noite."],
  ["it", "Questo basta per la notte.", "Una lampada basta per la notte."],
  ["ru", "Это хватит на ночь.", "Этаж маяка сухой."],
  ["zh", "这样就够了。", "港口有两盏灯。"],
  ["ja", "これで足ります。", "港には灯が二つあります。"],
  ["ko", "그것은 충분합니다.", "등대에는 등이 두 개 있습니다."],
  ["ar", "هذا يكفي لليل.", "يكفي مصباح واحد لليل."],
])("%s: %s", (language, leaning, alone) => {
  expect(leans(leaning, language)).toBe(true);
  expect(leans(alone, language)).toBe(false);
});
