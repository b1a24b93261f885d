/** Stores that several processes can share, each new and empty, by address. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postgresWorld } from "./postgres-world.ts";
import { sampleOf } from "./sample.ts";

export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

export interface SharedPlace {
  readonly name: string;
  /** How many processes at once. */
  readonly workers: number;
  /** Or why this machine cannot run it. */
  place(): Promise<Place | string>;
}

export const sharedPlaces: readonly SharedPlace[] = [
  { name: "sqlite", workers: sampleOf(4, 2), place: () => inDirectory("sqlite", "sessions.db") },
  { name: "postgres", workers: sampleOf(8, 3), place: inSchema },
];

async function inSchema(): Promise<Place | string> {
  const world = await postgresWorld();
  if (typeof world === "string") return world;
  const url = new URL(world.url);
  url.searchParams.set("schema", world.newSchema());
  return { url: url.href, remove: () => world.end() };
}

export async function inDirectory(scheme: string, name: string): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-"));
  return { url: `${scheme}:${join(directory, name)}`, remove: () => rm(directory, { recursive: true, force: true }) };
}
