/** Bundles the page of the dashboard: one script and one style sheet, from which it runs without any other host. */

import { readFileSync } from "node:fs";
import { defineConfig } from "rolldown";

const STYLES = [
  "node_modules/uplot/dist/uPlot.min.css",
  ...["base", "lists", "views"].map((name) => `src/dashboard/page/${name}.css`),
];

export default defineConfig({
  input: { page: "src/dashboard/page/main.tsx" },
  platform: "browser",
  output: { dir: "src/dashboard/built", minify: true },
  tsconfig: "src/dashboard/page/tsconfig.json",
  plugins: [
    {
      name: "styles",
      generateBundle() {
        const source = STYLES.map((file) => readFileSync(file, "utf8")).join("\n");
        this.emitFile({ type: "asset", fileName: "page.css", source });
      },
    },
  ],
});
