import { describe, expect, test } from "vitest";
import type { Checkpoint } from "../../../core/checkpoint/checkpoint.ts";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";
import { isOwnStep } from "../text/labels.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));

function ran(command: string): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command } }),
    message("user", { type: "tool-result", callId, content: [text("ok")], isError: false }),
  ];
}

interface Open {
  readonly steps?: readonly string[];
  readonly blocked?: readonly string[];
}

async function open(messages: readonly Message[]): Promise<Pick<Checkpoint, "nextSteps" | "blocked">> {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept: [], budgetTokens: 2_000, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return { nextSteps: checkpoint?.nextSteps ?? [], blocked: checkpoint?.blocked ?? [] };
}

/** Without the step that the newest turn gives. */
async function check(messages: readonly Message[], { steps = [], blocked = [] }: Open): Promise<void> {
  const found = await open(messages);
  expect(found.nextSteps.filter((step) => !isOwnStep(step))).toEqual(steps);
  expect(found.blocked).toEqual(blocked);
}

const BEGINNING = [user("Please get the ferry ready for the season."), ...ran("ls ferry")];
const NEW_TASK = [user("Now find out why the fog horn is silent at night."), ...ran("cat fog")];
const LIST = assistant(
  "Still open:\n- Pay the harbour dues to the port office\n- Collect the permit from Mrs Lund\n- Repaint the passenger deck",
);

describe("a list of what remains", () => {
  test("outlives a new task, behind what that task asks for", async () => {
    await check([...BEGINNING, LIST, ...NEW_TASK], {
      steps: [
        "Pay the harbour dues to the port office",
        "Collect the permit from Mrs Lund",
        "Repaint the passenger deck",
      ],
    });
  });

  test("may be one of boxes, some of them checked", async () => {
    const boxes = "- [x] Caulk the hull\n- [ ] Pay the harbour dues to the port office\n- [ ] Repaint the deck";
    const steps = ["Pay the harbour dues to the port office", "Repaint the deck"];
    await check([...BEGINNING, assistant(boxes), ...NEW_TASK], { steps });
    await check([...BEGINNING, assistant(boxes.replace("[x]", "[ ]")), ...NEW_TASK], { steps: [] });
  });

  test("without what was done since, or taken up by the user", () =>
    check(
      [
        ...BEGINNING,
        LIST,
        user("Please repaint the deck for the passengers in green."),
        ...ran("paint"),
        assistant("The harbour dues are paid."),
        ...NEW_TASK,
      ],
      { steps: ["Collect the permit from Mrs Lund"] },
    ));

  test("is replaced by a newer one", () =>
    check(
      [...BEGINNING, LIST, user("What else is there?"), assistant("Still open:\n- Oil the anchor winch"), ...NEW_TASK],
      {
        steps: ["Oil the anchor winch"],
      },
    ));

  test("in one sentence, until one of its parts is spoken of", async () => {
    const said = assistant("Still open: the permit from Mrs Lund, and the harbour dues.");
    await check([...BEGINNING, said, ...NEW_TASK], {
      steps: ["Still open: the permit from Mrs Lund, and the harbour dues."],
    });
    await check([...BEGINNING, said, user("Here comes the permit, look."), ...NEW_TASK], {});
  });

  test("is advice where nobody works", () =>
    check([user("How do I get a ferry ready?"), LIST, user("And why would a fog horn be silent at night?")], {}));

  test("what only was to come next, came", () =>
    check([...BEGINNING, assistant("Next we need to oil the anchor winch."), ...NEW_TASK], {}));
});

describe("what the turn that goes on said to be left", () => {
  const said = (words: string, command: string): readonly Message[] => {
    const [call, result] = ran(command);
    return call === undefined || result === undefined ? [] : [{ ...call, parts: [text(words), ...call.parts] }, result];
  };
  const list = said("Still to do:\n- Oil the anchor winch\n- Repaint the passenger deck", "ls winch");

  test("is left while it goes on, without what it came to", async () => {
    await check([...BEGINNING, ...list, ...said("The weather is fine.", "ls deck")], {
      steps: ["Oil the anchor winch", "Repaint the passenger deck"],
    });
    await check([...BEGINNING, ...list, ...said("The anchor winch turns again.", "ls deck")], {
      steps: ["Repaint the passenger deck"],
    });
  });

  test("stands before where it is", async () => {
    const { nextSteps } = await open([...BEGINNING, ...list, ...said("The weather is fine.", "ls deck")]);
    expect(nextSteps.at(-1)).toBe("go on from: bash: ls deck");
  });

  test("is left no longer once its file was changed, or long after", async () => {
    const files = said("Still to do:\n- Translate the notes in winch.md", "ls");
    await check(
      [...BEGINNING, ...files, ...ran("echo oil > docs/winch.md"), ...said("The weather is fine.", "ls")],
      {},
    );
    const weather = Array.from({ length: 9 }, (_, day) => said(`Day ${day} was fine.`, "date")).flat();
    await check([...BEGINNING, ...list, ...weather], {});
  });
});

