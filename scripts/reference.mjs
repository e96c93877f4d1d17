// Prints the generated pages of docs/reference as one JSON object, path to text. `npm run generate` runs it through tsx.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { format, resolveConfig } from "prettier";
import { runProgram } from "../src/command.ts";
import { readHint } from "../src/config/explain.ts";
import { sentences } from "../src/config/setting-sentences.ts";
import {
  completeSettings,
  isFileSetting,
  settingKeys,
  settingTypes,
  settingVariable,
} from "../src/config/settings.ts";
import { root } from "./root.mjs";

// Each run of the program listens to both.
process.stdout.setMaxListeners(0);
process.stderr.setMaxListeners(0);

const HEAD = "<!-- Written by `npm run generate`: do not edit. -->\n\n";

/** What a command line prints. @param {string[]} args */
async function outputOf(args) {
  const write = process.stdout.write;
  let text = "";
  process.stdout.write = (/** @type {string | Uint8Array} */ chunk, /** @type {unknown[]} */ ...rest) => {
    text += chunk.toString();
    for (const done of rest) if (typeof done === "function") done();
    return true;
  };
  try {
    await runProgram(args.length === 0 ? ["help", "more"] : [...args, "--help"]);
  } finally {
    process.stdout.write = write;
  }
  return text.trimEnd();
}

/** The help of a command and of all below it. @param {string[]} path @returns {Promise<string[]>} */
async function sections(path) {
  const help = await outputOf(path);
  const title = `## ${["parley", ...path].map((word) => `\`${word}\``).join(" ")}`;
  const own = `${title.replaceAll("` `", " ")}\n\n\`\`\`text\n${help}\n\`\`\`\n`;
  const names = [...help.matchAll(/^ {2}([a-z][a-z-]*) {2,}\S/gm)].map(([, name]) => String(name));
  const below = [];
  for (const name of names) if (name !== "help") below.push(...(await sections([...path, name])));
  return [own, ...below];
}

async function commandsPage() {
  const all = await sections([]);
  return `# Commands\n\nWhat \`parley help more\` and \`parley COMMAND --help\` print; \`parley --help\` has the commands that most people need.\n\n${all.join("\n")}`;
}

/** @param {string} text */
const cell = (text) => text.replaceAll("|", String.raw`\|`);

/** @param {unknown} value */
const valueText = (value) =>
  value === undefined || JSON.stringify(value) === "[]" || JSON.stringify(value) === "{}"
    ? ""
    : `\`${Array.isArray(value) ? value.join(",") : JSON.stringify(value).replaceAll('"', "")}\``;

function settingsPage() {
  const defaults = completeSettings({});
  const rows = [...settingKeys].map(([name, setting]) => {
    const hint = readHint(settingTypes[setting]);
    const variable = isFileSetting(setting) ? "files only" : `\`${settingVariable(name)}\``;
    const example = hint?.example === undefined ? "" : `\`${hint.example}\``;
    return `| \`${name}\` | ${[sentences[setting], hint?.expects ?? "", example, valueText(defaults[setting]), variable].map(cell).join(" | ")} |`;
  });
  return `# Settings

A setting is read from a command's flags, then from the environment, then from the project's \`parley.yaml\`, then from
the user's. \`parley config\` prints each value and where it came from. [commands.md](commands.md) lists the flags.
What a project's file may set by itself is in [configuration and trust](../guides/configuration.md).

| setting | what it is | expected value | example | default | variable |
| --- | --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Every source file below a folder. @param {string} folder @returns {string[]} */
const sourcesIn = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory()
        ? sourcesIn(`${folder}/${entry.name}`)
        : /(?<![.]test)[.]ts$/.test(entry.name)
          ? [`${folder}/${entry.name}`]
          : [],
    );

/** One entry: the tag, what it says, what is lost when it breaks, and the file that keeps it. */
function invariants() {
  const start = /^\s*(?:\/\/|\*|\/\*\*) ([A-Z]{2,}-\d+)\. (.*)$/;
  return sourcesIn("src").flatMap((path) => {
    const lines = readFileSync(join(root, path), "utf8").split("\n");
    return lines.flatMap((line, index) => {
      const found = start.exec(line);
      if (!found) return [];
      const [, tag = "", first = ""] = found;
      const rest = [];
      for (const next of lines.slice(index + 1)) {
        const more = /^\s*(?:\/\/|\*) {2,}(\S.*)$/.exec(next);
        if (!more) break;
        rest.push(more[1]);
      }
      const whole = [first, ...rest].join(" ").replace(/\s*\*\/$/, "");
      const [text = "", lost = ""] = whole.split(" Else: ");
      return [{ path, tag, text, lost: lost.charAt(0).toUpperCase() + lost.slice(1) }];
    });
  });
}

function invariantsPage() {
  const rows = invariants();
  const paths = [...new Set(rows.map(({ path }) => path))];
  const lists = paths.map((path) => {
    const own = rows.filter((row) => row.path === path);
    const cells = own.map(
      ({ tag, text, lost }) => `| **${tag}** | ${cell(text).replaceAll("<", "&lt;")} | ${cell(lost)} |`,
    );
    return `## \`${path}\`\n\n| tag | invariant | lost when it breaks |\n| --- | --- | --- |\n${cells.join("\n")}\n`;
  });
  return `# Invariants

An invariant is what loses data, money or secrecy when it breaks. Each is stated in the file that keeps it, and a test cites its tag.

${lists.join("\n")}`;
}

function schemasPage() {
  const rows = readdirSync(join(root, "schemas"))
    .sort()
    .map((file) => {
      const { title, description } = JSON.parse(readFileSync(join(root, "schemas", file), "utf8"));
      return `| [${file}](../../schemas/${file}) | ${cell(description ?? title ?? "")} |`;
    });
  return `# JSON schemas

What \`--json\` prints about an answer, a measurement or memory fits one of these; absent values are printed as \`null\`.
The short objects and rows of \`list\`, \`replay\`, \`feedback\`, \`models\`, \`config\`, \`trust\` and \`doctor\`, and what
\`export\` prints, have no published schema.

| schema | what it describes |
| --- | --- |
${rows.join("\n")}
`;
}

const pages = {
  "docs/reference/commands.md": await commandsPage(),
  "docs/reference/settings.md": settingsPage(),
  "docs/reference/invariants.md": invariantsPage(),
  "docs/reference/schemas.md": schemasPage(),
};
const options = await resolveConfig(join(root, "docs/reference/commands.md"));
const entries = await Promise.all(
  Object.entries(pages).map(async ([path, text]) => [
    path,
    await format(HEAD + text, { ...options, parser: "markdown" }),
  ]),
);
process.stdout.write(JSON.stringify(Object.fromEntries(entries)));
