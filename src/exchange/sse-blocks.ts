/** An event stream as its blocks: each as it came, with its data where that is JSON. Bytes may be cut anywhere. */

import { isObject, type JsonObject } from "../core/json.ts";
import { parseJson } from "./request-body.ts";

export interface Block {
  /** With the empty line that ends it. */
  readonly raw: string;
  readonly event: JsonObject | undefined;
}

const BLOCK_END = /\r\n\r\n|\n\n|\r\r/;

export async function* sseBlocks(stream: ReadableStream<Uint8Array>): AsyncGenerator<Block, undefined, undefined> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const reader = stream.getReader();
  let rest = "";
  let isEnded = false;
  try {
    while (!isEnded) {
      const { done, value } = await reader.read();
      isEnded = done;
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      for (let end = BLOCK_END.exec(rest); end !== null; end = BLOCK_END.exec(rest)) {
        const length = end.index + end[0].length;
        yield blockOf(rest.slice(0, length));
        rest = rest.slice(length);
      }
    }
    if (rest !== "") yield blockOf(rest);
  } finally {
    if (!isEnded) await reader.cancel().catch(() => {});
  }
}

function blockOf(raw: string): Block {
  const data = raw
    .split(/\r\n|\n|\r/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5));
  const event = data.length === 0 ? undefined : parseJson(data.join("\n").trim());
  return { raw, event: isObject(event) ? event : undefined };
}

/** The same block with other data. */
export function writeBlock({ raw }: Block, event: JsonObject): string {
  const name = /^event:.*$/m.exec(raw)?.[0];
  return `${name === undefined ? "" : `${name.trimEnd()}\n`}data: ${JSON.stringify(event)}\n\n`;
}
