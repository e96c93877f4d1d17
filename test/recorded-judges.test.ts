import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { combinePreference, judgeLeans, type JudgedPair } from "../src/stats/judge-leans.ts";
import { parseGrade } from "../src/replies/grade.ts";
import { parsePreference } from "../src/replies/preference.ts";

const folder = new URL("../../shared/data/", import.meta.url);
const outputs = new URL("judge-outputs/judge-outputs.jsonl", folder);
const judgements = new URL("llmbar/judgements-natural.jsonl", folder);
const pairsFile = new URL("llmbar/natural.json", folder);
const absent = "the recorded judges are not on this machine";

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const linesOf = (file: URL): unknown[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));

const Output = z.object({
  id: z.int(),
  raw: z.string(),
  score: z.int().optional(),
  feedback: z.string().optional(),
  swapped: z.boolean().optional(),
  recorded_winner_original_index: z.enum(["1", "2"]).nullish(),
});

/** Which place the recorded winner, an index of the pair as it was before swapping, had in the order shown. */
const placeOf = (index: "1" | "2", swapped: boolean): "A" | "B" => ((index === "1") === swapped ? "B" : "A");

/** Rows whose record is missing or doubtful, and what was decided of them. */
const DECISIONS = [
  "9 numeric ratings: refused; a bare number declares no score, and these are on the scale of 1 to 10",
  "id 552, `# Output (a) is better.`: refused, as its record has no winner; a heading is no sentence",
  "id 422: read as B, not as recorded; it begins and ends with B, and the recorded A is what it says that another argues",
];
const DOUBTFUL = new Map([[422, "B"]]);

