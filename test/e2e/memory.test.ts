import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EngramLine, MemoryImport } from "../../src/memory/transfer.ts";
import { MemoryAblation } from "../../src/features/bench/app/ablation/report.ts";
import { MemoryEngram, MemoryFacts, MemoryReport, MemorySearch } from "../../src/features/memory/contract.ts";
import { built, isProblem, somewhere, type Ended, type Somewhere } from "./parley.ts";

built();

const parsed = <T>(schema: { parse(value: unknown): T }, { stdout }: Ended): T =>
  schema.parse(JSON.parse(stdout));
const memory = (place: Somewhere, ...args: readonly string[]) => place.call(["memory", ...args]);

const LANDS = Array.from({ length: 24 }, (_, n) => `Land${String.fromCharCode(97 + n)}onia`);
const question = (land: string) => `What is the capital of ${land}?`;

/** An export of answers that a person found good, and a file of tasks that asks for them and for as many others. */
function writeFiles(place: Somewhere): void {
  const lines = LANDS.slice(0, 12).map((land) => ({
    engram: {
      id: `known-${land}`,
      type: "episodic",
      organization: "else",
      user: "else",
      question: question(land),
      summary: `Final answer: ${land}ville`,
      intent: "fact",
      entities: [land],
      participant: null,
      respondent: "A",
      models: ["sim/wise"],
      temperature: null,
      deliberation: null,
      conversation: null,
      tools: false,
      at: "2026-01-01T00:00:00.000Z",
    },
    cluster: `known-${land}`,
    annotations: [
      {
        event: `good-${land}`,
        by: "ann",
        at: "2026-01-02T00:00:00.000Z",
        what: { kind: "grade", score: 5, feedback: "right", rubric: "answer-quality" },
      },
    ],
  }));
  const text = (rows: readonly unknown[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  writeFileSync(join(place.cwd, "known.jsonl"), text(lines));
  const tasks = LANDS.map((land) => ({ question: question(land), answer: `${land}ville` }));
  writeFileSync(join(place.cwd, "tasks.jsonl"), text(tasks));
}

const RESPOND = ["--model", "sim/ada?skill=1", "--respondent-b", "--judge", "sim/eve?skill=1", "-q"];

describe("parley memory", () => {
  it("shows what was remembered, by search, by id, by the answer's id, and by what was said of it", async () => {
    await using place = somewhere();
    for (const args of [["search"], ["stats"], ["facts"]]) {
      const empty = await memory(place, ...args);
      expect(empty).toMatchObject({ code: 0, stderr: "" });
      expect(empty.stdout).toMatch(/parley (respond|memory pin)/);
    }
    const asked = await place.run(["respond", "What is 17 * 23?", ...RESPOND]);
    expect(asked.code).toBe(0);
    const all = parsed(MemorySearch, await memory(place, "search", "--json"));
    expect(all).toMatchObject({ user: "local", query: null, more: false });
    expect(all.engrams.map(({ engram }) => engram.respondent)).toEqual(expect.arrayContaining(["A", "B"]));
    expect(all.engrams).toHaveLength(2);
    const second = parsed(MemorySearch, await memory(place, "search", "--answered-by", "B", "--json"));
    expect(second.engrams.map(({ engram }) => engram.respondent)).toEqual(["B"]);
    const one = parsed(MemorySearch, await memory(place, "search", "17", "*", "23", "-n", "1", "--json"));
    expect(one).toMatchObject({
      query: "17 * 23",
      more: true,
      how: expect.stringContaining("full text alone"),
    });
    expect(one.engrams).toHaveLength(1);
    const first = all.engrams.find(({ engram }) => engram.respondent === "A");
    const deliberation = first?.engram.deliberation ?? "";
    const shown = await memory(place, "show", deliberation, "--json");
    expect(parsed(MemoryEngram, shown)).toMatchObject({
      engram: { id: first?.engram.id, respondent: "A", question: "What is 17 * 23?" },
      annotations: expect.arrayContaining([expect.objectContaining({ by: "sim/eve?skill=1" })]),
      judged: { grade: expect.any(Number) },
    });
    for (const id of [first?.engram.id ?? "", deliberation.slice(0, -3)])
      expect((await memory(place, "show", id, "--json")).stdout).toBe(shown.stdout);
    const stats = parsed(MemoryReport, await memory(place, "stats", "--json"));
    expect(stats).toMatchObject({ user: "local", episodic: 2 });
    expect(stats.configurations.map(({ claim }) => claim)).toEqual([
      "too-few",
      "too-few",
      "too-few",
      "too-few",
    ]);
    for (const args of [["search"], ["search", "17"], ["show", deliberation], ["stats"]])
      for (const line of (await memory(place, ...args)).stdout.split("\n"))
        if (line.includes(" ")) expect(line.length, line).toBeLessThanOrEqual(80);
    const other = await memory(place, "search", "--user", "bob", "--json");
    expect(parsed(MemorySearch, other).engrams).toEqual([]);
    const elsewhere = await memory(place, "show", deliberation, "--user", "bob");
    expect(elsewhere).toMatchObject({ code: 2, stdout: "" });
    expect(elsewhere.stderr).toContain("bob has no memory entry");
  }, 60_000);

  it("pins facts and forgets, and the journal keeps what memory does not", async () => {
    await using place = somewhere();
    const pinned = await memory(place, "pin", "We", "deploy on Fridays.");
    expect(pinned).toMatchObject({ code: 0, stdout: expect.stringMatching(/^pinned:[0-9a-f]{16}\n$/) });
    expect((await memory(place, "pin", "We deploy on Fridays.")).stderr).toMatch(/^Already pinned/);
    expect(parsed(MemoryFacts, await memory(place, "facts", "--json"))).toMatchObject({
      facts: [{ id: pinned.stdout.trim(), fact: "We deploy on Fridays." }],
    });
    await place.call(["respond", "What is 17 * 23?", "--model", "sim/ada", "-q"]);
    const [found] = parsed(MemorySearch, await memory(place, "search", "--json")).engrams;
    const deliberation = found?.engram.deliberation ?? "";
    const unasked = await memory(place, "forget", deliberation);
    expect(unasked).toMatchObject({ code: 2, stdout: "" });
    expect(unasked.stderr).toMatch(/--yes\n$/);
    expect(parsed(MemorySearch, await memory(place, "search", "--json")).engrams).toHaveLength(1);
    const forgotten = await memory(place, "forget", deliberation, "--yes");
    expect(forgotten.stderr).toBe(`Deleted; run history is kept: parley show ${deliberation}\n`);
    expect(parsed(MemorySearch, await memory(place, "search", "--json")).engrams).toEqual([]);
    const shown = parsed(MemoryEngram, await memory(place, "show", deliberation, "--json"));
    expect(shown).toMatchObject({ engram: { question: "", summary: "" }, forgotten: { by: "local" } });
    expect((await memory(place, "forget", deliberation, "--yes")).stderr).toBe("Already deleted\n");
    expect((await place.call(["show", deliberation])).stdout).toContain("Final answer: 391");
    await memory(place, "forget", pinned.stdout.trim(), "--yes");
    expect(parsed(MemoryFacts, await memory(place, "facts", "--json")).facts).toEqual([]);
  }, 60_000);

  it("exports and imports without loss, twice as once, and names the lines that it cannot take", async () => {
    await using place = somewhere();
    writeFiles(place);
    const first = await memory(place, "import", "known.jsonl", "--json");
    expect(parsed(MemoryImport, first)).toMatchObject({ written: 12, known: 0, annotations: 12, refused: 0 });
    await memory(place, "pin", "We deploy on Fridays.");
    const out = await memory(place, "export");
    const lines = out.stdout
      .trimEnd()
      .split("\n")
      .map((line) => EngramLine.parse(JSON.parse(line)));
    expect(lines).toHaveLength(13);
    expect(out.stderr).toBe("13 memory entries exported\n");
    expect(await memory(place, "export", "all.jsonl")).toMatchObject({ code: 0, stdout: "" });
    expect(readFileSync(join(place.cwd, "all.jsonl"), "utf8")).toBe(out.stdout);
    expect(readdirSync(place.cwd).sort()).toEqual(["all.jsonl", "known.jsonl", "tasks.jsonl"]);
    const [line = ""] = out.stdout.split("\n");
    writeFileSync(join(place.cwd, "bad.jsonl"), `${line}\n\nnot json\n{"engram": 1}\n${out.stdout}`);
    const bad = await memory(place, "import", "bad.jsonl", "--user", "bob", "--json");
    expect(bad.code).toBe(1);
    expect(parsed(MemoryImport, bad)).toMatchObject({
      user: "bob",
      file: "bad.jsonl",
      written: 13,
      known: 1,
      refused: 2,
      refusals: [{ line: 3 }, { line: 4 }],
    });
    expect(bad.stderr.split("\n").slice(0, 2)).toEqual([
      "bad.jsonl:3: this is not JSON",
      expect.stringMatching(/^bad\.jsonl:4: engram: /),
    ]);
    const scopeless = (text: string) => text.replaceAll('"user":"local"', '"user":"bob"');
    const episodic = (text: string) => text.split("\n").filter((one) => one.includes('"episodic"'));
    const bobs = await memory(place, "export", "--user", "bob");
    expect(episodic(bobs.stdout)).toEqual(episodic(scopeless(out.stdout)));
    const again = parsed(MemoryImport, await memory(place, "import", "all.jsonl", "--json"));
    expect(again).toMatchObject({ written: 0, known: 13, annotations: 0, refused: 0 });
    const missing = await memory(place, "import", "none.jsonl");
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(isProblem(missing.stderr)).toBe(true);
    expect(await memory(place, "export", "no/where.jsonl")).toMatchObject({ code: 2, stdout: "" });
  });

  it("gives vectors to what has none, and says what is missing for it", async () => {
    await using place = somewhere();
    writeFiles(place);
    await memory(place, "import", "known.jsonl");
    const unset = await memory(place, "reembed");
    expect(unset).toMatchObject({ code: 2, stdout: "" });
    expect(unset.stderr).toContain("no embedding model is configured");
    const env = { PARLEY_EMBEDDING: "sim/embed" };
    const done = await place.call(["memory", "reembed", "-q"], env);
    expect(done).toMatchObject({ code: 0, stderr: "12 memory entries embedded with sim/embed\n" });
    expect((await place.call(["memory", "reembed"], env)).stderr).toBe(
      "Every entry has a vector of sim/embed\n",
    );
    const found = parsed(MemorySearch, await place.call(["memory", "search", "capital", "--json"], env));
    expect(found.how).toContain("semantic (sim/embed)");
    expect(found.engrams.every(({ similarity }) => similarity !== null)).toBe(true);
  });

  it("refuses what it cannot use, in one line with what to do", async () => {
    await using place = somewhere();
    writeFiles(place);
    const refused = async (args: readonly string[], message: RegExp) => {
      const ended = await memory(place, ...args);
      expect(ended).toMatchObject({ code: 2, stdout: "" });
      expect(isProblem(ended.stderr)).toBe(true);
      expect(ended.stderr).toMatch(message);
    };
    await Promise.all([
      refused(["search", "--limit", "0"], /an integer from 1 to 1000/),
      refused(["search", "--answered-by", "C"], /--answered-by/),
      refused(["search", "--user", "a b"], /user/),
      refused(["show", "x"], /local has no memory entry "x"/),
      refused(["pin"], /the fact is empty/),
      refused(["pin", "one\n\ntwo"], /more than one paragraph/),
      refused(["ablate", "none.jsonl", "--model", "sim/ada"], /none\.jsonl does not exist/),
      refused(["ablate", "known.jsonl", "--model", "sim/ada"], /known\.jsonl:1/),
      refused(["ablate", "tasks.jsonl", "--concurrency", "x"], /--concurrency/),
    ]);
  });
});

describe("parley memory ablate", () => {
  const ABLATE = ["memory", "ablate", "tasks.jsonl", "--model", "sim/ada?skill=0&latency=60", "--json"];

  it("shows that memory helps; killed it goes on, and asks nothing that is recorded", async () => {
    await using place = somewhere();
    writeFiles(place);
    await memory(place, "import", "known.jsonl");
    const victim = place.start(ABLATE);
    await victim.seen("stderr", /\d+ of 48 done/);
    victim.kill("SIGKILL");
    await victim.ended;
    const again = await place.call(ABLATE);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain("were asked in an earlier run");
    const report = parsed(MemoryAblation, again);
    expect(report).toMatchObject({
      simulated: true,
      complete: true,
      recalled: { n: 24, any: 12 },
      with: { calls: 24 },
      without: { calls: 24 },
      right: { all: { n: 24, both: 0, onlyWith: 12, onlyWithout: 0, neither: 12 }, recalled: { n: 12 } },
    });
    expect(parsed(MemoryAblation, await place.call([...ABLATE, "-q"]))).toEqual(report);
    const judged = await place.call([...ABLATE.slice(0, -1), "--judge", "sim/eve?skill=1", "-q"]);
    expect(judged).toMatchObject({ code: 0, stderr: "" });
    expect(judged.stdout).toMatch(/^By known answers, memory helps; by the judge, /);
    for (const line of judged.stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    expect(parsed(MemorySearch, await memory(place, "search", "--json", "-n", "50")).engrams).toHaveLength(
      12,
    );
  });

  it("ends at Ctrl-C and at its cap, says how to go on, and goes on", async () => {
    await using place = somewhere();
    writeFiles(place);
    const stopped = place.start(ABLATE);
    await stopped.seen("stderr", /\d+ of 48 done/);
    stopped.kill("SIGINT");
    const ended = await stopped.ended;
    expect(ended.code).toBe(130);
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code: "interrupted" }, exit: 130 });
    expect(ended.stderr).toMatch(
      /Interrupted; \d+ of 48 answers are recorded\. Try: the same command, which resumes\n$/,
    );
    const capped = await place.call([...ABLATE, "--max-total-tokens", "10000", "-q"]);
    expect(capped.code).toBe(5);
    expect(capped.stderr).toMatch(/Try: raise --max-total-tokens; the same command then resumes\n$/);
    expect(parsed(MemoryAblation, capped).complete).toBe(false);
    const whole = parsed(MemoryAblation, await place.call([...ABLATE, "-q"]));
    expect(whole).toMatchObject({ complete: true, recalled: { any: 0 } });
  }, 60_000);
});
