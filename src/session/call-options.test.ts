import { expect, test } from "vitest";
import { open } from "../../test/session-world.ts";
import type { Session } from "./session-port.ts";

/** A session for untyped JavaScript. */
type Loose = Readonly<Record<string, (...given: unknown[]) => Promise<unknown>>>;

const MISSPELT: readonly (readonly [string, readonly unknown[], RegExp])[] = [
  ["append", ["x", { pined: true }], /^append has no option "pined"; did you mean pinned\? Nothing was changed\.$/],
  ["append", ["x", { isPinned: true }], /did you mean pinned\?/],
  ["append", ["x", { pinned: "yes" }], /`pinned` must be true or false/],
  ["append", ["x", { colour: 1 }], /^append has no option "colour"; it takes pinned, signal\. /],
  ["rollback", [{ cascad: true }], /did you mean cascade\?/],
  ["recall", ["x", { limits: 3 }], /did you mean limit\?/],
  ["export", [{ al: true }], /did you mean all\?/],
  ["purge", [{ olderThen: new Date() }], /did you mean olderThan\?/],
  ["fork", ["b", { singal: AbortSignal.abort() }], /did you mean signal\?/],
  ["pin", ["m1", { sginal: 1 }], /did you mean signal\?/],
  ["setBody", [{ model: "m" }, { signl: 1 }], /did you mean signal\?/],
  ["history", [{ limit: 1 }], /it takes signal/],
  ["request", [{ chekPoint: "afterUser" }], /did you mean checkPoint\?/],
];

test.each(MISSPELT)("%s %j is refused in one line", async (name, given, expected) => {
  const session = await open();
  await session.append("hello");
  const before = JSON.stringify(await session.export({ all: true }));
  // The methods of a session, with any arguments.
  const call = (session as unknown as Loose)[name] ?? expect.fail();
  await expect(call(...given)).rejects.toMatchObject({
    code: "invalid-settings",
    message: expect.stringMatching(expected),
  });
  expect(JSON.stringify(await session.export({ all: true }))).toBe(before);
});

test("so are misspelt options of a session", async () => {
  const options = { agentID: "one" } as Partial<Parameters<typeof open>[0]>;
  await expect(open(options)).rejects.toMatchObject({
    code: "invalid-settings",
    message: 'openSession has no option "agentID"; did you mean agentId? Nothing was changed.',
  });
});

test("an archive that is asked for with a misspelt option is refused when it is read", async () => {
  const session = await open();
  const read = async (options: Parameters<Session["archive"]>[0]): Promise<void> => {
    for await (const _ of session.archive(options)) expect.fail();
  };
  await expect(read({ sginal: 1 } as object)).rejects.toMatchObject({ code: "invalid-settings" });
});
