import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { askingChars, askingQuote, asksOutright } from "./asking.ts";

/** The quote must be exactly this. */
function check(request: string, charsMax: number, expected: string, language: Language = "en"): void {
  const quote = askingQuote(request, charsMax, language);
  expect(quote).toBe(expected);
  expect(quote.length).toBeLessThanOrEqual(charsMax);
}

test("a short request stands as it is, without blank lines and rules", () =>
  check("Fix this.\n\n──────\n  at line 3\n", 80, "Fix this.\n  at line 3"));

const LOG = Array.from(
  { length: 12 },
  (_, at) => `2031-04-0${(at % 9) + 1} 10:00:0${at % 10} pump ${at} lost pressure`,
);

test("a log in front does not hide what is asked", () =>
  check(
    `${LOG.join("\n")}\n\nCan you find out why the pumps stop at night?`,
    90,
    "Can you find out why the pumps stop at night?",
  ));

test("a role and its rules do not either", () =>
  check(
    "You are a careful harbour assistant.\nIMPORTANT: Always answer in JSON.\nNever mention other harbours.\nNote: tides are in metres.\n\nCompare the tide tables of Brest and Dover.",
    60,
    "Compare the tide tables of Brest and Dover.",
  ));

test("uploaded files and documents between tags are material, not the task", () =>
  check(
    `<uploaded_files>\n/srv/tides\n</uploaded_files>\nFrom the notes below, write a plan for the harbour.\n<notes>\n${"Please repaint the quay before winter.\n".repeat(9)}</notes>`,
    80,
    "From the notes below, write a plan for the harbour.",
  ));

test("the title under a label comes first, then the plea", () =>
  check(
    `I've uploaded a repository. Consider this description:\n<issue_description>\nTide heights are rounded twice\nThe table shows 3 m for 2.4 m.\n${"Seen on every screen of the office. ".repeat(9)}\n</issue_description>\nCan you change the code so that this no longer happens?`,
    100,
    "Tide heights are rounded twice … Can you change the code so that this no longer happens?",
  ));

test("an example in a template is not what is asked", () =>
  check(
    "Here's an example.\n--- START OF EXAMPLE ---\nUSER: Please build a web page for the lighthouse keeper.\n--- END OF EXAMPLE ---\nPlease count the boats in harbour.csv for me.",
    60,
    "Please count the boats in harbour.csv for me.",
  ));

test("where everything fits but the middle, the opening stands with the question", () =>
  check(
    "There are three of us. One is at the mill, one at the lighthouse, and the third still waits at the old ferry dock. Could you name a fair place to meet?",
    80,
    "There are three of us. … Could you name a fair place to meet?",
  ));

test.each([
  [
    "de",
    "Du bist ein Assistent.\nWichtig: Antworte immer kurz.\nVergleiche die Gezeitentabellen.",
    "Vergleiche die Gezeitentabellen.",
  ],
  [
    "fr",
    "Tu es un assistant.\nRemarque : les hauteurs sont en mètres.\nPeux-tu comparer les marées ?",
    "Peux-tu comparer les marées ?",
  ],
  ["zh", "你是一个港口助手，回答必须简短，不要提到别的港口。\n请比较两个港口的潮汐表。", "请比较两个港口的潮汐表。"],
] as const)("%s: the asking sentence is found", (language, request, expected) =>
  check(request, 36, expected, language),
);

test("rules alone are quoted from their beginning", () =>
  check("You are a harbour pilot. Never speak of tides to anybody at all.", 30, "You are a harbour pilot.…"));

test("a greeting and a call for help say less than what is wanted", () =>
  check(
    "Hello, my friend. I need some help with my berth at the old pier. Can you move the boat to berth nine?",
    50,
    "Can you move the boat to berth nine?",
  ));

test("an answer asks outright or it does not", () => {
  expect(asksOutright("As for the reason, it's because I need to sail without my brother.", "en")).toBe(false);
  expect(asksOutright("No. Please cancel the berth instead.", "en")).toBe(true);
  expect(asksOutright("I really need to move her today.", "en")).toBe(true);
  expect(asksOutright("I’d also like to have her hull painted.", "en")).toBe(true);
  expect(asksOutright("I really liked to sail there.", "en")).toBe(false);
});

