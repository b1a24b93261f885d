import { describe, expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { inForce, laidDownBy } from "./user-statements.ts";

const rules = (reply: string): readonly string[] =>
  laidDownBy({ asked: "", reply, language: "en", askedIn: "en" }).constraints;

test("a value for the thing at hand is no rule", () => {
  expect(rules("what colour has the gate in the table? should be 8abeb7")).toEqual([]);
  expect(rules('the header of the tide table should be "Tides"')).toEqual([]);
});

test.each([
  "the gate needs to be set to 1 for true colours",
  "no, the block should stay as it is",
  "I must have left the key in the harbour office.",
  "The footer should be a little dimmer than the header.",
  "I always lose when the tide is low.",
  "Nobody knows the reason for the high tide.",
  "Nobody will be there to watch the gate.",
])("what is asked for the thing at hand is no rule: %s", (said) => expect(rules(said)).toEqual([]));

test.each([
  "Use tabs for indentation.",
  "The lamps must be lit at dusk.",
  "You should never push to main.",
  "Please mind: nobody writes to the harbour ledger.",
  "No one talks to the press about the tide.",
])("what binds later is: %s", (said) => expect(rules(said)).toEqual([said]));

test("a general word makes it one", () => {
  expect(rules("Never change the public names.")).toEqual(["Never change the public names."]);
  expect(rules("Every harbour code should be 5.")).toEqual(["Every harbour code should be 5."]);
  expect(rules("The page should be under 200 ms.")).toEqual(["The page should be under 200 ms."]);
});

test("of rules about the same thing the newest is in force", () => {
  expect(inForce(["The footer must be dim.", "Never push.", "the footer should be bright"])).toEqual([
    "Never push.",
    "The footer must be dim.",
  ]);
  expect(inForce(["Use spaces for indentation.", "Use tabs for indentation."])).toEqual([
    "Use spaces for indentation.",
  ]);
  const apart = ["Never touch a.ts.", "Never touch b.ts.", "It should be dim.", "It should be round."];
  expect(inForce(apart)).toEqual(apart);
});

test("asking whether something can be done forbids nothing", () => {
  const inChinese = (reply: string): readonly string[] =>
    laidDownBy({ asked: "", reply, language: "zh", askedIn: "zh" }).constraints;
  expect(inChinese("你先联系港口，问码头能不能放两个灯。")).toEqual([]);
  expect(inChinese("码头不能放两个以上的大灯。")).toEqual(["码头不能放两个以上的大灯。"]);
});

test("what turns to another topic is a task and no rule", () => {
  const inGerman = (reply: string): readonly string[] =>
    laidDownBy({ asked: "", reply, language: "de", askedIn: "de" }).constraints;
  expect(inGerman("Jetzt zu etwas anderem: Das Boot braucht eine Lampe mit mindestens 500 Watt.")).toEqual([]);
  expect(inGerman("Die Lampe muss mindestens 500 Watt haben.")).toEqual(["Die Lampe muss mindestens 500 Watt haben."]);
});

test.each([
  ["Make sure the lamp is red.", "Never move the boat without the pilot."],
  ["Höchstens 400 Euro im Monat.", "Das Boot darf nie ohne den Lotsen bewegt werden."],
  ["La lampe doit être rouge.", "Ne bougez jamais le bateau sans le pilote."],
  ["La lámpara debe ser roja.", "Nunca muevas el barco sin el piloto."],
  ["A lâmpada deve ser vermelha.", "Nunca movas o barco sem o piloto."],
  ["La lampada deve essere rossa.", "Non muovere mai la barca senza il pilota."],
  ["Лампа должна быть красной.", "Никогда не двигай лодку без лоцмана."],
  ["灯必须是红色的。", "绝不要在没有领航员时移动船。"],
  ["ランプは赤くしてください。", "決して水先人なしで船を動かさないでください。"],
  ["등은 빨간색이어야 합니다.", "절대 도선사 없이 배를 옮기지 마세요."],
  ["يجب أن يكون المصباح أحمر.", "لا تحرك القارب أبدا بدون المرشد."],
])("a standing rule goes before what was said later: %s", (later, standing) => {
  expect(inForce([later, standing])).toEqual([standing, later]);
  expect(inForce([later, later.replace(/[.。]$/, "!")])[0]).toBe(later);
});

test("another plan is a decision, whoever gives a reason or not", () => {
  const decided = (reply: string): readonly string[] =>
    laidDownBy({ asked: "", reply, language: "en", askedIn: "en" }).decisions.map(({ decision }) => decision);
  expect(decided("Change of plan then: drop the old pump and take the brass one.")).toEqual([
    "Change of plan then: drop the old pump and take the brass one.",
  ]);
  expect(decided("Change of plan.")).toEqual([]);
  expect(decided("Write down each change of plan that the keeper makes.")).toEqual([]);
});

/** What is taken of several, and what is only wanted. */
test.each([
  ["en", "I'd like to go with the northern berth.", "I'd like to see the northern berth."],
  ["en", "I want to use the small card for the fee.", "I want to use the chart to find the berth."],
  ["en", "Let's proceed with moving the boat to N4.", "Let's proceed with this option."],
  ["en", "In that case, please cancel the whole stay.", "In that case, I think it might be N4."],
  ["en", "Let's just cancel the stay instead, and I'll come back later.", "Let's just look at the stay again."],
  ["en", "ok, i think our charts need colours for the pier", "ok, i think the chart has no colours for the pier"],
  ["en", "I think it should be northTide and southTide.", "I think it should work now."],
  ["de", "Ich möchte die kleine Karte nehmen.", "Ich möchte die kleine Karte sehen."],
  ["fr", "Je voudrais garder la petite carte.", "Je voudrais voir la petite carte."],
  ["es", "Quiero usar la tarjeta pequeña.", "Quiero ver la tarjeta pequeña."],
  ["pt", "Quero usar o cartão pequeno.", "Quero ver o cartão pequeno."],
  ["it", "Vorrei usare la carta piccola.", "Vorrei vedere la carta piccola."],
  ["ru", "Я хочу взять маленькую карту.", "Я хочу увидеть маленькую карту."],
] as const)("%s: %j is taken", (language, taken, wanted) => {
  const decided = (reply: string) => laidDownBy({ asked: "", reply, language, askedIn: language }).decisions;
  expect(decided(taken)).toEqual([{ decision: taken }]);
  expect(decided(wanted)).toEqual([]);
});

/** Wanted otherwise than it was done, and only denied. */
test.each([
  ["en", "no, the block should stay as it is", "no, the block was never blue"],
  ["en", "No, use the old pump.", "No, that's all I need."],
  ["de", "Nein, die Pumpe soll so bleiben.", "Nein, die Pumpe war nie blau."],
  ["fr", "Non, il faut garder l'ancienne pompe.", "Non, la pompe était bleue."],
] as const)("%s: %j corrects what was done", (language, corrected, denied) => {
  const decided = (asked: string, reply: string) => laidDownBy({ asked, reply, language, askedIn: language }).decisions;
  expect(decided("Done! Both are blue now.", corrected)).toEqual([{ decision: corrected }]);
  expect(decided("Done! Both are blue now.", denied)).toEqual([]);
  expect(decided("", corrected)).toEqual([]);
});

describe("a change of plan is told with the order that follows", () => {
  const decided = (reply: string, language: Language = "en"): readonly string[] =>
    laidDownBy({ asked: "Shall I hang the gate?", reply, language, askedIn: language }).decisions.map(
      ({ decision }) => decision,
    );

  test.each<[Language, string]>([
    ["en", "Stop, change of plan: the smith is ill. Drop the iron and use brass from the store."],
    ["de", "Halt, Planänderung: Der Schmied ist krank. Lass das Eisen weg und nimm Messing aus dem Lager."],
    ["fr", "Stop, changement de plan : le forgeron est malade. Laissez tomber le fer et prenez du laiton."],
    ["es", "Alto, cambio de planes: el herrero está enfermo. Deja el hierro y usa latón del almacén."],
    ["pt", "Pare, mudança de planos: o ferreiro está doente. Larga o ferro e usa latão do armazém."],
    ["it", "Fermo, cambio di programma: il fabbro è malato. Lascia il ferro e usa ottone del magazzino."],
    ["ru", "Стоп, смена планов: кузнец заболел. Убери железо и возьми латунь со склада."],
    ["ja", "待って、計画変更です。鍛冶屋が病気です。鉄をやめて倉庫の真鍮を使ってください。"],
    ["ko", "잠깐, 계획 변경: 대장장이가 아파요. 철은 빼고 창고의 황동을 사용해 주세요."],
    ["ar", "توقف، تغيير في الخطة: الحداد مريض. اترك الحديد واستخدم النحاس من المخزن."],
  ])("%s", (language, said) => expect(decided(said, language)).toEqual([said]));

  test("which may be a decision of its own", () =>
    expect(decided("计划有变：铁匠病了。不要用铁，改用仓库里的黄铜。", "zh")).toEqual([
      "计划有变：铁匠病了。",
      "不要用铁，改用仓库里的黄铜。",
    ]));

  test("unless it orders itself, or nothing does", () => {
    expect(decided("Change of plan: use brass for the gate. Please tell the smith.")).toEqual([
      "Change of plan: use brass for the gate.",
    ]);
    expect(decided("Change of plan: the gate comes first. The tower is dry.")).toEqual([
      "Change of plan: the gate comes first.",
    ]);
    expect(decided("Change of plan: the smith is ill. Can you find another?")).toEqual([
      "Change of plan: the smith is ill.",
    ]);
  });

  test("and one that says nothing alone with what follows it", () => {
    expect(decided("Change of plans! The party is on Sunday.")).toEqual(["Change of plans! The party is on Sunday."]);
    expect(decided("Change of plan, sorry.")).toEqual([]);
  });
});
