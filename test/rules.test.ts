import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { features as shipped } from "../src/features.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-rules-"));
  await put("package.json", '{ "type": "module" }');
});

afterEach(() => rm(folder, { recursive: true, force: true }));

async function put(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** What one of the project's tools says on stdout of the planted tree; its exit code adds nothing to that. */
function run(tool: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, "node_modules", tool), ...args], { cwd: folder }, (_, stdout) =>
      resolve(stdout),
    );
  });
}

const Report = z.object({
  diagnostics: z.array(z.object({ code: z.string().optional(), message: z.string(), filename: z.string() })),
});

/** The names of the lint rules that each planted file breaks, under the project's own configuration. */
async function brokenRules(files: Record<string, string>): Promise<Record<string, string[]>> {
  await copyFile(join(root, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  const typeRoots = [join(root, "node_modules", "@types")];
  await put(
    "tsconfig.json",
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: { typeRoots },
      include: ["src"],
    }),
  );
  for (const [path, text] of Object.entries(files)) await put(path, text);
  const { diagnostics } = Report.parse(JSON.parse(await run("oxlint/bin/oxlint", ["--format", "json"])));
  const broken: Record<string, string[]> = {};
  for (const { code, message, filename } of diagnostics) (broken[filename] ??= []).push(code ?? message);
  for (const rules of Object.values(broken)) rules.sort();
  return broken;
}

it("lint catches what the house rules forbid", async () => {
  const planted: Record<string, string> = {
    "typescript(no-explicit-any)": "export const a = (b: any): unknown => b;",
    "typescript(no-non-null-assertion)": "export const a = (b: string | null): string => b!;",
    "typescript(switch-exhaustiveness-check)": `export function a(b: "x" | "y") {
      switch (b) { case "x": return 1; }
      return 2;
    }`,
    "typescript(no-floating-promises)": "export function a(b: () => Promise<void>) { b(); }",
    "typescript(no-misused-promises)":
      "export const a = (b: Promise<boolean>) => { if (b) return 1; return 2; };",
    "typescript(await-thenable)": "export async function a(b: number) { await b; }",
    "typescript(only-throw-error)": "export function a(): never { throw 'text'; }",
    "typescript(consistent-type-imports)": `import { Readable } from "node:stream";
      export const a = (b: Readable): unknown => b;`,
    "eslint(max-lines)": "export {};\n".repeat(401),
    "eslint(max-params)": "export const a = (b: 1, c: 2, d: 3, e: 4) => [b, c, d, e];",
    "eslint(no-console)": "export const a = () => console.log(1);",
  };
  const rules = Object.keys(planted);
  const path = (rule: string) => `src/engine/${rule.replace(/\W/g, "-")}.ts`;
  const broken = await brokenRules(
    Object.fromEntries(rules.map((rule) => [path(rule), planted[rule] ?? ""])),
  );
  for (const rule of rules) expect(broken[path(rule)]).toContain(rule);
});

it("lint keeps clocks and chance out of the pure folders, and a stopwatch out of tests", async () => {
  const text =
    "export const a = [Date.now(), new Date(), Math.random(), performance.now(), crypto.randomUUID()];\n";
  const pure = [
    ...["kernel", "replies", "stats", "text", "views", "protocols/council", "prompts"],
    "features/poll/reactor",
  ];
  const files = [...pure, "engine"].flatMap((layer) => [
    [`src/${layer}/planted.ts`, text],
    [`src/${layer}/planted.test.ts`, text],
  ]);
  const four = Array.from({ length: 4 }, () => "eslint(no-restricted-globals)");
  const every = [...four, "eslint(no-restricted-properties)"];
  const timed = [...pure, "engine"].map((layer) => [`src/${layer}/planted.test.ts`, four.slice(0, 1)]);
  expect(await brokenRules(Object.fromEntries(files))).toEqual(
    Object.fromEntries([...pure.map((layer) => [`src/${layer}/planted.ts`, every]), ...timed]),
  );
});

it("lint lets the command line print, and tests be longer", async () => {
  const broken = await brokenRules({
    "src/cli/main.ts": "console.log(1);\nexport {};\n",
    "src/engine/long.test.ts": "export const a = 1;\n" + "// line\n".repeat(599),
    "src/engine/longer.test.ts": "export const a = 1;\n" + "// line\n".repeat(600),
  });
  expect(broken).toEqual({ "src/engine/longer.test.ts": ["eslint(max-lines)"] });
});

