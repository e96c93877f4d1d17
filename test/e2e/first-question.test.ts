import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { Result } from "../../src/views/result.ts";
import {
  PANEL,
  built,
  eventsIn,
  isProblem,
  linesIn,
  QUESTION,
  resultIn,
  somewhere,
  type Somewhere,
} from "./parley.ts";

built();

const Given = z.object({ origin: z.object({ step: z.string() }), data: z.object({ text: z.string() }) });

describe("a question on a fresh machine", () => {
  it("is answered by the simulated panel, which is said, on stdout and on stderr", async () => {
    await using place = somewhere();
    const { code, stdout, stderr } = await place.run([QUESTION]);
    expect(code).toBe(0);
    // In a pipe stdout is the answer alone.
    expect(stdout).toMatch(/^\[simulated /);
    expect(stdout).toMatch(/\nFinal answer: 391\n$/);
    expect(stderr).toMatch(/^simulated models$/m);
    expect(stderr).toMatch(/^All 3 drafts: 391 · Baseline: /m);
    expect(stderr).toContain("using simulated models");
    expect(stderr).toMatch(/^analyst: draft done/m);
    expect(stdout + stderr).not.toContain("\u001B");
  });

  it("prints one result of the published form with --json", async () => {
    await using place = somewhere();
    const ended = await place.run([QUESTION, "--json"]);
    expect(ended.code).toBe(0);
    expect(resultIn(ended)).toMatchObject({
      status: "answered",
      simulated: true,
      finalAnswer: "391",
      calls: 3,
      control: { kind: "draft-majority", answer: "391", agrees: true, overlap: 1 },
      section: { ladder: [{ rung: "draft", reason: "all 3 drafts come to 391", calls: 3 }] },
    });
  });

  it("prints the events in the journal's order, the text of steps and at last the result, with --events", async () => {
    await using place = somewhere();
    const ended = await place.run([QUESTION, "--events"]);
    const events = eventsIn(ended);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(events.at(0)?.type).toBe("deliberation-opened");
    // What comes after the answer is remembering it.
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["deliberation-closed", "engram-written"]);
    const [one] = (await list(place)).map(({ id }) => id);
    const lines = linesIn(ended);
    const [draft] = events.filter(({ type }) => type === "answer-given").map((line) => Given.parse(line));
    const written = lines.filter(({ type, step }) => type === "text" && step === draft?.origin.step);
    expect(written.map(({ text }) => text).join("")).toContain(draft?.data.text);
    const { type, ...result } = lines.at(-1) ?? {};
    expect([type, Result.parse(result)]).toEqual([
      "result",
      resultIn(await place.run(["show", String(one), "--json"])),
    ]);
    const exported = await place.run(["export", String(one), "--format", "jsonl"]);
    expect(linesIn(exported)).toEqual(events);
    const again = await place.run(["resume", String(one), "--events"]);
    expect(linesIn(again)).toEqual([...events, lines.at(-1)]);
  });

  it("has nothing to say on stderr with --quiet, and takes a first word that is no command for the question", async () => {
    await using place = somewhere();
    expect(await place.run(["--quiet", ...PANEL, "--", "list"])).toMatchObject({ code: 0, stderr: "" });
    const { code, stdout, stderr } = await place.run([QUESTION, "--quiet"], { NO_COLOR: "1" });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain("391");
    expect((await list(place)).map(({ question }) => question)).toEqual([QUESTION, "list"]);
  });

  it("has the answer and its dissent alone on stdout in a pipe, whichever command gives it", async () => {
    await using place = somewhere();
    const asking = [
      ["ask", "Should we move to Postgres?", ...PANEL],
      ["council", "Should we move to Postgres?", ...PANEL],
      ["council", "Should we move to Postgres?", "--mode", "vote", ...PANEL],
      ["debate", "Should we move to Postgres?", ...PANEL],
      ["respond", "Should we move to Postgres?", "--model", "sim/ada"],
    ];
    const plain = await place.runAll(
      asking.map((args) => ({ args, env: { NO_COLOR: "1", FORCE_COLOR: "1" } })),
    );
    const rows = await list(place);
    const shown = await place.runAll(rows.map(({ id }) => ({ args: ["show", id, "--json"] })));
    const answers = shown.map(({ stdout }) => Result.parse(JSON.parse(stdout)).answer?.trim());
    for (const [index, answer = ""] of answers.toReversed().entries()) {
      const text = plain[index]?.stdout.trim() ?? "";
      expect(text.slice(0, answer.length)).toBe(answer);
      for (const line of text.slice(answer.length).split("\n").filter(Boolean))
        expect(line).toMatch(/^(?:Disputed|Dissent|Synthesized from inputs by): /);
    }
    for (const { stderr } of plain) {
      const id = rows.find((row) => stderr.includes(`parley show ${row.id}`))?.id ?? "none";
      // What stands after the answer is on stderr, and takes at most three lines.
      const lines = stderr.trimEnd().split("\n");
      expect(lines.findIndex((line) => line.includes(`${id} · parley show ${id} · parley `))).toBe(
        lines.length - 1,
      );
      expect(stderr).not.toContain("\u001B");
    }
  });

  it("reads a file as context, and shows the members its text", async () => {
    await using place = somewhere();
    const readme = new URL("../../package.json", import.meta.url).pathname;
    const { id } = resultIn(await place.run([QUESTION, "--quiet", "--json", "--context", readme]));
    const { stdout } = await place.run(["export", id, "--format", "json"]);
    const { texts } = z.object({ texts: z.record(z.string(), z.string()) }).parse(JSON.parse(stdout));
    expect(Object.values(texts)).toContain(readFileSync(readme, "utf8"));
  });
});

