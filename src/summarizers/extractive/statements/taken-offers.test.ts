import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { laidDownBy } from "./user-statements.ts";

/** "decision | reason" of each. */
function settled(asked: string, reply: string, language: Language): readonly string[] {
  return laidDownBy({ asked, reply, language, askedIn: language }).decisions.map(
    ({ decision, reason = "" }) => `${decision.replace(/^[^:]{2,12}: /, "")} | ${reason}`,
  );
}

test.each<[Language, string, string]>([
  ["en", "The ferry at 9:40 costs 30 a head.", "The ferry at 9:40 suits us, we'll take it."],
  ["en", "I can book the ferry at 9:40 for 30.", "Great, we'll take it."],
  ["en", "There are two cabins: one by the bow for 80 and one by the stern for 95.", "I prefer the second."],
  ["de", "Die Fähre um 9:40 kostet 30 Euro pro Kopf.", "Die Fähre um 9:40 passt uns, die nehmen wir."],
  ["de", "Ich kann die Fähre um 9:40 buchen.", "Gut, die nehmen wir."],
  ["de", "Es gibt zwei Kabinen: eine am Bug für 80 und eine am Heck für 95 Euro.", "Ich nehme die zweite."],
  ["fr", "Le bateau de 9 h 40 coûte 30 €.", "Le bateau de 9 h 40 nous convient, on le prend."],
  ["fr", "Je peux réserver le bateau de 9 h 40.", "On le prend."],
  ["fr", "Je peux réserver le bateau de 9 h 40.", "C'est bon."],
  ["fr", "Je trouve une cabine à 80 € la nuit.", "La cabine, ça nous va."],
  ["fr", "J'ai deux cabines : une à la proue à 80 € et une à la poupe à 95 €.", "Je préfère la seconde."],
  ["es", "El barco de las 9:40 cuesta 30 euros.", "El barco de las 9:40 nos viene bien, lo tomamos."],
  ["es", "Hay dos camarotes: uno a proa por 80 y otro a popa por 95.", "Prefiero el segundo."],
  ["pt", "O barco das 9:40 custa 30 euros.", "O barco das 9:40 nos serve."],
  ["pt", "Há duas cabines: uma na proa por 80 e outra na popa por 95.", "Prefiro a segunda."],
  ["it", "Il traghetto delle 9:40 costa 30 euro.", "Il traghetto delle 9:40 ci va bene, lo prendiamo."],
  ["it", "Ci sono due cabine: una a prua per 80 e una a poppa per 95.", "Preferisco la seconda."],
  ["ru", "Паром в 9:40 стоит 30 евро с человека.", "Паром в 9:40 нам подходит, берём."],
  ["ru", "Есть две каюты: на носу за 80 и на корме за 95.", "Предпочитаю вторую."],
  ["zh", "九点四十的渡轮每人30欧元。", "渡轮对我们合适，就订这班。"],
  ["zh", "有两个舱位：船头80，船尾95。", "我要第二个。"],
  ["ja", "9時40分のフェリーは一人30ユーロです。", "フェリーはそれでお願いします。"],
  ["ko", "9시 40분 여객선은 한 사람에 30유로입니다.", "9시 40분 여객선이 괜찮아요, 그걸로 할게요."],
  ["ko", "선실이 두 개 있습니다: 뱃머리는 80, 선미는 95입니다.", "두 번째가 좋아요."],
  ["ar", "عبارة الساعة 9:40 تكلف 30 يورو للشخص.", "عبارة الساعة 9:40 تناسبنا."],
])("%s: %s %s", (language, asked, reply) => expect(settled(asked, reply, language)).toEqual([`${reply} | ${asked}`]));

test("of several offers the one that is spoken of, and of several sentences the one that takes it", () => {
  const villa = "Je trouve une villa à 185 € la nuit.";
  const asked = `${villa} Pour la ville, je suggère un hôtel à 140 € la nuit.`;
  expect(settled(asked, "La villa, c'est bon. L'hôtel est trop cher.", "fr")).toEqual([
    `La villa, c'est bon. | ${villa}`,
  ]);
});

test("a question is answered so, too", () =>
  expect(settled("The villa costs 185. Would you like me to book it?", "We'll take it.", "en")).toEqual([
    "We'll take it. | The villa costs 185.",
  ]));

test.each<[Language, string, string]>([
  ["fr", "Le bateau de 9 h 40 coûte 30 €.", "Le bateau de 9 h 40 ne nous convient pas."],
  ["en", "I fixed the winch and the tests pass.", "The winch works fine for us now."],
  ["en", "The winch lifts 40 boats a day.", "If the winch suits us, we'll take it."],
  ["en", "The winch lifts 40 boats a day.", "That works for me. It was dark in there."],
  ["fr", "J'ai réparé le treuil.", "C'est bon, merci."],
  ["en", "The winch is oiled now.", "I prefer the second."],
])("settles nothing: %s %s %s", (language, asked, reply) => expect(settled(asked, reply, language)).toEqual([]));
