import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { readLabeledFile } from "../src/features/judging/app/tasks.ts";
import type { NewDeliberation } from "../src/engine/index.ts";
import { Json, type Entry, type ModelRequest } from "../src/kernel/index.ts";
import { readFenced } from "../src/prompts/material.ts";
import { judgedWork } from "../src/views/judged-work.ts";
import {
  judgementOf,
  summarizeValidation,
  type Validation,
} from "../src/features/judging/protocol/judge/view.ts";
import { sectionOf } from "../src/features/judging/protocol/judge/view.ts";
import { judge } from "../src/features/judging/protocol/judge/index.ts";
import { deliberationMarkdown } from "../src/reports/deliberation.ts";
import { loadShown } from "../src/app/result.ts";
import { answerText } from "../src/reports/answer.ts";
import { shippedTextsOf, toyAsked, toyParticipant } from "../src/testing/kit.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { stage } from "../src/testing/stage.ts";

const templates = shippedTextsOf(judge);
const rubric = {
  name: "right",
  criteria: "Is it right?",
  anchors: { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." },
};

type Work = Readonly<Record<string, unknown>> & { readonly items: readonly { readonly name: string }[] };

const asked = (work: Work, texts: (index: number) => Readonly<Record<string, string>>): NewDeliberation =>
  toyAsked("judge", {
    context: work.items.flatMap(({ name }, index) =>
      Object.entries(texts(index)).map(([part, text]) => ({ name: `${name}/${part}`, text })),
    ),
    settings: Object.fromEntries(
      Object.entries({ form: "json", rubric, ...work }).map(([key, value]) => [key, Json.parse(value)]),
    ),
    participants: [{ ...toyParticipant("eve", "judge", ""), family: "ours" }],
    templates,
  });

const shownIn = ({ messages }: ModelRequest) => readFenced(messages.map(({ text }) => text).join("\n"));
const answersIn = (request: ModelRequest) =>
  shownIn(request)
    .filter(({ kind }) => kind === "answer")
    .map(({ text }) => text);

async function validated(opening: NewDeliberation, eve: (request: ModelRequest, nth: number) => string) {
  const on = stage({ protocols: [judge], script: { eve } });
  const { opened } = await on.engine.open("r1", opening);
  await on.drive(opened.deliberation);
  const entries = await on.store.for(LOCAL).read(opened.deliberation);
  const validation = summarizeValidation(entries);
  if (!validation) throw new Error("no validation");
  return { validation, entries };
}

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** `count` pairs: the label goes round `labels`, A is longer in every second one, A is ours in every third. */
const pairs = (count: number, labels: readonly string[] = ["A", "B"], more: object = {}): NewDeliberation =>
  asked(
    {
      kind: "preference",
      items: many(count, (index) => ({
        name: `item-${index + 1}`,
        label: labels[index % labels.length],
        lengths: index % 2 === 0 ? { a: 9, b: 4 } : { a: 4, b: 9 },
        families: { a: index % 3 === 0 ? "ours" : "theirs", b: index % 3 === 1 ? "ours" : "theirs" },
      })),
      ...more,
    },
    (index) => ({ question: `Why ${index}?`, a: `a ${index}`, b: `b ${index}` }),
  );

const says = (winner: string): string => JSON.stringify({ reason: "so", winner });
/** Names a side of the pair, wherever it is shown. */
const side = (request: ModelRequest, wanted: "a" | "b"): string =>
  says(answersIn(request)[0]?.startsWith(wanted) === true ? "A" : "B");
const indexIn = (request: ModelRequest): number =>
  Number(/^Why (\d+)\?$/.exec(shownIn(request)[0]?.text ?? "")?.[1]);

/** What \`show\` prints. */
async function textOf(entries: readonly Entry[]): Promise<string> {
  const shown = await loadShown([judge], entries);
  return shown ? answerText(shown, { color: false, width: 80 }) : "";
}

describe("a judge measured against labels", () => {
  it("that is right throughout is validated", async () => {
    const { validation } = await validated(pairs(40), (request) =>
      side(request, indexIn(request) % 2 === 0 ? "a" : "b"),
    );
    expect(validation).toMatchObject({
      kind: "preference",
      measured: true,
      why: null,
      items: 40,
      labelled: 40,
      unread: 0,
      accuracy: { value: 1, n: 40, high: 1 },
      kappa: { value: 1, n: 40, high: 1 },
      flipRate: { value: 0, n: 40 },
      positionLean: { value: 0, n: 80 },
      repeatability: { value: null, n: 0 },
      calls: 80,
    });
    // Wilson's lower bound of 40 of 40, without the half that chance gives.
    expect(validation.kappa.low).toBeCloseTo((validation.accuracy.low ?? 0) * 2 - 1, 12);
    expect(validation.accuracy.low).toBeCloseTo(0.9124, 4);
  });

  it("that keeps to the first place is found out: no agreement beyond chance, however often it repeats itself", async () => {
    const { validation } = await validated(pairs(40, ["A", "B"], { repeat: 2 }), () => says("A"));
    expect(validation).toMatchObject({
      accuracy: { value: 0 },
      kappa: { value: 0 },
      flipRate: { value: 1 },
      positionLean: { value: 0.5, n: 80, high: 0.5 },
      repeatability: { value: 1, n: 80 },
    });
  });

  it("that always takes A is right half of the time, with a kappa of nothing", async () => {
    const { validation } = await validated(pairs(40), (request) => side(request, "a"));
    expect(validation).toMatchObject({
      accuracy: { value: 0.5 },
      kappa: { value: 0 },
      flipRate: { value: 0 },
    });
    expect(validation.kappa.low).toBeLessThanOrEqual(0);
    expect(validation.kappa.high).toBeGreaterThanOrEqual(0);
  });

  it("that takes the longer one leans that way, as the labels do not", async () => {
    const labels = ["A", "A", "B", "B", "tie", "tie"];
    const { validation } = await validated(pairs(60, labels), (request) =>
      side(request, indexIn(request) % 2 === 0 ? "a" : "b"),
    );
    expect(validation.lengthLean).toMatchObject({
      all: { value: 0.5, n: 60 },
      ties: { value: 0.5, n: 20 },
      labels: { value: 0, n: 40 },
    });
  });

  it("that favours its own family is told from one whose family is better", async () => {
    const ownOf = (index: number) => (index % 3 === 0 ? "a" : index % 3 === 1 ? "b" : "a");
    const favouring = (request: ModelRequest) => side(request, ownOf(indexIn(request)));
    const unjust = await validated(pairs(60), favouring);
    // 40 pairs have one answer of ours, of which 20 deserve to win.
    expect(unjust.validation.ownFamilyLean).toMatchObject({ value: 0.5, n: 40 });
    expect(unjust.validation.ownFamilyLean.low).toBeGreaterThan(0.3);
    const due = await validated(pairs(60, ["A", "B", "A"]), favouring);
    expect(due.validation).toMatchObject({ accuracy: { value: 1 }, ownFamilyLean: { value: 0, n: 40 } });
    const level = await validated(pairs(60), () => says("tie"));
    expect(level.validation.ownFamilyLean).toMatchObject({ value: 0, n: 40 });
  });

  it("repeats itself as often as it does, also where a reply cannot be read", async () => {
    const said = ["A", "A", "A", "B", "B", "hm", "A", "A"];
    const { validation } = await validated(pairs(2, ["A"], { repeat: 2, lanes: 1 }), (_, nth) =>
      says(said[nth - 1] ?? "A"),
    );
    // Order 1 then 2 of the first asking, then of the second, and so for the next pair: A/A, A/B, B/A, hm/A.
    expect(validation.repeatability).toMatchObject({ value: 0.25, n: 4 });
    expect(validation.unread).toBe(1);
    const never = await validated(pairs(1, ["A"], { repeat: 2 }), () => "hm");
    expect(never.validation).toMatchObject({ repeatability: { value: 0, n: 2 }, unread: 1, labelled: 0 });
  });

  it("is read from what was asked again where a call had failed, also in a run that went on from another", async () => {
    const on = stage({
      protocols: [judge],
      script: { eve: (request, nth) => (nth === 2 ? { fail: "unauthorised" } : side(request, "a")) },
    });
    const { opened } = await on.engine.open("r1", pairs(1, ["A"]));
    await on.drive(opened.deliberation);
    const before = summarizeValidation(await on.store.for(LOCAL).read(opened.deliberation));
    expect(before).toMatchObject({ status: "failed", measured: false, unread: 1 });
    const changes = { settings: { ...opened.data.settings, again: 1 } };
    const fork = await on.engine.fork(opened.deliberation, { request: "r2", changes });
    await on.drive(fork.opened.deliberation);
    const after = summarizeValidation(await on.store.for(LOCAL).read(fork.opened.deliberation));
    expect(after).toMatchObject({ status: "answered", unread: 0, flipRate: { value: 0, n: 1 }, calls: 1 });
  });

  it("tells what was lost with its call from what could not be read", async () => {
    const on = stage({
      protocols: [judge],
      script: { eve: (_, nth) => (nth === 2 ? { fail: "network" } : "hm") },
    });
    const { opened } = await on.engine.open("r1", pairs(1, ["A"]));
    await on.drive(opened.deliberation);
    const entries = await on.store.for(LOCAL).read(opened.deliberation);
    expect(judgedWork(entries)).toMatchObject({ status: "inconclusive", lost: [{ code: "network" }] });
    const changes = { settings: { ...opened.data.settings, again: 1 } };
    const fork = await on.engine.fork(opened.deliberation, { request: "r2", changes });
    await on.drive(fork.opened.deliberation);
    expect(judgedWork(await on.store.for(LOCAL).read(fork.opened.deliberation))?.lost).toEqual([]);
  });

  it("stands in its document, where no answer is missed", async () => {
    const { entries, validation } = await validated(pairs(30), (request) => side(request, "a"));
    expect(sectionOf(entries)).toEqual(validation);
    const text = deliberationMarkdown(entries, await loadShown([judge], entries));
    expect(text).toMatch(/\n\nMeasured on 30 labeled items\.\n/);
    expect(text).toMatch(/\| accuracy \| \d+ %/);
    expect(text).not.toMatch(/There is no answer|There is none/);
  });

  it("on fewer than 30 labelled items is not validated, and the figures are there", async () => {
    const { validation, entries } = await validated(pairs(29), (request) => side(request, "a"));
    expect(validation).toMatchObject({ measured: false, labelled: 29, accuracy: { n: 29 } });
    expect(validation.why).toBe("29 labeled items with a verdict, 30 required");
    expect(await textOf(entries)).toMatch(/^Not enough data: 29 labeled/);
    const enough = await validated(pairs(30), (request) => side(request, "a"));
    expect(enough.validation.measured).toBe(true);
  });
});

describe("a judge's grades", () => {
  const graded = (count: number, more: object = {}): NewDeliberation =>
    asked(
      {
        kind: "grade",
        items: many(count, (index) => ({
          name: `item-${index + 1}`,
          label: 1 + (index % 5),
          family: index % 2 === 0 ? "ours" : "theirs",
        })),
        ...more,
      },
      (index) => ({ question: `Why ${index}?`, answer: `answer ${index}` }),
    );
  const gives = (score: number) => JSON.stringify({ feedback: "so", score });

  it("count where they are exact; a near miss counts for quadratic kappa", async () => {
    const { validation } = await validated(graded(50), (request) =>
      gives(Math.min(5, 2 + (indexIn(request) % 5))),
    );
    expect(validation).toMatchObject({ accuracy: { value: 0.2, n: 50 }, flipRate: null, lengthLean: null });
    expect(validation.kappa.value).toBeCloseTo(0, 1);
    expect(validation.weightedKappa?.value).toBeGreaterThan(0.7);
  });

  it("tell in points how much its own family gets beyond its due", async () => {
    const { validation } = await validated(graded(40), (request) => {
      const index = indexIn(request);
      return gives(Math.min(5, 1 + (index % 5) + (index % 2 === 0 ? 1 : 0)));
    });
    // Of ours every fifth has a 5 already.
    expect(validation.ownFamilyLean.value).toBeCloseTo(0.8, 12);
    expect(validation.ownFamilyLean.low).toBeGreaterThan(0.6);
  });

  it("of unlabelled answers are a judgement, each with its words or why there is none", async () => {
    const opening = asked(
      { kind: "grade", items: [{ name: "item-1" }, { name: "item-2" }], lanes: 1 },
      (index) => ({ question: `Why ${index}?`, answer: "x" }),
    );
    const { entries } = await validated(opening, (_, nth) => (nth === 1 ? gives(4) : "hm"));
    expect(judgementOf(entries)).toMatchObject({
      grades: [
        { score: 4, feedback: "so", why: null },
        { score: null, why: "the reply declares no score" },
      ],
    });
    expect(await textOf(entries)).toContain("4/5");
  });
});

const folder = new URL("../../shared/data/llmbar/", import.meta.url);
const Side = z.object({ completion: z.tuple([z.string()], z.string()) });
const Recorded = z.object({
  evaluator: z.string(),
  i: z.int(),
  results: z.tuple([z.object({ "swap = False": Side, "swap = True": Side })]),
});

it("a judge of LLMBar, answering as it was recorded, is measured as its record says", async (test) => {
  test.skip(!existsSync(folder), "the recorded judges are not on this machine");
  const file = readLabeledFile("natural.json", { cwd: folder.pathname, env: {} });
  if (file.kind !== "preference") throw new Error("LLMBar has pairs");
  const recorded = readFileSync(new URL("judgements-natural.jsonl", folder), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Recorded.parse(JSON.parse(line)));
  const opening = asked(
    {
      kind: "preference",
      items: file.rows.map(({ a, b, label }, index) => ({
        name: `item-${index + 1}`,
        label,
        lengths: { a: a.length, b: b.length },
      })),
    },
    (index) => {
      const { question = "", a = "", b = "" } = file.rows[index] ?? {};
      return { question, a, b };
    },
  );
  const measured = async (evaluator: string): Promise<Validation> => {
    const own = recorded.filter((row) => row.evaluator === evaluator);
    const { validation } = await validated(opening, (request) => {
      const [first, second] = answersIn(request);
      const index = file.rows.findIndex(
        ({ a, b }) => [a, b].includes(first ?? "") && [a, b].includes(second ?? ""),
      );
      const result = own.find(({ i }) => i === index)?.results[0];
      const inOrder = file.rows[index]?.a === first;
      return result?.[inOrder ? "swap = False" : "swap = True"].completion[0] ?? "";
    });
    return validation;
  };
  const falcon = await measured("Falcon/Vanilla");
  expect(falcon).toMatchObject({
    accuracy: { value: 0.5, n: 100 },
    flipRate: { value: 0.48 },
    positionLean: { value: 148 / 200 - 0.5 },
  });
  const palm = await measured("PaLM2/Vanilla");
  expect(palm).toMatchObject({ labelled: 98, unread: 2, accuracy: { n: 98 } });
  expect(palm.accuracy.value).toBeCloseTo(73 / 98, 12);
  for (const { accuracy, kappa, flipRate } of [falcon, palm])
    process.stdout.write(
      `LLMBar, validated: accuracy ${accuracy.value?.toFixed(3)}, kappa ${kappa.value?.toFixed(3)}, flips ${flipRate?.value?.toFixed(3)}\n`,
    );
});
