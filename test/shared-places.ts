/** Stores that several processes can share, each new and empty, by address. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { postgresWorld } from "./postgres-world.ts";
import { sampleOf } from "./sample.ts";

export interface Place {
  readonly url: string;
  remove(): Promise<void>;
}

export interface SharedStore extends Place {
  /** As if the time of every lease were over. */
  expireLeases(): Promise<void>;
}

export interface SharedPlace {
  readonly name: string;
  /** How many processes at once. */
  readonly workers: number;
  /** Or why this machine cannot run it. */
  place(): Promise<SharedStore | string>;
}

export const sharedPlaces: readonly SharedPlace[] = [
  { name: "sqlite", workers: sampleOf(4, 2), place: inFile },
  { name: "postgres", workers: sampleOf(8, 3), place: inSchema },
];

async function inFile(): Promise<SharedStore> {
  const place = await inDirectory("sqlite", "sessions.db");
  const expireLeases = async (): Promise<void> => {
    const database = new DatabaseSync(place.url.replace(/^sqlite:/, ""));
    database.exec("UPDATE sessions SET lease_expires_at = '2000-01-01T00:00:00.000Z'");
    database.close();
  };
  return { ...place, expireLeases };
}

async function inSchema(): Promise<SharedStore | string> {
  const world = await postgresWorld();
  if (typeof world === "string") return world;
  const url = new URL(world.url);
  const schema = world.newSchema();
  url.searchParams.set("schema", schema);
  const expireLeases = async (): Promise<void> => {
    const quoted = `"${schema.replaceAll('"', '""')}"`;
    await world.newPool().query(`UPDATE ${quoted}.sessions SET lease_expires_at = timestamptz '2000-01-01'`);
  };
  return { url: url.href, expireLeases, remove: () => world.end() };
}

export async function inDirectory(scheme: string, name: string): Promise<Place> {
  const directory = await mkdtemp(join(tmpdir(), "palimpsest-"));
  return { url: `${scheme}:${join(directory, name)}`, remove: () => rm(directory, { recursive: true, force: true }) };
}
