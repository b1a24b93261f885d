/** What is no summary never becomes one: the profile's ladder is taken, the report says why, and nothing is lost. */

import { describe, expect, test } from "vitest";
import { createCompactor } from "../src/compactor.ts";
import type { JsonObject } from "../src/core/json.ts";
import type { PromptPackName } from "../src/core/settings/settings.ts";
import { openaiChat } from "../src/formats/openai-chat.ts";
import { openSession } from "../src/session.ts";
import { memoryStore } from "../src/stores/memory.ts";
import { llm } from "../src/summarizers/llm.ts";
import type { LlmOptions } from "../src/summarizers/llm-options.ts";
import { checkpointText, type Reply, scripted } from "./summarizer-script.ts";

/** What came back instead of a summary: from gateways, from limits, from models that were not listening. */
const JUNK: readonly string[] = [
  "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
  "Request failed with status code 503",
  "You've reached your usage limit. Upgrade your plan or try again later.",
  "Sure! What would you like me to summarize?",
  "ok",
  "Done.",
  "no healthy upstream",
  "The model is currently overloaded. Please try again in a few minutes.",
  "Your credit balance is too low to access the API.",
  "Please provide the conversation you would like me to summarize, and I will get started right away.",
  "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
  "Invalid API key provided.",
  "...",
  "I'd be happy to help! Could you share more details?",
  "null",
  "Das Modell ist gerade nicht erreichbar. Bitte versuchen Sie es später noch einmal.",
  "申请的模型暂时不可用，请稍后再试。",
  "Le service est momentanément indisponible, veuillez réessayer.",
  "## Goal\n- (none)\n\n## Progress\n- (none)",
  checkpointText("(none)").replace(/^(?:- \[.\]|1\.|- \*\*).*$/gm, "- (none)"),
];

const PACKS: readonly PromptPackName[] = ["checkpoint", "narrative", "safeguard", "minimal"];

/** A coding session in which the words of most errors occur. */
const BODY: JsonObject = {
  model: "m",
  messages: [
    { role: "user", content: "Find out why the request to the billing service failed with a timeout." },
    ...Array.from({ length: 24 }, (_, index): readonly JsonObject[] => [
      {
        role: "assistant",
        content: `I read src/billing/client-${index}.ts: retry_${index} is called with the wrong status code. `.repeat(
          12,
        ),
      },
      { role: "user", content: `Would you please try the next one, and summarize the details later? Part ${index}.` },
    ]).flat(),
  ],
};

async function compacted(replies: readonly Reply[], options: Partial<LlmOptions> = {}) {
  const model = scripted(...replies);
  const summarizer = llm({ complete: model.complete, windowTokens: 100_000, ...options });
  const compactor = createCompactor({ format: openaiChat, summarizer, windowTokens: 32_000 });
  const before = JSON.stringify(BODY);
  const made = await compactor.compact(BODY, { target: { ratio: 0.3 } });
  expect(JSON.stringify(BODY)).toBe(before);
  return { ...made, requests: model.requests.length };
}

function summaryIn(request: JsonObject): string {
  return JSON.stringify(request.messages);
}

describe.each(PACKS)("pack %s", (pack) => {
  test.each(JUNK)("%s", async (junk) => {
    const { report, request } = await compacted([junk], { pack });
    expect(report.compacted).toBe(true);
    expect(report.fallbacks).toEqual([
      { step: "extractive", because: expect.stringMatching(/^No summary was made \([a-z-]+\): /) },
    ]);
    expect(report.result?.summarizer).toMatch(/^extractive/);
    expect(report.result?.summary).not.toContain(junk);
    expect(summaryIn(request)).toContain("src/billing/client-");
    expect(openaiChat.validate(request, { sending: true })).toEqual([]);
  });

  test.each(["ok", "Request failed with status code 503", "Sure! What would you like me to summarize?"])(
    "unguarded, in band and in parts too: %s",
    async (junk) => {
      for (const options of [{ guard: false }, { inBand: true }, { mode: "staged" }, { maxCalls: 1 }] as const) {
        const { report } = await compacted([junk], { pack, ...options });
        expect(report.fallbacks.map(({ step }) => step)).toEqual(["extractive"]);
      }
    },
  );
});

test("in a session: what was appended is all still there, and the next compaction may succeed", async () => {
  const model = scripted("upstream connect error");
  const summarizer = llm({ complete: model.complete, windowTokens: 100_000 });
  const compactor = { format: openaiChat, summarizer, windowTokens: 32_000 };
  const session = await openSession("s", { store: memoryStore(), compactor });
  const messages = BODY.messages as readonly JsonObject[];
  for (const message of messages) await session.append(message);
  const { report } = await session.compact({ target: { ratio: 0.3 } });
  expect(report.fallbacks).toHaveLength(1);
  expect(model.requests.length).toBe(2);
  await session.rollback();
  expect(await session.request()).toMatchObject({ messages });
});

