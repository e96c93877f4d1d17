import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  installPackage,
  nodeBinaries,
  type InstalledPackage,
  type NodeBinary,
} from "./support/installed-package.ts";

// A program and the package in one file, which runs in a folder where nothing is installed.

const execute = promisify(execFile);
const examples = fileURLToPath(new URL("../examples/library", import.meta.url));
const PDF = Buffer.from("%PDF-1.4\n").toString("base64");

/** In a function, because CommonJS has no `await` outside of one. */
const PROGRAM = `
  import { defineModel, openParley } from "@parley-llm/parley";
  async function main() {
    const four = defineModel(() => "It is 4.");
    const parley = await openParley({ store: "parley.db", models: { "mine/four": four } });
    const asked = { protocol: "council", question: "What is 2 + 2?", models: ["mine/four", "sim/ada?skill=1", "openai/gpt-5-mini"] };
    await parley.estimate(asked).then(({ usd }) => console.log("estimated", typeof usd), (error) => console.log(error.code));
    const run = await parley.start({ ...asked, models: ["mine/four", "sim/ada?skill=1"] });
    let text = "";
    for await (const piece of run.answer()) text += piece;
    const { result } = await run.outcome();
    console.log(result?.status, text === result?.answer);
    const context = [{ name: "a.pdf", base64: "${PDF}" }];
    await parley.start({ ...asked, models: ["sim/ada"], context }).catch((error) => console.log(error.message));
    await run.reactions;
    await parley.close();
  }
  main();`;

let installed: InstalledPackage;
let nodes: readonly NodeBinary[];
let alone = "";

beforeAll(async () => {
  installed = await installPackage();
  alone = await mkdtemp(join(tmpdir(), "parley-alone-"));
  await mkdir(join(installed.folder, "nodes"));
  nodes = await nodeBinaries(join(installed.folder, "nodes"), [22, 24]);
}, 180_000);

afterAll(async () => {
  await rm(alone, { recursive: true });
  await installed[Symbol.asyncDispose]();
});

/** Bundles a program in the project, and puts it where nothing else is. */
async function bundle(name: string, contents: string, format: "esm" | "cjs"): Promise<string> {
  const outfile = join(alone, `${name}.${format === "esm" ? "mjs" : "cjs"}`);
  const { warnings } = await build({
    ...{ stdin: { contents, resolveDir: installed.project }, outfile, format, logLevel: "silent" },
    ...{ bundle: true, platform: "node" },
  });
  expect(warnings).toEqual([]);
  return outfile;
}

const run = (path: string, file: string) => execute(path, [file], { cwd: alone, env: installed.env });

describe.each([
  ["Node 22", 1],
  ["Node 24", 2],
] as const)("a program in one file, on %s", (_, nth) => {
  it.for(["esm", "cjs"] as const)("runs, and says what it goes without (%s)", async (format, { skip }) => {
    const binary = nodes[nth];
    if (!binary?.ok) return skip(binary?.why ?? "there is no such Node.js");
    const file = await bundle(`program-${nth}`, PROGRAM, format);
    const { stdout } = await run(binary.path, file);
    expect(stdout.trim().split("\n")).toEqual([
      expect.stringMatching(/^(estimated|authentication)/),
      "answered true",
      expect.stringContaining("PDFs are read by a file of Parley that this program was bundled without"),
    ]);
  });

  it.for(["ask", "schema", "resume"])("runs the example %s", async (name, { skip }) => {
    const binary = nodes[nth];
    if (!binary?.ok) return skip(binary?.why ?? "there is no such Node.js");
    const file = await bundle(`${name}-${nth}`, await readFile(join(examples, `${name}.mjs`), "utf8"), "esm");
    expect((await run(binary.path, file)).stdout).toMatch(/391|SIGKILL/);
  });
});

it("says what to do on a Node.js without SQLite where libsql is not installed", async ({ skip }) => {
  if (process.getBuiltinModule("node:sqlite" as "node:fs") !== undefined)
    return skip("this Node.js has SQLite");
  const file = await bundle("without", PROGRAM, "cjs");
  await writeFile(join(alone, "package.json"), "{}");
  await expect(run(process.execPath, file)).rejects.toMatchObject({
    stderr: expect.stringMatching(/SQLite's native package cannot be loaded.*use Node 22\.16 or later/),
  });
});
