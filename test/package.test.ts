import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { setUp } from "../scripts/setup.mjs";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const Manifest = z.object({
  name: z.string(),
  version: z.string(),
  bin: z.object({ parley: z.string() }),
  exports: z.record(z.string(), z.unknown()),
});
const Packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);

let folder = "";
let unpacked = "";
let files: string[] = [];

beforeAll(async () => {
  await setUp(root, { build: true });
  folder = await mkdtemp(join(tmpdir(), "parley-package-"));
  const { stdout } = await execute("npm", ["pack", "--json", "--pack-destination", folder], { cwd: root });
  const [packed] = Packed.parse(JSON.parse(stdout));
  files = packed.files.map((file) => file.path);
  await execute("tar", ["-xzf", packed.filename], { cwd: folder });
  unpacked = join(folder, "package");
  await symlink(join(root, "node_modules"), join(unpacked, "node_modules"));
}, 60_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

async function manifest() {
  return Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")));
}

it("ships what it runs on, and neither sources nor tests nor the build's own notes", () => {
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "package.json", "dist/cli.mjs"]));
  // The page's files are named by their content.
  const page = "dist\\/web\\/(?:index\\.html|file\\.(?:js|css)|assets\\/[\\w.-]+\\.(?:js|css))";
  const shipped = new RegExp(`^(dist\\/[\\w.-]+\\.(mjs|cjs|d\\.mts)|schemas\\/.+\\.json|${page})$`);
  const other = files.filter((path) => !shipped.test(path)).sort();
  expect(other.filter((path) => path !== "README.md")).toEqual(["LICENSE", "package.json"]);
});

it("has a name under a scope, and the install line of the README has it", async () => {
  const { name, bin } = await manifest();
  expect(name).toMatch(/^@[a-z0-9-]+\/parley$/);
  expect(Object.keys(bin)).toEqual(["parley"]);
  const readme = await readFile(join(root, "README.md"), "utf8");
  for (const line of [`npm install --global ${name}\n`, `npx ${name} "`]) expect(readme).toContain(line);
});

it("runs as a command from any folder", async () => {
  const { version, bin } = await manifest();
  const command = join(unpacked, bin.parley);
  expect(await readFile(command, "utf8")).toMatch(/^#!\/usr\/bin\/env -S node --\n/); // or Node.js takes our --env-file for its own
  const { stdout } = await execute(process.execPath, [command, "--version"], { cwd: tmpdir() });
  expect(stdout.trim()).toBe(version);
});

it("gives every subpath it promises, with types", async () => {
  const subpaths = Object.keys((await manifest()).exports).filter((subpath) => !subpath.endsWith(".json"));
  for (const subpath of subpaths) {
    const name = subpath === "." ? "index" : subpath.slice(2);
    const exported = z
      .record(z.string(), z.unknown())
      .parse(await import(join(unpacked, "dist", `${name}.mjs`)));
    expect(Object.keys(exported)).not.toEqual([]);
    expect(existsSync(join(unpacked, "dist", `${name}.d.mts`))).toBe(true);
  }
});
