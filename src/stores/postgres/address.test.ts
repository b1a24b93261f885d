import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { postgresWorld } from "../../../test/postgres-world.ts";
import { openStore } from "../../stores.ts";

async function check(address: string, shown: string): Promise<void> {
  const store = await openStore(address);
  expect(store.url).toBe(shown);
  await store.close();
}

test("host, port, user, database and schema are shown", () =>
  check("postgres://me:secret@db.example:5433/app?schema=x", "postgres://me@db.example:5433/app?schema=x"));
test("what else stands in a query is not", () =>
  check(
    "postgresql://me@db.example/app?sslpassword=secret&schema=x&password=secret&application_name=y#secret",
    "postgresql://me@db.example/app?schema=x",
  ));
test("a socket is a host", () =>
  check("postgres://me@localhost/app?host=%2Frun%2Fpg&options=secret", "postgres://me@localhost/app?host=%2Frun%2Fpg"));

const world = await postgresWorld();

if (typeof world === "string") test.skip(world, () => {});
else {
  afterAll(() => world.end());
  test("a process that does not close its store ends all the same", async () => {
    const address = new URL(world.url);
    address.searchParams.set("schema", world.newSchema());
    const module = join(import.meta.dirname, "../../stores.ts");
    const script = `import { openStore } from ${JSON.stringify(module)};
      const store = await openStore(${JSON.stringify(address.href)});
      console.log(await store.open("a"));`;
    const options = { timeout: ENDS_WITHIN_MS };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], options);
    expect(stdout).toBe("undefined\n");
  });
}

/** An idle connection of `pg` would keep the process for ten seconds. */
const ENDS_WITHIN_MS = 6_000;