const TALE = "They expect to be able to build a wall that keeps the sea out for a hundred years.";

test("what others want is told, not asked", () =>
  check(`${TALE} Find the weakest stone of the plan.`, 60, "Find the weakest stone of the plan."));

test("a plea behind a long clause is found", () =>
  check(
    `${TALE} They may be great builders, but they certainly know nothing of tides, can you find the weakest stone?`,
    40,
    "can you find the weakest stone?",
  ));

test("a document that the plea names is told by its first line", () =>
  check(
    `<wall_report>\n## The sea wall leaks at spring tide\n${"It was seen by many people last spring. ".repeat(9)}\n</wall_report>\nCan you mend what <wall_report> tells of?`,
    90,
    "The sea wall leaks at spring tide\nCan you mend what <wall_report> tells of?",
  ));

test("thanks for the last task are no part of the next", () =>
  check(
    "Great, the wall looks good now. The lamp in the tower flickers when the wind is strong.",
    60,
    "The lamp in the tower flickers when the wind is strong.",
  ));

test("who ends with a question asks it", () =>
  check(
    "The keeper needs to open the gate by hand every night. Why does the pump start before the gate is open?",
    70,
    "Why does the pump start before the gate is open?",
  ));

test("what a description says, and what stands under a label for rules, is not what is asked", () =>
  check(
    `We're solving the following riddle. The riddle is a harbour problem named "Gates". The description is:\nI want 2 meet more boats ;)\nCan you swim?\n\nINSTRUCTIONS:\nPlease use one command at a time. ${"Can you wait for its answer? ".repeat(9)}`,
    120,
    'We\'re solving the following riddle. The riddle is a harbour problem named "Gates". … I want 2 meet more boats ;)…',
  ));

test("who asks under such a label and nowhere else asks there", () =>
  check(
    `Instructions:\nCount the boats in harbour.csv. ${"The quay is long. ".repeat(9)}`,
    60,
    "Count the boats in harbour.csv.…",
  ));

test("a plea for help with what was said is no task by itself", () =>
  check(
    `Hi there. I have to move my boat from Brest to Dover before the tide turns. Can you help with that? ${"It is a slow boat. ".repeat(9)}`,
    90,
    "I have to move my boat from Brest to Dover before the tide turns.…",
  ));

test("the title of a document never stands alone in place of what is asked of it", () =>
  check(
    `<notes>\nHarbour plan of the northern quay\nMuch text.\n</notes>\nGiven the <notes>, list what the keeper should know. ${"Mind the tide at night. ".repeat(9)}`,
    60,
    "Given the <notes>, list what the keeper should know.…",
  ));

test("a tale is cut at a clause so that the plea behind it fits", () => {
  const tale = "现在改一下方向：港口想在灯节上加一个抽奖环节，一等奖一名，二等奖三名，三等奖十名，总预算三万。";
  check(
    `${tale}请你先出一个奖品方案。`,
    48,
    "现在改一下方向：港口想在灯节上加一个抽奖环节，一等奖一名… 请你先出一个奖品方案。",
    "zh",
  );
  // Where nothing asks behind it, it stands whole.
  check(`${tale}预算已经批了，港口的人都知道。`, 48, tale, "zh");
});

test("the output of a build that was pasted in asks for nothing", () =>
  check(
    `The build of the tide table broke today. ${"It ran on Friday. ".repeat(4)}\nRun npm ci\nadded 412 packages in 9s\n FAIL  berth.test.ts > sorts\nTest Files  1 failed\nPlease find the cause.`,
    90,
    "The build of the tide table broke today. … Please find the cause.",
  ));

