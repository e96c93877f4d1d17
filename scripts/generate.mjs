// npm run generate: writes what ships as files (prompt templates, personas, strategies, …) into modules, so that nothing
// of it is read or parsed at run time, and the pages of docs/reference. With --check it writes nothing and exits 1 where
// something is stale.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { parse } from "yaml";
import { root } from "./root.mjs";

const HEAD = "// Written by `npm run generate` from the files in this folder: change those.\n";

/** @param {string} path */
const read = (path) => readFileSync(join(root, path), "utf8");

/** The paths of a folder's files with this ending, by name. @param {string} folder @param {string} ending */
const filesIn = (folder, ending) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(ending))
    .sort()
    .map((file) => `${folder}/${file}`);

/** The texts of a folder of templates, by name. @param {string} folder */
function templates(folder) {
  const texts = filesIn(folder, ".md").map((path) => [basename(path, extname(path)), read(path)]);
  return `${HEAD}export const texts = ${JSON.stringify(Object.fromEntries(texts), undefined, 2)};\n`;
}

/** What the files of a folder and its subfolders say, as data. @param {string} folder */
function defaults(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  const kinds = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const lines = ["files", ...kinds].map((kind) => {
    const rows = filesIn(kind === "files" ? folder : `${folder}/${kind}`, ".yaml").map((path) => {
      const trim = (/** @type {unknown} */ _, /** @type {unknown} */ value) =>
        typeof value === "string" ? value.trim() : value;
      const data = parse(read(path), trim, { version: "1.2", schema: "core" });
      return `    "${basename(path)}": ${JSON.stringify(data)},\n`;
    });
    return `  ${kind}: {\n${rows.join("")}  },\n`;
  });
  const type = "Readonly<Record<string, Readonly<Record<string, unknown>>>>";
  return `${HEAD}export const builtIn: ${type} = {\n${lines.join("")}};\n`;
}

/** The type of a word: a text, or what fills its gaps; of a group, the type of each in it. @param {unknown} word @returns {string} */
function wordType(word) {
  if (word instanceof Object && !("other" in word && String(word.other).includes("{"))) {
    const name = (/** @type {string} */ key) => (/^[a-z]\w*$/i.test(key) ? key : `"${key}"`);
    const rows = Object.entries(word).map(([key, own]) => `readonly ${name(key)}: ${wordType(own)}`);
    return `{ ${rows.join("; ")} }`;
  }
  const found = [...JSON.stringify(word).matchAll(/\{(\w+)\}/g)].map(([, gap]) => gap);
  const gaps = [...new Set(found)].map((gap) => `${gap}: ${gap === "n" ? "number" : "string"}`);
  if (gaps.length < 2) return gaps.length === 0 ? "string" : `(${gaps[0]}) => string`;
  return `(gaps: { ${gaps.map((gap) => `readonly ${gap}`).join("; ")} }) => string`;
}

/** What words a folder has, by its English file, and where each language is loaded from. @param {string} folder */
function words(folder) {
  const type = wordType(JSON.parse(read(`${folder}/en.json`)));
  const isFirst = folder === "src/web/words";
  const files = filesIn(folder, ".json")
    .map((path) => basename(path, ".json"))
    // The page begins in English: these words are in it.
    .filter((language) => !isFirst || language !== "en")
    .map((language) => `${language}: () => import("./${language}.json")`)
    .join(", ");
  if (folder.startsWith("src/features/"))
    return `${HEAD}import { inLanguage } from "../../../web/strings.ts";
export const words = await inLanguage<${type}>({ ${files} });\n`;
  return `${HEAD}export type ${isFirst ? "First" : "More"}Words = ${type};
export const files = { ${files} };\n`;
}

/** The comment above each setting, by its key: what help and the API say of it. */
function sentences() {
  const source = read("src/config/settings.ts");
  const own = source.slice(source.indexOf("export const settingTypes"));
  const rows = [...own.matchAll(/^ {2}\/\*\* (.*) \*\/\n {2}([a-zA-Z]+):/gm)].map(
    ([, comment, key]) => `  ${key}: ${JSON.stringify(comment)},\n`,
  );
  return `// Written by \`npm run generate\` from the comments of settings.ts: change those.
import type { SettingKey } from "./settings.ts";

export const sentences: { readonly [key in SettingKey]: string } = {
${rows.join("")}};
`;
}

/** The pages of docs/reference: made by a process of its own, since they are read from the program itself. */
function referencePages() {
  const args = ["--import", "tsx", join(root, "scripts/reference.mjs")];
  const printed = execFileSync(process.execPath, args, { cwd: root, encoding: "utf8", maxBuffer: 1e8 });
  return Object.entries(JSON.parse(printed)).map(([path, text]) => ({ path, text: String(text) }));
}

/** @param {readonly { path: string, text: string }[]} files */
const staleOf = (files) =>
  files.filter(({ path, text }) => !existsSync(join(root, path)) || read(path) !== text);

const folders = readdirSync(join(root, "src"), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ parentPath, name }) => `${relative(root, parentPath).replaceAll(sep, "/")}/${name}`);
const modules = [
  ...folders
    .filter((folder) => folder.endsWith("/templates"))
    .map((folder) => ({ path: `${folder}/index.ts`, text: templates(folder) })),
  ...folders
    .filter((folder) => existsSync(join(root, folder, "en.json")))
    .map((folder) => ({ path: `${folder}/index.ts`, text: words(folder) })),
  { path: "src/config/defaults/index.ts", text: defaults("src/config/defaults") },
  { path: "src/config/setting-sentences.ts", text: sentences() },
];
const isCheck = process.argv.includes("--check");
/** @param {readonly { path: string, text: string }[]} files */
function update(files) {
  for (const { path, text } of staleOf(files)) {
    if (isCheck) {
      process.stdout.write(`${path} is stale: run npm run generate\n`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
  }
}
update(modules);
// The program that the pages describe is made of the modules above.
update(referencePages());
