import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { loadShown } from "../src/app/result.ts";
import { openParley, type Parley } from "../src/index.ts";
import {
  closingOf,
  crashPoints,
  eventsOf,
  factsOf,
  openingFor,
  scripted,
  stage,
  type Script,
} from "../src/testing/index.ts";
import { answerText } from "../src/reports/answer.ts";
import { runProgram } from "../src/command.ts";
import { delphi } from "./fixtures/delphi/index.ts";
import { sectionLines } from "./fixtures/delphi/report.ts";
import { distributionOf, sectionOf } from "./fixtures/delphi/view.ts";
import { scratch } from "./support/scratch.ts";

// A protocol is one folder and one line of the registry: everything else of Parley works with it as it is.

/** Says these estimates, one a round. */
const estimates =
  (...values: readonly number[]) =>
  (request: { readonly messages: readonly { readonly text: string }[] }) => {
    const again = request.messages.some(({ text }) => text.includes("Your own estimate was"));
    return `I have thought about it.\n\nFinal answer: ${values[again ? 1 : 0] ?? values[0]}`;
  };
const panel: Script = { ada: estimates(100, 120), bob: estimates(140, 130), cyd: estimates(400, 160) };
const question = "How many piano tuners work in Chicago?";
const SECTION = [
  "Round 1: median 140, quartiles 120 to 270, 3 estimates",
  "Round 2: median 130, quartiles 125 to 145, 3 estimates",
];

