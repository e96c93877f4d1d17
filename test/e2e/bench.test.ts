import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BenchReport } from "../../src/features/bench/contract.ts";
import { built, isProblem, simServer, somewhere, type Ended, type Somewhere } from "./parley.ts";

built();

const MODELS = ["a", "b", "c"]
  .map((name, index) => `sim/${name}?skill=0.7&latency=30&seed=${index}`)
  .join(",");

/** Tasks in a file of the project. */
async function tasksIn(place: Somewhere, count: number): Promise<string> {
  const { stdout } = await place.run(["bench", "tasks", "--count", String(count), "--seed", "7"]);
  const file = join(place.cwd, "tasks.jsonl");
  writeFileSync(file, stdout);
  return file;
}

const reportIn = ({ stdout }: Ended): BenchReport => BenchReport.parse(JSON.parse(stdout));

/** The report that another process makes of the bench on record. */
async function reportOnRecord(place: Somewhere): Promise<BenchReport> {
  const [bench, ...others] = JSON.parse((await place.run(["bench", "list", "--json"])).stdout) as {
    id: string;
  }[];
  expect(others).toEqual([]);
  return reportIn(await place.run(["bench", "show", bench?.id ?? "", "--json"]));
}

describe("parley bench", () => {
  it("goes on after kill -9, pays for nothing twice but what was in flight, and writes its report", async () => {
    await using place = somewhere();
    const file = await tasksIn(place, 6);
    const command = ["bench", file, "--arms", "single,majority,council", "--models", MODELS, "--seed", "7"];
    const killed = place.start(command);
    await killed.seen("stderr", /^[3-9] of 18 done/m);
    killed.kill("SIGKILL");
    await killed.ended;
    const again = await place.run([...command, "--json", "--out", "out"]);
    expect(again.code).toBe(0);
    const report = reportIn(again);
    expect(report).toMatchObject({ simulated: true, complete: true, seed: "7" });
    // Only recorded calls are counted: one, three and seven for each of six questions.
    expect(report.spent.calls).toBe(6 * (1 + 3 + 7));
    expect(readdirSync(join(place.cwd, "out")).sort()).toEqual([
      "accuracy-over-cost.svg",
      "report.json",
      "report.md",
      "rows.csv",
    ]);
    expect(readFileSync(join(place.cwd, "out", "report.md"), "utf8")).toContain("**Simulated models.**");
    const third = await place.run([...command, "--json", "--quiet"]);
    expect(reportIn(third)).toEqual(report);
    expect(await reportOnRecord(place)).toEqual(report);
  });

  it("stops at its cap with exit 5, and goes on from there", async () => {
    await using place = somewhere();
    const file = await tasksIn(place, 4);
    const command = ["bench", file, "--arms", "council", "--models", MODELS, "--json"];
    const stopped = await place.run([...command, "--max-total-tokens", "45000"]);
    expect(stopped.code).toBe(5);
    expect(stopped.stderr).toMatch(
      /parley: budget exceeded: .* of 4 are finished and recorded\.\nTry: raise --max-total-tokens; the same command then resumes/,
    );
    expect(reportIn(stopped).complete).toBe(false);
    expect(await reportOnRecord(place)).toEqual(reportIn(stopped));
    const ended = await place.run([...command, "--max-total-tokens", "9000000"]);
    expect(ended.code).toBe(0);
    expect(reportIn(ended).complete).toBe(true);
  });

  it("takes an outage for none of an arm's doing: not scored, exit 3, asked again when that is wanted", async () => {
    await using place = somewhere();
    const file = await tasksIn(place, 3);
    const server = await simServer(place);
    const gone = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_API_KEY: "sk-0123456789abcdef" };
    const command = ["bench", file, "--arms", "single", "--models", "openai/ada", "--seed", "7", "-q"];
    const failed = await place.run(command, gone);
    expect(failed.code).toBe(3);
    expect(failed.stdout).toMatch(/> \*\*Failed\.\*\* single 3 of 3/);
    expect(failed.stdout).toMatch(/\| single +\| – /);
    expect(failed.stderr).toMatch(
      /^parley: 3 of 3 failed and are not scored: .*network: .*\nTry: .*--retry-failed\n$/,
    );
    const back = { ...gone, OPENAI_BASE_URL: `${server.url}/v1` };
    const again = await place.run([...command, "--retry-failed", "--json"], back);
    expect(again.code).toBe(0);
    expect(reportIn(again)).toMatchObject({ complete: true, arms: [{ failed: 0, accuracy: { n: 3 } }] });
    expect(await reportOnRecord(place)).toEqual(reportIn(again));
    await server.stop();
  });

  it("refuses bad input in one line, before anything is asked", async () => {
    await using place = somewhere();
    const file = await tasksIn(place, 2);
    writeFileSync(join(place.cwd, "bad.jsonl"), `${readFileSync(file, "utf8")}{"question": "?"}\n`);
    const refused = await Promise.all([
      place.run(["bench", file, "--arms", "majorty"]),
      place.run(["bench", "bad.jsonl"]),
      place.run(["bench", file, "--max-cost-usd", "0"]),
      place.run(["bench", "tasks", "--kind", "logik"]),
    ]);
    expect(refused.map(({ code, stderr }) => [code, isProblem(stderr)])).toEqual(
      refused.map(() => [2, true]),
    );
    const [arm, line, budget, kind] = refused.map(({ stderr }) => stderr);
    expect(arm).toContain("did you mean majority?");
    expect(line).toContain("bad.jsonl:3: answer is missing");
    expect(budget).toMatch(/^parley: --max-cost-usd must be .*above 0/);
    expect(kind).toContain("Try: --kind logic");
  });
});
