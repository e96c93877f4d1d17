import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
const stepsModule = new URL("../scripts/steps.mjs", import.meta.url).href;
let folder = "";

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-check-test-"));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function node(args: readonly string[], environment: Record<string, string> = {}) {
  return new Promise<{ code: number; stdout: string }>((resolve) => {
    const options = { cwd: folder, env: { ...process.env, ...environment } };
    execFile(process.execPath, args, options, (error, stdout) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout });
    });
  });
}

/** `check` on a package whose scripts all pass, except as given; its unit tests write `tally`. */
async function check(scripts: Record<string, string>, tally: object) {
  const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
  const names = Object.keys(
    Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8"))).scripts,
  );
  const passing = Object.fromEntries(names.map((name) => [name, "node --version"]));
  await writeFile(join(folder, "tally.json"), JSON.stringify(tally));
  const copy = `node -e "fs.copyFileSync('tally.json', process.env.PARLEY_TALLY)"`;
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { ...passing, unit: copy, ...scripts } }),
  );
  const code = `import { check } from ${JSON.stringify(stepsModule)}; process.exitCode = await check(${JSON.stringify(folder)});`;
  const result = await node(["--input-type=module", "--eval", code]);
  return { ...result, last: result.stdout.trimEnd().split("\n").at(-1) };
}

it("counts every check and every test in its last line", async () => {
  const { code, last, stdout } = await check({}, { passed: ["a > b", "a > c"], failed: 0, skipped: [] });
  expect(last).toBe("14 passed, 0 failed");
  expect(code).toBe(0);
  expect(stdout).not.toContain(process.version);
});

it("shows what a failing check said and what was skipped, and fails", async () => {
  const lint = `node -e "console.error('line 7 is wrong'); process.exit(1)"`;
  const skipped = [{ name: "stores > served", why: "no server answers" }];
  const { code, last, stdout } = await check(
    { lint },
    { passed: ["a > b", "a > c", "a > d"], failed: 0, skipped },
  );
  expect(last).toBe("14 passed, 1 failed, 1 skipped");
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED lint \(\d+\.\d s\)\nline 7 is wrong/);
  expect(stdout).toContain("skipped: stores > served (no server answers)");
});

it("fails where a row of evidence names a test that did not pass", async () => {
  await mkdir(join(folder, "test/seeds"), { recursive: true });
  const rows = ["c", "d"].map(
    (name, index) => `\n  - { id: "1.${index}", part: p, promise: q, test: a › ${name} }`,
  );
  await writeFile(join(folder, "test/seeds/1.yaml"), `title: t\nrows:${rows.join("")}\n`);
  const { code, stdout } = await check({}, { passed: ["a > b", "a > c"], failed: 0, skipped: [] });
  expect(stdout).toContain("FAILED test/seeds 1.1: no test passed that is a › d");
  expect(stdout).not.toContain("FAILED test/seeds 1.0");
  expect(code).toBe(1);
});

it("counts a test run that broke before it could count as one failure", async () => {
  const { code, last } = await check({ unit: "exit 9" }, {});
  expect(last).toBe("12 passed, 1 failed");
  expect(code).toBe(1);
});

it("tallies tests, files that do not load, and reasons for skipping", async () => {
  await writeFile(
    join(folder, "some.test.js"),
    `it("passes", () => {});
     it("fails", () => { throw new Error("no"); });
     it("is skipped", (context) => context.skip("no server answers"));`,
  );
  await writeFile(join(folder, "broken.test.js"), `throw new Error("does not load");`);
  const tally = join(folder, "tally.json");
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const reporter = join(root, "scripts", "tally-reporter.mjs");
  await node([vitest, "run", "--root", folder, "--globals", "--reporter", reporter], { PARLEY_TALLY: tally });
  expect(JSON.parse(await readFile(tally, "utf8"))).toEqual({
    passed: ["some.test.js > passes"],
    failed: 2,
    skipped: [{ name: "some.test.js > is skipped", why: "no server answers" }],
  });
});
