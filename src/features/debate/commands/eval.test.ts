import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStore } from "../../../stores/index.ts";
import { refusalOf, scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { Opening, StepKey, type NewEvent } from "../../../kernel/index.ts";
import { idOfRequest } from "../../../engine/index.ts";
import { sectionSchema } from "../protocol/evaluation/view.ts";
import { isCommand } from "../../../cli/command.ts";
import { rowNamed } from "../../../cli/protocol-command.ts";
import { commandIo } from "../../../../test/support/command-io.ts";
import { LOCAL } from "../../../testing/store-samples.ts";

const RESULT = {
  id: "deb-20250101-120000-abcd",
  problem: "It must keep every message.",
  status: "completed",
  createdAt: "2025-01-01T12:00:00.000Z",
  rounds: [],
  finalSolution: { description: "A log on two disks keeps every message." },
};

type Said = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function evaluate(place: Scratch, options: Readonly<Record<string, unknown>>): Promise<Said> {
  const { io, written } = commandIo(place);
  const env = { ...place.env, PARLEY_STORE: join(place.home, "store.db") };
  const given = { models: "sim/eva,sim/eli?seed=2", ...options };
  const command = await rowNamed("eval", io);
  if (!command || !isCommand(command)) throw new Error("there is no command eval");
  const code = await command.run({ ...io, env }, given, []);
  return { code, ...written };
}

const withResult = (more: Readonly<Record<string, string>> = {}): Scratch =>
  scratch({ "project/result.json": JSON.stringify(RESULT), ...more });

const FILE = { debate: "result.json" };
const read = (place: Scratch, name: string): string => readFileSync(join(place.cwd, name), "utf8");

describe("parley eval", () => {
  it("prints a table, with its progress beside it, and asks nothing a second time", async () => {
    using place = withResult();
    const first = await evaluate(place, FILE);
    expect(first.code).toBe(0);
    expect(first.stdout).toMatch(
      /^\| Functional Completeness \|(?: [\w& ]+ \|){6} Overall Score \|\n\|(?: --- \|){8}\n\|(?: \d\.\d\d \|){8}\n$/,
    );
    expect(
      first.stderr
        .split("\n")
        .map((line) => line.replace(/ \(\d.*| \w+ --details/, ""))
        .sort(),
    ).toEqual([
      "",
      "2 of 2 evaluators gave scores. Details: parley show",
      "Asking eval-1 (sim/eva), eval-2 (sim/eli?seed=2)",
      "eval-1: scores received",
      "eval-2: scores received",
      "simulated models",
    ]);
    const second = await evaluate(place, FILE);
    expect(second.stdout).toBe(first.stdout);
    expect(second.stderr).toMatch(
      /^Already evaluated; showing the recorded result\. Try: --again \(\w+\)\nsimulated models\n2 of 2 [^\n]+\n$/,
    );
  });

  it("adds a row to a table of many, under one header", async () => {
    using place = withResult();
    const csv = { ...FILE, output: "scores.csv", quiet: true };
    const ended = [await evaluate(place, csv), await evaluate(place, csv)];
    expect(ended.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, ""],
      [0, ""],
    ]);
    expect(ended[0]?.stderr).toBe(`simulated models\nAdded to ${join(place.cwd, "scores.csv")}\n`);
    const [header, ...rows] = read(place, "scores.csv").trimEnd().split("\n");
    expect(header).toMatch(/^debate,Functional Completeness,/);
    expect(rows).toEqual([rows[0], rows[0]]);
    expect(rows[0]).toMatch(/^result(?:,(?:\d{1,2}\.\d{2})?){8}$/);
  });

  it("writes a file of the old form with additions, and prints the same", async () => {
    using place = withResult();
    const { stdout } = await evaluate(place, { ...FILE, output: "x.json", json: true });
    expect(read(place, "x.json")).toBe(stdout);
    const { data: report } = sectionSchema.safeParse(JSON.parse(stdout));
    expect(Object.keys(report?.agents ?? {})).toEqual(["eval-1", "eval-2"]);
    expect(report).toMatchObject({ debate: RESULT.id, simulated: true, status: "answered" });
    await evaluate(place, { ...FILE, output: "x.md" });
    expect(read(place, "x.md")).toMatch(/^# Evaluation of/);
  });

  it("names those without scores in every output, and a run of none writes no file", async () => {
    using place = withResult();
    const some = { ...FILE, models: "sim/eva,sim/eli?malformed=1", output: "scores.csv" };
    const { code, stderr } = await evaluate(place, some);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Warning: eval-2 is left out: unreadable: /m);
    const none = await evaluate(place, { ...FILE, models: "sim/eli?malformed=1", output: "none.csv" });
    expect(none.code).toBe(7);
    expect(none.stderr).toContain("none.csv is left as it is: there are no scores\n");
    expect(none.stderr).toMatch(/^parley: inconclusive: no evaluator gave scores .*\nTry: .*--again$/m);
    expect(existsSync(join(place.cwd, "none.csv"))).toBe(false);
  });

  it.each(["x.txt", "scores", "table.markdown"])("writes the table to %s", async (output) => {
    using place = withResult();
    const ended = await evaluate(place, { ...FILE, output, quiet: true });
    expect([ended.code, ended.stdout]).toEqual([0, ""]);
    expect(read(place, output)).toMatch(/^\| Functional Completeness \|[^\n]+\n[^\n]+\n\| \d[^\n]+\n$/);
  });

  it("without scores because a call failed ends as any other command whose calls failed", async () => {
    const agent = { provider: "sim", name: "E" };
    const agents = [
      { ...agent, id: "late", model: "eva?latency=5000", timeout: 1 },
      { ...agent, id: "odd", model: "eli?malformed=1" },
    ];
    using place = withResult({ "project/eval.json": JSON.stringify({ agents }) });
    const ended = await evaluate(place, { ...FILE, config: "eval.json", models: undefined });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(/^late: no scores: timed-out: /m);
    expect(ended.stderr).toContain("0 of 2 evaluators gave scores. inconclusive: ");
    expect(ended.stdout).toMatch(/^\|(?: N\/A \|){8}$/m);
  });

  it("ends as stopped by its budget, with what there is", async () => {
    using place = withResult();
    const ended = await evaluate(place, { ...FILE, maxTotalTokens: "7000" });
    expect(ended.code).toBe(5);
    expect(ended.stderr).toContain("1 of 2 evaluators gave scores.");
    expect(ended.stderr).toMatch(
      /^parley: stopped by budget: .*\nTry: raise --max-total-tokens; the same command then/m,
    );
  });

  it("takes a debate from the journal by the beginning of its id, and no other deliberation", async () => {
    using place = withResult();
    const id = await recorded(place, "debate");
    const ended = await evaluate(place, { debate: id.slice(0, 8), output: "scores.csv" });
    expect(ended.code).toBe(0);
    expect(read(place, "scores.csv")).toContain(`\n${id},`);
    const other = await recorded(place, "council");
    expect(await refusalOf(() => evaluate(place, { debate: other }), place)).toBe(
      `${other} is not a debate; parley show ${other} --details, which tells what it is`,
    );
  });

  it.each([
    ["a table of other columns", { output: "old.csv" }, /old\.csv has another header/],
    ["a file that is not there", { debate: "none.json" }, /none\.json does not exist/],
    ["a file that is not JSON", { debate: "./old.csv" }, /old\.csv is not JSON/],
    ["a file that is no debate", { debate: "other.json" }, /other\.json is not a debate: /],
    ["a debate without a solution", { debate: "open.json" }, /has no solution to evaluate/],
  ])("refuses %s before it asks", async (_, flags, message) => {
    using place = withResult({
      "project/old.csv": "debate,Score\n",
      "project/other.json": "[1]",
      "project/open.json": JSON.stringify({ ...RESULT, finalSolution: undefined }),
    });
    expect(await refusalOf(() => evaluate(place, { ...FILE, ...flags }), place)).toMatch(message);
  });
});

