import { expect, test } from "vitest";
import type { Language } from "../../../core/checkpoint/language.ts";
import { openIn, toldIn } from "./assistant-statements.ts";

const done = (text: string): readonly string[] => toldIn({ text }, "en").done;

test("a colon behind a deed takes nothing from it", () => {
  expect(done("Updated the tide table to match the chart:\n- north\n- south")).toEqual([
    "Updated the tide table to match the chart.",
  ]);
  expect(done("Added a section on tides to the manual that covers:\n- ebb")).toEqual([
    "Added a section on tides to the manual.",
  ]);
});

test.each(["Made the following changes to the gate:", "Added the tables for:", "Updated files are:"])(
  "%j only points at what follows",
  (text) => expect(done(text)).toEqual([]),
);

test("a choice before a call is one, a deed is none", () => {
  const decided = (text: string): readonly string[] => toldIn({ text }, "en").decisions.map(({ decision }) => decision);
  expect(decided("I'll drop the pump and drive the gate by hand instead:")).toEqual([
    "I'll drop the pump and drive the gate by hand instead.",
  ]);
  for (const deed of [
    "Let me try the other pump instead:",
    "Let me fix the gate by passing a rope instead of a chain.",
  ])
    expect(decided(deed)).toEqual([]);
});

test("only the main clause takes a deed back", () => {
  const said = "Updated the manual to mention gates, so readers will know what to do when one is stuck.";
  expect(done(said)).toEqual([said]);
  expect(done("Updated the manual to mention gates, but the build still fails.")).toEqual([]);
  expect(done("The gate that was fixed yesterday still fails when the tide is high.")).toEqual([]);
});

test("what is missing is not done, however quickly it will be", () => {
  expect(done("A type is missing in the test, that is quickly done.")).toEqual([]);
  expect(done("The tide table is now successfully written to the log.")).toEqual([
    "The tide table is now successfully written to the log.",
  ]);
});

test("an announcement leans on nothing that is done or speaks of something else", () => {
  const announced = (text: string): readonly string[] => openIn(text, "en").announced;
  expect(announced("The gate needs a new hinge. Let me check what's needed.")).toEqual([
    "The gate needs a new hinge. Check what's needed.",
  ]);
  expect(announced("This should keep the gate closed. Let me make the edit now.")).toEqual(["Make the edit now."]);
  expect(announced("The gate is now safely closed. I've closed it. Let me check the pump first.")).toEqual([
    "Check the pump first.",
  ]);
});

const reported = (text: string, language: Language): readonly string[] =>
  toldIn({ text: text }, language, { isAtWork: true, isFinal: true }).done;

/** Whatever was to be done: no list has all verbs. */
test.each([
  ["en", "The harbour report is laid out.", "The harbour report is needed."],
  ["en", "I've arranged the moorings by length.", "I've noticed the moorings are loose."],
  ["en", "All five berths are numbered now.", "All five berths are not numbered."],
  ["de", "Der Anleger ist bestellt.", "Der Anleger ist noch nicht bestellt."],
  ["de", "Ich habe die Hafenmeisterin benachrichtigt.", "Der Umbau ist für März geplant."],
  ["fr", "Le rapport du port est imprimé.", "Le rapport du port n'est pas imprimé."],
  ["es", "El informe del puerto está firmado.", "El informe del puerto todavía no está firmado."],
  ["ru", "Отчёт о порте подписан.", "Отчёт о порте ещё не подписан."],
  ["zh", "港口的宴会厅已经预订成功。", "港口的宴会厅还没有预订成功。"],
  ["ja", "港の会場を予約しました。", "港の会場はまだ予約していません。"],
] as const)("%s: what ended is done at the end of a turn: %s", (language, ended, open) => {
  expect(reported(ended, language)).toEqual([ended]);
  expect(reported(open, language)).toEqual([]);
});

