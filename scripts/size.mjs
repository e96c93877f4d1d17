import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root as repository } from "./root.mjs";

/**
 * Files and lines of product source per folder of `src/`: TypeScript without tests. `file` is a row for files directly in
 * `src/`. Raise a row only with a dated reason beside it; lower it when a change makes room.
 *
 * @typedef {{ files: number, lines: number, why?: string }} Budget
 */

/** @returns {{ total: Budget, folders: Record<string, Budget> }} */
export const readBudget = (root = repository) =>
  JSON.parse(readFileSync(join(root, "scripts", "size-budget.json"), "utf8"));

/** What there is, per folder. @param {string} root @returns {Record<string, { files: number, lines: number }>} */
export function measure(root = repository) {
  const source = join(root, "src");
  /** @type {Record<string, { files: number, lines: number }>} */
  const sizes = {};
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = relative(source, join(entry.parentPath, entry.name));
    if (!entry.isFile() || !/\.tsx?$/.test(path) || /\.test\.tsx?$/.test(path)) continue;
    const [first = "", ...rest] = path.split(sep);
    const size = (sizes[rest.length > 0 ? first : "(files)"] ??= { files: 0, lines: 0 });
    size.files += 1;
    size.lines += readFileSync(join(source, path), "utf8").split("\n").length - 1;
  }
  return sizes;
}

/** The name of the row of all product source. */
export const TOTAL = "all but testing";

/** @param {ReturnType<typeof measure>} sizes */
export function sumOf(sizes) {
  const product = Object.entries(sizes).flatMap(([name, size]) => (name === "testing" ? [] : [size]));
  return {
    files: product.reduce((all, { files }) => all + files, 0),
    lines: product.reduce((all, { lines }) => all + lines, 0),
  };
}

/**
 * What is over its budget, a line each; a folder without a row is over it.
 *
 * @param {ReturnType<typeof measure>} sizes @param {ReturnType<typeof readBudget>} budget @returns {string[]}
 */
export function overBudget(sizes, { total, folders }) {
  const rows = [
    ...Object.entries(sizes).map(([name, size]) => ({ name, size, most: folders[name] })),
    { name: TOTAL, size: sumOf(sizes), most: total },
  ];
  return rows.flatMap(({ name, size, most }) => {
    if (!most) return [`src/${name} has no row in scripts/size-budget.json: give it one`];
    return /** @type {const} */ (["files", "lines"]).flatMap((what) =>
      size[what] > most[what]
        ? [
            `src/${name}: ${size[what]} ${what}, ${most[what]} allowed: delete, merge, or raise the row with a dated reason`,
          ]
        : [],
    );
  });
}

if (process.argv[1] === import.meta.filename) {
  const problems = overBudget(measure(), readBudget());
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
