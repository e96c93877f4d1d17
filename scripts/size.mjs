// npm run size: product source, files and lines a folder, against the ceiling that all of it has.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root as repository } from "./root.mjs";

/** Product source: TypeScript without tests, and without the published test kit. @typedef {{ files: number, lines: number }} Size */

/** The ceiling. It is lowered where a change makes room, and not raised. @returns {Size} */
export const readCeiling = (root = repository) =>
  JSON.parse(readFileSync(join(root, "scripts", "size-budget.json"), "utf8"));

/** What there is by folder of `src/`; `(files)` are those directly in it. @returns {Record<string, Size>} */
export function measure(root = repository) {
  const source = join(root, "src");
  /** @type {Map<string, Size>} */
  const sizes = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = relative(source, join(entry.parentPath, entry.name));
    if (!entry.isFile() || !/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path)) continue;
    const [first = "", ...rest] = path.split(sep);
    const folder = rest.length > 0 ? first : "(files)";
    if (folder === "testing") continue;
    const size = sizes.get(folder) ?? { files: 0, lines: 0 };
    size.files += 1;
    size.lines += readFileSync(join(source, path), "utf8").split("\n").length - 1;
    sizes.set(folder, size);
  }
  return Object.fromEntries(sizes);
}

/** @param {Record<string, Size>} sizes @returns {Size} */
export const sumOf = (sizes) => ({
  files: Object.values(sizes).reduce((all, { files }) => all + files, 0),
  lines: Object.values(sizes).reduce((all, { lines }) => all + lines, 0),
});

/** What is over the ceiling, a line each. @param {Size} sum @param {Size} ceiling */
export const overCeiling = (sum, ceiling) =>
  /** @type {const} */ (["files", "lines"]).flatMap((what) =>
    sum[what] > ceiling[what]
      ? [`src: ${sum[what]} ${what}, ${ceiling[what]} allowed: delete or merge; the ceiling is not raised`]
      : [],
  );

if (process.argv[1] === import.meta.filename) {
  const sizes = measure();
  const sum = sumOf(sizes);
  const ceiling = readCeiling();
  for (const [folder, { files, lines }] of Object.entries({ ...sizes, all: sum, ceiling }))
    process.stdout.write(
      `${folder.padEnd(10)}${String(files).padStart(5)} files${String(lines).padStart(8)} lines\n`,
    );
  const problems = overCeiling(sum, ceiling);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
