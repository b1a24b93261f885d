import { expect, test } from "vitest";
import { type Message, type Part, text } from "../../../core/message.ts";
import { estimateTokens } from "../../../core/tokens/tokens.ts";
import { extractive } from "../../extractive.ts";

let next = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${next++}`, role, parts });
const user = (words: string): Message => message("user", text(words));
const assistant = (words: string): Message => message("assistant", text(words));

function ran(command: string, output: string): readonly Message[] {
  const callId = `c${next++}`;
  return [
    message("assistant", { type: "tool-call", callId, name: "bash", input: { command } }),
    message("user", { type: "tool-result", callId, content: [text(output)], isError: false }),
  ];
}

async function goalOf(messages: readonly Message[], kept: readonly Message[], budgetTokens: number) {
  const { checkpoint } = await extractive().summarize(
    { messages, turnPrefix: [], kept, budgetTokens, counter: estimateTokens() },
    { signal: new AbortController().signal, progress: () => undefined },
  );
  return checkpoint?.goal ?? [];
}

const LIMIT =
  "Add a limit to the ferry desk: at most 20 tickets per minute for each agent, then answer 429 with a Retry-After header.";
const PLAN = "Change of plan: use a sliding window instead of the bucket, and keep the counters beside the tide table.";
const begun = [user(LIMIT), ...ran("ls src", "desk.ts gate.ts"), ...ran("cat src/desk.ts", "openDesk(9000)")];
const changed = [user(PLAN), ...ran("cat src/limit.ts", "class Bucket {}")];

test("what a change of plan serves goes before it, where the change stays in the view", async () => {
  for (const budgetTokens of [60, 80]) expect(await goalOf(begun, changed, budgetTokens)).toEqual([LIMIT]);
  expect(await goalOf(begun, changed, 300)).toEqual([LIMIT, PLAN]);
});

test("so it does where its turn was closed", async () => {
  const closed = [...begun, assistant("The bucket is in place.")];
  expect(await goalOf(closed, changed, 60)).toEqual([LIMIT]);
});

test("where the newest leaves as well, it stands there in any case", async () => {
  const [newest = ""] = (await goalOf([...begun, ...changed], [], 60)).slice(-1);
  expect(PLAN.startsWith(newest.replace(/…$/, ""))).toBe(true);
});

test("what was closed leads nothing that is about something else", async () => {
  const closed = [...begun, assistant("It is in place.")];
  const other = [user("Please draw a map of the northern quay."), ...ran("cat quay.svg", "<svg/>")];
  expect(await goalOf(closed, other, 50)).toEqual([]);
});

test("what stays in the view leads nothing that leaves it", async () => {
  const asking = assistant("The bucket is in place. Shall I wire the desk to it?");
  const answered = [
    ...ran("ls src", "desk.ts gate.ts"),
    asking,
    user(PLAN),
    ...ran("cat src/limit.ts", "class Bucket {}"),
  ];
  const newest = [user("Yes, the northern one."), ...ran("cat src/gate.ts", "openGate()")];
  const [first] = begun;
  expect(await goalOf(answered, [...begun.slice(0, 1), ...newest], 64)).toEqual([PLAN]);
  // Where it leaves as well, it says what the change is about.
  expect((await goalOf([...(first === undefined ? [] : [first]), ...answered], newest, 64))[0]).toBe(LIMIT);
});
