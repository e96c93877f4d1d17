import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";

const execute = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
let copy = "";

const CONFIGURATION = [
  "package.json",
  "tsconfig.json",
  "vitest.config.ts",
  "tsdown.config.ts",
  "vite.config.ts",
  "vite.file.config.ts",
  "knip.json",
  ".oxlintrc.json",
  ".dependency-cruiser.cjs",
  ".prettierignore",
  ".prettierrc.json",
  "src",
  "test",
  "types",
  "scripts",
  "bench",
  "docs",
  "schemas",
];

/** Runs one of the project's tools in the copy. @throws Error with what the tool wrote, where it found a problem */
async function run(tool: string, ...args: string[]): Promise<void> {
  const command = [join(root, "node_modules", tool), ...args];
  await execute(process.execPath, command, { cwd: copy }).catch((error: unknown) => {
    const { stdout = "", stderr = "" } = Object(error) as { stdout?: string; stderr?: string };
    throw new Error(`${tool} found a problem:\n${stdout}${stderr}`);
  });
}

const make = (...args: string[]) => execute(process.execPath, ["scripts/new.mjs", ...args], { cwd: copy });

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "parley-new-"));
  await Promise.all(CONFIGURATION.map((path) => cp(join(root, path), join(copy, path), { recursive: true })));
  await symlink(join(root, "node_modules"), join(copy, "node_modules"));
  await make("protocol", "my-panel");
}, 60_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

it("writes one folder and one line of the registry", async () => {
  const [before, after] = await Promise.all(
    [root, copy].map(async (folder) =>
      (await readFile(join(folder, "src/app/registry.ts"), "utf8")).split("\n"),
    ),
  );
  const added = (after ?? []).filter((line) => !before?.includes(line));
  expect(added).toEqual([
    '  "my-panel": async () => (await import("../protocols/my-panel/index.ts")).myPanel,',
  ]);
  expect(after?.length).toBe((before?.length ?? 0) + 1);
});

it("refuses a name that is taken, or is none", async () => {
  await expect(make("protocol", "my-panel")).rejects.toMatchObject({
    stderr: "src/protocols/my-panel exists already. Choose another name.\n",
  });
  await expect(make("protocol", "My Panel")).rejects.toMatchObject({
    stderr: expect.stringContaining('"My Panel" cannot name a protocol'),
  });
});

it("passes format, lint, layers and its own test", { timeout: 240_000 }, async () => {
  await run("prettier/bin/prettier.cjs", "--check", "src/protocols/my-panel", "src/app/registry.ts");
  await run("oxlint/bin/oxlint", "src/protocols/my-panel", "src/app/registry.ts");
  await run("dependency-cruiser/bin/dependency-cruise.mjs", "src/protocols", "src/app");
  await run("vitest/vitest.mjs", "run", "src/protocols/my-panel", "test/generated.test.ts");
});

it("leaves no unused code", { timeout: 240_000 }, () => run("knip/bin/knip.js"));

it("passes the types", { timeout: 240_000 }, async () => {
  const include = ["src/protocols/my-panel", "src/app/registry.ts"];
  await writeFile(join(copy, "tsconfig.new.json"), JSON.stringify({ extends: "./tsconfig.json", include }));
  await run("typescript/bin/tsc", "--project", "tsconfig.new.json");
});
