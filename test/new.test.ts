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
  await make("feature", "my-panel");
}, 60_000);

afterAll(() => rm(copy, { recursive: true, force: true }));

it("writes one folder, and one line of each list", async () => {
  const lists = ["src/features.ts", "src/features-web.ts"];
  const [before, after] = await Promise.all(
    [root, copy].map((folder) =>
      Promise.all(lists.map(async (list) => readFile(join(folder, list), "utf8"))),
    ),
  );
  for (const [at, text] of (after ?? []).entries()) {
    const added = text.split("\n").filter((line) => !before?.[at]?.includes(line));
    expect(added).toEqual([
      expect.stringMatching(/^import \{ myPanel \} from "\.\/features\/my-panel\/(?:index|web)\.ts";$/),
      expect.stringMatching(/^(?:export const features: .* = \[.*, myPanel\];| {2}myPanel,)$/),
    ]);
  }
});

it("refuses a name that is taken, or is none", async () => {
  await expect(make("feature", "my-panel")).rejects.toMatchObject({
    stderr: "src/features/my-panel exists already. Choose another name.\n",
  });
  await expect(make("feature", "My Panel")).rejects.toMatchObject({
    stderr: expect.stringContaining('"My Panel" cannot name a feature'),
  });
});

it("passes format, lint, layers and its own test", { timeout: 240_000 }, async () => {
  const written = ["src/features/my-panel", "src/features.ts", "src/features-web.ts"];
  await run("prettier/bin/prettier.cjs", "--check", ...written);
  await run("oxlint/bin/oxlint", ...written);
  await run("dependency-cruiser/bin/dependency-cruise.mjs", "src/features", "src/features.ts");
  await run("vitest/vitest.mjs", "run", "src/features/my-panel", "test/generated.test.ts");
  await run(
    "vitest/vitest.mjs",
    "run",
    "test/rules.test.ts",
    "--testNamePattern",
    "catalogue|names a feature",
  );
});

it("leaves no unused code", { timeout: 240_000 }, () => run("knip/bin/knip.js"));

it("passes the types, of the page as well", { timeout: 240_000 }, async () => {
  const include = ["src/features/my-panel", "src/features.ts"];
  const exclude = ["src/features/*/screens", "src/features/*/web.ts", "src/features/*/words"];
  await writeFile(
    join(copy, "tsconfig.new.json"),
    JSON.stringify({ extends: "./tsconfig.json", include, exclude }),
  );
  await run("typescript/bin/tsc", "--project", "tsconfig.new.json");
  await run("typescript/bin/tsc", "--project", "src/web");
});

it(
  "works in the program: its command, its protocol with a simulated model",
  { timeout: 240_000 },
  async () => {
    const env = { ...process.env, PARLEY_HOME: join(copy, "home") };
    const parley = (...args: string[]) =>
      execute(process.execPath, ["--import", "tsx", "src/cli/main.ts", ...args], { cwd: copy, env });
    expect(
      (await parley("my-panel", "Which way?", "--models", "sim/ada,sim/bo", "--quiet")).stdout,
    ).toContain("[simulated]");
    expect((await parley("my-panel-runs")).stdout).toMatch(/^\S+ {2}Which way\?$/m);
  },
);