test("what leans on the sentence before it stands with that, both cut at a clause", () => {
  const ordered =
    "Ich habe bei der Werft zwölf Fender und vier Leinen für das Boot bestellt, Auftrag 4471, zum Festpreis.";
  const came = "Geliefert wurde aber nur die Hälfte der Fender, obwohl die volle Summe abgebucht worden ist.";
  check(
    `${ordered} ${came} Kannst du mir dabei helfen?`,
    150,
    "Ich habe bei der Werft zwölf Fender und vier Leinen für das Boot bestellt, Auftrag 4471… Geliefert wurde aber nur die Hälfte der Fender…",
    "de",
  );
  check(
    `We rent out three boats. ${"The quay is long. ".repeat(6)}The sheet breaks when two people book at once. So I want to have it moved to a real table.`,
    110,
    "The sheet breaks when two people book at once. So I want to have it moved to a real table.",
  );
  check(
    "港口每年春天都办一次灯节，去年来了三千人，码头堵了两个小时。我想在五月再办一次，把人流分成三段，每段最多一千人。你能帮我吗？",
    48,
    "港口每年春天都办一次灯节，去年来了三千人… 我想在五月再办一次，把人流分成三段…",
    "zh",
  );
  // What does not lean stands with the opening, as it did.
  check(
    `We rent out three boats. ${"The quay is long. ".repeat(6)}The sheet breaks when two people book at once. I want to have the sheet moved to a real table.`,
    90,
    "We rent out three boats. … I want to have the sheet moved to a real table.",
  );
});

test("a sentence that is too long is cut at a clause, unless what is asked stands behind it", () => {
  const stuck =
    "Open the northern gate of the harbour, the one beside the mill, before the evening tide of the last day comes in.";
  check(stuck, 90, "Open the northern gate of the harbour, the one beside the mill…");
  const tale =
    "My sister turns forty in June and has two cats, and I want to surprise her with a long weekend in the south.";
  check(tale, 90, "My sister turns forty in June and has two cats, and I want to surprise her with a long…");
});

test("what is asked needs its own length, and that of what it leans on", () => {
  const told = "The sheet breaks when two people book at once.";
  const asked = "So I want to have it moved to a real table.";
  const rest = "The quay is long. ".repeat(9);
  expect(askingChars(`${rest}${told} ${asked}`, "en")).toBe(told.length + asked.length + 6);
  expect(askingChars(`${rest}Please dry the quay.`, "en")).toBe("Please dry the quay.".length + 6);
  expect(askingChars(rest, "en")).toBe(0);
});

test("the title of a document goes before whatever else is said of it", () => {
  const request = `<report>\nThe lock gate sticks at low water\n${"Seen by many. ".repeat(9)}\n</report>\nCan you help me make the changes to the drawings that the <report> calls for? ${"As a first step, find and read every drawing of the <report>. ".repeat(4)}`;
  const asked = "Can you help me make the changes to the drawings that the <report> calls for?";
  check(
    request,
    180,
    `The lock gate sticks at low water\n${asked} As a first step, find and read every drawing of the <report>.…`,
  );
  check(request, 130, `The lock gate sticks at low water\n${asked}…`);
  expect(askingChars(request, "en")).toBe("The lock gate sticks at low water".length + asked.length + 6);
});

test("what is announced says more than that it follows", () => {
  const riddle = `We're now solving the following riddle. The riddle is a harbour problem named "Gates". ${"The quay is long. ".repeat(9)}`;
  check(riddle, 70, 'The riddle is a harbour problem named "Gates".…');
  // Who asks for what follows asks.
  check(
    `Please mend the following lamp. The lamp hangs at the mill. ${"The quay is long. ".repeat(9)}`,
    45,
    "Please mend the following lamp.…",
  );
  check(
    `The following wind broke the mast, so we lie at the old pier. ${"The quay is long. ".repeat(9)}`,
    65,
    "The following wind broke the mast, so we lie at the old pier.…",
  );
});

test("what stands behind the name of a command is what its user asks", () => {
  const template = `Split the work into parts and do them one by one.\n## Steps\n${"- Look at every part of the quay with care.\n".repeat(9)}`;
  check(`${template}\nARGUMENTS: repaint the northern lamp`, 60, "repaint the northern lamp");
  check(
    `${template}\nArguments: none were found by the parser`,
    60,
    "Split the work into parts and do them one by one.…",
  );
});

