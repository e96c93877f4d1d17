import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { built, isProblem, somewhere, type Ended, type Somewhere } from "./parley.ts";

built();

const MODEL = "sim/ada?skill=0.4&care=0.5&latency=20&family=oak";
const kid = ({ home }: Somewhere) => join(home, "personas", "kid.yaml");

/** A project with a child on trial, and a file of tasks. */
async function withChild(place: Somewhere): Promise<void> {
  const [bred, tasks] = await place.runAll([
    { args: ["personas", "breed", "analyst", "historian", "--name", "Kid", "-m", "sim/ada", "-q"] },
    { args: ["bench", "tasks", "--kind", "arithmetic", "--count", "60"] },
  ]);
  expect([bred?.code, tasks?.code]).toEqual([0, 0]);
  writeFileSync(join(place.cwd, "tasks.jsonl"), tasks?.stdout ?? "");
}

const TRIAL = ["personas", "trial", "kid", "--tasks", "tasks.jsonl", "-m", MODEL];
const verdictOf = ({ stdout }: Pick<Ended, "stdout">) => {
  const { accepted, tests } = JSON.parse(stdout) as { accepted: boolean; tests: unknown };
  return { accepted, tests };
};

describe("a trial on the command line", () => {
  it("ends the same however often it is killed, and says that it goes on", async () => {
    const slowly = TRIAL.map((word) => word.replace("latency=20", "latency=150"));
    await using whole = somewhere();
    await withChild(whole);
    const expected = verdictOf(await whole.run([...slowly, "--json", "-q"]));
    expect(expected.accepted).toBe(true);

    await using place = somewhere();
    await withChild(place);
    for (const after of [50, 200, 350]) {
      const running = place.start(slowly);
      await running.seen("stderr", /at most, against Analyst|Resuming/);
      await new Promise((resolve) => setTimeout(resolve, after));
      running.kill("SIGKILL");
      expect((await running.ended).signal).toBe("SIGKILL");
    }
    expect(readFileSync(kid(place), "utf8")).not.toContain("accepted:");
    const { stdout, stderr, code } = await place.run([...slowly, "--json"]);
    expect(stderr).toContain("Resuming");
    expect([code, verdictOf({ stdout })]).toEqual([0, expected]);
    expect(readFileSync(kid(place), "utf8")).toContain("accepted:");
    const again = await place.run([...slowly, "--json"]);
    expect(again.stderr).toContain("Tried before");
    expect(verdictOf(again)).toEqual(expected);
  }, 60_000);

  it("is one where two start it at once, and both say the same", async () => {
    await using place = somewhere();
    await withChild(place);
    const ended = await Promise.all([1, 2].map(() => place.run([...TRIAL, "--json", "-q"])));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    const [one, two] = ended.map(({ stdout }) => JSON.parse(stdout) as { run: string; accepted: boolean });
    expect(one?.run).toBe(two?.run);
    expect([one?.accepted, two?.accepted]).toEqual([true, true]);
    const { stdout } = await place.run(["personas", "lineage", "kid", "--json"]);
    const { status, trials } = JSON.parse(stdout) as { status: string; trials: unknown[] };
    expect([status, trials.length]).toEqual(["accepted", 1]);
  }, 60_000);

  it("loses nothing by Ctrl-C, and refuses a child that is no better with exit 1", async () => {
    await using place = somewhere();
    await withChild(place);
    const running = place.start(TRIAL);
    // Its first line of progress: by then it hears Ctrl-C, and has most of its questions before it.
    await running.seen("stderr", /against parent:/);
    running.kill("SIGINT");
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining("the same command")]);
    const equal = await place.run([
      ...TRIAL.slice(0, -1),
      "sim/ada?skill=0.6&family=oak",
      "--again",
      "--json",
      "-q",
    ]);
    expect([equal.code, verdictOf(equal).accepted]).toEqual([1, false]);
    const sits = await place.run([
      "council",
      "Why?",
      "--persona",
      "kid,analyst",
      "--models",
      "sim/ada,sim/bo",
      "-q",
    ]);
    expect([sits.code, sits.stderr]).toEqual([2, expect.stringContaining("Kid is on trial")]);
  }, 60_000);
});

