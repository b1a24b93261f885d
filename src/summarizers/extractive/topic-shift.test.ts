import { expect, test } from "vitest";
import { isNextTopic, isTopicShift } from "./topic-shift.ts";

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