it("compiles the kernel without Node and without a browser", async () => {
  const include = ["src/kernel", join(root, "types")];
  await put("tsconfig.json", JSON.stringify({ extends: join(root, "tsconfig.kernel.json"), include }));
  await put("src/kernel/fine.ts", "export const a = (signal: AbortSignal) => signal.aborted;\n");
  expect(await run("typescript/bin/tsc", ["--project", "."])).toBe("");
  const names = ["process", "window", "document", "Buffer", "fetch", "setTimeout"];
  await put("src/kernel/planted.ts", `import "node:fs";\n${names.map((name) => `void ${name};\n`).join("")}`);
  const said = await run("typescript/bin/tsc", ["--project", "."]);
  for (const name of [...names, "node:fs"]) expect(said).toMatch(new RegExp(`planted.*['"]${name}['"]`));
});

it("gives no type name two meanings, and names limits MAX_ and MIN_", async () => {
  const names = await readdir(join(root, "src"), { recursive: true });
  const places = new Map<string, Set<string>>();
  const limits: string[] = [];
  for (const name of names.filter((one) => one.endsWith(".ts") && !one.endsWith(".test.ts"))) {
    const text = await readFile(join(root, "src", name), "utf8");
    for (const [, type = ""] of text.matchAll(/^(?:export )?(?:class|type|interface) (\w+)/gm))
      places.set(type, (places.get(type) ?? new Set()).add(name));
    for (const [limit] of text.matchAll(/\b(?:MOST|LEAST|LONGEST|SHORTEST|FEWEST|DEEPEST|LARGEST)_[A-Z]\w*/g))
      limits.push(`${name}: ${limit}`);
  }
  const shared = [...places].filter(([, files]) => files.size > 1).map(([type, files]) => [type, ...files]);
  expect(places.size).toBeGreaterThan(700);
  expect(shared).toEqual([]);
  expect(limits).toEqual([]);
});

