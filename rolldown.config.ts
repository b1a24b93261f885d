/**
 * Builds what the package exports. Hundreds of small files take a program long to find and to load, so that modules that
 * are loaded together stand in one; what is loaded only when it is asked for (commands, stores) keeps files of its own.
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
  // Names stay as they are: a stack trace is read by people.
  output: { dir: "dist", chunkFileNames: "chunks/[name].js", comments: false },
});

/** `./dist/stores/jsonl.js` is built of `src/stores/jsonl.ts`. */
function entryOf(file: string): [name: string, source: string] {
  const name = file.slice("./dist/".length, -".js".length);
  return [name, `src/${name}.ts`];
}
