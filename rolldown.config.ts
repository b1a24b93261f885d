/**
 * Bundles the entry points of the package. A program needs long to find and load hundreds of small files, so modules that are loaded
 * together go into one file. Modules that are loaded only on demand (commands, stores) keep their own files.
 */

import { defineConfig } from "rolldown";
import manifest from "./package.json" with { type: "json" };

const built = [...Object.values(manifest.exports), ...Object.values(manifest.bin)].filter((file) =>
  file.endsWith(".js"),
);

export default defineConfig({
  input: Object.fromEntries(built.map(entryOf)),
  platform: "node",
  external: Object.keys(manifest.peerDependencies).map((name) => new RegExp(`^${name}(?:/|$)`)),
  // Not minified, so that people can read stack traces.
  output: { dir: "dist", chunkFileNames: "chunks/[name].js", comments: false },
});

/** `./dist/stores/jsonl.js` is built from `src/stores/jsonl.ts`. */
function entryOf(file: string): [name: string, source: string] {
  const name = file.slice("./dist/".length, -".js".length);
  return [name, `src/${name}.ts`];
}