test.each([
  [
    "en",
    "The sluice index was built in 94 seconds and the queue is short.",
    "The sluice index was built in granite and sand.",
  ],
  ["en", "We've managed to collect three tide logs.", "We've managed to look at three tide logs."],
  [
    "en",
    "The berths have been numbered and the plan hangs in the hall.",
    "The berths are numbered and sorted at every start.",
  ],
  ["en", "The mooring is booked (M-2047) from Monday on.", "The mooring is drawn (line 2047) from the left."],
  ["de", "Der Anleger ist bestellt (AN-2047), er kommt im März.", "Der Anleger ist noch nicht bestellt (AN-2047)."],
  ["fr", "Le rapport est imprimé (RP-2047), il est au bureau.", "Le rapport n'est pas imprimé (RP-2047)."],
  ["es", "El informe está firmado (IN-2047), lo tiene la oficina.", "El informe todavía no está firmado (IN-2047)."],
  ["pt", "O relatório foi assinado (RE-2047), o escritório o tem.", "O relatório não foi assinado (RE-2047)."],
  ["it", "Il rapporto è stampato (RA-2047), lo ha l'ufficio.", "Il rapporto non è stampato (RA-2047)."],
  ["ru", "Отчёт о порте подписан (OT-2047), он в конторе.", "Отчёт о порте ещё не подписан (OT-2047)."],
] as const)("%s: what ended may be followed by more: %s", (language, ended, open) => {
  expect(reported(ended, language)).toEqual([ended]);
  expect(reported(open, language)).toEqual([]);
});

test("a receipt in brackets tells what ended, in the middle of a turn too", () => {
  const said = "The mooring is booked (M-2047) from Monday on.";
  expect(done(said)).toEqual([said]);
  expect(done("The mooring is booked from Monday on.")).toEqual([]);
  expect(toldIn({ text: said }, "en", { isAtWork: false }).done).toEqual([]);
});

test("in the middle of a turn, or in mere talk, only known deeds count", () => {
  expect(done("The harbour report is laid out.")).toEqual([]);
  expect(toldIn({ text: "The harbour report is laid out." }, "en", { isAtWork: false, isFinal: true }).done).toEqual(
    [],
  );
});

test.each([
  ["en", "Next: open the northern gate for the ferry."],
  ["en", "Remaining: paste the tables into the manual."],
  ["de", "Als Nächstes: die Gezeitentabellen drucken und binden."],
  ["zh", "目前还没完成的事项：为潮汐表编写测试用例。"],
] as const)("%s: a label with a colon is a plan: %s", (language, said) =>
  expect(openIn(said, language).nextSteps).toEqual([said]),
);

test("what stands still is told from what went down", () => {
  expect(openIn("The tide server is down and nobody answers.", "en").blocked.length).toBe(1);
  expect(openIn("The waiting time at the gate is down to three minutes.", "en").blocked).toEqual([]);
});

test("an identifier may begin a sentence", () =>
  expect(done("tide-4te.3 is committed. well-known words are committed.")).toEqual(["tide-4te.3 is committed."]));

test("however it is announced, it is announced", () =>
  expect(openIn("However, let me check the pump first.", "en").announced).toEqual(["Check the pump first."]));

test("what a conclusion follows from is its reason, where that says something by itself", () => {
  const decided = (text: string) => toldIn({ text }, "en").decisions;
  const drawn = { decision: "So we should move the boat." };
  const ground = "The rope at the northern pier is too short.";
  expect(decided(`${ground} So we should move the boat.`)).toEqual([{ ...drawn, reason: ground }]);
  expect(decided("Is the rope long enough? So we should move the boat.")).toEqual([drawn]);
  expect(decided("That is too short. So we should move the boat.")).toEqual([drawn]);
});

test.each([
  [
    "Since the tide service is unavailable, let me give you the heights of last year.",
    "Since you have two boats, let me give you the heights of both.",
  ],
  [
    "However, I can provide the heights based on general tables.",
    "However, I can provide the heights if you name the harbour.",
  ],
])("what is told in the place of something else is a choice: %s", (chosen, told) => {
  expect(toldIn({ text: chosen }, "en").decisions).toEqual([{ decision: chosen }]);
  expect(toldIn({ text: told }, "en").decisions).toEqual([]);
});

test("two cases are not two ways", () => {
  const fix = "We need to change this check to skip the row when the gate or the lock is shut.";
  expect(toldIn({ text: fix }, "en").decisions).toEqual([{ decision: fix }]);
  expect(toldIn({ text: "The fix is to skip the row when it is shut, or move the lock." }, "en").decisions).toEqual([]);
});

