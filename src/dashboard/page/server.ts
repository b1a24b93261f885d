/** Asks the server, again and again while somebody looks; and the address in the browser's bar. */

import { useEffect, useRef, useState } from "preact/hooks";
import type { Refusal, RollbackAnswer, RollbackRequest } from "../wire.ts";

type Parameters = Readonly<Record<string, string | number | undefined>>;

export interface Loaded<T> {
  readonly data: T | undefined;
  readonly problem: string | undefined;
  reload(): void;
}

const LIVE_MS = 3_000;

/** With `live`, asked again every few seconds while the page is seen; an answer that did not change renders nothing. */
export function useServer<T>(name: string, parameters: Parameters, live = false): Loaded<T> {
  const url = addressOf(name, parameters);
  const [state, setState] = useState<{ url: string; data?: T; problem?: string }>({ url });
  const [times, setTimes] = useState(0);
  const etag = useRef<{ url: string; tag: string }>(undefined);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const ask = async (): Promise<void> => {
      try {
        const known = etag.current?.url === url ? { "if-none-match": etag.current.tag } : {};
        const response = await fetch(url, { signal, headers: known, cache: "no-store" });
        if (response.status === 304) return;
        const data = await readJson<T>(response);
        etag.current = { url, tag: response.headers.get("etag") ?? "" };
        setState({ url, data });
      } catch (error) {
        if (!signal.aborted) setState((before) => ({ ...before, url, problem: messageOf(error) }));
      }
    };
    void ask();
    const timer = live ? setInterval(() => document.visibilityState === "visible" && void ask(), LIVE_MS) : undefined;
    return () => {
      controller.abort();
      clearInterval(timer);
    };
  }, [url, live, times]);
  const isCurrent = state.url === url;
  return {
    // While another page of the same list loads, the one before stays.
    data: isCurrent || state.url.split("?")[0] === url.split("?")[0] ? state.data : undefined,
    problem: isCurrent ? state.problem : undefined,
    reload: () => setTimes((before) => before + 1),
  };
}

export function addressOf(name: string, parameters: Parameters): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  return `dashboard/${name}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}

async function readJson<T>(response: Response): Promise<T> {
  const body: unknown = await response.json();
  // The server is ours; what it answers is described in wire.ts.
  if (!response.ok) throw new Error((body as Refusal).message);
  return body as T;
}

export function messageOf(error: unknown): string {
  if (error instanceof TypeError) return "The server does not answer.";
  return error instanceof Error ? error.message : String(error);
}

const PAGE_TOKEN = document.querySelector<HTMLMetaElement>("meta[name=palimpsest-page]")?.content ?? "";

export const MAY_CHANGE = PAGE_TOKEN !== "";

export async function rollBack(request: RollbackRequest): Promise<RollbackAnswer> {
  const response = await fetch("dashboard/rollback", {
    method: "POST",
    headers: { "content-type": "application/json", "x-palimpsest-page": PAGE_TOKEN },
    body: JSON.stringify(request),
  });
  return readJson(response);
}

/** `#/session/KEY/compaction/ID`, decoded. */
export function useRoute(): readonly string[] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = (): void => setHash(location.hash);
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return hash.replace(/^#\/?/, "").split("/").map(decoded);
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

export function hrefOf(...segments: readonly string[]): string {
  return `#/${segments.map(encodeURIComponent).join("/")}`;
}
