/** Contract of a store: archive, search, purge and fork. */

import { strict as assert } from "node:assert";
import type { Cases } from "../store-contract.ts";
import {
  append,
  begin,
  commitOf,
  compact,
  ids,
  isSound,
  listOf,
  refuses,
  stateOf,
  takeLease,
  user,
  viewText,
} from "./world.ts";

const PICTURE = "iVBORw0KGgo".padEnd(40_000, "Ab9+");

export const ARCHIVE_CASES: Cases = {
  "the archive can be asked for one event": async ({ store }) => {
    await begin(store, "a", 6);
    const { eventId: first } = await compact(store, "a", { archive: [0, 1], summary: "one" });
    const { eventId: second } = await compact(store, "a", { archive: [0, 1, 2], summary: "two" });
    const of = async (eventId?: string): Promise<string> =>
      (await listOf(store.archive("a", eventId === undefined ? {} : { eventId }))).map(({ id }) => id).join(" ");
    assert.deepEqual([await of(first), await of(second), await of()], ["m1 m2", "m7 m3 m4", "m1 m2 m7 m3 m4"]);
    assert.equal(await of("nobody"), "");
  },
  "what every compaction wrote can be read, undone ones too": async ({ store, reopen }) => {
    await begin(store, "a", 6);
    await compact(store, "a", { archive: [0], summary: "wrote over nothing" });
    assert.deepEqual(await listOf(store.edits("a")), []);
    const pictured = { role: "user", content: [{ data: PICTURE }] };
    const system = { before: [], after: [{ type: "text", text: "so far" }] };
    const change = await commitOf(store, "a", {
      archive: [1],
      edits: [
        [4, pictured],
        [3, "short"],
      ],
      system,
    });
    const attachments = [{ path: ["content", 0, "data"], prefix: "", data: PICTURE }];
    const edits = change.edits.map((edit) => (edit.body === pictured ? { ...edit, attachments } : edit));
    const { eventId: first } = await store.commit("a", { ...change, edits });
    await store.release(change.lease);
    const { eventId: last } = await compact(store, "a", { archive: [], edits: [[2, "shorter"]] });
    await store.rollback("a", {});
    const wrote = [
      {
        messages: [
          { messageId: "m4", kind: "trim", body: "short" },
          { messageId: "m5", kind: "trim", body: pictured },
        ],
        system,
      },
      { messages: [{ messageId: "m4", kind: "trim", body: "shorter" }], system },
    ];
    const told = [first, last].map((eventId, index) => ({ eventId, ...wrote[index] }));
    assert.deepEqual(await listOf(store.edits("a")), told);
    assert.deepEqual(await listOf((await reopen()).edits("a")), told);
    await store.fork("a", "b");
    const copies = await listOf(store.edits("b"));
    assert.deepEqual(
      copies.map(({ eventId: _, ...each }) => each),
      wrote,
    );
    await compact(store, "a", { archive: [2], summary: "m4 left" });
    await store.purge("a", new Date(Date.now() + 60_000));
    const left = (await listOf(store.edits("a"))).map(({ messages }) => messages.map(({ messageId }) => messageId));
    assert.deepEqual(left, [["m5"], [], []]);
    await refuses("session-missing", () => listOf(store.edits("nobody")));
  },
  "messages can be opened by id, wherever they are": async ({ store }) => {
    await begin(store, "a", 6);
    await compact(store, "a", {
      archive: [0, 1],
      summary: "one",
      edits: [[3, { role: "assistant", content: "short" }]],
    });
    const opened = await store.messages("a", ["m7", "m4", "m99", "m1"]);
    assert.deepEqual(
      opened.map(({ id, isSummary, archivedBy }) => [id, isSummary, archivedBy !== null]),
      [
        ["m7", true, false],
        ["m4", false, false],
        ["m1", false, true],
      ],
    );
    assert.deepEqual(opened[1]?.body, { content: [{ text: "answer 4", type: "text" }], role: "assistant" });
    assert.deepEqual(await store.messages("a", []), []);
    assert.deepEqual(await store.messages("a", ["x", "m", "m-1", "m1.5", "m9007199254740993"]), []);
  },
  "search finds words in archive and view, in any script": async ({ store, reopen }) => {
    await begin(store, "a", 2);
    await append(store, "a", [
      user("The flaky test is in src/queue/retry_policy.ts, see ticket PAL-4711."),
      user("部署失败了，请检查数据库连接。"),
      user("データベースの接続を確認してください"),
      user("Die Prüfung der Übergabe schlug fehl"),
    ]);
    await compact(store, "a", { archive: [0, 1, 2, 3], summary: "we looked at retry_policy" });
    await begin(store, "b", 1);
    await append(store, "b", [user("retry_policy in another session")]);
    const again = await reopen();
    const found = async (query: string): Promise<string> =>
      (await again.search("a", query, 10)).map(({ messageId }) => messageId).join(" ");
    assert.deepEqual((await found("retry policy")).split(" ").toSorted(), ["m3", "m7"]);
    assert.equal(await found("PAL-4711"), "m3");
    assert.equal(await found("数据库"), "m4");
    assert.equal(await found("接続"), "m5");
    assert.equal(await found("übergabe"), "m6");
    assert.equal(await found("nothing like it"), "");
    assert.equal(await found(""), "");
    assert.equal(await found(`" OR 1=1; NEAR( * ^ : - ' ( ) & | ! <->`), "");
    assert.equal((await again.search("a", "question answer", 1)).length, 1);
    const [hit] = await again.search("a", "ticket", 10);
    assert(hit?.snippet.includes("PAL-4711") && hit.archivedBy !== null && hit.role === "user");
    await append(again, "a", [user("a new ticket")]);
    assert.deepEqual((await found("ticket")).split(" ").toSorted(), ["m3", "m8"]);
  },
  "search can be of the archive alone": async ({ store }) => {
    await begin(store, "a", 10);
    await append(store, "a", [user("question of the view")]);
    await compact(store, "a", { archive: [0, 1, 2, 3, 4], summary: "question one" });
    const found = async (limit: number, scope?: "all" | "archive"): Promise<string> =>
      (await store.search("a", "question", limit, scope)).map(({ messageId }) => messageId).join(" ");
    assert.equal(await found(99, "archive"), "m5 m3 m1");
    assert.equal(await found(2, "archive"), "m5 m3");
    // What was said itself before a summary of it.
    assert.equal(await found(99), "m11 m9 m7 m5 m3 m1 m12");
    assert.equal(await found(99, "all"), await found(99));
    await store.rollback("a", {});
    assert.equal(await found(99, "archive"), "");
    assert.equal(await found(99), "m11 m9 m7 m5 m3 m1");
  },
  "letters are found with and without their accents, pictographs as words": async ({ store }) => {
    await begin(store, "a", 1);
    await append(store, "a", [user("the café opens"), user("deployed🚀now"), user("…")]);
    const found = async (query: string): Promise<string> =>
      (await store.search("a", query, 5)).map(({ messageId }) => messageId).join(" ");
    assert.deepEqual(
      [await found("cafe"), await found("CAFÉ"), await found("🚀"), await found("🙂")],
      ["m2", "m2", "m3", ""],
    );
    await isSound(store);
  },
  "a word is found in its other forms, the word itself first": async ({ store }) => {
    await begin(store, "a", 1);
    await append(store, "a", [
      user("she camps by the lake"),
      user("we went camping"),
      user("a campaign"),
      user("run 4711"),
    ]);
    const found = async (query: string): Promise<string> =>
      (await store.search("a", query, 5)).map(({ messageId }) => messageId).join(" ");
    assert.deepEqual(
      [await found("camping"), await found("camps"), await found("camped"), await found("running"), await found("471")],
      ["m3 m2", "m2 m3", "m3 m2", "m5", ""],
    );
  },
  "of many that hold a word, who says it most and shortly is first": async ({ store }) => {
    await store.create({ id: "a", format: "openai-chat", base: {} });
    const filler = "and so on and so forth ".repeat(30);
    const texts = ["the budget", `the budget ${filler}`, "budget against budget", filler, "nothing of it"];
    await append(store, "a", texts.map(user));
    const hits = await store.search("a", "their budget", 5);
    assert.deepEqual(
      hits.map(({ messageId }) => messageId),
      ["m3", "m1", "m2"],
    );
  },
  "a day is found in whatever form it stands, or as the time of a message": async ({ store }) => {
    await store.create({ id: "a", format: "openai-chat", base: {} });
    await append(store, "a", [
      user("due 2023-05-08"),
      user("on May 8th, 2023"),
      user("the 9th of May 2023"),
      user("2023年5月8日"),
    ]);
    const found = async (query: string): Promise<string> =>
      (await store.search("a", query, 9))
        .map(({ messageId }) => messageId)
        .sort()
        .join(" ");
    assert.deepEqual([await found("8 May 2023"), await found("2023/05/09")], ["m1 m2 m3 m4", "m1 m2 m3 m4"]);
    const [first] = await store.messages("a", ["m1"]);
    const day = first?.createdAt.slice(0, 10) ?? "";
    assert.equal(await found(day), "m1 m2 m3 m4");
  },
  "a common word hides no old message": async ({ store }) => {
    await store.create({ id: "a", format: "openai-chat", base: {} });
    await append(store, "a", [user("the deployment key is ZEBRA4711")]);
    const later = Array.from({ length: 2_400 }, (_, index) =>
      user(index % 2 === 0 ? `the weather ${index}` : `what is new ${index}`),
    );
    await append(store, "a", later);
    const found = async (query: string): Promise<readonly string[]> =>
      (await store.search("a", query, 3)).map(({ messageId }) => messageId);
    assert.deepEqual(await found("what is the ZEBRA4711 deployment key"), ["m1", "m2401", "m2399"]);
    assert.deepEqual(await found("the deployment"), ["m1", "m2400", "m2398"]);
    assert.deepEqual(await found("the weather"), ["m2400", "m2398", "m2396"]);
  },
  "what is no query is refused": async ({ store }) => {
    await begin(store, "a", 1);
    for (const query of [undefined, null, 5, {}, ["question"]]) {
      // As a caller without a compiler could.
      await refuses("invalid-settings", () => store.search("a", query as string, 5));
    }
    await refuses("invalid-settings", () => store.search("a", "question", 5, "view" as "all"));
  },
  "a snippet is short, wherever the word stands": async ({ store }) => {
    await store.create({ id: "a", format: "gemini", base: {} });
    const filler = "lorem ipsum dolor sit amet ".repeat(2_000);
    await append(store, "a", [user(`${filler} the needle ${filler}`)]);
    const [hit] = await store.search("a", "needle", 5);
    assert(hit?.snippet.includes("needle") && hit.snippet.length <= 240, hit?.snippet);
  },
  "purge removes old archive rows, and what is gone cannot be rolled back": async ({ store }) => {
    await begin(store, "a", 6);
    const { eventId } = await compact(store, "a", { archive: [0, 1, 2], summary: "purge me" });
    const before = await viewText(store, "a");
    assert.equal(await store.purge("a", new Date(Date.now() - 3_600_000)), 0);
    assert.equal(await store.purge("a", new Date(Date.now() + 3_600_000)), 3);
    assert.deepEqual(await listOf(store.archive("a")), []);
    assert.equal(await viewText(store, "a"), before);
    await refuses("archive-purged", () => store.rollback("a", { to: eventId }));
    assert.deepEqual(
      (await store.search("a", "question", 10)).map(({ messageId }) => messageId),
      ["m5"],
    );
    const [event] = await listOf(store.events("a"));
    assert.notEqual(event?.purgedAt, null);
    await compact(store, "a", { archive: [0, 1], summary: "later" });
    await store.rollback("a", {});
    assert.equal(await viewText(store, "a"), before);
    await isSound(store);
  },
  "a fork has everything, and goes its own way": async ({ store, reopen }) => {
    await begin(store, "a", 6);
    const start = await viewText(store, "a");
    await compact(store, "a", { archive: [0, 1], summary: "s", edits: [[4, { role: "user", content: "trimmed" }]] });
    await store.update("a", { type: "pin", messageIds: ["m3"], isPinned: true });
    await takeLease(store, "a");
    await store.fork("a", "b");
    await refuses("session-exists", () => store.fork("a", "b"));
    await refuses("session-missing", () => store.fork("nobody", "c"));
    const both = await viewText(store, "a");
    const other = await reopen();
    assert.equal(await viewText(other, "b"), both);
    const { parentId, view } = await stateOf(other, "b");
    assert.deepEqual([parentId, view.filter(({ isPinned }) => isPinned).map(({ id }) => id)], ["a", ["m3"]]);
    assert.notEqual((await listOf(other.events("b")))[0]?.id, (await listOf(other.events("a")))[0]?.id);
    await append(other, "b", [user("only here")]);
    await other.rollback("b", {});
    assert.equal(await ids(other, "b"), "m1 m2 m3 m4 m5 m6 m8");
    assert.equal(await viewText(other, "a"), both);
    await other.rollback("a", {});
    assert.equal(await viewText(other, "a"), start);
    await isSound(other);
  },
  "binary content comes back as it was, from messages, edits and summaries": async ({ store, reopen }) => {
    await store.create({ id: "a", format: "anthropic-messages", base: {} });
    const source = { type: "base64", media_type: "image/png", data: PICTURE };
    const body = { role: "user", content: [{ type: "image", source, title: "one" }] };
    const attachment = { path: ["content", 0, "source", "data"], prefix: "", data: PICTURE };
    const picture = { role: "user" as const, body, attachments: [attachment] };
    await append(store, "a", [picture, user("look"), picture]);
    const expected = JSON.stringify(body);
    const again = await reopen();
    const { view } = await stateOf(again, "a");
    assert.deepEqual([JSON.stringify(view[0]?.body), JSON.stringify(view[2]?.body)], [expected, expected]);
    await compact(again, "a", { archive: [0, 1], summary: "s" });
    const [archived] = await listOf(again.archive("a"));
    assert.equal(JSON.stringify(archived?.body), expected);
    await isSound(again);
  },
  "a closed store says so": async ({ store }) => {
    await begin(store, "a", 1);
    await store.close();
    await store.close();
    await refuses("storage", () => store.open("a"));
  },
};