test("what was to be looked at stands behind its colon, what is to be made does not", () => {
  const announced = (text: string): readonly string[] => openIn(text, "en").announced;
  const list = "\n- The northern gate is higher.\n- The southern gate is wider.";
  expect(announced(`Let me compare the two gates of the sluice:${list}`)).toEqual([]);
  expect(announced("Let me compare the two gates of the sluice:")).toEqual(["Compare the two gates of the sluice."]);
  expect(announced(`Let me paint the two gates of the sluice:${list}`)).toEqual(["Paint the two gates of the sluice."]);
});

test("what has an empty box before it comes next, under whatever label, and what is checked does not", () => {
  const boxes = "The gate:\n- [x] Read the chart of the gate\n- [ ] Oil the hinge of the gate\n- [ ] Paint it";
  expect(openIn(boxes, "en").nextSteps).toEqual(["Oil the hinge of the gate", "Paint it"]);
  expect(openIn(boxes, "en", { isFinal: true }).nextSteps).toEqual(["Oil the hinge of the gate", "Paint it"]);
  expect(openIn(boxes.replaceAll(/\[.\] /g, ""), "en").nextSteps).toEqual([]);
  expect(openIn(`The draft:\n\`\`\`\n${boxes}\n\`\`\``, "en").nextSteps).toEqual([]);
  expect(openIn(boxes.replace("[x]", "[ ]"), "en", { isFinal: true }).nextSteps).toEqual([]);
});

test("a name in place of the verb announces nothing, and keeps its small letter", () => {
  const announced = (text: string, language: Language): readonly string[] => openIn(text, language).announced;
  for (const said of ["Now send() only fills the queue.", "Now build_index is kept.", "Now run.sh opens both gates."])
    expect(announced(said, "en")).toEqual([]);
  expect(announced("Now send the tide table to the office.", "en")).toEqual(["Send the tide table to the office."]);
  expect(announced("Ich werde parse_row für die Gezeiten umbauen.", "de")).toEqual([
    "parse_row für die Gezeiten umbauen.",
  ]);
  expect(announced("Je vais corriger la table des marées.", "fr")).toEqual(["Corriger la table des marées."]);
});

test.each([
  ["en", "I've arranged your berth details.", "I've retrieved your berth details."],
  ["en", "Your berth was paid.", "It is late, and no berth was paid."],
  ["en", "No, the berth is paid.", "No logs - all of the printing is done."],
  ["en", "The leak at berth 7 is mended.", "I hope the leak at berth 7 is mended."],
  ["de", "Ich habe Ihre Daten hinterlegt.", "Ich habe Ihre Daten abgerufen."],
  ["de", "Das Leck am Anleger ist geflickt.", "Ich hoffe, das Leck am Anleger ist geflickt."],
  ["fr", "J'ai rangé vos données du port.", "J'ai consulté vos données du port."],
  ["es", "He ordenado los datos del puerto.", "He consultado los datos del puerto."],
  ["es", "El informe está firmado.", "Espero que le guste, el informe está firmado."],
  ["it", "Ho ordinato i dati del porto.", "Ho consultato i dati del porto."],
  ["pt", "O relatório foi assinado.", "Nenhum relatório foi assinado."],
  ["ru", "Отчёт о порте подписан.", "Надеюсь, отчёт о порте подписан."],
] as const)("%s: what was looked up, hoped or came of nothing is no deed: %s", (language, ended, open) => {
  expect(reported(ended, language)).toEqual([ended]);
  expect(reported(open, language)).toEqual([]);
});

test.each([
  ["en", "Note: ", "the northern gate has been moved.", "the crane is gone, so I stop here, the gate has been moved."],
  ["de", "Hinweis: ", "Das Tor wurde verschoben.", "Der Kran ist weg, daher höre ich auf, das Tor wurde verschoben."],
  ["es", "Nota: ", "la puerta fue reparada.", "la grúa es vieja, así que paro, la puerta fue reparada."],
] as const)("%s: %swhat a note is about is told, what it mentions is not", (language, label, about, mentioned) => {
  expect(reported(label + about, language)).toEqual([label + about]);
  expect(reported(label + mentioned, language)).toEqual([]);
  expect(reported(about.charAt(0).toUpperCase() + about.slice(1), language).length).toBe(1);
});

test("a verb before a dash announces nothing that could be done", () => {
  expect(openIn("Let me check - it looks like the pump was never repaired.", "en").announced).toEqual([]);
  expect(openIn("Let me check the pump - it looks broken.", "en").announced).toEqual([
    "Check the pump - it looks broken.",
  ]);
});