describe("what waits for somebody else", () => {
  test("still waits after a new task, with what it is", () =>
    check(
      [...BEGINNING, assistant("The permit is on its way. It needs a signature from the port office."), ...NEW_TASK],
      { blocked: ["The permit is on its way. It needs a signature from the port office."] },
    ));

  test("until it came", () =>
    check(
      [
        ...BEGINNING,
        assistant("The permit needs a signature from the port office."),
        user("The port office gave its signature."),
        ...NEW_TASK,
      ],
      {},
    ));

  test.each(["I'm waiting for the build to finish.", "I'm blocked: waiting for your decision on the paint."])(
    "not what has answered since: %s",
    (said) => check([...BEGINNING, assistant(said), ...NEW_TASK], {}),
  );
});

/** Begins, leaves something open, and asks for something else. */
test.each([
  [
    "Bitte mach die Fähre für die Saison bereit.",
    "Noch offen:\n- Die Hafengebühr an das Hafenamt zahlen",
    "Finde jetzt bitte heraus, warum das Nebelhorn schweigt.",
    "Die Hafengebühr an das Hafenamt zahlen",
  ],
  [
    "Prépare le ferry pour la saison, s'il te plaît.",
    "Reste à faire :\n- Payer la redevance au bureau du port",
    "Cherche maintenant pourquoi la corne de brume se tait la nuit.",
    "Payer la redevance au bureau du port",
  ],
  [
    "Por favor, prepara el ferry para la temporada.",
    "Pendiente:\n- Pagar la tasa a la oficina del puerto",
    "Ahora averigua por qué la sirena de niebla no suena de noche.",
    "Pagar la tasa a la oficina del puerto",
  ],
  [
    "Por favor, prepare a balsa para a temporada.",
    "Pendente:\n- Pagar a taxa ao escritório do porto",
    "Agora descubra por que a buzina de nevoeiro não toca à noite.",
    "Pagar a taxa ao escritório do porto",
  ],
  [
    "Per favore, prepara il traghetto per la stagione.",
    "Ancora aperti:\n- Pagare la tassa all'ufficio del porto",
    "Ora scopri perché la sirena da nebbia tace di notte.",
    "Pagare la tassa all'ufficio del porto",
  ],
  [
    "Пожалуйста, подготовь паром к сезону.",
    "Осталось сделать:\n- Оплатить сбор в конторе порта",
    "Теперь выясни, почему ночью молчит туманный горн.",
    "Оплатить сбор в конторе порта",
  ],
  [
    "请把渡轮准备好，迎接旺季。",
    "待办：\n- 向港务局缴纳停泊费",
    "现在查一下为什么雾笛晚上不响。",
    "向港务局缴纳停泊费",
  ],
  [
    "フェリーをシーズンに向けて準備してください。",
    "残りの作業：\n- 港湾事務所に係留料を支払う",
    "次に、霧笛が夜に鳴らない理由を調べてください。",
    "港湾事務所に係留料を支払う",
  ],
  [
    "시즌에 맞춰 여객선을 준비해 주세요.",
    "남은 작업:\n- 항만 사무소에 정박료를 납부하기",
    "이제 밤에 무적이 울리지 않는 이유를 찾아 주세요.",
    "항만 사무소에 정박료를 납부하기",
  ],
  [
    "من فضلك جهز العبارة للموسم.",
    "المتبقي:\n- دفع رسوم الميناء إلى مكتب المرفأ",
    "الآن اعرف لماذا صفارة الضباب صامتة في الليل.",
    "دفع رسوم الميناء إلى مكتب المرفأ",
  ],
])("in its own language: %s", async (begin, left, task, expected) => {
  const { nextSteps } = await open([user(begin), ...ran("ls ferry"), assistant(left), user(task), ...ran("cat fog")]);
  expect(nextSteps.at(-1)).toBe(expected);
});

test.each([
  [
    "Bitte mach die Fähre bereit.",
    "Wir warten noch auf die Freigabe des Hafenamts.",
    "Finde jetzt heraus, warum das Horn schweigt.",
  ],
  [
    "Prépare le ferry, s'il te plaît.",
    "Le permis est en attente de la signature du bureau.",
    "Cherche pourquoi la corne se tait la nuit.",
  ],
  [
    "Por favor, prepara el ferry.",
    "El permiso está bloqueado, pendiente de la firma de la oficina.",
    "Ahora averigua por qué la sirena no suena.",
  ],
  [
    "Пожалуйста, подготовь паром к сезону.",
    "Мы ждём подписи из конторы порта.",
    "Теперь выясни, почему ночью молчит горн.",
  ],
  ["请把渡轮准备好。", "许可证还在等待港务局的审批。", "现在查一下为什么雾笛晚上不响。"],
  ["フェリーを準備してください。", "許可証は港湾事務所の承認待ちです。", "次に、霧笛が鳴らない理由を調べてください。"],
])("waits in its own language: %s", async (begin, waiting, task) => {
  const { blocked } = await open([user(begin), ...ran("ls ferry"), assistant(waiting), user(task), ...ran("cat fog")]);
  expect(blocked).toEqual([waiting]);
});
