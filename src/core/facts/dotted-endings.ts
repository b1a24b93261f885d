/** Endings that make a dotted word a file name or a host. Data only. */

export const FILE_EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "py pyi ts tsx mts cts js jsx mjs cjs json jsonl md mdx ex exs heex erl rs go java kt kts swift c h cc cpp hpp cs rb php pl lua " +
    "toml yml yaml ini cfg conf env lock sh bash zsh ps1 css scss less html htm xml svg vue svelte sql csv tsv txt log pdf " +
    "doc docx xls xlsx ppt pptx png jpg jpeg gif webp mp3 mp4 wav zip gz tar tgz db sqlite ipynb proto graphql tf gradle " +
    "dockerfile diff patch parquet rst tex bib"
  ).split(" "),
);
export const EXTENSION_CHARS_MAX = 10;
export const DOMAINS: ReadonlySet<string> = new Set("com org net io gov edu dev ai app co uk de fr cn jp".split(" "));
