import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Judgement, Validation } from "../../src/features/judging/protocol/judge/view.ts";
import { built, isProblem, resultIn, simServer, somewhere, type Ended, type Somewhere } from "./parley.ts";

built();

const RIGHT = "Working it out leads to this.\nFinal answer: ";
/** Sums with a right and a wrong answer, the right one A and B in turn, and the longer one in turns of two. */
const pairs = (count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const sum = 20 + 2 * index;
    const texts = [`${RIGHT}${sum}`, `Final answer: ${sum + 1}`];
    const padded = index % 4 < 2 ? texts : [`Final answer: ${sum}`, `${RIGHT}${sum + 1}`];
    const [a, b] = index % 2 === 0 ? padded : padded.toReversed();
    const question = `What is ${10 + index} + ${10 + index}?`;
    return `${JSON.stringify({ question, a, b, label: index % 2 === 0 ? "A" : "B" })}\n`;
  }).join("");

const write = (place: Somewhere, name: string, text: string): void =>
  writeFileSync(join(place.cwd, name), text);

const validate = async (place: Somewhere, model: string, more: readonly string[] = []) => {
  const ended = await place.call([
    "judge",
    "validate",
    "pairs.jsonl",
    "--model",
    model,
    "--json",
    "-q",
    ...more,
  ]);
  return { ended, validation: Validation.parse(JSON.parse(ended.stdout)) };
};

