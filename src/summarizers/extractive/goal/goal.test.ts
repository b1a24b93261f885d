import { expect, test } from "vitest";
import { goalOf, type Request } from "./goal.ts";

/** `?` before a request marks it as an answer to a question of the assistant. */
function check(requests: readonly string[], expected: readonly string[]): void {
  const input = requests.map(
    (said): Request => ({ text: said.replace(/^\?/, ""), isKept: false, isReply: said.startsWith("?") }),
  );
  const rest = { earlier: [], language: "en", isTalk: false, isObserved: false } as const;
  expect(goalOf({ requests: input, ...rest }).goal).toEqual(expected);
}

const ASKED = "Please move my boat to another berth.";

test("an answer serves the task it was asked about", () =>
  check(
    [ASKED, "?It is the Gull, she lies at berth four, and the reason is that I need to repaint her hull soon."],
    [ASKED],
  ));

test("unless it asks for something else outright", () =>
  check([ASKED, "?No. Please sell the boat instead."], [ASKED, "No. Please sell the boat instead."]));

test("or announces another plan, by whatever words", () => {
  const plan = "Stop, change of plan: the smith will not work for us. Drop the iron and use brass from the store.";
  check([ASKED, `?${plan}`], [ASKED, plan]);
  check([ASKED, `?${plan}`, "?The northern store, yes."], [ASKED, plan]);
  check(
    [ASKED, "?There was a change of plan at the smith, who will not work for us before the winter is over."],
    [ASKED],
  );
  check([ASKED, "?Change of plan, sorry."], [ASKED]);
});

test("an offer that is taken asks for nothing else", () => {
  check([ASKED, "?Yes, please go ahead with that berth."], [ASKED]);
  check([ASKED, "Yes, please proceed with that berth. Thank you!"], [ASKED]);
  check([ASKED, "ok, create a new harbour map for me"], [ASKED, "ok, create a new harbour map for me"]);
  check(
    [
      ASKED,
      "?Yes, and then please paint the whole hull of the Gull in red, since she looks so very old and grey by now, and dry the quay.",
    ],
    [
      ASKED,
      "Yes, and then please paint the whole hull of the Gull in red, since she looks so very old and grey by now, and dry the quay.",
    ],
  );
});

test("where nothing but answers ask, the newest counts", () =>
  check(
    ["hello", "?We should repaint the hull of the Gull before winter."],
    ["We should repaint the hull of the Gull before winter."],
  ));

test("the quoted requests are known whole", () => {
  const long = `${"The quay is wet. ".repeat(60)}Can you dry it?`;
  const request = { text: long, isKept: false, isReply: false };
  const { goal, wholes } = goalOf({
    requests: [request],
    earlier: [],
    language: "en",
    isTalk: false,
    isObserved: false,
  });
  expect(goal[0]).toContain("Can you dry it?");
  expect(wholes.get(goal[0] ?? "")).toBe(long);
});

test("the first task goes once it is done and others have followed", () => {
  const later = ["Add a lamp.", "Update the pump.", "Clean the tower.", "Now repair the lantern of the gate."];
  const requests = ["Port the tide gate parser.", ...later].map((text) => ({
    text,
    isKept: false,
    isReply: false,
    said: ["The tide gate parser needs it."],
  }));
  const rest = { earlier: [], language: "en", isTalk: false, isObserved: false } as const;
  const goal = (done: readonly string[]): readonly string[] => goalOf({ requests, ...rest, done }).goal;
  expect(goal([])).toEqual(["Port the tide gate parser.", "Now repair the lantern of the gate."]);
  expect(goal(["Ported the tide gate parser and its tests."])).toEqual(["Now repair the lantern of the gate."]);
});

test("whoever takes leave asks for nothing more, whatever they will do", () => {
  check([ASKED, "Okay, I'll try to find the key and ask the harbour office. Thanks for your help!"], [ASKED]);
  check([ASKED, "No, that's alright. I'll just stick with the berth I have. Thanks for trying to help."], [ASKED]);
});

test("what the work began with goes once it is done", () => {
  const requests = [ASKED, "Add a lamp to the quay."].map((text) => ({ text, isKept: false, isReply: false }));
  const rest = { earlier: [], language: "en", isTalk: false, isObserved: false } as const;
  expect(goalOf({ requests, done: ["Moved your boat to another berth."], ...rest }).goal).toEqual([
    "Add a lamp to the quay.",
  ]);
});

/** Behind `>` stands with what the assistant closed the turn. */
function checkCourse(
  course: readonly string[],
  expected: readonly string[],
  language: "en" | "de" | "zh" = "en",
): void {
  const requests = course.map((line): Request => {
    const [text = "", said = ""] = line.split(" > ");
    return { text, isKept: false, isReply: false, isClosed: said !== "", said: said === "" ? [] : [said] };
  });
  expect(goalOf({ requests, earlier: [], language, isTalk: false, isObserved: false }).goal).toEqual(expected);
}

