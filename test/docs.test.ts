import { execFile, spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { built, simServer, somewhere, type Somewhere } from "./e2e/parley.ts";

// Every example of the documentation is run. In a page, in this order:
// - a fence ```LANGUAGE FILE writes its text to FILE in the folder that the page's examples share;
// - a fence ```console runs each line that begins with "$ ", and compares what it prints with the lines below it. "ID" in a
//   command is the latest run. Ids, times and dates are not compared; a command without lines below it has to succeed only.
//   "console providers" runs with keys, and a simulated server in the place of every provider; "console serve" and "ts serve"
//   run beside `parley serve`, with a key in PARLEY_KEY;
// - a fence ```ts is type-checked against the built package and run; "// → text" says what it prints;
// - a fence ```js examples/FILE is that file, which is type-checked here and run by test/examples.test.ts.
// A fence ```sh is not run: it spends money, or needs what a test has not. No fence is without a language.
// UPDATE_DOCS=1 npx vitest run test/docs.test.ts writes what commands print now into the pages.

const root = fileURLToPath(new URL("..", import.meta.url));
const isUpdate = process.env["UPDATE_DOCS"] === "1";
const MAX_COLUMNS = 120;
const MAX_README_LINES = 150;

const pagesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? pagesIn(`${folder}/${entry.name}`)
      : entry.name.endsWith(".md")
        ? [`${folder}/${entry.name}`]
        : [],
  );
const pages = ["README.md", "AGENTS.md", ...pagesIn("docs")];
const read = (page: string) => readFileSync(join(root, page), "utf8");

type Fence = { readonly info: string; readonly text: string };
const fencesIn = (page: string): Fence[] =>
  [...read(page).matchAll(/^```(\S.*)\n([\s\S]*?)^```$/gm)].map(([, info = "", text = ""]) => ({
    info,
    text,
  }));

/** A command of a console block, with what the page says it prints. */
type Example = { readonly command: string; readonly printed: string };
const examplesIn = (text: string): Example[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const lines = part.split("\n");
      let end = 0;
      while (lines[end]?.endsWith("\\")) end += 1;
      return {
        command: lines.slice(0, end + 1).join("\n"),
        printed: lines
          .slice(end + 1)
          .join("\n")
          .trimEnd(),
      };
    });

/** What differs from run to run. */
const comparable = (text: string): string =>
  text
    .replaceAll(/\b(?=[a-z]*\d)[a-z0-9]{12}\b/g, "ID")
    .replaceAll(/\b\d{4}-\d{2}-\d{2}\b/g, "DATE")
    .replaceAll(/\b\d+(\.\d+)? (ms|s)\b/g, "TIME")
    // An id may have no digit: it is known by where it stands then.
    .replaceAll(/(?<=[(;,] ?|^\s+|^Run +| {2})[a-z0-9]{12}(?=[);,]|$)/gm, "ID")
    .replaceAll(/[ \t]+/g, " ")
    .trimEnd();

