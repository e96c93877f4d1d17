// npm run size: product source by floor and by feature, each against its own ceiling, and the floors and all against theirs.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { root as repository } from "./root.mjs";

/** Product source: TypeScript and CSS without tests and the published test kit, and the lines of the page's words. @typedef {{ files: number, lines: number }} Size */
/** By row, with `floors` (all but features) and `all`. @typedef {Record<string, Size>} Sizes */

const FILE = join("scripts", "size-budget.json");

/** The ceilings. They are lowered where a change makes room, and not raised. @returns {Sizes} */
export const readCeilings = (root = repository) => JSON.parse(readFileSync(join(root, FILE), "utf8"));

/** What there is by folder of `src/` and by feature; `(files)` are those directly in `src/`. @returns {Sizes} */
export function measure(root = repository) {
  const source = join(root, "src");
  /** @type {Map<string, Size>} */
  const sizes = new Map();
  for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
    const path = relative(source, join(entry.parentPath, entry.name));
    const isWords = /\bwords(?:-more)?[/\\][\w-]+\.json$/.test(path);
    if (!entry.isFile() || !(isWords || /\.(?:tsx?|css)$/.test(path)) || /\.test\.tsx?$/.test(path)) continue;
    const [first = "", second = "", ...rest] = path.split(sep);
    if (first === "testing") continue;
    const isFeature = first === "features" && rest.length > 0;
    const lines = readFileSync(join(source, path), "utf8").split("\n").length - 1;
    const row = isFeature ? `features/${second}` : second === "" ? "(files)" : first;
    for (const name of [row, "all", ...(isFeature ? [] : ["floors"])]) {
      const size = sizes.get(name) ?? { files: 0, lines: 0 };
      sizes.set(name, { files: size.files + (isWords ? 0 : 1), lines: size.lines + lines });
    }
  }
  return Object.fromEntries([...sizes].sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What is over its ceiling or has none, a line each. @param {Sizes} sizes @param {Sizes} ceilings */
export const overCeilings = (sizes, ceilings) =>
  Object.entries(sizes).flatMap(([row, size]) => {
    const ceiling = new Map(Object.entries(ceilings)).get(row);
    if (!ceiling) return [`${row}: no ceiling; give it one, and lower the row that it came from`];
    return /** @type {const} */ (["files", "lines"]).flatMap((what) =>
      size[what] > ceiling[what]
        ? [
            `${row}: ${size[what]} ${what}, ${ceiling[what]} allowed: delete or merge; the ceiling is not raised`,
          ]
        : [],
    );
  });

if (process.argv[1] === import.meta.filename) {
  const sizes = measure();
  // A change that made room keeps it: --lower writes what there is, where that is less.
  if (process.argv.includes("--lower")) {
    const before = readCeilings();
    const rows = Object.entries(sizes).map(([row, { files, lines }]) => {
      const { files: most = files, lines: highest = lines } = before[row] ?? {};
      return [row, { files: Math.min(files, most), lines: Math.min(lines, highest) }];
    });
    writeFileSync(join(repository, FILE), `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`);
  }
  for (const [row, { files, lines }] of Object.entries(sizes))
    process.stdout.write(
      `${row.padEnd(24)}${String(files).padStart(5)} files${String(lines).padStart(8)} lines\n`,
    );
  const problems = overCeilings(sizes, readCeilings());
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