describe("the protocol", () => {
  const opening = openingFor(delphi, { question });
  const table = (script = panel) => stage({ protocols: [delphi], script });

  it("estimates blind, shows median and quartiles without names, and answers with the median", async () => {
    const on = table();
    const { id, entries } = await on.play(opening);
    expect(await on.lines(id)).toEqual([
      "deliberation-opened < open",
      "note-taken < protocol/round-1/ada",
      "note-taken < protocol/round-1/bob",
      "note-taken < protocol/round-1/cyd",
      "roster-fixed < protocol/round-1/roster",
      "note-taken < protocol/round-2/ada",
      "note-taken < protocol/round-2/bob",
      "note-taken < protocol/round-2/cyd",
      "roster-fixed < protocol/round-2/roster",
      "synthesis-given < protocol/median",
      "deliberation-closed < close",
    ]);
    expect(eventsOf(entries, "synthesis-given")[0]?.data.final).toEqual({ kind: "number", value: "130" });
    expect(sectionLines(sectionOf(entries))).toEqual(SECTION);
    const prompts = on.models.calls.map(({ request }) => request.messages.map(({ text }) => text).join("\n"));
    for (const prompt of prompts.slice(0, 3)) expect(prompt).not.toContain("median");
    for (const prompt of prompts.slice(3)) {
      expect(prompt).toContain("Half of the estimates are between 120 and 270. The median is 140.");
      expect(prompt.match(/be (ada|bob|cyd)/g)).toHaveLength(1);
    }
    expect(await on.engine.replay(id)).toMatchObject({ calls: 6 });
  });

  it("keeps the estimate of whoever fails later, and fails without most of the panel", async () => {
    const silent = () => ({ fail: "refused" as const });
    const bob: Script[string] = (request, nth) => (nth === 1 ? estimates(140)(request) : silent());
    const kept = await table({ ...panel, bob }).play(opening);
    expect(closingOf(kept.entries)).toMatchObject({ outcome: "answered-degraded", answer: "median" });
    expect(eventsOf(kept.entries, "synthesis-given")[0]?.data.final?.value).toBe("140");
    const alone = await table({ ...panel, bob: silent, cyd: "I do not know." }).play(opening);
    expect(closingOf(alone.entries)).toMatchObject({
      outcome: "failed",
      why: expect.stringMatching(/^1 members estimated, 2 are needed \(bob: refused.*cyd: unreadable/),
    });
  });

  it.each(crashPoints({ calls: 6, appends: 10 }))(
    "resumes to the same history: $when $at $nth",
    async (point) => {
      const { entries } = await table().play(opening);
      const killed = await table().playKilled(opening, point);
      expect(factsOf(killed.entries)).toEqual(factsOf(entries));
    },
  );

  it("interpolates quartiles", () => {
    expect(distributionOf([4, 1, 3, 2])).toEqual({ low: 1.75, median: 2.5, high: 3.25 });
    expect(() => distributionOf([])).toThrow(RangeError);
  });
});

const MODELS = ["sim/ada", "sim/bob", "sim/cyd"];

describe("in a program", () => {
  async function opened(work: (parley: Parley, calls: () => number) => Promise<void>): Promise<void> {
    const models = scripted(panel);
    await using parley = await openParley({ store: ":memory:", env: {}, models, protocols: { delphi } });
    await work(parley, () => models.count());
  }
  const started = async (parley: Parley) => {
    const run = await parley.start({ protocol: "delphi", question, models: MODELS, reactions: false });
    return run.outcome();
  };

  it("is asked, listed, shown and replayed", () =>
    opened(async (parley, calls) => {
      const { id, status, result } = await started(parley);
      expect({ status, answer: result?.finalAnswer }).toEqual({ status: "answered", answer: "130" });
      expect(await parley.list()).toMatchObject([{ id, protocol: "delphi" }]);
      expect(sectionLines(sectionOf(await parley.read(id)))).toEqual(SECTION);
      expect((await parley.result(id)).section).toEqual(sectionOf(await parley.read(id)));
      const shown = await loadShown(parley.context().protocols, await parley.read(id));
      const text = shown ? answerText(shown, { color: false, width: 80 }) : "";
      expect(text).toContain(`delphi\n${SECTION.map((line) => `- ${line}`).join("\n")}\n`);
      expect(await parley.replay(id)).toMatchObject({ closed: true, calls: 6 });
      expect(calls()).toBe(6);
    }));

  it("shows no estimate as a vote, and no computed answer as somebody's claim", () =>
    opened(async (parley) => {
      const { result } = await started(parley);
      expect(result).toMatchObject({ degraded: [], control: null });
      // Its section is its own view's, and has neither votes nor claims.
      expect(Object.keys(z.object({}).loose().parse(result?.section))).toEqual(["rounds"]);
    }));

  it("is forked, and reuses what the change does not affect", () =>
    opened(async (parley, calls) => {
      const { id } = await started(parley);
      const same = await (await parley.fork(id)).outcome();
      expect({ answer: same.result?.finalAnswer, calls: calls() }).toEqual({ answer: "130", calls: 6 });
      const fewer = await parley.fork(id, { without: ["challenger"] });
      // Blind estimates are reused. The second round has seen other quartiles.
      expect((await fewer.outcome()).result?.finalAnswer).toBe("125");
      expect(calls()).toBe(8);
    }));
});

describe("on the command line", () => {
  /** Runs a command line of a program that has the protocol in its registry. */
  async function parley(
    ...args: readonly string[]
  ): Promise<{ code: number; stdout: string; stderr: string }> {
    const written = { stdout: "", stderr: "" };
    const write = (where: keyof typeof written) => (text: unknown, done?: unknown) => {
      written[where] += String(text);
      if (typeof done === "function") done();
      return true;
    };
    const spies = (["stdout", "stderr"] as const).map((where) =>
      vi.spyOn(process[where], "write").mockImplementation(write(where)),
    );
    using place = scratch(
      {},
      { PARLEY_STORE: ":memory:", OLLAMA_HOST: "127.0.0.1:1", LMSTUDIO_HOST: "127.0.0.1:1" },
    );
    for (const [name, value] of Object.entries(place.env)) vi.stubEnv(name, value);
    try {
      return { code: await runProgram(args, { protocols: { delphi } }), ...written };
    } finally {
      vi.unstubAllEnvs();
      for (const spy of spies) spy.mockRestore();
    }
  }

  it("is a command with its own flags and help", async () => {
    const { code, stdout } = await parley("delphi", "--help");
    expect(code).toBe(0);
    expect(stdout).toContain("Usage: parley delphi [options] [question...]");
    expect(stdout).toMatch(/^ {2}--rounds <n> +how often everybody estimates$/m);
    expect(stdout).toMatch(/^ {2}-m, --models <refs> /m);
    expect(stdout).not.toMatch(/--(strategy|chair|effort)\b/);
    expect(stdout.match(/^ {2}\$ parley delphi /gm)).toHaveLength(2);
    const { stdout: all } = await parley("--help");
    expect(all).toMatch(/^ +delphi +\w/m);
  });

  it("takes its settings from flags, and prints its result", async () => {
    const asked = await parley(
      "delphi",
      "What is 17 * 23?",
      "--rounds",
      "1",
      "--json",
      "--quiet",
      "--models",
      MODELS.join(),
    );
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    const { protocol, status, section } = JSON.parse(asked.stdout) as Record<string, unknown>; // what `--json` prints
    expect({ protocol, status }).toMatchObject({ protocol: { name: "delphi" }, status: "answered" });
    expect(sectionLines(section as never)).toHaveLength(1); // the fixture's own view has made it
  });

  it("refuses a value that its schema refuses, by the name of the flag", async () => {
    const refused = await parley("delphi", question, "--rounds", "9");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(/^parley: --rounds must be at most 5 \(got 9\)/);
  });
});