test("a part that is junk is named and done without; a merge that is junk is not used", async () => {
  const part = checkpointText("Find out why the request failed.", "retry_1 is called with the wrong status code");
  const merged = checkpointText("Find out why the request failed.", "retry_2 too");
  const options = { mode: "staged", windowTokens: 6_000, staged: { concurrency: 1 } } as const;
  const one = await compacted(["ok", part, merged], options);
  expect(one.report.fallbacks).toEqual([
    { step: "staged-partial", because: expect.stringContaining("could not be summarised (missing-sections)") },
  ]);
  const two = await compacted([part, part, "no healthy upstream"], options);
  expect(two.report.fallbacks).toEqual([
    { step: "staged-partial", because: expect.stringContaining("(missing-sections); they were put together") },
  ]);
  expect(two.report.result?.summary).toContain("retry_1 is called with the wrong status code");
});

describe("what is a summary is taken", () => {
  const accepted = async (replies: readonly Reply[], options: Partial<LlmOptions> = {}) => {
    const { report, requests } = await compacted(replies, options);
    expect(report.fallbacks).toEqual([]);
    return { report, requests };
  };

  test("a short one that names what it is about", async () => {
    for (const pack of ["narrative", "safeguard", "minimal"] as const)
      await accepted(["retry_3 has the wrong status code; the others are next."], { pack });
  });

  test("one in words alone", async () => {
    const text =
      "The user wants to find out why requests to the billing service time out. The assistant read one client after the other and found that each is called with the wrong status code. The user asks to try the next one every time, and a summary of all details is wanted later.";
    await accepted([text], { pack: "narrative" });
  });

  test("junk first, a summary when it is asked for again", async () => {
    const { report, requests } = await accepted([
      "Sure! What would you like me to summarize?",
      checkpointText("Find out why the request to the billing service failed.", "retry_1 in src/billing/client-1.ts"),
    ]);
    expect(requests).toBe(2);
    expect(report.result?.summary).not.toContain("Sure!");
  });

  test.each([
    [
      "German",
      "Der Benutzer möchte wissen, warum die Anfrage an den Abrechnungsdienst fehlschlägt. Der Assistent liest einen Client nach dem anderen.",
      "Bitte prüfe als Nächstes die Anfrage an den Abrechnungsdienst, und warum sie noch immer fehlschlägt.",
      "Ich habe den Client gelesen; die Anfrage an den Dienst hat den falschen Status.",
    ],
    [
      "Chinese",
      "用户想知道为什么账单服务的请求失败。助手逐个检查了客户端，发现每个客户端的状态码都不对。用户要求继续检查下一个客户端，并在以后总结全部细节。",
      "请继续检查账单服务的请求为什么失败，然后检查下一个客户端。",
      "我检查了客户端，状态码不对，请求因此失败。",
    ],
    [
      "Korean",
      "사용자는 결제 서비스 요청이 왜 실패하는지 알고 싶어 합니다. 어시스턴트는 클라이언트를 하나씩 확인했고 상태 코드가 잘못된 것을 찾았습니다. 사용자는 다음 클라이언트를 확인해 달라고 합니다.",
      "결제 서비스 요청이 왜 실패하는지 다음 클라이언트를 확인해 주세요.",
      "클라이언트를 확인했습니다. 상태 코드가 잘못되어 요청이 실패합니다.",
    ],
  ])("one in %s", async (_language, summary, asked, answered) => {
    const model = scripted(summary);
    const summarizer = llm({ complete: model.complete, windowTokens: 100_000, pack: "narrative" });
    const compactor = createCompactor({ format: openaiChat, summarizer, windowTokens: 32_000 });
    const turn = [
      { role: "user", content: asked },
      { role: "assistant", content: answered.repeat(20) },
    ];
    const { report } = await compactor.compact(
      { messages: Array.from({ length: 30 }, () => turn).flat() },
      { target: { ratio: 0.3 } },
    );
    expect(report.fallbacks).toEqual([]);
    expect(report.result?.summary).toContain(summary);
  });

  test("a short one of a short conversation", async () => {
    const model = scripted("They greeted each other.");
    const summarizer = llm({ complete: model.complete, windowTokens: 100_000, pack: "minimal" });
    const compactor = createCompactor({ format: openaiChat, summarizer, windowTokens: 32_000 });
    const messages = Array.from({ length: 12 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Hello again, number ${index}, how are you today?`,
    }));
    const { report } = await compactor.compact({ messages }, { target: { ratio: 0.5 } });
    expect(report.fallbacks).toEqual([]);
  });
});
