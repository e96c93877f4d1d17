import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { DebateRecord } from "../../src/features/debate/protocol/debate/view/record.ts";
import { sectionSchema } from "../../src/features/debate/protocol/evaluation/view.ts";
import { piped } from "./turn.ts";
import { built, membersIn, resultIn, somewhere } from "./parley.ts";

built();

const PROBLEM = "Design a job queue. It must not lose a job. It should be cheap to run.";
const MODELS = "sim/ada?seed=1,sim/bo?seed=2,sim/cy?seed=3";

/** In the form of another program's configuration. */
const CONFIG = {
  agents: ["architect", "performance", "security"].map((role) => ({
    id: `agent-${role}`,
    name: role,
    role,
    model: "gpt-4",
    provider: "openai",
    temperature: 0.5,
    enabled: true,
  })),
  judge: {
    id: "judge-main",
    name: "Judge",
    role: "generalist",
    model: "openai/gpt-4",
    provider: "openrouter",
  },
  debate: {
    rounds: 2,
    terminationCondition: { type: "fixed" },
    synthesisMethod: "judge",
    timeoutPerRound: 300_000,
  },
};

describe("a debate on the command line", () => {
  it("runs another program's configuration as it is, and writes what was asked for", async () => {
    await using place = somewhere();
    writeFileSync(join(place.cwd, "config.json"), JSON.stringify(CONFIG));
    writeFileSync(join(place.cwd, "problem.md"), PROBLEM);
    const ended = await place.run([
      ...["debate", "-p", "problem.md", "-c", "config.json", "--map-models", MODELS, "--seed", "1"],
      ...["-o", "debate.json", "--report", "debate.html", "--json", "-q"],
    ]);
    expect(ended.code).toBe(0);
    const result = resultIn(ended);
    expect(result).toMatchObject({
      protocol: { name: "debate" },
      status: "answered",
      section: { rounds: 2 },
    });
    expect(membersIn(result).map(({ id }) => id)).toEqual(CONFIG.agents.map(({ id }) => id));
    const settings = async (id: string) =>
      /"critiquesForJudge":(\w+)/.exec((await place.run(["export", id, "--format", "jsonl"])).stdout)?.[1];
    expect(await settings(result.id)).toBe("true");
    const bare = { ...CONFIG, debate: { ...CONFIG.debate, rounds: 1, includeFullHistory: false } };
    writeFileSync(join(place.cwd, "bare.json"), JSON.stringify(bare));
    const other = ["debate", PROBLEM, "-c", "bare.json", "--map-models", MODELS, "--json", "-q"];
    expect(await settings(resultIn(await place.run(other)).id)).toBe("false");
    const fork = await place.run(["fork", result.id, "--without", "agent-security", "--json", "-q"]);
    expect(membersIn(resultIn(fork)).map(({ id }) => id)).toEqual(["agent-architect", "agent-performance"]);
    const record = DebateRecord.parse(JSON.parse(readFileSync(join(place.cwd, "debate.json"), "utf8")));
    expect(record.agents.map(({ role }) => role)).toEqual(["architect", "performance", "security"]);
    expect(record.rounds[1]?.proposals.every(({ carried }) => carried)).toBe(true);
    const page = readFileSync(join(place.cwd, "debate.html"), "utf8");
    expect(page).toContain("<svg");
    expect(page).not.toMatch(/<script|https?:\/\/(?!www\.w3\.org)/);
    const printed = await place.run(["report", result.id, "--json"]);
    expect(DebateRecord.parse(JSON.parse(printed.stdout))).toEqual(record);
    expect((await place.run(["replay", result.id])).code).toBe(0);

    const evaluated = await place.run([
      ...["eval", "-d", "debate.json", "--models", "sim/dora,sim/eve", "-o", "scores.csv", "--json", "-q"],
    ]);
    expect(evaluated.code).toBe(0);
    expect(sectionSchema.parse(JSON.parse(evaluated.stdout)).overall_score).toBeGreaterThanOrEqual(1);
    await place.run(["eval", "-d", result.id, "--models", "sim/dora", "-o", "scores.csv", "-q"]);
    const lines = readFileSync(join(place.cwd, "scores.csv"), "utf8").trim().split(/\r?\n/);
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^debate,Functional Completeness,/);
  }, 60_000);

  it("waits for answers without a terminal, and another process goes on with them", async () => {
    await using place = somewhere();
    const models = "sim/ada?asks=2,sim/bo?asks=1,sim/cy";
    const asked = await place.run([
      "debate",
      PROBLEM,
      "--clarify",
      "--models",
      models,
      "-r",
      "1",
      "--json",
      "-q",
    ]);
    expect(asked.code).toBe(8);
    const { id, status } = resultIn(asked);
    expect(status).toBe("waiting");
    // Wherever it is told, it waits.
    const told = [
      ["show", id, "--json"],
      ["list", "--json"],
      ["report", id, "--json"],
      ["export", id, "--format", "json"],
      ["resume", id, "--json", "-q"],
    ];
    for (const args of told) {
      const { code, stdout } = await place.run(args);
      expect([args[0], code, stdout.match(/"status": "(\w+)"/)?.[1]]).toEqual([
        args[0],
        args[0] === "resume" ? 8 : 0,
        "waiting",
      ]);
    }
    expect((await place.run(["show", id])).stdout).toContain(
      "Waiting for a person to answer (see the inbox)",
    );
    expect((await place.run(["list"])).stdout).toMatch(/ waiting /);
    expect(asked.stderr).toContain(`parley answer ${id}`);
    const listed = await place.run(["answer", id, "--list", "--json"]);
    const questions = z.array(z.object({ id: z.string() })).parse(JSON.parse(listed.stdout));
    expect(new Set(questions.map((one) => one.id)).size).toBe(3);
    const [first] = questions;
    writeFileSync(
      join(place.cwd, "answers.json"),
      JSON.stringify({ [first?.id ?? ""]: "Ten thousand a day." }),
    );
    const stray = join(place.cwd, "stray.json");
    writeFileSync(stray, '{"nobody-asked": "this"}');
    expect(await place.run(["answer", id, stray])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no open question "nobody-asked"') as string,
    });
    // What is left out still waits: the first record counts, so nothing is recorded yet.
    for (const args of [
      ["answer", id, "answers.json"],
      ["answer", id],
    ]) {
      const waiting = await place.run(args);
      expect(waiting).toMatchObject({ code: 8, stdout: "" });
      expect(waiting.stderr).toContain(questions[2]?.id);
    }
    const all = {
      ...Object.fromEntries(questions.map((one) => [one.id, ""])),
      [first?.id ?? ""]: "Ten thousand a day.",
    };
    const ended = await piped(place, ["answer", id, "-", "--json", "-q"], { input: JSON.stringify(all) });
    expect(resultIn(ended)).toMatchObject({ id, status: "answered" });
    const report = await place.run(["report", id]);
    expect(report.stdout).toContain("Ten thousand a day.");
  }, 60_000);

  it.each<[string, string[], string, Readonly<Record<string, string>>]>([
    ["piped beside an argument", [PROBLEM], "The budget is 7 EUR.", {}],
    ["piped beside a file", ["-p", "problem.md"], "The budget is 7 EUR.", { "problem.md": PROBLEM }],
    ["in a file", [PROBLEM, "--context", "notes.md"], "", { "notes.md": "The budget is 7 EUR." }],
    [
      "in two files",
      [PROBLEM, "--context", "a.md", "--context", "b.md"],
      "",
      { "a.md": "Nothing.", "b.md": "The budget is 7 EUR." },
    ],
    [
      "in a file beside a folder",
      [PROBLEM, "--context", "notes.md", "--context", "."],
      "",
      { "notes.md": "The budget is 7 EUR." },
    ],
  ])("is shown material %s", async (_, ...row) => {
    const [args, input, files] = row;
    await using place = somewhere();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(place.cwd, name), text);
    const models = ["-a", "architect", "-r", "1", "--models", "sim/ada", "--json", "-q"];
    const ended = await piped(place, ["debate", ...args, ...models], { input });
    expect(ended.code).toBe(0);
    const { question } = resultIn(ended);
    expect(question).toBe(PROBLEM);
    const exported = await place.run(["export", resultIn(ended).id, "--format", "json"]);
    expect(exported.stdout).toContain('"The budget is 7 EUR."');
  });

  it.each<[string, { agents?: object[]; judge?: object; debate: object } | undefined, string]>([
    ["no agents", { debate: { rounds: 1 } }, "there are no agents"],
    ["empty agents", { agents: [], debate: { rounds: 1 } }, "there are no agents"],
    ["a judge alone", { judge: CONFIG.judge, debate: { rounds: 1 } }, "there are no agents"],
    [
      "an unknown role",
      {
        ...CONFIG,
        agents: CONFIG.agents.map((one) => ({ ...one, role: "reviewer" })),
        debate: { rounds: 1 },
      },
      'no role "reviewer"',
    ],
    ["no file", undefined, "c.json does not exist"],
  ])("goes on as Dialectic does, with a warning: %s", async (_, ...row) => {
    const [config, warning] = row;
    await using place = somewhere();
    if (config) writeFileSync(join(place.cwd, "c.json"), JSON.stringify(config));
    const models = [
      "--models",
      "sim/ada,sim/bo",
      ...(config?.agents || config?.judge ? ["--map-models", MODELS] : []),
    ];
    const ended = await place.run(["debate", PROBLEM, "-c", "c.json", "-r", "1", ...models, "--json"]);
    expect(ended.stderr).toContain(warning);
    expect(ended.code).toBe(0);
    expect(resultIn(ended)).toMatchObject({ status: "answered", section: { rounds: 1 } });
    expect(membersIn(resultIn(ended))).toHaveLength(3);
  });

  it("refuses two folders", async () => {
    await using place = somewhere();
    const args = ["debate", PROBLEM, "--models", "sim/ada", "--context", ".", "--context", ".."];
    expect(await place.run(args)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("two folders") as string,
    });
  });

  it("is killed in the middle and resumed to the same end, asking nothing twice", async () => {
    await using place = somewhere();
    const slow = MODELS.split(",")
      .map((ref) => `${ref}&latency=150`)
      .join(",");
    const running = place.start(["debate", PROBLEM, "--models", slow, "-r", "2", "--seed", "7", "--events"]);
    const opened = await running.seen("stdout", /"deliberation":"([a-z0-9]+)"/);
    await running.seen("stdout", /round-1\/critique\/roster/);
    running.kill("SIGKILL");
    await running.ended;
    // What had been sent and not settled at the kill is settled after it.
    const recorded = async () =>
      (await place.run(["export", opened, "--format", "jsonl"])).stdout
        .trim()
        .split("\n")
        .map((line) => ({ ...(JSON.parse(line) as object), sent: undefined }));
    const before = await recorded();
    const resumed = await place.run(["resume", opened, "--json", "-q"]);
    const result = resultIn(resumed);
    // 22, and the judge's summary: the last round is over its threshold.
    expect(result).toMatchObject({ status: "answered", calls: 23 });
    expect((await recorded()).slice(0, before.length)).toEqual(before);
  }, 60_000);

  it.each([
    [["debate"], "the problem is empty"],
    [["debate", "x", "-r", "0"], "--rounds"],
    [["debate", "x", "-a", "architekt"], "the nearest is architect"],
    [["debate", "x", "--context", "none"], "none does not exist"],
    [["report"], "there is no run yet"],
  ])("refuses %j with what to do", async (args, said) => {
    await using place = somewhere();
    const { code, stderr } = await place.run(args);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });
});