describe("recorded judges", () => {
  it("every recorded score and winner is read, and nothing where none is recorded", (test) => {
    test.skip(!existsSync(outputs), absent);
    const rows = linesOf(outputs).map((line) => Output.parse(line));
    const read = { scores: 0, winners: 0, refused: 0 };
    for (const { id, raw, score, feedback, swapped = false, ...row } of rows) {
      const index = row.recorded_winner_original_index ?? null;
      const [grade, preference] = [parseGrade(raw), parsePreference(raw)];
      if (score !== undefined) {
        expect({ id, grade }).toEqual({ id, grade: { ok: true, score, feedback } });
        read.scores += 1;
      } else expect({ id, ok: grade.ok }).toEqual({ id, ok: false });
      if (index !== null) {
        const winner = DOUBTFUL.get(id) ?? placeOf(index, swapped);
        expect({ id, preference }).toMatchObject({ id, preference: { ok: true, winner } });
        if (!DOUBTFUL.has(id)) read.winners += 1;
      } else expect({ id, ok: preference.ok }).toEqual({ id, ok: false });
      if (score === undefined && index === null) read.refused += 1;
    }
    say(
      `judge outputs: of ${rows.length}, ${read.scores} scores and ${read.winners} winners read as recorded, ${read.refused} refused`,
    );
    for (const decision of DECISIONS) say(`  ${decision}`);
    expect({ rows: rows.length, ...read }).toEqual({ rows: 118, scores: 60, winners: 47, refused: 10 });
  });

  const Side = z.object({
    completion: z.tuple([z.string()], z.string()),
    winner: z.enum(["1", "2"]).nullable(),
  });
  const Judgement = z.object({
    evaluator: z.string(),
    i: z.int(),
    label: z.union([z.literal(1), z.literal(2)]),
    results: z.tuple([z.object({ "swap = False": Side, "swap = True": Side })]),
  });
  const Pairs = z.object({
    "LLMBar/Natural": z.array(z.object({ output_1: z.string(), output_2: z.string() })),
  });

  it("six judges of LLMBar: every verdict in both orders is read, and their figures come out", (test) => {
    test.skip(!existsSync(judgements) || !existsSync(pairsFile), absent);
    const rows = linesOf(judgements).map((line) => Judgement.parse(line));
    const pairs = Pairs.parse(JSON.parse(readFileSync(pairsFile, "utf8")))["LLMBar/Natural"];
    let [read, empty] = [0, 0];
    const judged = rows.map((row) => {
      const { "swap = False": one, "swap = True": two } = row.results[0];
      const [first, second] = [one, two].map(({ completion: [text], winner }, index) => {
        const preference = parsePreference(text);
        const where = { judge: row.evaluator, i: row.i, index };
        if (winner === null) {
          expect({ ...where, text, ok: preference.ok }).toEqual({ ...where, text: "", ok: false });
          empty += 1;
        } else {
          const place = placeOf(winner, index === 1);
          expect({ ...where, preference }).toMatchObject({
            ...where,
            preference: { ok: true, winner: place },
          });
          read += 1;
        }
        return preference;
      });
      const pair = pairs[row.i];
      if (!first || !second || !pair) throw new RangeError(`row ${row.i} has no pair`);
      const lengths = { a: pair.output_1.length, b: pair.output_2.length };
      return { row, pair: { judge: row.evaluator, first, second, lengths } satisfies JudgedPair };
    });
    say(`LLMBar: ${read} of ${read + empty} verdicts read as recorded, ${empty} empty replies refused`);
    expect({ read, empty }).toEqual({ read: 1_196, empty: 4 });

    const leans = judgeLeans(judged.map(({ pair }) => pair));
    expect(leans).toHaveLength(6);
    for (const { judge, flipRate, positionLean, lengthLean } of leans) {
      const own = judged.filter(({ row }) => row.evaluator === judge);
      const right = own.filter(({ row, pair }) => {
        const { winner } = combinePreference(pair.first, pair.second);
        return winner === (row.label === 1 ? "A" : "B");
      }).length;
      const counted = countedFrom(own.map(({ row }) => row));
      expect({ judge, n: flipRate.n, flips: Math.round((flipRate.value ?? 0) * flipRate.n), right }).toEqual({
        judge,
        n: counted.pairs,
        flips: counted.flips,
        right: counted.right,
      });
      expect(positionLean.n).toBe(counted.verdicts);
      expect(positionLean.value).toBeCloseTo(counted.first / counted.verdicts - 0.5, 12);
      expect(FIGURES[judge]).toEqual([right, counted.flips, counted.first, counted.verdicts]);
      say(
        `  ${judge.padEnd(20)} right in both orders ${right}/${own.length}, flips ${counted.flips}/${counted.pairs}, ` +
          `position lean ${signed(positionLean.value)} (${signed(positionLean.low)} to ${signed(positionLean.high)}), ` +
          `length lean ${signed(lengthLean.value)} over ${lengthLean.n}`,
      );
    }
  });

  /** From the recorded winners alone: `1` and `2` are the answers before swapping, so that no parser is involved. */
  const countedFrom = (rows: readonly z.infer<typeof Judgement>[]) => {
    const counts = { pairs: 0, flips: 0, right: 0, first: 0, verdicts: 0 };
    for (const { label, results } of rows) {
      const winners = [results[0]["swap = False"].winner, results[0]["swap = True"].winner];
      for (const [index, winner] of winners.entries()) {
        if (winner === null) continue;
        counts.verdicts += 1;
        if (winner === (index === 0 ? "1" : "2")) counts.first += 1;
      }
      if (winners.includes(null)) continue;
      counts.pairs += 1;
      if (winners[0] !== winners[1]) counts.flips += 1;
      else if (winners[0] === String(label)) counts.right += 1;
    }
    return counts;
  };
});

const signed = (value: number | null): string =>
  value === null ? "unknown" : `${value < 0 ? "" : "+"}${value.toFixed(3)}`;

/** Right in both orders, flips, verdicts for the first place, verdicts: counted once from the recorded winners. */
const FIGURES: { readonly [judge: string]: readonly number[] } = {
  "ChatGPT-0301/Vanilla": [73, 22, 114, 200],
  "Falcon/Vanilla": [50, 48, 148, 200],
  "GPT-4/CoT": [90, 9, 103, 200],
  "GPT-4/Vanilla": [93, 5, 101, 200],
  "LLaMA2/Vanilla": [70, 21, 103, 200],
  "PaLM2/Vanilla": [73, 20, 108, 196],
};
