/** A session that was compacted under one profile and continues under another: the earlier summary is no user's request. */

import { expect, test } from "vitest";
import { listOf, talk } from "../../test/session-world.ts";
import { text } from "../core/message.ts";
import { isForeignSummary } from "../core/plan/user-voice.ts";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { type ProfileName, profileNames } from "../profiles/profiles.ts";
import { openSession } from "../session.ts";
import { resolveSettings } from "../settings.ts";
import { memoryStore } from "../stores/memory.ts";
import type { Session } from "./session-port.ts";

const EARLIER = ["nous", "openclaw", "agentpg"] as const;
const LATER = ["balanced", "micro-agent"] as const;

test.each(EARLIER.flatMap((earlier) => LATER.map((later) => [earlier, later] as const)))(
  "%s, then %s: the summary is replaced, not kept as the first request",
  async (earlier, later) => {
    const store = memoryStore();
    const open = (profile: ProfileName): Promise<Session> => {
      const limits = { windowTokens: 4_000, maxOutputTokens: 200, maxMessages: 0, telemetry: false };
      return openSession("a", { store, compactor: { format: anthropicMessages, profile, ...limits } });
    };
    const before = await open(earlier);
    await talk(before, 12);
    const first = await before.compact({ target: { ratio: 0.4 } });
    const session = await open(later);
    await talk(session, 12);
    const view = JSON.stringify(await session.view());
    const { request } = await session.compact({ target: { ratio: 0.4 } });
    const summary = JSON.stringify(first.report.result?.summary).slice(1, -1);
    expect(view).toContain(summary);
    expect(JSON.stringify(listOf(request))).not.toContain(summary);
    await session.rollback();
    expect(JSON.stringify(await session.view())).toBe(view);
  },
);

test.each(profileNames)("%s: a message that holds its summary alone is told by its opening", (profile) => {
  const { renderer, opening, closing } = resolveSettings({ profile }).render;
  const message = { id: "m1", role: "user", parts: [text(`${opening}## Goal\n- a${closing}`)] } as const;
  // A merged summary never stands alone.
  expect(isForeignSummary(message)).toBe(renderer !== "merge-first-user");
});