describe("a page", () => {
  it("fits: the README has at most 150 lines, and no line of text is too long", () => {
    const lines = read("README.md").trimEnd().split("\n").length;
    expect(lines, `README.md has ${lines} lines, of at most ${MAX_README_LINES}`).toBeLessThanOrEqual(
      MAX_README_LINES,
    );
    const generated = (page: string) => page.startsWith("docs/reference/");
    const tooLong = [
      "README.md",
      "AGENTS.md",
      "docs/ARCHITECTURE.md",
      ...pagesIn("docs/guides"),
      ...pagesIn("docs/reference"),
    ]
      .filter((page) => !generated(page))
      .flatMap((page) =>
        read(page)
          // The lines of a fence stay as empty ones, so that a line keeps its number.
          .replaceAll(/^```[\s\S]*?^```$/gm, (fence) => fence.replaceAll(/.+/g, ""))
          .split("\n")
          .flatMap((line, index) =>
            line.length > MAX_COLUMNS && !line.startsWith("|")
              ? [`${page}:${index + 1}: ${line.length} characters, of at most ${MAX_COLUMNS}: ${line}`]
              : [],
          ),
      );
    expect(tooLong).toEqual([]);
  });

  it("says of every fence what it holds, so that no example is passed over", () => {
    const bare = pages.flatMap((page) => {
      const fences = [...read(page).matchAll(/^ *(`{3,}|~{3,})[ \t]*(.*)$/gm)];
      return fences.filter(([, , info], index) => index % 2 === 0 && info === "").map(() => page);
    });
    expect(bare).toEqual([]);
  });

  it("shows an example of a file as it stands there", () => {
    const shown = pages.flatMap((page) =>
      fencesIn(page).flatMap(({ info, text }) => {
        const [, file] = /^js (examples\/\S+)$/.exec(info) ?? [];
        return file === undefined ? [] : [{ page, file, text }];
      }),
    );
    expect(shown).not.toEqual([]);
    for (const { page, file, text } of shown) {
      if (isUpdate)
        writeFileSync(
          join(root, page),
          read(page).replace(text, () => read(file)),
        );
      else expect(text, `${page}: ${file}`).toBe(read(file));
    }
  });

  it("links to what there is", () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = ""]) => {
        const [path = ""] = target.split("#");
        if (/^[a-z]+:/.test(target) || path === "") return [];
        return existsSync(join(root, dirname(page), path)) ? [] : [`${page}: ${target}`];
      }),
    );
    expect(broken).toEqual([]);
  });

  it("has a place in the index of the documentation", () => {
    const index = read("docs/README.md");
    const missing = [...pagesIn("docs/guides"), ...pagesIn("docs/reference")]
      .map((page) => relative("docs", page))
      .filter((page) => !index.includes(`(${page})`));
    expect(missing).toEqual([]);
  });
});

describe("the table of layers in docs/ARCHITECTURE.md", () => {
  it("is the one that is checked", () => {
    const source = readFileSync(join(root, ".dependency-cruiser.cjs"), "utf8");
    const [, table = ""] = /^const layers = \{\n([\s\S]*?)^\};/m.exec(source) ?? [];
    const folders = [...table.matchAll(/^ {2}([a-z]+):/gm)].map(([, folder = ""]) => folder);
    const written = [...read("docs/ARCHITECTURE.md").matchAll(/^\| `([a-z]+)` +\|.*\| *([^|]*?) *\|$/gm)];
    const rows = new Map(written.map(([, folder = "", imports = ""]) => [folder, imports]));
    expect(folders.filter((folder) => !rows.has(folder))).toEqual([]);
    const judging = ["replies", "stats", "text"];
    for (const [, folder = "", list = ""] of table.matchAll(/^ {2}([a-z]+): \[(.*)\],$/gm)) {
      const allowed = [...list.matchAll(/"([a-z]+)"/g)].map(([, name]) => name);
      const all = new Set([...allowed, ...(list.includes("...judging") ? judging : [])]);
      const stated = new Set([...(rows.get(folder) ?? "").matchAll(/`([a-z]+)`/g)].map(([, name]) => name));
      expect({ folder, imports: stated }).toEqual({ folder, imports: all });
    }
  });
});

const pagesWithConsole = pages.filter((page) =>
  fencesIn(page).some(({ info }) => info.startsWith("console")),
);

describe.concurrent("the commands", () => {
  built();
  it.each(pagesWithConsole)(
    "of %s do what it says",
    async (page) => {
      await using own = somewhere();
      let text = read(page);
      const needsServer = fencesIn(page).some(({ info }) => info === "console providers");
      const { url } = needsServer ? await simServer(own) : { url: "" };
      let served: Awaited<ReturnType<typeof serve>> | undefined;
      for (const { info, text: block } of fencesIn(page)) {
        const [language = "", word = ""] = info.split(" ");
        if (language !== "console") {
          if (word !== "") {
            mkdirSync(dirname(join(own.cwd, word)), { recursive: true });
            writeFileSync(join(own.cwd, word), block);
          }
          continue;
        }
        if (word === "serve") served ??= await serve(own);
        let now = "";
        for (const { command, printed } of examplesIn(block)) {
          const ended =
            word === "serve" && served
              ? await inShell(own, command.replaceAll(SERVED, served.url), served.env)
              : await inShell(own, command, word === "providers" ? keysFor(url) : {});
          const problem = ended.code === 0 ? "" : ended.stderr;
          expect({ code: ended.code, problem }, `${page}: ${command}`).toEqual({ code: 0, problem: "" });
          if (printed !== "" && !isUpdate)
            expect(comparable(ended.stdout), command).toBe(comparable(printed));
          now += `$ ${command}\n${printed === "" ? "" : `${ended.stdout.trimEnd()}\n`}`;
        }
        if (isUpdate) text = text.replace(block, () => now);
      }
      if (isUpdate) writeFileSync(join(root, page), text);
    },
    180_000, // the guide of bench asks 400 questions three times
  );
});

/** Where examples reach the server. */
const SERVED = "http://127.0.0.1:7317";

/** `parley serve` on a free port, and a key for it. */
async function serve(own: Somewhere) {
  const { stdout } = await own.run(["serve", "keys", "new", "docs"]);
  const running = own.start(["serve", "--simulated", "--port", "0"]);
  const link = await running.seen("stdout", /http:\S+/);
  return { url: new URL(/http:\S+/.exec(link)?.[0] ?? "").origin, env: { PARLEY_KEY: stdout.trim() } };
}

/** Keys, and the addresses of a server that answers for every provider whose address can be set. */
const keysFor = (url: string): Readonly<Record<string, string>> => ({
  OPENAI_API_KEY: "simulated",
  OPENAI_BASE_URL: `${url}/v1`,
  ANTHROPIC_API_KEY: "simulated",
  ANTHROPIC_BASE_URL: url,
  OPENROUTER_API_KEY: "simulated",
  OPENROUTER_BASE_URL: `${url}/v1`,
  OLLAMA_HOST: url,
});

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Runs a line of a page in bash, where `parley` and `npm start --` are the built command. */
async function inShell(
  { cwd, folder, home, run }: Somewhere,
  command: string,
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  let line = command.replace(/(^|\s)npm start --/g, "$1parley");
  if (/\bID\b/.test(line)) {
    const { stdout } = await run(["list", "--limit", "1"]);
    line = line.replaceAll(/\bID\b/g, /^[a-z0-9]{12}/m.exec(stdout)?.[0] ?? "none");
  }
  const script = `parley() { "${process.execPath}" "${join(root, "dist/cli.mjs")}" "$@"; }\nset -e -o pipefail\n${line}`;
  const child = spawn("bash", ["-c", script], {
    cwd,
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      PARLEY_HOME: home,
      COLUMNS: "80",
      OLLAMA_HOST: "127.0.0.1:1",
      LMSTUDIO_HOST: "127.0.0.1:1",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const written = { stdout: "", stderr: "" };
  for (const where of ["stdout", "stderr"] as const)
    child[where].setEncoding("utf8").on("data", (text: string) => (written[where] += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  return { code, ...written };
}

describe.concurrent("the programs", () => {
  built();
  const scratch = join(root, ".parley");
  let folder = "";
  const programs = pages.flatMap((page) =>
    fencesIn(page)
      .filter(({ info }) => info.split(" ")[0] === "ts")
      .map(({ text, info }, index) => ({
        ...{ name: `${page.replaceAll(/[/.]/g, "-")}-${index + 1}.ts`, text },
        isServed: info === "ts serve",
      })),
  );
  beforeAll(() => {
    mkdirSync(scratch, { recursive: true });
    folder = mkdtempSync(join(scratch, "docs-"));
    for (const { name, text } of programs) writeFileSync(join(folder, name), text);
    cpSync(join(root, "examples/library"), folder, { recursive: true });
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        extends: "../../tsconfig.json",
        compilerOptions: { types: ["node"] },
        include: ["*.ts", "*.mjs"],
      }),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("fit the types of the package", async () => {
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", folder]).catch(
      (error: unknown) => error as { readonly stdout: string }, // what execFile rejects with
    );
    expect(stdout).toBe("");
  }, 60_000);

  it.each(programs)(
    "run: $name",
    async ({ name, text, isServed }) => {
      await using own = somewhere();
      const served = isServed ? await serve(own) : undefined;
      if (served) writeFileSync(join(folder, name), text.replaceAll(SERVED, served.url));
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ["--import", "tsx", join(folder, name)],
        {
          cwd: folder,
          env: { PATH: process.env["PATH"], HOME: own.folder, OLLAMA_HOST: "127.0.0.1:1", ...served?.env },
        },
      );
      for (const [, printed = ""] of text.matchAll(/\/\/ → (.*)$/gm)) expect(stdout).toContain(printed);
    },
    30_000,
  );
});