test("a closed first task goes when two others have followed, unless the work still speaks of it", () => {
  const later = ["Add a lamp to the quay. > The lamp burns.", "Clean the tower."];
  checkCourse(["Move my boat to another berth. > She lies at nine.", ...later], ["Clean the tower."]);
  checkCourse(
    ["Move my boat to another berth.", "Add a lamp.", "Clean the tower."],
    ["Move my boat to another berth.", "Clean the tower."],
  );
  checkCourse(
    ["Build a tide table page. > The page stands.", "Add a header. > There.", "Make the tide table print nicely."],
    ["Build a tide table page.", "Make the tide table print nicely."],
  );
});

test("characters alone tell no topic", () => {
  const course = [
    "请帮我找合适的码头，最好在湖边附近。 > 找到了。",
    "请准备邀请函，先看名单。 > 好了。",
    "请找一个乐队，最好三个人。",
  ];
  checkCourse(course, ["请找一个乐队，最好三个人。"], "zh");
});

test("a change of plan stands beside what it serves, a change of topic in its place", () => {
  const asked = "Please draft a two-page brief on tides.";
  const plan = "Good. Now, change of plan: draft one page instead of two, and five slides.";
  const topic = "Good. Now, change of topic: draft five slides on the lamps.";
  const verify = "Verify the sources first.";
  checkCourse([asked], [asked]);
  checkCourse([asked, plan], [asked, plan]);
  checkCourse([asked, plan, verify], [asked, plan, verify]);
  checkCourse([asked, topic], [topic]);
  checkCourse([asked, topic, verify], [topic, verify]);
  const closed = ["Sort the old maps of the mill. > Sorted.", `${asked} > It stands.`, `${plan} > They stand.`];
  checkCourse(closed, [asked, plan]);
  checkCourse([...closed, verify], [asked, plan, verify]);
  const called = "Change of plan: forget about the brief. Draft five slides on the lamps.";
  checkCourse([asked, called, verify], [called, verify]);
});

test("a change of plan is wanted, whether or not its words ask", () => {
  const asked = "请修灯塔的铁门，今天之内修好。";
  const plan = "计划有变：铁匠病了。不要用铁，改用仓库里的黄铜。";
  checkCourse([asked, plan], [asked, plan], "zh");
  checkCourse([asked, "铁匠病了。"], [asked], "zh");
});

test("what only adds stands beside the newest task that does not", () => {
  const first = "Build a gate for the northern quay. > The gate stands.";
  const lamp = "Put a lamp above the old ferry dock. > It burns.";
  const bell = "Also hang a bell there. > It hangs.";
  checkCourse(
    [first, lamp, bell, "Also make sure that it is cleaned."],
    ["Put a lamp above the old ferry dock.", "Also make sure that it is cleaned."],
  );
  checkCourse(
    ["Build a gate for the northern quay.", lamp, "And make sure that it is cleaned."],
    [
      "Build a gate for the northern quay.",
      "Put a lamp above the old ferry dock.",
      "And make sure that it is cleaned.",
    ],
  );
  checkCourse([first, "Also clean it."], ["Build a gate for the northern quay.", "Also clean it."]);
  checkCourse(
    [
      "I need some changes to my berth.",
      "I want to lie nearer to the mill.",
      "Yes, that's correct. Also, I want a lamp.",
    ],
    [
      "I need some changes to my berth.",
      "I want to lie nearer to the mill.",
      "Yes, that's correct. Also, I want a lamp.",
    ],
  );
  // What adds nothing stands alone.
  checkCourse([first, lamp, bell, "Make sure that the mill is cleaned."], ["Make sure that the mill is cleaned."]);
  checkCourse(
    [
      "Baue ein Tor am nördlichen Kai. > Es steht.",
      "Bitte hol Angebote ein. > Da sind sie.",
      "Außerdem prüfe bitte die Preise.",
    ],
    ["Bitte hol Angebote ein.", "Außerdem prüfe bitte die Preise."],
    "de",
  );
});

test("what an earlier goal said of the way there stays", () => {
  const earlier = ["Please draft a brief on tides.", "Change of plan: draft one page.", "Verify the sources."];
  const rest = { earlier, language: "en", isTalk: false, isObserved: false } as const;
  const goalAfter = (...texts: readonly string[]): readonly string[] =>
    goalOf({ requests: texts.map((text) => ({ text, isKept: false, isReply: false })), ...rest }).goal;
  expect(goalAfter()).toEqual(earlier);
  expect(goalAfter("Add a header.")).toEqual([...earlier.slice(0, 2), "Add a header."]);
  expect(goalAfter("Also add their dates.")).toEqual([earlier[0], earlier[2], "Also add their dates."]);
});

test("what came next frames what follows it, once the topic before it is left", () => {
  const course = [
    "Bitte hol Angebote für den Umzug ein. > Gebucht.",
    "Jetzt zu etwas anderem: Bitte bestell einen Anschluss. > Bestellt.",
    "Bitte kümmere dich als Nächstes um das Boot. > Es gibt ein Problem.",
    "Finde heraus, ob der Kran früher kommt.",
  ];
  checkCourse(
    course,
    course.slice(2).map((line) => line.split(" > ")[0] ?? ""),
    "de",
  );
});

