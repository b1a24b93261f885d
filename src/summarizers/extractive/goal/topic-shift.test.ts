import { expect, test } from "vitest";
import { announcesPlan, isAddition, isNextTopic, isOtherWay, isPlanChange, isTopicShift } from "./topic-shift.ts";

test.each([
  "I told the harbour master. New topic while we wait: the lamps go out at night. Renew them.",
  "Good catch. Now, change of plan: they want one page instead of two.",
  "Super. Jetzt zu etwas anderem: Wir brauchen einen Anschluss am Kai.",
  "Planänderung: Wir streichen den Kai grün.",
  "Bon, autre chose : il faut réparer le phare.",
  "Cambio de planes: pinta el faro.",
  "Mudança de planos: pinta o farol.",
  "Ora, passiamo ad altro: ripara il faro.",
  "Теперь о другом: почини маяк.",
  "收到。现在改一下方向：先修灯塔。",
  "話は変わりますが、灯台を直してください。",
  "다른 주제로 넘어가죠. 등대를 고쳐 주세요.",
  "موضوع آخر: أصلح المنارة.",
])("leaves what was before: %s", (request) => expect(isTopicShift(request)).toBe(true));

test.each([
  "Write a page about a change of plan in the story.",
  "The plan has a different subject line than the letter.",
  "Paint it in something different from red.",
  "Schreib ein neues Thema in die Liste der Farben.",
  "Forget about the lamp being red, it may be green.",
  "改一下灯塔的颜色。",
])("does not: %s", (request) => expect(isTopicShift(request)).toBe(false));

test.each(["Great. Slides next. Use the template.", "Dann kümmere dich als Nächstes um das Boot.", "接下来做菜单。"])(
  "goes on to what comes next: %s",
  (request) => expect(isNextTopic(request)).toBe(true),
);

test.each(["Book a berth for next week.", "Put the lamp next to the gate.", "Next to the gate stands a lamp."])(
  "does not go on: %s",
  (request) => expect(isNextTopic(request)).toBe(false),
);

test.each([
  "Hold on. Change of plan: use the other quay.",
  "Planänderung: Wir streichen den Kai grün.",
  "Cambio de planes: pinta el faro.",
  "计划有变：先修灯塔。",
  "計画の変更です。灯台を直してください。",
])("takes another way to the same end: %s", (request) =>
  expect([isTopicShift(request), isPlanChange(request)]).toEqual([true, true]),
);

test.each([
  "Stop, change of plan: the smith is ill. Drop the iron and use brass.",
  "Change of plan: we cancel the brief. Paint the tower.",
  "Halt, Planänderung: Messing statt Eisen.",
  "Stop, changement de plan : le forgeron est malade.",
  "Alto, cambio de planes: el herrero está enfermo.",
  "Pare, mudança de planos: o ferreiro está doente.",
  "Fermo, cambio di programma: il fabbro è malato.",
  "Стоп, смена планов: кузнец заболел, возьми латунь.",
  "等一下，计划有变：铁匠病了。",
  "待って、計画変更です。鍛冶屋が病気です。",
  "잠깐, 계획 변경: 창고의 황동을 사용해 주세요.",
  "توقف، تغيير في الخطة: الحداد مريض اليوم.",
])("announces another plan: %s", (request) => expect(announcesPlan(request)).toBe(true));

test.each([
  "Change of plan, sorry.",
  "Change of plans!",
  "計画が変わりました。",
  "New topic: the lamps go out at night.",
])("does not say which: %s", (request) => expect(announcesPlan(request)).toBe(false));

test.each([
  "New topic: the lamps go out at night.",
  "Change of plan: we cancel the brief. Paint the tower.",
  "Planänderung: Wir brauchen das Tor nicht mehr. Streich den Turm.",
])("leaves the end as well: %s", (request) =>
  expect([isTopicShift(request), isPlanChange(request)]).toEqual([true, false]),
);

test.each([
  "Also clean the lamp.",
  "Great, can you also clean the lamp?",
  "I’d also like to have the lamp cleaned.",
  "Yes, that's correct. Also, I want to move the lamp.",
  "And the lamp?",
  "Außerdem brauchen wir eine Lampe.",
  "Kannst du auch die Lampe putzen?",
  "Además, limpia la lámpara.",
  "另外把灯也擦一下。",
  "また、ランプも掃除してください。",
])("adds to what was asked: %s", (request) => expect(isAddition(request)).toBe(true));

test.each([
  "Andrea needs a lamp.",
  "Clean the lamp and also the gate.",
  "That's correct. I want to move the lamp.",
  "E.g. the lamp needs cleaning.",
  "Y-axis labels are missing.",
  "再见，谢谢。",
])("stands by itself: %s", (request) => expect(isAddition(request)).toBe(false));

test.each([
  "Actually, let's use brass.",
  "ok, make it of brass instead",
  "Eigentlich nehmen wir doch Messing.",
  "Faisons-le en laiton à la place.",
  "改成黄铜吧。",
])("takes another way in few words: %s", (request) => expect(isOtherWay(request)).toBe(true));

test.each([
  "Use brass instead of iron for the gate.",
  "The gate is actually made of brass.",
  `Actually, ${"the gate has to be cast anew, and ".repeat(5)} the lamp too.`,
])("says itself what is wanted: %s", (request) => expect(isOtherWay(request)).toBe(false));
