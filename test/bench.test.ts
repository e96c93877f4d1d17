import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import * as z from "zod";
import { besides, lineOf, verdictOf } from "../bench/table.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parley-bench-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Nothing listens on port 1, so that no database is made on whatever server this machine has. */
const env = { ...process.env, PARLEY_DATABASE_URL: "postgres://nobody@127.0.0.1:1/none" };

const bench = (...args: readonly string[]): Promise<{ exit: number; stdout: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [join(root, "bench", "main.mjs"), ...args], { env }, (error, stdout) =>
      resolve({ exit: typeof error?.code === "number" ? error.code : 0, stdout }),
    );
  });

const Report = z.object({
  machine: z.object({ node: z.string(), cores: z.number(), load: z.array(z.number()) }),
  measurements: z.array(
    z.object({
      name: z.string(),
      rows: z.array(
        z.object({ name: z.string(), value: z.number(), unit: z.string(), against: z.number().optional() }),
      ),
    }),
  ),
});

it("measures the build, and says what it could not", async () => {
  const json = join(folder, "bench.json");
  const { exit, stdout } = await bench("--quick", "--only", "journal,replay,folds", "--json", json);
  expect(stdout).toMatch(/Node .* cores/);
  expect(stdout).toMatch(/sqlite: appends of one event, 64 at once +[\d,]+ a second/);
  expect(stdout).toMatch(/postgres: skipped, no database can be made/);
  expect(exit).toBe(0);
  const { measurements } = Report.parse(JSON.parse(await readFile(json, "utf8")));
  expect(measurements.map(({ name, rows }) => [name, rows.length])).toEqual([
    ["journal", 3],
    ["replay", 1],
    ["folds", 12],
  ]);
  for (const { rows } of measurements) for (const { value } of rows) expect(value).toBeGreaterThan(0);
}, 60_000);

it("does not end well when a measurement failed, or was never there", async () => {
  const broken = await bench("--quick", "--only", "replay", "--dist", join(folder, "nothing"));
  expect(broken).toMatchObject({ exit: 1, stdout: expect.stringContaining("1 MEASUREMENTS FAILED") });
  expect((await bench("--only", "speed")).exit).toBe(2);
  expect((await bench("--against", folder)).exit).toBe(2);
}, 60_000);

it("measures a second build in turns with this one, and shows it beside", async () => {
  const json = join(folder, "against.json");
  const { exit, stdout } = await bench(
    ...["--against", root, "--only", "start", "--repetitions", "1", "--json", json],
  );
  expect({ exit, stdout }).toMatchObject({ exit: 0 });
  expect(stdout).toMatch(/^ +this +against +ratio$/m);
  const [start] = Report.parse(JSON.parse(await readFile(json, "utf8"))).measurements;
  const modules = start?.rows.find(({ unit }) => unit === "modules");
  // The same sources on both sides.
  expect(modules?.value).toBeGreaterThan(10);
  // What is loaded beside the first request is a race.
  const share = (modules?.against ?? 0) / (modules?.value ?? 1);
  expect(Math.abs(1 - share)).toBeLessThan(0.1);
  expect(stdout).toMatch(/modules, from sources +\d+ modules +\d+ +[\d.]+ +<= 250 modules/);
  // No build has what others are compared with.
  const own = start?.rows.slice(1).filter(({ name }) => !name.includes("AI SDK")) ?? [];
  for (const { name, against } of own) expect([name, against]).toEqual([name, expect.any(Number)]);
}, 60_000);

it("shows figures of the second build beside those of the same name", () => {
  const row = (name: string, value: number) => ({ name, value, unit: "x" });
  const rows = [row("parley, warm", 3), row("fetch, warm", 2), row("against, warm", 4), row("against", 1)];
  const { rows: shown } = besides({ rows });
  expect(shown).toEqual([{ ...row("parley, warm", 3), against: 4 }, row("fetch, warm", 2)]);
  expect(shown.map((one) => lineOf(one).split(/\s+/).slice(3))).toEqual([
    ["3.00", "x", "4.00", "0.750"],
    ["2.00", "x"],
  ]);
});

it("tells a target that was reached from one that was missed, at most and at least", () => {
  const row = (value: number, least?: true) => ({
    name: "a",
    value,
    unit: "x",
    target: 2,
    ...(least && { least }),
  });
  expect([1.9, 2, 2.1].map((value) => lineOf(row(value)).split(/\s+/).at(-1))).toEqual(["yes", "yes", "NO"]);
  expect([1.9, 2].map((value) => lineOf(row(value, true)).split(/\s+/).at(-1))).toEqual(["NO", "yes"]);
  const report = [{ name: "one", rows: [row(1), row(3), { name: "free", value: 9, unit: "ms" }] }];
  expect(verdictOf(report)).toEqual({ line: "1 of 2 targets reached", broken: 0, missed: 1 });
  expect(verdictOf([{ name: "one", rows: [row(Number.NaN)] }])).toMatchObject({ broken: 1, missed: 1 });
  expect(verdictOf([{ name: "one", rows: [], failed: "why" }]).broken).toBe(1);
});
