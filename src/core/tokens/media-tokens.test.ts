import { describe, expect, test } from "vitest";
import type { FormatName, MediaPart } from "../message.ts";
import { imageSize, mediaTokens, pdfPages } from "./media-tokens.ts";

const base64 = (...bytes: readonly (number | string)[]): string =>
  Buffer.concat(
    bytes.map((item) => (typeof item === "string" ? Buffer.from(item, "latin1") : Buffer.from([item]))),
  ).toString("base64");
const big = (value: number): readonly number[] => [value >> 8, value & 255];
const little = (value: number): readonly number[] => [value & 255, value >> 8];

const png = (width: number, height: number): string =>
  base64("\x89PNG\r\n\x1a\n", 0, 0, 0, 13, "IHDR", 0, 0, ...big(width), 0, 0, ...big(height), 8, 6, 0, 0, 0);
const gif = (width: number, height: number): string => base64("GIF89a", ...little(width), ...little(height), 0, 0, 0);
/** With a long segment of camera data before the frame header. */
const jpeg = (width: number, height: number): string =>
  base64(
    0xff,
    0xd8,
    0xff,
    0xe1,
    ...big(9_002),
    "e".repeat(9_000),
    0xff,
    0xc2,
    ...big(17),
    8,
    ...big(height),
    ...big(width),
    3,
  );
const webp = (...chunk: readonly (number | string)[]): string => base64("RIFF", 0, 0, 0, 0, "WEBP", ...chunk);

describe("image size", () => {
  const check = (data: string, expected: readonly [number, number] | undefined): void =>
    expect(imageSize(data)).toEqual(expected && { width: expected[0], height: expected[1] });

  test("PNG", () => check(png(1920, 1080), [1920, 1080]));
  test("GIF", () => check(gif(320, 200), [320, 200]));
  test("JPEG behind camera data", () => check(jpeg(4_032, 3_024), [4_032, 3_024]));
  test("WebP, lossy", () =>
    check(webp("VP8 ", 0, 0, 0, 0, 0, 0, 0, 0x9d, 0x01, 0x2a, ...little(640), ...little(480)), [640, 480]));
  test("WebP, lossless", () =>
    check(
      webp("VP8L", 0, 0, 0, 0, 0x2f, ...little((800 - 1) | (((600 - 1) & 3) << 14)), ...little((600 - 1) >> 2)),
      [800, 600],
    ));
  test("WebP, extended", () =>
    check(webp("VP8X", 10, 0, 0, 0, 0, 0, 0, 0, ...little(2_047), 0, ...little(1_023), 0), [2_048, 1_024]));
  test("cut off", () => check(png(10, 10).slice(0, 20), undefined));
  test("a JPEG without a frame", () => check(base64(0xff, 0xd8, 0xff, 0xd9, 0, 0, 0, 0, 0, 0), undefined));
  test("not a picture", () => check(base64("hello there"), undefined));
  test("not base64", () => check("/9j/ not at all!", undefined));
});

const image = (data: string, wire?: MediaPart["wire"]): MediaPart => ({
  type: "media",
  kind: "image",
  source: { type: "base64", data },
  ...(wire === undefined ? {} : { wire }),
});