test("words that the text of a command repeats are said once", () => {
  const asked = "please repaint the northern lamp before the tide";
  const text = `Split the work into parts and do them one by one.\n${"- Look at every part of the quay with care.\n".repeat(15)}\nARGUMENTS: ${asked}`;
  const requests = [asked, text].map((said) => ({ text: said, isKept: false, isReply: false }));
  const { goal } = goalOf({ requests, earlier: [], language: "en", isTalk: false, isObserved: false });
  expect(goal).toHaveLength(1);
  expect(goal[0]).toContain(asked);
});

test("what was asked on the way is over once the rest goes on", () => {
  const asked = "Please sell my boat to the harbour.";
  const said = (text: string, isReply = false): Request => ({
    text,
    isKept: false,
    isReply,
    isClosed: false,
    said: [],
  });
  const goal = (...requests: readonly Request[]): readonly string[] =>
    goalOf({ requests, earlier: [], language: "en", isTalk: false, isObserved: false }).goal;
  const aside = said("Also, she has no sails. Could you tell me how much is left after the sale?");
  const lookup = said("I forgot the number. Could you find it by my name?", true);
  const goOn = said("That sounds good. Please proceed with the sale.");
  expect(goal(said(asked), aside)).toEqual([asked, aside.text]);
  expect(goal(said(asked), aside, goOn)).toEqual([asked]);
  expect(goal(said(asked), lookup, goOn)).toEqual([asked]);
  // What goes on, and what was asked for itself, stays.
  const moved = said("Alright then, can you move her to another berth?", true);
  const proceed = said("I found it, it is B74. Can we proceed with the move now?");
  expect(goal(said(asked), moved, proceed)).toEqual([asked, moved.text]);
  const lamp = said("Could you add a lamp to the quay?");
  expect(goal(said(asked), lamp, said("Yes, go ahead."))).toEqual([asked, lamp.text]);
});

test("a value belongs to the task, and is none", () => {
  check([ASKED, "Add a timer to the lamp.", "make it 30 seconds"], [ASKED, "Add a timer to the lamp."]);
  check([ASKED, "Add a timer to the lamp.", "make it ring"], [ASKED, "make it ring"]);
});

test("another way leads to what all began with, not to what was said last", () => {
  const asked = "Build a gate that opens with the tide.";
  const between = ["Add a sign. > There.", "Fix the latch. > Fixed.", "Check the hinges. > Fine."];
  const brass = "Actually, let's cast it in brass instead.";
  checkCourse([`${asked} > It stands.`, ...between, brass], [asked, brass]);
  const plan = "Change of plan: brass for all of it.";
  checkCourse([`${asked} > It stands.`, ...between, plan, "Add a bell."], [asked, plan, "Add a bell."]);
  // What it speaks of goes before that.
  const latch = "Actually, make the latch wider instead.";
  checkCourse([`${asked} > It stands.`, ...between, latch], ["Fix the latch.", latch]);
  // Where that is known, nothing is put between.
  checkCourse([asked, "Fix the latch.", latch], [asked, latch]);
  // Whatever changes nothing stands alone.
  checkCourse(
    [`${asked} > It stands.`, ...between, "Cast the bell in brass, please."],
    ["Cast the bell in brass, please."],
  );
});

test("another way leads to nothing that is done", () => {
  const requests = ["Move my boat to another berth.", "Add a lamp to the quay.", "Actually, use brass instead."].map(
    (text) => ({ text, isKept: false, isReply: false, isClosed: true }),
  );
  const rest = { earlier: [], language: "en", isTalk: false, isObserved: false } as const;
  expect(goalOf({ requests, done: ["Moved your boat to another berth."], ...rest }).goal).toEqual([
    "Add a lamp to the quay.",
    "Actually, use brass instead.",
  ]);
});

test("a question that nobody answered yet is wanted now, once the task before it was closed", () => {
  const task = "Fix the leak in the mill pump.";
  const question = "why does the pump still drip at night?";
  checkCourse([`${task} > The pump is tight.`, question], [task, question]);
  // While the work goes on, or once it is answered, it was asked in passing.
  checkCourse([task, question], [task]);
  checkCourse([`${task} > The pump is tight.`, `${question} > The bowl was still wet.`], [task]);
  checkCourse([`${task} > The pump is tight.`, "how's it going?"], [task]);
});

test("who is told where to look was asked something", () => {
  const first = "Paint the northern gate, please. > It is green.";
  const sign = "Add a sign. > There.";
  const question = "so the harbour is ready for the feast, isn't it?";
  const look = "read feast.md that says it all";
  checkCourse([first, sign, `${question} > I do not know.`, look], [question, look]);
  // After a task, or where it asks for more, it stands by itself.
  checkCourse([first, sign, "Clean the tower. > Clean.", look], [look]);
  const more = "Add a lamp to the quay as feast.md says.";
  checkCourse([first, sign, `${question} > I do not know.`, more], [more]);
});
