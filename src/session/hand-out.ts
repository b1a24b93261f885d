/**
 * Builds the requests that a session returns: a fresh body, with a list of messages that is copied when it is read.
 * While the view only grows, the list in wire form grows with it, so an unread request costs only what is new.
 */

import type { ViewPass } from "../compactor.ts";
import { copyJson, isArray, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import { type Conversation, isUntouched, type Message } from "../core/message.ts";
import type { Format } from "../core/ports.ts";
import type { SessionParts } from "./compact-view.ts";
import { encodeMessages } from "./wire-input.ts";

export interface GrowingRequest {
  readonly frame: Conversation;
  /** The body without its list. */
  readonly body: JsonObject;
  /** The growing list of messages, the number of them that are in `wire`, and those in wire form. */
  readonly messages: readonly Message[];
  count: number;
  readonly wire: JsonValue[];
}

export function handOut(parts: SessionParts, frame: Conversation, passed: ViewPass): object {
  const { format } = parts.compactor;
  const { messages } = passed.view;
  if (!passed.isQuiet || messages !== parts.sendable?.messages) {
    const { encoded } = passed;
    // A frame is decoded from an object, and encodes to one.
    return isObject(encoded) ? requestOf(encoded, format.listKey, listIn(encoded, format)) : {};
  }
  const known = parts.handedOut;
  const isGoingOn = known?.messages === messages && known.frame === frame;
  const next = isGoingOn ? known : begin(frame, messages, format);
  parts.handedOut = next;
  for (; next.count < messages.length; next.count++) {
    const message = messages[next.count];
    if (message === undefined) break;
    if (isUntouched(message)) next.wire.push(message.wire.json);
    else next.wire.push(...encodeMessages(format, [message]));
  }
  return requestOf(next.body, format.listKey, next.wire);
}

function begin(frame: Conversation, messages: readonly Message[], format: Format): GrowingRequest {
  const encoded = format.encode({ ...frame, messages: [] });
  return { frame, body: isObject(encoded) ? encoded : {}, messages, count: 0, wire: [] };
}

function listIn(body: JsonObject, { listKey }: Format): readonly JsonValue[] {
  const list = body[listKey];
  return isArray(list) ? list : [];
}

/** The list may grow beyond this request. */
function requestOf(body: JsonObject, listKey: string, list: readonly JsonValue[]): object {
  const { length } = list;
  const request = copyJson({ ...body, [listKey]: [] });
  const set = (value: unknown): unknown =>
    Object.defineProperty(request, listKey, { value, writable: true, enumerable: true, configurable: true });
  return Object.defineProperty(request, listKey, {
    get: () => {
      const own = list.slice(0, length).map(copyJson);
      set(own);
      return own;
    },
    set,
    enumerable: true,
    configurable: true,
  });
}