describe("pictures", () => {
  const check = (format: FormatName, model: string | undefined, part: MediaPart, expected: number): void =>
    expect(mediaTokens(format, model)(part)).toBe(expected);
  const screen = image(png(1920, 1080));
  const square = image(png(1000, 1000));

  test("Anthropic, standard", () => check("anthropic-messages", "claude-sonnet-4-5-20250929", square, 1_296));
  test("Anthropic, standard, shrunk", () => check("anthropic-messages", "claude-opus-4-6", screen, 1_560));
  test("Anthropic, standard, a long strip", () =>
    check("anthropic-messages", "claude-opus-4-6", image(png(3_000, 100)), 56 * 2));
  test("Anthropic, high", () => check("anthropic-messages", "claude-opus-4-7", screen, 2_691));
  test("Anthropic, unknown model is a new one", () => check("anthropic-messages", undefined, screen, 2_691));
  test("Anthropic, never above its budget", () =>
    expect(mediaTokens("anthropic-messages", "claude-opus-5")(image(png(9_000, 9_000)))).toBeLessThanOrEqual(4_784));
  test("OpenAI tiles", () => check("openai-chat", "gpt-4o", square, 85 + 4 * 170));
  test("OpenAI tiles, low detail inside image_url", () =>
    check(
      "openai-chat",
      "gpt-4o",
      image(png(1000, 1000), { type: "image_url", image_url: { url: "", detail: "low" } }),
      85,
    ));
  test("OpenAI tiles, gpt-5", () => check("openai-responses", "gpt-5", square, 70 + 4 * 140));
  test("OpenAI tiles, 4o-mini", () => check("openai-chat", "gpt-4o-mini", square, 2_833 + 4 * 5_667));
  test("OpenAI patches, 4.1-mini", () => check("openai-chat", "gpt-4.1-mini", square, Math.ceil(1_024 * 1.62)));
  test("OpenAI patches, shrunk to the budget", () =>
    expect(mediaTokens("openai-responses", "gpt-5.2")(image(png(4_000, 4_000)))).toBeLessThanOrEqual(1_536));
  test("OpenAI patches, high detail has a larger budget", () =>
    expect(
      mediaTokens("openai-responses", "gpt-5.4")(image(png(4_000, 4_000), { type: "input_image", detail: "high" })),
    ).toBeGreaterThan(2_400));
  test("Gemini 2, small", () => check("gemini", "gemini-2.5-pro", image(png(300, 300)), 258));
  test("Gemini 2, tiles", () => check("gemini", "gemini-2.5-pro", screen, 3 * 2 * 258));
  test("Gemini 3", () => check("gemini", "gemini-3-pro-preview", screen, 1_120));
  test("Gemini 3, low", () =>
    check("gemini", undefined, image(png(10, 10), { mediaResolution: { level: "MEDIA_RESOLUTION_LOW" } }), 280));
  test("a URL is taken for a screenshot", () =>
    check(
      "anthropic-messages",
      "claude-opus-4-7",
      { ...screen, source: { type: "url", url: "https://example.org/a.png" } },
      2_691,
    ));
  test("a data URL is read", () =>
    check(
      "openai-chat",
      "gpt-4o",
      { ...square, source: { type: "url", url: `data:image/png;base64,${png(500, 500)}` } },
      255,
    ));
});

describe("documents and recordings", () => {
  const pdf = (body: string): string => Buffer.from(`%PDF-1.7\n${body}`, "latin1").toString("base64");
  const media = (kind: MediaPart["kind"], data: string, mediaType?: string): MediaPart => ({
    type: "media",
    kind,
    source: { type: "base64", data },
    ...(mediaType === undefined ? {} : { mediaType }),
  });

  test("pages as the page tree says", () => {
    expect(pdfPages(pdf(`<< /Type /Pages /Count 37 >>${" ".repeat(50_000)}`))).toBe(37);
    expect(pdfPages(pdf(`${" ".repeat(50_000)}<< /Type /Pages /Count 5 /Kids [] >> << /Count 12 >>`))).toBe(12);
    expect(pdfPages(pdf("<< /Linearized 1 /N 8 >>"))).toBe(8);
  });
  test("pages by size where the file does not say", () => expect(pdfPages(pdf("x".repeat(240_000)))).toBe(5));
  test("a page costs its picture and its text", () =>
    expect(
      mediaTokens("anthropic-messages", "claude-opus-4-6")(media("document", pdf("<< /Count 2 >>"))) / 2,
    ).toBeGreaterThan(1_500));
  test("a page costs 258 with Gemini 2", () =>
    expect(mediaTokens("gemini", "gemini-2.0-flash")(media("document", pdf("<< /Count 3 >>")))).toBe(3 * 258));
  test("a text file costs its text", () =>
    expect(
      mediaTokens("anthropic-messages")(
        media("document", Buffer.from("x".repeat(4_000)).toString("base64"), "text/plain"),
      ),
    ).toBe(1_000));
  test("sound by its length", () => {
    const tenSeconds = media("audio", Buffer.alloc(160_000).toString("base64"));
    expect(mediaTokens("gemini", "gemini-2.5-pro")(tenSeconds)).toBe(320);
    expect(mediaTokens("openai-chat")(tenSeconds)).toBe(100);
  });
  test("an uncompressed recording states its rate", () => {
    const header = Buffer.alloc(44);
    header.write("RIFF", 0, "latin1");
    header.write("WAVE", 8, "latin1");
    header.writeUInt32LE(32_000, 28);
    const wave = Buffer.concat([header, Buffer.alloc(320_000 - 44)]).toString("base64");
    expect(mediaTokens("gemini")(media("audio", wave))).toBe(320);
  });
  test("a film by its length", () =>
    expect(mediaTokens("gemini", "gemini-2.5-pro")(media("video", Buffer.alloc(2_500_000).toString("base64")))).toBe(
      2_630,
    ));
});
