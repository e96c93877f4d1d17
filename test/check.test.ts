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

/** A script that takes `ms` of processor time. */
const burn = (ms: number) =>
  `node -e "while (process.cpuUsage().user + process.cpuUsage().system < ${ms}e3);"`;

/** `npm test`, or with `runShards()` `npm run test:all`, on a package whose scripts all pass, except as given; its unit tests write `tally`. */
async function check(
  scripts: Record<string, string>,
  tally: object,
  { call = "runGate()" }: { call?: string } = {},
) {
  const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
  const names = Object.keys(
    Manifest.parse(JSON.parse(await readFile(join(root, "package.json"), "utf8"))).scripts,
  );
  const passing = Object.fromEntries(names.map((name) => [name, "node --version"]));
  await writeFile(join(folder, "tally.json"), JSON.stringify(tally));
  await writeFile(
    join(folder, "unit.mjs"),
    `import fs from "node:fs"; fs.copyFileSync("tally.json", process.env.PARLEY_TALLY);`,
  );
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { ...passing, types: burn(400), unit: "node unit.mjs", ...scripts } }),
  );
  const given = call.replace("(", `(${JSON.stringify(folder)}, `);
  const code = `import { runGate, runShards } from ${JSON.stringify(stepsModule)}; process.exitCode = await ${given};`;
  const result = await node(["--input-type=module", "--eval", code]);
  return { ...result, last: result.stdout.trimEnd().split("\n").at(-1) };
}

it("counts every check and every test in its last line, and says what each part took", async () => {
  const { code, last, stdout } = await check({}, { passed: ["a > b", "a > c"], failed: 0, skipped: [] });
  expect(last).toBe("11 passed, 0 failed");
  expect(code).toBe(0);
  expect(stdout).not.toContain(process.version);
  expect(stdout).toMatch(/^ok {5}lint \(\d+\.\d s, \d+\.\d s of processors\)$/m);
  expect(stdout).toMatch(/^processor time: .* times the compiler's .* the goal is 9$/m);
});

it("fails where it takes more than 11 times the processor time of its compiler", async () => {
  const { code, stdout } = await check(
    // A compiler that takes less than a clock tick would count as one that is not measured.
    { lint: burn(1500), types: burn(20) },
    { passed: ["a > b"], failed: 0, skipped: [] },
  );
  expect(stdout).toMatch(/^FAILED processor time: .*the limit 11: move what is slow to test:all/m);
  expect(code).toBe(1);
});

it("shows what a failing check said and what was skipped, and fails", async () => {
  const lint = `node -e "console.error('line 7 is wrong'); process.exit(1)"`;
  const skipped = [{ name: "stores > served", why: "no server answers" }];
  const { code, last, stdout } = await check(
    { lint },
    { passed: ["a > b", "a > c", "a > d"], failed: 0, skipped },
  );
  expect(last).toBe("11 passed, 1 failed, 1 skipped");
  expect(code).toBe(1);
  expect(stdout).toMatch(/FAILED lint \(.*\)\nline 7 is wrong/);
  expect(stdout).toContain("skipped: stores > served (no server answers)");
});

it("runs the shards that are named alone, and no other", async () => {
  const tally = { passed: ["a > b"], failed: 0, skipped: [] };
  const { code, stdout } = await check({ lint: "exit 9", storm: "exit 9" }, tally, {
    call: 'runShards(["docs", "page"])',
  });
  expect(stdout).toContain("shard docs: 1 passed");
  expect(stdout).toContain("shard page: 1 passed");
  expect(stdout).not.toContain("storm");
  expect(code).toBe(0);
});

it("fails where a row of evidence names a test that did not pass in any shard", async () => {
  await mkdir(join(folder, "test/seeds"), { recursive: true });
  const rows = ["c", "d"].map(
    (name, index) => `\n  - { id: "1.${index}", part: p, promise: q, test: a › ${name} }`,
  );
  await writeFile(join(folder, "test/seeds/1.yaml"), `title: t\nrows:${rows.join("")}\n`);
  const tally = { passed: ["a > b", "a > c"], failed: 0, skipped: [] };
  const { code, stdout } = await check({}, tally, { call: "runShards()" });
  expect(stdout).toContain("FAILED test/seeds 1.1: no test passed that is a › d");
  expect(stdout).not.toContain("FAILED test/seeds 1.0");
  expect(code).toBe(1);
});

it("counts a test run that broke before it could count as one failure", async () => {
  const { code, last } = await check({ unit: "exit 9" }, {});
  expect(last).toBe("9 passed, 1 failed");
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