it("names commands and flags in the command line alone", async () => {
  const names = await readdir(join(root, "src"), { recursive: true });
  // What declares a flag, texts that ship as data, and what has flags of other programs.
  const exempt =
    /^(?:cli\/|testing\/|config\/defaults\/|features\/[\w-]+\/commands\/|features\/stories\/app\/file\.ts$|features\/review\/app\/plant\.ts$|gates\/command\.ts$|models\/programs\.ts$|app\/work-tree\.ts$|text\/unified-diff\.ts$)/;
  const paths = names.filter((name) => /(?<!\.test)\.tsx?$/.test(name) && !exempt.test(name));
  const named = await Promise.all(
    paths.map(async (name) => {
      const text = await readFile(join(root, "src", name), "utf8");
      return text
        .split("\n")
        .filter((line) => !/^\s*(?:\*|\/\/|\/\*)|^[^"'`]*\bflag: |var\(--|:root/.test(line))
        .filter((line) => /["'`].*(?:\bparley [a-z]+ |\bparley [a-z]+["'`]|[\s"'`]--[a-z])/.test(line))
        .filter((line) => !/--paper/.test(line))
        .map((line) => `${name}: ${line.trim()}`);
    }),
  );
  expect(paths.length).toBeGreaterThan(300);
  expect(named.flat()).toEqual([]);
});

it("links signals in one way, which leaves nothing on one that lives on", async () => {
  const names = await readdir(join(root, "src"), { recursive: true });
  const paths = names.filter((name) => /(?<!\.test)\.ts$/.test(name));
  const texts = await Promise.all(
    paths.map(async (name) => ({ name, text: await readFile(join(root, "src", name), "utf8") })),
  );
  expect(texts.flatMap(({ name, text }) => (/AbortSignal\.any\(/.test(text) ? name : []))).toEqual([]);
});

it("reads no table of plain objects by a name from outside", async () => {
  const names = await readdir(join(root, "src"), { recursive: true });
  const paths = names.filter((name) =>
    /^(?:server|app|config|models|protocols|features|tools|web)\/.*(?<!\.test)\.tsx?$/.test(name),
  );
  const open = await Promise.all(
    paths.map(async (name) => {
      const text = await readFile(join(root, "src", name), "utf8");
      const tables = text.matchAll(
        /^(?:export )?const (\w+): (?:\{ readonly \[\w+: string\]|(?:Readonly<)?Record<string,)/gm,
      );
      // What is its own row is asked for first, or the name is written here.
      return [...tables]
        .map(([, table = ""]) => table)
        .filter((table) => new RegExp(`\\b${table}\\[[^"\\]]`).test(text))
        .filter((table) => !text.includes(`Object.hasOwn(${table}, `))
        .map((table) => `${name}: ${table} is a Map, or has Object.hasOwn asked first`);
    }),
  );
  expect(paths.length).toBeGreaterThan(400);
  expect(open.flat()).toEqual([]);
});

it("gives every invariant a tag of its own, what is lost with it, and a test that names it", async () => {
  const page = await readFile(join(root, "docs", "reference", "invariants.md"), "utf8");
  const rows = [...page.matchAll(/^\| \*\*(.*)\*\* *\|(.*)\|(.*)\|$/gm)].map((row) =>
    row.map((one) => one.trim()),
  );
  const tags = rows.map(([, tag = ""]) => tag);
  expect(tags.filter((tag, index) => tags.indexOf(tag) !== index)).toEqual([]);
  expect(rows.filter(([, , said, lost]) => !said || !lost?.endsWith(".")).map(([row]) => row)).toEqual([]);
  const cited = await Promise.all(
    ["src", "test"].map(async (top) => {
      const names = await readdir(join(root, top), { recursive: true });
      const tests = names.filter(
        (name) => /\.test\.tsx?$/.test(name) || (/\.ts$/.test(name) && /^(?:testing|support)\//.test(name)),
      );
      return Promise.all(tests.map((name) => readFile(join(root, top, name), "utf8")));
    }),
  );
  const texts = cited.flat().join("\n");
  expect(tags.filter((tag) => !new RegExp(`\\b${tag}\\b`).test(texts))).toEqual([]);
  expect(tags.length).toBeGreaterThan(100);
  expect(tags.length).toBeLessThanOrEqual(135);
});

/** The names under which a file has its words. */
const wordsIn = (node: unknown): readonly (readonly string[])[] =>
  typeof node === "object" && node !== null && !String((node as { other?: unknown }).other).includes("{")
    ? Object.entries(node).flatMap(([key, child]) => wordsIn(child).map((names) => [key, ...names]))
    : [[]];

it("has no word of the page that the page does not show", async () => {
  const names = await readdir(join(root, "src"), { recursive: true });
  const read = (name: string) => readFile(join(root, "src", name), "utf8");
  const featureOf = (name: string) => /^features\/([\w-]+)\//.exec(name)?.[1];
  const files = names.filter((name) => /\/words(?:-more)?\/en\.json$/.test(name));
  const own = files.map(async (name) => {
    const feature = featureOf(name);
    const words = wordsIn(JSON.parse(await read(name)));
    return feature === undefined ? words : words.map((word) => ["of", feature, ...word]);
  });
  const paths = names.filter(
    (name) =>
      /^(?:web|features\/[\w-]+\/screens)\/.*\.tsx?$/.test(name) && !/strings|\/words|\.test\./.test(name),
  );
  const texts = paths.map(async (name) => {
    const feature = featureOf(name);
    const text = await read(name);
    return feature === undefined ? text : text.replaceAll(/\bwords\b(?=[.[])/g, `t.of.${feature}`);
  });
  const sources = (await Promise.all(texts)).join("\n");
  const words = (await Promise.all(own)).flat();
  const unused = words.filter((word) => {
    // A word is named, or one of those that it stands among is chosen by what is shown.
    const named = word.map((_, at) => ["t", ...word.slice(0, at + 1)].join(String.raw`\.`));
    return !named.some((name, at) =>
      new RegExp(at + 1 === word.length ? `${name}\\b` : `${name}\\b(?:\\.map\\b|[^.\\w])`).test(sources),
    );
  });
  expect(unused.map((word) => word.join("."))).toEqual([]);
  expect(words.length).toBeGreaterThan(500);
});

/** Commands of features beside others of the same word. */
const SHARED_GROUPS = ["memory", "personas", "votes"];

it("names a feature in its own folder and in the two lists alone", async () => {
  const features = await readdir(join(root, "src", "features"), { withFileTypes: true });
  const owned = features.flatMap((one) => (one.isDirectory() ? one.name : []));
  expect(owned.length).toBeGreaterThan(0);
  const names = await readdir(join(root, "src"), { recursive: true });
  const others = names.filter(
    (name) => /(?<!\.test)\.tsx?$/.test(name) && !/^(?:features\/[\w-]+\/|features(?:-web)?\.ts$)/.test(name),
  );
  // What ships under a feature's own name or what they have measured, and what is data.
  const exempt = (name: string) =>
    owned.includes(name.replace(/\.ts$/, "")) ||
    ["internal.ts", "lab.ts", "protocol-kit.ts", "views.ts"].includes(name) ||
    name.startsWith("config/defaults/") ||
    name.endsWith("templates/index.ts");
  const paths = z.array(z.object({ path: z.string() })).default([]);
  const { features: screens } = z
    .object({ features: z.array(z.object({ screens: paths, views: paths })) })
    .parse(await import(pathToFileURL(join(root, "src", "features-web.ts")).href));
  // Words that the floors have as well, and what features bring: no import, and no row of a table.
  const words = [
    "ask",
    "bench",
    "contributions",
    "debate",
    "judging",
    "mcp",
    "memory",
    "respond",
    "review",
    "votes",
  ];
  const brought = [
    ...shipped.flatMap(({ protocols = {}, surfaces = {}, commands = [] }) => [
      ...[...Object.keys(protocols), ...Object.keys(surfaces)],
      ...commands.map(({ name }) => name).filter((name) => !SHARED_GROUPS.includes(name)),
    ]),
    ...screens.flatMap(({ screens: own, views }) => [...own, ...views].map(({ path }) => path)),
  ].filter((name) => !/^(?:personas?|seats?|inbox)$/.test(name)); // These are data and methods of the handle, too.
  const row = (one: string) =>
    new RegExp(
      [
        String.raw`^\s*"?${one}"?: (?:async )?\(`,
        `name: "${one}", summary|path: "${one}"|defineCommand\\("${one}[ "]`,
        `features/${one}/`,
      ].join("|"),
      "m",
    );
  const reactors = shipped.flatMap((one) => (one.reactors ?? []).map(({ name }) => name));
  const loaded = (one: string) => new RegExp(`name: "${one}",\\s*load:`);
  const found = await Promise.all(
    others
      .filter((name) => !exempt(name))
      .map(async (name) => {
        const text = (await readFile(join(root, "src", name), "utf8")).replaceAll(
          /\/\*[^]*?\*\/|^\s*\/\/.*$/gm,
          "",
        );
        const pattern = (one: string) =>
          new RegExp(`["'\`/]${one}["'\`/]|\\b${one}\\??:|\\.${one}\\b|import\\b.*\\b${one}\\b`, "i");
        return [
          ...owned.filter((one) => ![...words, "seats"].includes(one) && pattern(one).test(text)),
          ...[...words, ...brought].filter((one) => row(one).test(text)),
          ...reactors.filter((one) => loaded(one).test(text)),
        ].map((one) => `${name} names ${one}`);
      }),
  );
  expect(found.flat()).toEqual([]);
});

/** Names of features and of what they bring that are words of the floors as well: these name a protocol only where one is compared with them. */
const WORDS_OF_FLOORS = [
  ...["chat", "contributions", "evaluation", "evolution", "inbox", "judge", "judging", "memory"],
  ...["persona", "personas", "review", "seat", "seats", "test", "votes"],
];

/** Where a floor names a feature in a string, and why. */
const NAMED_IN_STRINGS: Readonly<Record<string, string>> = {
  "app/lookup.ts: bench": "lists find measurements by what recorded requests begin with, and load no feature",
  "app/lookup.ts: authorship": "as bench",
  "app/lookup.ts: trial": "as bench",
  "server/drives.ts: trial": "a sweep finds recorded requests of clients in the same way",
  "app/people.ts: council":
    "names protocols with a seat for people, where to find them would load all of them",
  "app/people.ts: debate": "as council",
  "views/judged-work.ts: judge":
    "a fold that judging, benches and the judge of the API share; no feature knows another",
  "views/needed-texts.ts: judge": "says which texts that fold needs",
  "sim/scripts/judging.ts: authorship":
    "a part of a seed: another word would change what simulated models have said",
  "config/catalog.ts: ask": "what a new pack says until its author writes another protocol",
  "config/catalog.ts: council": "as ask",
  "cli/commands.ts: council": "an example of a value",
  "cli/connect.ts: demo": "a command line to type",
  "cli/question-words.ts: ask": "a command line to type",
  "cli/question-words.ts: council": "a command line to type, which asks several models",
  "cli/session.ts: council": "a command line to type, which asks several models",
  "cli/options.ts: debate":
    "the hidden older spelling of an argument, which other features' runs have as well",
  "web/screens/ask.tsx: ask": "a class of the stylesheet",
};

/** The features, or what they bring, that a file names in strings and keys: whole, in a list with commas, or as a command. */
function namedInStrings(name: string, text: string, brought: readonly string[]): string[] {
  const found = new Set<string>();
  const isNamed = (one: string, value: string, around: ts.Node) => {
    const isCompared = ts.isBinaryExpression(around) && /protocol/i.test(around.getText());
    if (WORDS_OF_FLOORS.includes(one)) return isCompared && value === one;
    const inList = new RegExp(`(?:^|[,:] |\\bor )${one}(?=,|$| or )`);
    const asCommand = new RegExp(
      `\\bparley ${one}\\b|^/${one}\\b|^${one}/|\\b(?:protocol|format):? ${one}\\b`,
    );
    return value === one || asCommand.test(value) || (value.includes(",") && inList.test(value));
  };
  const visit = (node: ts.Node): void => {
    const isPath = ts.isImportDeclaration(node.parent) || ts.isExportDeclaration(node.parent);
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if (isText && !isPath)
      for (const one of brought) if (isNamed(one, node.text, node.parent)) found.add(one);
    const isKey =
      ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node) || ts.isPropertySignature(node);
    // To ask is what many parts do.
    if (
      isKey &&
      ts.isIdentifier(node.name) &&
      node.name.text !== "ask" &&
      !WORDS_OF_FLOORS.includes(node.name.text)
    )
      if (brought.includes(node.name.text)) found.add(node.name.text);
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true), visit);
  return [...found].map((one) => `${name}: ${one}`);
}

it("names no feature, and nothing that one brings, in a string outside of it", async () => {
  const brought = [
    ...new Set(
      shipped.flatMap(({ name, protocols = {}, surfaces = {}, chat = {}, exports, commands = [] }) => [
        ...[name, ...Object.keys(protocols), ...Object.keys(surfaces), ...Object.keys(chat)],
        ...Object.keys(exports?.formats ?? {}),
        ...commands.flatMap((one) => [one.name, ...(one.aliases ?? [])]),
      ]),
    ),
  ];
  expect(brought).toEqual(expect.arrayContaining(["council", "dialectic", "eval", "story", "trial"]));
  const planted: Readonly<Record<string, string>> = {
    'const FORMATS = ["md", "dialectic"];': "dialectic",
    'type Form = "parley" | "dialectic";': "dialectic",
    'if (name === "debate") leave();': "debate",
    'if (opened.protocol.name !== "judge") leave();': "judge",
    "say(`Try: parley forest ${id}`);": "forest",
    'say("one of respond, council or debate");': "council debate",
    'const PREFIXES = ["bench/"];': "bench",
    'const usage = "/council";': "council",
    "const rows = { debate: 1 };": "debate",
    'find("votes"); say("ask them, a council of judges, for a debate"); seat === "judge";': "",
  };
  for (const [line, names] of Object.entries(planted))
    expect([
      line,
      namedInStrings("a.ts", line, brought)
        .map((one) => one.slice("a.ts: ".length))
        .join(" "),
    ]).toEqual([line, names]);
  const names = await readdir(join(root, "src"), { recursive: true });
  const floors = names.filter(
    (name) =>
      /(?<!\.test)\.tsx?$/.test(name) &&
      !/^(?:features\/[\w-]+\/|features(?:-web)?\.ts$|config\/defaults\/)|templates\/index\.ts$/.test(name),
  );
  expect(floors.length).toBeGreaterThan(500);
  const found = await Promise.all(
    floors.map(async (name) =>
      namedInStrings(name, await readFile(join(root, "src", name), "utf8"), brought),
    ),
  );
  expect(found.flat().sort()).toEqual(Object.keys(NAMED_IN_STRINGS).sort());
});

it("gives no function and no constant of a module a bare participle or pronoun for its name", async () => {
  const bare =
    /^(?:[a-z]+ed|said|given|told|shown|found|kept|made|taken|written|known|grown|none|never|alone|own|mine|any|both|put|set|read)$/;
  const nouns = new Set(["seed", "embed", "need", "speed", "feed"]);
  const names = await readdir(join(root, "src"), { recursive: true });
  const bad: string[] = [];
  for (const name of names.filter((one) => /(?<!\.test)\.tsx?$/.test(one) && !one.startsWith("testing/"))) {
    const text = await readFile(join(root, "src", name), "utf8");
    for (const [, word = ""] of text.matchAll(/^(?:export )?(?:async )?(?:function\*?|const|let) (\w+)/gm))
      if (bare.test(word) && !nouns.has(word)) bad.push(`${name}: ${word}`);
  }
  expect(bad).toEqual([]);
});