describe("parley judge validate", () => {
  it("finds a good judge good, and finds out one that leans", async () => {
    await using place = somewhere();
    write(place, "pairs.jsonl", pairs(40));
    const good = await validate(place, "sim/eve?skill=1");
    expect(good.ended).toMatchObject({ code: 0, stderr: "" });
    expect(good.validation).toMatchObject({
      measured: true,
      simulated: true,
      labelled: 40,
      calls: 80,
      form: "json",
      accuracy: { value: 1 },
      kappa: { value: 1 },
      flipRate: { value: 0 },
    });
    const first = (await validate(place, "sim/eve?skill=1&position=0.9", ["--form", "prometheus"]))
      .validation;
    expect(first).toMatchObject({ form: "prometheus", flipRate: { value: 1 }, positionLean: { value: 0.5 } });
    const long = (await validate(place, "sim/prometheus?skill=1&length=0.9")).validation;
    expect(long).toMatchObject({
      form: "prometheus",
      lengthLean: { all: { value: 0.5 }, labels: { value: 0 } },
    });
    expect(long.kappa.value).toBeCloseTo(0, 1);
  });

  it("killed with kill -9 goes on where it was, to the figures of one that was not", async () => {
    await using place = somewhere();
    await using other = somewhere();
    for (const one of [place, other]) write(one, "pairs.jsonl", pairs(40));
    const model = "sim/eve?skill=0.8&latency=50";
    const victim = place.start(["judge", "validate", "pairs.jsonl", "--model", model]);
    await victim.seen("stderr", /Judging: 32 of 80 prompts/);
    victim.kill("SIGKILL");
    await victim.ended;
    const args = ["judge", "validate", "pairs.jsonl", "--model", model, "--json"];
    const [again, whole] = await Promise.all([place.call(args), other.call(args)]);
    expect(again.stderr).toContain("Resuming; completed steps are reused");
    // What was asked when it was killed is owed, and nobody knows its cost.
    expect({ ...JSON.parse(again.stdout), unknown: 0 }).toEqual(JSON.parse(whole.stdout));
    const third = await place.call(args);
    expect(third.stderr).toContain("Already judged");
    expect(third.stdout).toBe(again.stdout);
    const fresh = Validation.parse(JSON.parse((await place.call([...args, "--again"])).stdout));
    expect(fresh.id).not.toBe(Validation.parse(JSON.parse(whole.stdout)).id);
  });

  it("stopped by its budget goes on from there with a larger one, and pays nothing twice", async () => {
    await using place = somewhere();
    write(place, "pairs.jsonl", pairs(32));
    const some = await validate(place, "sim/eve", ["--max-total-tokens", "20000"]);
    expect(some.ended.code).toBe(5);
    expect(some.ended.stderr).toMatch(
      /^parley: stopped by budget: .*\nTry: .*; the same command then resumes\n$/,
    );
    expect(some.validation).toMatchObject({ measured: false, status: "stopped-by-budget" });
    expect(await validate(place, "sim/eve", ["--max-total-tokens", "20000"])).toEqual(some);
    const spent = await place.call([
      ...["judge", "validate", "pairs.jsonl", "--model", "sim/eve", "--max-total-tokens", "300"],
    ]);
    expect(spent).toMatchObject({ code: 2, stdout: "" });
    expect(spent.stderr).toContain("earlier runs of this task have spent the limit");
    const rest = await validate(place, "sim/eve", ["--max-total-tokens", "900000"]);
    expect(rest.ended.code).toBe(0);
    expect(some.validation.calls + rest.validation.calls).toBe(64);
    expect(rest.validation.labelled).toBe(32);
  });

  it("says that few items are not enough, in 80 columns, with exit code 7", async () => {
    await using place = somewhere();
    write(place, "pairs.jsonl", pairs(5));
    const ended = await place.run(["judge", "validate", "pairs.jsonl", "--model", "sim/eve?skill=1", "-q"]);
    expect(ended.code).toBe(7);
    expect(ended.stdout).toMatch(/^Not enough data: 5 labeled items/);
    expect(ended.stdout).toMatch(/accuracy +100 % +57 % to 100 % +5\n/);
    for (const line of ended.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    const id = /^Run +(\w+)$/m.exec(ended.stdout)?.[1] ?? "";
    expect((await place.call(["show", id])).stdout).toBe(ended.stdout);
    expect(resultIn(await place.call(["show", id, "--json"])).section).toEqual(
      (await validate(place, "sim/eve?skill=1")).validation,
    );
    expect(await place.call(["replay", id])).toMatchObject({ code: 0 });
    write(place, "pairs.jsonl", pairs(5).replace("What is 10 + 10?", "What is 11 + 10?"));
    expect((await validate(place, "sim/eve?skill=1")).validation.id).not.toBe(id);
  });

  it("refuses what it cannot use, in one line with what to do", async () => {
    await using place = somewhere();
    write(place, "pairs.jsonl", pairs(2));
    write(place, "empty.jsonl", "");
    write(place, "blank.md", " \n");
    write(place, "bad.jsonl", `${pairs(1)}{"question": "Why?", "a": "1", "b": "2", "lable": "A"}\n`);
    const refused = async (args: readonly string[], code: number, message: RegExp): Promise<void> => {
      const ended: Ended = await place.call(["judge", ...args]);
      expect(ended).toMatchObject({ code, stdout: "" });
      expect(isProblem(ended.stderr)).toBe(true);
      expect(ended.stderr).toMatch(message);
    };
    await Promise.all([
      refused(["validate", "pairs.jsonl"], 2, /--model/),
      refused(["validate", "empty.jsonl", "--model", "sim/eve"], 2, /empty\.jsonl has no items/),
      refused(["validate", "none.jsonl", "--model", "sim/eve"], 2, /none\.jsonl does not exist/),
      refused(
        ["validate", "bad.jsonl", "--model", "sim/eve"],
        2,
        /bad\.jsonl:2: .*"lable"[^]*did you mean label/,
      ),
      refused(
        ["validate", "pairs.jsonl", "--model", "sim/eve", "--repeat", "x"],
        2,
        /--repeat must be .* \(got "x"\)/,
      ),
      refused(["validate", "pairs.jsonl", "--model", "sim/eve", "--rubric", "none"], 2, /no rubric "none"/),
      refused(["validate", "pairs.jsonl", "--model", "openai/gpt-5"], 4, /OPENAI_API_KEY/),
      refused(["grade", "pairs.jsonl", "--model", "sim/eve", "--question", " "], 2, /question is empty/),
      refused(["grade", "blank.md", "--model", "sim/eve", "--question", "Why?"], 2, /blank\.md is empty/),
      refused(
        ["prefer", "pairs.jsonl", "blank.md", "--model", "sim/eve", "--question", "Why?"],
        2,
        /blank\.md is empty/,
      ),
      refused(["validate", "pairs.jsonl", "--modl", "x"], 2, /Try: parley judge validate --help\n$/),
      refused(["prefer", "pairs.jsonl", "--model", "sim/eve", "--question", "Why?"], 2, /'b'/),
    ]);
  });
});

describe("parley judge grade and prefer", () => {
  const QUESTION = "What is 17 * 23?";

  it("grade each answer, and prefer one, asked in both orders", async () => {
    await using place = somewhere();
    write(place, "a.md", "I get 17 * 23 = 391.\nFinal answer: 391");
    write(place, "b.md", "I get 17 * 23 = 381.\nFinal answer: 381");
    write(place, "question.txt", QUESTION);
    const judged = async (args: readonly string[]) => {
      const ended = await place.call(["judge", ...args, "--question", "question.txt", "--json", "-q"]);
      return { code: ended.code, judgement: Judgement.parse(JSON.parse(ended.stdout)) };
    };
    const grades = await judged(["grade", "a.md", "b.md", "--model", "sim/eve?skill=1"]);
    expect(grades).toMatchObject({ code: 0, judgement: { grades: [{ score: 5 }, {}] } });
    const better = await judged(["prefer", "b.md", "a.md", "--model", "sim/prometheus?skill=1"]);
    expect(better).toMatchObject({
      code: 0,
      judgement: { winner: "B", orderSensitive: false, orders: [{ winner: "B" }, { winner: "B" }] },
    });
    const leaning = await judged(["prefer", "b.md", "a.md", "--model", "sim/eve?position=1"]);
    expect(leaning).toMatchObject({ code: 0, judgement: { winner: "tie", orderSensitive: true } });
    const broken = await judged(["grade", "a.md", "--model", "sim/eve?malformed=1"]);
    expect(broken).toMatchObject({ code: 7, judgement: { grades: [{ score: null }] } });
  });

  it("whose calls failed end as any other command does, and go on when that is mended", async () => {
    await using place = somewhere();
    write(place, "a.md", "Final answer: 391");
    write(place, "b.md", "Final answer: 381");
    const server = await simServer(place);
    const gone = { OPENAI_BASE_URL: "http://127.0.0.1:1/v1", OPENAI_API_KEY: "sk-0123456789abcdef" };
    const model = ["--question", QUESTION, "--model", "openai/eve", "--json", "-q"];
    const grade = ["judge", "grade", "a.md", ...model];
    const ended = await Promise.all([
      place.call(grade, gone),
      place.call(["judge", "prefer", "a.md", "b.md", ...model], gone),
    ]);
    for (const { code, stderr } of ended) {
      expect(code).toBe(3);
      expect(stderr).toMatch(
        /^parley: inconclusive: network: .+\nTry: check the connection .*; the same command then resumes\n$/,
      );
    }
    const back = await place.call(grade, { ...gone, OPENAI_BASE_URL: `${server.url}/v1` });
    expect(back).toMatchObject({ code: 0, stderr: "" });
    expect(Judgement.parse(JSON.parse(back.stdout))).toMatchObject({ grades: [{ why: null }], calls: 1 });
    await server.stop();
  });
});