describe("what was asked", () => {
  it("is listed newest first, and found by the beginning of its id", async () => {
    await using place = somewhere();
    expect(await place.run(["list", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
    const ids: string[] = [];
    for (const question of ["What is 1 + 1?", "What is 2 + 2?", "What is 3 + 3?"])
      ids.unshift(resultIn(await place.run([question, "--json", "--mode", "vote"])).id);
    expect((await list(place)).map(({ id }) => id)).toEqual(ids);
    for (const id of ids) {
      expect(resultIn(await place.run(["show", id.slice(0, 10), "--json"])).id).toBe(id);
    }
    expect((await place.run(["list"])).stdout.trim().split("\n")).toHaveLength(4);
  });

  it("is exported as a document, as an object and as lines", async () => {
    await using place = somewhere();
    const { id } = resultIn(await place.run([QUESTION, "--json"]));
    const md = await place.run(["export", id, "--format", "md"]);
    expect(md.stdout).toContain(QUESTION);
    expect(md.stdout).toContain("imulated");
    const { result, events } = JSON.parse((await place.run(["export", id, "--format", "json"])).stdout) as {
      result: unknown;
      events: unknown[];
    };
    const lines = eventsIn(await place.run(["export", id, "--format", "jsonl"]));
    expect(lines).toEqual(events);
    expect(resultIn({ ...md, stdout: JSON.stringify(result) }).id).toBe(id);
  });

  it("can be shown again by resume, and a vote differs from a consensus", async () => {
    await using place = somewhere();
    const asked = ["--json", "--seed", "4"];
    const consensus = resultIn(await place.run(["council", QUESTION, ...asked]));
    expect(resultIn(await place.run(["resume", consensus.id, "--json"]))).toEqual(consensus);
    const vote = resultIn(await place.run(["council", QUESTION, ...asked, "--mode", "vote"]));
    expect(vote).toMatchObject({ section: { mode: "vote" }, calls: 6, finalAnswer: "391" });
    expect(vote.answer).not.toBe(consensus.answer);
  });

  it("survives two commands at once on one fresh home", async () => {
    await using place = somewhere();
    const both = await Promise.all([1, 2, 3].map(() => place.run([QUESTION, "--json", "--quiet"])));
    for (const one of both) expect(one).toMatchObject({ code: 0, stderr: "" });
    expect(new Set(both.map((one) => resultIn(one).id)).size).toBe(3);
    expect(await list(place)).toHaveLength(3);
  });

  it("ends quietly when nobody reads on", async () => {
    await using place = somewhere();
    await place.run([QUESTION, "--quiet"]);
    const [one] = await list(place);
    for (const args of [
      ["export", String(one?.id), "--format", "jsonl"],
      [QUESTION, "--events", "--quiet"],
    ]) {
      const running = place.start(args);
      running.closeStdout();
      expect(await running.ended).toMatchObject({ code: 0, stderr: "" });
    }
  });
});

it("prints every command and its exit codes as help, and refuses what it does not know in one line", async () => {
  await using place = somewhere();
  const help = await place.run(["help", "more"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  for (const name of [
    "ask",
    "council",
    "list",
    "show",
    "resume",
    "replay",
    "fork",
    "export",
    "models",
    "config",
    "doctor",
    "sim-server",
  ])
    expect(help.stdout).toMatch(new RegExp(`^ +${name}\\b`, "m"));
  const wrong = await place.run(["show"]);
  expect(wrong.code).toBe(2);
  expect(isProblem(wrong.stderr)).toBe(true);
});

async function list(place: ReturnType<typeof somewhere>) {
  const { stdout } = await place.run(["list", "--json"]);
  return JSON.parse(stdout) as { id: string; question: string }[];
}

/** What a command writes on a terminal, from util-linux's `script`; undefined where there is none. */
function onTerminal(place: Somewhere, env: Readonly<Record<string, string>>): string | undefined {
  const command = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));
  const line = `'${process.execPath}' '${command}' '${QUESTION}' --models sim/ada,sim/bo`;
  const ran = spawnSync("script", ["-qec", line, "/dev/null"], {
    cwd: place.cwd,
    env: { PATH: process.env["PATH"] ?? "", HOME: place.folder, PARLEY_HOME: place.home, ...env },
    encoding: "utf8",
  });
  return ran.error || ran.status !== 0 ? undefined : ran.stdout;
}

describe("a terminal", () => {
  it.for([
    [{ TERM: "dumb" }, false, false],
    [{ TERM: "dumb", NO_COLOR: "1" }, false, false],
    [{ TERM: "xterm", NO_COLOR: "1" }, true, false],
    [{ TERM: "xterm" }, true, true],
  ] as const)(
    "with %j gets no escape sequences that it cannot take",
    async ([env, any, colors], { skip }) => {
      await using place = somewhere();
      const text = onTerminal(place, env);
      if (text === undefined) return skip("there is no `script` of util-linux here");
      expect(text).toContain("391");
      const [, ...sequences] = text.split("\u001B");
      expect(sequences.length > 0).toBe(any);
      expect(sequences.some((rest) => /^\[[0-9;]*m/.test(rest))).toBe(colors);
    },
  );
});