test("what stands behind code is read, whether its fences name a language, stand bare or are cut away", () => {
  const code = Array.from({ length: 9 }, (_, at) => `open gate ${at} of the northern quay`).join("\n");
  const asked = "Can you make the gates open one by one?";
  for (const fence of ["```text", "```", "~~~"])
    check(
      `This runs on every night.\n${fence}\n${code}\n${fence.slice(0, 3)}\n${asked}`,
      80,
      `This runs on every night. ${asked}`,
    );
  check(`\`\`\`text\n${code.repeat(50)}\n\`\`\`\n${asked}`, 70, asked);
  // Nothing of the code is quoted in place of what is asked.
  check(`\`\`\`\nPlease ring the bell.\n\`\`\`\n${"The quay is long. ".repeat(9)}${asked}`, 40, asked);
});

test("what is pointed at stands with the plea", () => {
  const stuck = "My boat Gull, berth 4471, has lain on the bank since noon.";
  const before = "I have sailed here for many years and never had such a day. ";
  check(`${before}${stuck} Can you tell me why this happened?`, 110, `${stuck} Can you tell me why this happened?`);
  check(`${before}${stuck} Can you take her crew off it?`, 110, `${stuck} Can you take her crew off it?`);
  check(`${before}${stuck} Can you tell me what's going on?`, 110, `${stuck} Can you tell me what's going on?`);
  // What says itself what it is about stands with the opening, as it did.
  check(
    `We rent out boats here. ${"The quay is long. ".repeat(6)}${stuck} Can you tell me why the boats run onto the bank?`,
    80,
    "We rent out boats here. … Can you tell me why the boats run onto the bank?",
  );
});

test("of a review that was pasted in, what it orders is quoted before what it praises", () => {
  const praise = Array.from({ length: 9 }, (_, at) => `The colour of lamp ${at} pleases everybody here.`).join("\n");
  const orders = "Fix the latch of gate four.\nThe hinge is loose.\nAdd a second bell.\nCheck the rope of the crane.";
  check(
    `Strengths of the new quay\n${praise}\nIssues\n${orders}`,
    100,
    "Fix the latch of gate four. … Add a second bell. Check the rope of the crane.",
  );
  // Where it orders one thing, that stands with the opening.
  check(
    `Strengths of the new quay\n${praise}\nIssues\nFix the latch of gate four.`,
    70,
    "Strengths of the new quay … Fix the latch of gate four.",
  );
});

test("what opens with a verb asks, before what only has one", () => {
  const tale = "As you know, the quay was rebuilt last spring, and the first release of the tide board went well.";
  check(`${tale} Implement a bell in bell.ts. ${"The quay is long. ".repeat(9)}`, 50, "Implement a bell in bell.ts.…");
  check(
    `# What we need\nThe gate is slow.\nWrite a timer for gate.ts.\n${"The quay is long. ".repeat(9)}`,
    40,
    "Write a timer for gate.ts.…",
  );
  check(
    `Search the market for the prices of these:\n1. ropes\n2. lamps\n${"The quay is long. ".repeat(9)}Also check the tar.`,
    50,
    "Search the market for the prices of these:…",
  );
  // A question asks as well, and what only announces does not.
  check(
    `${tale} Which boat sank in May? ${"The quay is long. ".repeat(9)}Just give the name.`,
    50,
    "Which boat sank in May? … Just give the name.",
  );
});

test("a courtesy says less than whatever else there is", () => {
  const order = "My order #4471 was sent to the wrong berth.";
  const asked = "Could you please have it sent to berth nine?";
  check(
    `Hi Yara, I hope you are well. We are all tired here. ${order} ${asked} ${"The quay is long. ".repeat(9)}`,
    100,
    `${order} ${asked}…`,
  );
  check(
    `Order 88 never arrived. What happened to it? ${"The quay is long. ".repeat(9)}`,
    60,
    "Order 88 never arrived. What happened to it?…",
  );
  // Whoever hopes for something tells.
  check(
    `I hope to sell the Gull before the winter comes. ${"The quay is long. ".repeat(9)}`,
    60,
    "I hope to sell the Gull before the winter comes.…",
  );
});
