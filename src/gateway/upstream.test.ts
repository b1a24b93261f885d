/** How long an upstream may take to accept a connection. */

import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { startUpstream } from "../../test/gateway-world.ts";
import { createUpstreamClient } from "./upstream.ts";

test("a connection that was made while the process was busy is used", async () => {
  const { origin } = await startUpstream();
  const client = createUpstreamClient();
  const route = { upstream: "own", base: new URL(origin), path: "/" };
  const { signal } = new AbortController();
  const answer = client.send({ method: "GET", route, headers: [], signal, connectMs: 1 });
  const start = performance.now();
  while (performance.now() - start < 50);
  expect(await text(await answer)).toBe("ok");
  client.close();
});