/** A deliberation of this protocol with a synthesis. @returns its id */
async function recorded(place: Scratch, protocol: string): Promise<string> {
  const flags = { store: join(place.home, "store.db") };
  const store = await openStore(flags.store);
  const opening = Opening.parse({
    question: "It must keep every message.",
    context: [],
    protocol: { name: protocol, version: 1 },
    settings: {},
    participants: [
      {
        id: "judge-main",
        seat: "judge",
        persona: { name: "Judge", instructions: "0".repeat(64) },
        model: "sim/jo",
        family: null,
      },
    ],
    templates: {},
    seed: "s",
    budget: {},
    organization: "local",
  });
  const id = idOfRequest(opening.organization, protocol);
  await store
    .for(LOCAL)
    .append(id, [{ type: "deliberation-opened", data: opening }], { by: "open", request: protocol });
  const [judge] = opening.participants;
  if (!judge) throw new Error("nobody takes part");
  const synthesis: NewEvent = {
    type: "synthesis-given",
    data: {
      by: judge.id,
      text: "A log on two disks.",
      final: null,
      strategy: null,
      dissent: [],
      insights: [],
      vetoed: [],
      claims: { ok: true, contributors: [] },
    },
  };
  const step = StepKey.parse("synthesis/judge-main");
  const digest = judge.persona.instructions;
  await store.for(LOCAL).append(id, [synthesis], { by: "protocol", step, digest, after: [] });
  await store[Symbol.asyncDispose]();
  return id;
}
