import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  installPackage,
  nodeBinaries,
  type InstalledPackage,
  type NodeBinary,
} from "./support/installed-package.ts";

// The examples are programs as they stand: plain modules, run against what npm installs, by the oldest Node.js that may run them and by
// later ones. "// → text" says what a line prints, in the order of the lines.

const examples = fileURLToPath(new URL("../examples/library", import.meta.url));
const names = readdirSync(examples).filter((name) => name.endsWith(".mjs"));
const LATER = [22, 24];

let installed: InstalledPackage;
let nodes: readonly NodeBinary[];

beforeAll(async () => {
  installed = await installPackage();
  await cp(examples, installed.project, { recursive: true });
  await mkdir(join(installed.folder, "nodes"));
  nodes = await nodeBinaries(join(installed.folder, "nodes"), LATER);
}, 180_000);

afterAll(() => installed[Symbol.asyncDispose]());

const cases = ["the running one", ...LATER].flatMap((version, nth) =>
  names.map((name) => ({ name, version: String(version), nth })),
);

it.for(cases)("$name says what it prints (Node.js: $version)", async ({ name, nth }, { skip }) => {
  const binary = nodes[nth];
  if (!binary?.ok) return skip(binary?.why ?? "there is no such Node.js");
  const { project: cwd, env } = installed;
  const { stdout } = await promisify(execFile)(binary.path, [name], { cwd, env });
  const said = readFileSync(join(examples, name), "utf8").matchAll(/\/\/ → (.*)$/gm);
  const printed = [...said].map(([, text = ""]) => text);
  expect(printed).not.toEqual([]);
  let from = 0;
  for (const text of printed) {
    const at = stdout.indexOf(text, from);
    expect(at, `${binary.name}: ${text} in ${stdout}`).toBeGreaterThanOrEqual(from);
    from = at + text.length;
  }
});
