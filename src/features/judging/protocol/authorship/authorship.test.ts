import { describe, expect, it } from "vitest";
import type { NewDeliberation } from "../../../../engine/index.ts";
import { ParticipantId, StepKey, type ModelRequest } from "../../../../kernel/index.ts";
import { readFenced } from "../../../../prompts/material.ts";
import { binomialAtMost, successesAtLeast } from "../../../../stats/proportions.ts";
import { shippedTextsOf, toyAsked, toyParticipant } from "../../../../testing/kit.ts";
import type { ScriptedLine } from "../../../../testing/scripted-models.ts";
import { closingOf, crashPoints, factsOf, stage } from "../../../../testing/stage.ts";
import { authorship } from "./index.ts";
import { anonymityFigures, sectionOf } from "./view.ts";

const IDS = ["ada", "bob", "cyd"].map((id) => ParticipantId.parse(id));

const asked = (changes: Partial<NewDeliberation> = {}): NewDeliberation =>
  toyAsked("authorship", {
    context: [
      { name: "question", text: "Which queue fits?" },
      ...IDS.flatMap((id, index) => [
        { name: `draft/draft-${index + 1}`, text: `I am ${id}, says ${id}.` },
        { name: `participant/${id}`, text: `be ${id}` },
      ]),
    ],
    settings: {
      run: { id: "r1", simulated: false },
      candidates: IDS.map((id) => ({ id, name: id, model: `sim/${id}` })),
      drafts: IDS.map((id, index) => ({
        name: `draft-${index + 1}`,
        step: StepKey.parse(`draft/${id}`),
        author: id,
        order: [...IDS.slice(index), ...IDS.slice(0, index)],
      })),
    },
    participants: [toyParticipant("eve", "guesser", "")],
    templates: shippedTextsOf(authorship),
    ...changes,
  });

const piecesOf = ({ messages }: ModelRequest) => readFenced(messages.map(({ text }) => text).join("\n"));

/** Finds the author by what the draft says of itself. */
const knowing = (request: ModelRequest): string => {
  const pieces = piecesOf(request);
  const draft = pieces.find(({ kind }) => kind === "answer")?.text ?? "";
  const author = pieces.find(
    ({ kind, text }) => kind === "participant" && draft.includes(/Name: (\w+)/.exec(text)?.[1] ?? "-"),
  );
  return `It says so.\nFinal answer: ${author?.label ?? "?"}`;
};

const on = (eve: (request: ModelRequest, nth: number) => ScriptedLine) =>
  stage({ protocols: [authorship], script: { eve } });

describe("guessing authors", () => {
  it("shows one draft at a time, with the participants in an order of its own", async () => {
    const table = on(knowing);
    const { id, entries } = await table.play(asked());
    const seen = table.models.calls.map(({ request }) => piecesOf(request));
    expect(seen.map((pieces) => pieces.filter(({ kind }) => kind === "answer").length)).toEqual([1, 1, 1]);
    const orders = seen.map((pieces) =>
      pieces.filter(({ kind }) => kind === "participant").map(({ text }) => text.split("\n")[0]),
    );
    expect(new Set(orders.map((order) => order.join())).size).toBe(3);
    expect(seen[0]?.find(({ kind }) => kind === "participant")?.text).toBe(
      "Name: ada\nModel: sim/ada\nbe ada",
    );
    expect(sectionOf(entries)).toMatchObject({ run: "r1", correct: 3, read: 3, chance: 1 / 3 });
    expect(closingOf(entries)).toMatchObject({ outcome: "answered" });
    expect(await table.engine.replay(id)).toMatchObject({ calls: 3 });
  });

  it("counts what names nobody as no guess, and says why", async () => {
    const table = on((request, nth) => (nth === 2 ? "Final answer: Z" : knowing(request)));
    const { entries } = await table.play(asked());
    expect(sectionOf(entries)).toMatchObject({ correct: 2, read: 2 });
    expect(sectionOf(entries)?.guesses.find(({ guess }) => guess === null)?.why).toContain(
      "names no participant",
    );
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
  });

  it("asks for no more than the budget reaches for, and a fork for the rest", async () => {
    const table = on(knowing);
    const { id, entries } = await table.play(asked({ budget: { calls: 2 } }));
    expect(closingOf(entries)).toMatchObject({ outcome: "stopped-by-budget", cap: "calls" });
    expect(sectionOf(entries)).toMatchObject({ read: 2 });
    const { opened } = await table.engine.fork(id, { request: "r2", changes: { budget: {} } });
    await table.drive(opened.deliberation);
    expect(table.models.count()).toBe(3);
  });

  it.each(crashPoints({ calls: 3, appends: 6 }))(
    "resumes to the same history: $when $at $nth",
    async (point) => {
      const { entries } = await on(knowing).play(asked());
      const killed = await on(knowing).playKilled(asked(), point);
      expect(factsOf(killed.entries)).toEqual(factsOf(entries));
    },
  );
});

describe("the figures of audits", () => {
  const audits = (count: number, correct: number) =>
    Array.from({ length: count }, () => ({ read: 3, correct, chance: 1 / 3 }));

  it("claim nothing below 20 guesses", () => {
    expect(anonymityFigures(audits(6, 3))).toMatchObject({ correct: 18, share: { n: 18 }, told: null });
    expect(anonymityFigures(audits(7, 3))).toMatchObject({ correct: 21, told: true });
    expect(anonymityFigures(audits(7, 1))).toMatchObject({
      correct: 7,
      chance: expect.closeTo(1 / 3, 12),
      told: false,
    });
    expect(anonymityFigures([])).toMatchObject({ correct: 0, share: { n: 0 }, p: null, told: null });
  });

  it("have the exact tail, also where chances differ", () => {
    expect(
      successesAtLeast(
        8,
        Array.from({ length: 21 }, () => 1 / 3),
      ),
    ).toBeCloseTo(1 - binomialAtMost(7, 21, 1 / 3), 12);
    expect(successesAtLeast(1, [0.5, 0.25])).toBeCloseTo(1 - 0.5 * 0.75, 12);
    expect(successesAtLeast(2, [0.5, 0.25])).toBeCloseTo(0.125, 12);
    expect(successesAtLeast(0, [])).toBe(1);
  });
});