describe("personas on the command line", () => {
  it("say what is wrong and what to do, and record nothing", async () => {
    await using place = somewhere();
    writeFileSync(join(place.cwd, "few.jsonl"), '{"question": "What is 2 * 3?", "answer": "6"}\n');
    writeFileSync(
      join(place.cwd, "open.jsonl"),
      Array.from({ length: 20 }, (_, nth) => `{"question": "What of ${nth}?"}\n`).join(""),
    );
    await withChild(place);
    const trial = (...args: readonly string[]) => ["personas", "trial", "kid", ...args];
    const wrong: readonly (readonly [args: readonly string[], why: RegExp])[] = [
      [["personas", "breed", "analyst"], /two or three parents \(got 1\)/],
      [["personas", "breed", "analyst", "histrian"], /historian/],
      [["personas", "breed", "analyst", "historian", "--name", "Inventor"], /built-in persona Inventor/],
      [["personas", "feedback", "nobody"], /no persona "nobody"/],
      [
        trial("--tasks", "few.jsonl", "-m", MODEL),
        /needs 14 questions at least, and the file has 1: 13 are missing/,
      ],
      [trial("-m", MODEL), /14 held-out questions at least, and there are 0: 14 are missing/],
      [trial("--tasks", "open.jsonl", "--models", MODEL), /needs a judge of another family/],
      [
        trial("--tasks", "open.jsonl", "-m", MODEL, "--judge", "sim/bo?family=oak"),
        /of the family oak, like/,
      ],
      [trial("--tasks", "tasks.jsonl", "--against", "inventor"), /inventor is no parent of Kid/],
      [["personas", "trial", "analyst"], /was not bred/],
      [["personas", "retire", "analyst", "--why", "x"], /ships with the program/],
      [["personas", "accept", "kid"], /--override/],
      [["personas", "rollback", "kid", "--why", "x"], /no earlier version/],
      [["contributions", "last", "--all"], /takes no id/],
    ];
    const ended = await place.runAll(wrong.map(([args]) => ({ args })));
    for (const [index, [args, why]] of wrong.entries()) {
      const { code, stderr } = ended[index] ?? { code: null, stderr: "" };
      expect([args.join(" "), code, isProblem(stderr)]).toEqual([args.join(" "), 2, true]);
      expect(stderr).toMatch(why);
    }
    const [list] = await place.runAll([{ args: ["list", "--json"] }]);
    expect(JSON.parse(list?.stdout ?? "")).toEqual([]);
  }, 60_000);

  it("read an empty store, and a broken persona's file is named", async () => {
    await using place = somewhere();
    const empty = await place.runAll(
      [
        ["personas", "feedback", "analyst"],
        ["votes", "list"],
        ["votes", "list", "--matrix", "model"],
        ["votes", "league"],
        ["contributions", "--all"],
        ["store", "rebuild"],
        ["store"],
      ].map((args) => ({ args })),
    );
    expect(empty.map(({ code }) => code)).toEqual(empty.map(() => 0));
    expect(empty.map(({ stdout }) => stdout.split("\n")[0])).toEqual([
      "No qualitative feedback available.",
      ...Array.from(
        { length: 3 },
        () => "No reviews are recorded. Members review each other in: parley council",
      ),
      "No chair has written an answer yet",
      "Read 0 runs again.",
      expect.stringContaining("0 runs in "),
    ]);
    await withChild(place);
    writeFileSync(kid(place), readFileSync(kid(place), "utf8").replace("tone: |", "wisdom: |"));
    const { code, stderr } = await place.run(["personas", "trial", "kid", "--tasks", "tasks.jsonl"]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/kid\.yaml:\d+:\d+.*wisdom/)]);
    expect(existsSync(kid(place))).toBe(true);
  }, 60_000);
});
