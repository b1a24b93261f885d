/** Links between the documents lead somewhere: the file is there, and so is the heading. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const documents = globSync(["*.md", "docs/**/*.md"], { cwd: root });

/** As GitHub makes anchors of headings. */
function anchorsOf(path: string): readonly string[] {
  const headings = [...readFileSync(path, "utf8").matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

function isBroken(document: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? join(root, document) : join(root, dirname(document), file);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsOf(target).includes(anchor);
}

test.each(documents)("%s", (document) => {
  const text = readFileSync(join(root, document), "utf8");
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  const own = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(own.filter((link) => isBroken(document, link))).toEqual([]);
});
