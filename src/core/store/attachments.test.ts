import { expect, test } from "vitest";
import { anthropicMessages } from "../../formats/anthropic-messages.ts";
import { openaiChat } from "../../formats/openai-chat.ts";
import { openaiResponses } from "../../formats/openai-responses.ts";
import type { JsonValue } from "../json.ts";
import type { Format } from "../ports.ts";
import { attachmentsIn, withStrings } from "./attachments.ts";

const PICTURE = "iVBORw0KGgo".padEnd(1_200, "Ab9+");

function check(format: Format, body: JsonValue, expected: readonly (readonly (string | number)[])[]): void {
  const [message] = format.decode([body]).messages;
  const found = attachmentsIn(body, message?.parts ?? []);
  expect(found.map(({ path }) => path)).toEqual(expected);
  const without = withStrings(
    body,
    found.map(({ path }) => ({ path, value: "" })),
  );
  if (expected.length > 0) expect(JSON.stringify(without)).not.toContain(PICTURE);
  const restored = withStrings(
    without,
    found.map(({ path, prefix, data }) => ({ path, value: prefix + data })),
  );
  expect(JSON.stringify(restored)).toBe(JSON.stringify(body));
}

const image = (data: string) => ({ type: "image", source: { data, media_type: "image/png", type: "base64" } });

test("an image of the user's", () => {
  check(anthropicMessages, { role: "user", content: [{ type: "text", text: "look" }, image(PICTURE)] }, [
    ["content", 1, "source", "data"],
  ]);
});

test("an image in a tool result", () => {
  const result = { type: "tool_result", tool_use_id: "a", content: [image(PICTURE)] };
  check(anthropicMessages, { role: "user", content: [result] }, [["content", 0, "content", 0, "source", "data"]]);
});

test("a data URL keeps its head", () => {
  const url = `data:image/png;base64,${PICTURE}`;
  check(openaiChat, { role: "user", content: [{ type: "image_url", image_url: { url } }] }, [
    ["content", 0, "image_url", "url"],
  ]);
});

test("a small image stays where it is", () => {
  check(anthropicMessages, { role: "user", content: [image("iVBORw0KGgo=")] }, []);
});

test("base64 that could be written in another way stays where it is", () => {
  check(anthropicMessages, { role: "user", content: [image(`${PICTURE.slice(0, -4)}QUJ=`)] }, []);
  check(anthropicMessages, { role: "user", content: [image(`${PICTURE.slice(0, 600)}\n${PICTURE.slice(601)}`)] }, []);
});

test("text that looks like base64 is text", () => {
  check(anthropicMessages, { role: "user", content: PICTURE }, []);
});

test("a picture and speech that the model made", () => {
  const call = { type: "image_generation_call", id: "ig_1", status: "completed", result: PICTURE };
  check(openaiResponses, call, [["result"]]);
  check(openaiResponses, { ...call, result: null }, []);
  const audio = { id: "audio_1", data: PICTURE, expires_at: 1, transcript: "hi" };
  check(openaiChat, { role: "assistant", content: null, audio }, [["audio", "data"]]);
  check(openaiChat, { role: "assistant", content: null, audio: { id: "audio_1" } }, []);
});
