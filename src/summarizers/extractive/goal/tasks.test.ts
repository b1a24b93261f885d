import { expect, test } from "vitest";
import { isAssent, isFarewell, isTask, isTelling } from "./tasks.ts";

test.each([
  "Port the tide parser to TypeScript.",
  "can we rebase on main, please?",
  "ok, make the muted grey a little brighter",
  "no, that's not it. can you write a simple test?",
  "omg use rgb values in the themes",
  "I understand. Please move the boat.",
  "Got it, I have a look. I'm also looking for a cheaper berth.",
  "I’d also like a lamp.",
  "I was hoping to move my boat.",
  "I see the lamp of the northern quay go out whenever the gate is opened by hand, and then nobody can find the rope.",
  "The gate opens too late at night, why is that? The boats wait for an hour, and the keeper has to come out. The lamp is off too.",
  "The login page crashes whenever a person without a picture tries to open the settings of a harbour.",
])("asks for work: %s", (request) => expect(isTask(request, "en")).toBe(true));

test.each([
  "yes.",
  "continue",
  "ok, go on!",
  "thanks",
  "how's it going?",
  "why is that?",
  "Sure, it's sofia_kim_7287.",
  "I understand. While I still have no name with me, the number of the boat is B74, if that is of any use at all!",
  "I really hope so.",
  "Are there any fees for the new berth? I have a paper that is supposed to waive those fees.",
  "f0c674",
  "[File: /app/main.py (3 lines total)]\n1:import os",
  "Traceback (most recent call last):\n  File x, please fix",
  "   1: use strict\n   2: make it so\n   3: add more",
])("does not: %s", (request) => expect(isTask(request, "en")).toBe(false));

test("an assent is one in any language, and English everywhere", () => {
  expect(isAssent("weiter", "de")).toBe(true);
  expect(isAssent("ok", "ja")).toBe(true);
  expect(isAssent("weiter mit dem Drucker", "de")).toBe(false);
});

test("a bare value says nothing by itself", () => expect(isTelling("f0c674", "en")).toBe(false));

test.each(["接下来找一个乐队，爵士风格。", "你先联系港口，问码头能不能放灯。"])(
  "asks for work in Chinese: %s",
  (request) => expect(isTask(request, "zh")).toBe(true),
);

test.each([
  "Thank you for your company. Now I'm going to prepare my boat. Let's chat again next time. Goodbye!",
  "That was a long day at the quay. I need to go now, good night!",
  "Okay, today's talk is over. Let's talk again tomorrow.",
  "Okay, you make a good point. I will think it over and try to find a better berth. Thank you for your advice.",
])("takes leave: %s", (request) => expect(isFarewell(request, "en")).toBe(true));

test.each([
  "Please write a goodbye note for the keeper of the mill.",
  "Add a page that says goodbye!",
  "Let's talk about the lamp at the quay. It flickers.",
  "See you tomorrow then, but please paint the gate before that. Bye!",
])("does not take leave: %s", (request) => expect(isFarewell(request, "en")).toBe(false));

test("in other languages", () => {
  expect(isFarewell("谢谢你，我们下次再聊。", "zh")).toBe(true);
  expect(isFarewell("Das war ein langer Tag. Bis morgen!", "de")).toBe(true);
});

test.each([
  ["es", "Gracias. Ahora que lo pienso, déjelo en 10 y añada una lámpara."],
  ["de", "Danke. Jetzt wo ich es überlege: doch lieber zehn Lampen, und eine davon in Rot."],
  ["de", "Vielen Dank. Es sind doch 12 Boote."],
  ["en", "Thanks! The second lamp at the quay still flickers at night."],
] as const)("whoever goes on behind the thanks does not take leave (%s): %s", (language, request) => {
  expect(isFarewell(request, language)).toBe(false);
  expect(isTelling(request, language)).toBe(true);
});

test.each([
  ["es", "Muchas gracias por todo. Eso es todo por hoy, me ha ayudado mucho."],
  ["de", "Danke. Das war alles, was ich heute wissen wollte."],
  ["en", "Thank you. You have been very helpful with the berth of my boat. Take care."],
  ["en", "Great, the lamp on the northern quay burns again. Thanks!"],
] as const)("praise behind it is part of it (%s): %s", (language, request) =>
  expect(isFarewell(request, language)).toBe(true),
);

test("a polite order asks for work", () => {
  expect(isTask("Gracias. Ahora que lo pienso, déjelo en 10 y añada una lámpara.", "es")).toBe(true);
  expect(isTask("Danke. Nehmen Sie doch zehn Lampen, und legen Sie ein Seil dazu.", "de")).toBe(true);
  expect(isTask("Nehmen Sie Karten an?", "de")).toBe(false);
});
