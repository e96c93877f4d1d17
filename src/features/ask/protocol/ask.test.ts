import { describe, expect, it } from "vitest";
import type { NewDeliberation } from "../../../engine/index.ts";
import { originKey, Participant, StepKey, UserId, type Entry } from "../../../kernel/index.ts";
import {
  councilAsked,
  labelsIn,
  promptOf,
  reviewOf,
  synthesisOf,
  taskOf,
  type CouncilAsked,
} from "../../../../test/support/council-table.ts";
import type { Script, ScriptedLine } from "../../../testing/scripted-models.ts";
import {
  closingOf,
  crashPoints,
  factsOf,
  stage,
  type Stage,
  type StageOptions,
} from "../../../testing/stage.ts";
import { LOCAL } from "../../../testing/store-samples.ts";
import { toyParticipant } from "../../../testing/kit.ts";
import { ask } from "./index.ts";

/** What somebody says at each kind of task; a draft is a final answer, or an open text where it has a space. */
type Lines = {
  readonly draft: string;
  readonly revision?: string | ScriptedLine;
  readonly comparison?: ScriptedLine;
};

const said = (name: string, answer: string): string =>
  answer.includes(" ") ? answer : `${name} reasons to this end.\nFinal answer: ${answer}`;

const script = (people: Readonly<Record<string, Lines>>): Script =>
  Object.fromEntries(
    Object.entries(people).map(([name, lines]) => [
      name,
      (request): ScriptedLine => {
        const task = taskOf(request);
        if (task === "draft") return { text: said(name, lines.draft), latencyMs: 5 };
        if (task === "revision") {
          const { revision = lines.draft } = lines;
          if (typeof revision !== "string") return revision;
          const critiques = labelsIn(request).map((label) => `## Answer ${label}\n${name} looked at it.`);
          return { text: [...critiques, `## My answer\n${said(name, revision)}`].join("\n"), latencyMs: 5 };
        }
        if (task === "comparison") return lines.comparison ?? comparing(0);
        return { text: task === "synthesis" ? synthesisOf(request) : reviewOf(request), latencyMs: 5 };
      },
    ]),
  );

/** A comparison of A, B and C with so many contradictions between A and B. */
const comparing = (contradictions: number): string =>
  JSON.stringify({
    agreements: [{ claim: "it depends", answers: ["A", "B", "C"] }],
    contradictions: Array.from({ length: contradictions }, (_, index) => ({
      topic: `topic ${index}`,
      stances: [
        { claim: "yes", answers: ["A"] },
        { claim: "no", answers: ["B"] },
      ],
    })),
    unique: [{ claim: "only here", answers: ["C"] }],
  });

const CHAIR: Lines = { draft: "" };
const OPEN = {
  ada: { draft: "ada would move it at once because waiting costs more than moving." },
  bob: { draft: "bob would wait with it until the load is known for certain." },
  cyd: { draft: "cyd would move a small part of it and then look at the figures." },
};

const on = (people: Readonly<Record<string, Lines>>, options: Partial<StageOptions> = {}) =>
  stage({ protocols: [ask], script: script({ chair: CHAIR, ...people }), ...options });

const asked = (changes: CouncilAsked = {}): NewDeliberation => councilAsked({ protocol: "ask", ...changes });

const notesOf = (entries: readonly Entry[]) =>
  entries.flatMap((entry) =>
    entry.type === "rung-decided"
      ? [[{ rung: entry.data.rung, next: entry.data.next }, entry.data.reason]]
      : [],
  );

const textOf = (entries: readonly Entry[]): string => {
  const closing = closingOf(entries);
  if (!closing) throw new Error("it is open");
  const step = "answer" in closing ? closing.answer : "best" in closing ? closing.best?.answer : undefined;
  const given = entries.find(({ origin }) => "step" in origin && origin.step === step);
  return given?.type === "answer-given" || given?.type === "synthesis-given" ? given.data.text : "";
};

describe("ask, where final answers can be compared", () => {
  it("answers at the price of the drafts when they agree, with the best supported text", async () => {
    const table = on({
      ada: { draft: "Final answer: 391" },
      bob: { draft: "17 times 23 is 340 and 51, that is 391.\nFinal answer: 391" },
      cyd: { draft: "I multiply 17 times 20, that is 340, and 51 more is 391.\nFinal answer: 391" },
    });
    const { entries } = await table.play(asked());
    expect(table.models.calls).toHaveLength(3);
    expect(closingOf(entries)).toMatchObject({
      outcome: "answered",
      answer: expect.stringMatching(/^draft\/(bob|cyd)$/),
      control: { kind: "draft-majority", step: expect.stringMatching(/^draft\/(bob|cyd)$/), agrees: true },
    });
    expect(notesOf(entries)).toEqual([[{ rung: "draft", next: null }, "all 3 drafts come to 391"]]);
  });

  it.each([
    [
      "the same grid in three frames",
      ["Final answer:\n1 2\n3 4", "<answer>1 2\n3 4</answer>", "Answer:\n\n```\n1  2\n3  4\n```"],
      true,
    ],
    [
      "three programs with one head",
      [3, 4, 5].map((by) => `Final answer:\n\`\`\`python\ndef f(x):\n    return x + ${by}\n\`\`\``),
      false,
    ],
    [
      "three stories of A and B",
      ["A is a Knight, and B a Knave", "A is a Knave, and B a Knight", "A and B are Knaves"].map(
        (said) => `I see.\n\nFinal answer: ${said}.`,
      ),
      false,
    ],
    [
      "three options below one announcement",
      ["A. red", "B. green", "C. blue"].map(
        (option) => `### Final Answer:\nThe correct option is:\n**${option}**`,
      ),
      false,
    ],
  ])(
    "calls alike only what is the same as a whole: %s",
    async (_, [one = "", two = "", three = ""], alike) => {
      const table = on({ ada: { draft: one }, bob: { draft: two }, cyd: { draft: three } });
      const { entries } = await table.play(asked());
      const reasons = JSON.stringify(notesOf(entries));
      expect(reasons.includes("all 3 drafts come to")).toBe(alike);
      if (alike) expect(reasons).toContain("all 3 drafts come to 1 2 / 3 4");
    },
  );

  it("sends a split through one anonymous round, then votes over first and last answers", async () => {
    const table = on({
      ada: { draft: "391" },
      bob: { draft: "381", revision: "391" },
      cyd: { draft: "391" },
    });
    const { entries } = await table.play(asked());
    expect(table.models.calls.map(({ request }) => taskOf(request))).toEqual([
      ...Array<string>(3).fill("draft"),
      ...Array<string>(3).fill("revision"),
    ]);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", control: { agrees: true } });
    expect(textOf(entries)).toContain("391");
    expect(notesOf(entries)).toEqual([
      [{ rung: "draft", next: "revision" }, "2 of 3 drafts come to 391, 1 to 381"],
      [
        { rung: "revision", next: null },
        "after revision 3 of 3 answers come to 391; a majority of first and last answers together",
      ],
    ]);
  });

  it("shows the own answer unmarked among at most two that differ, and records the critiques", async () => {
    const table = on({ ada: { draft: "391" }, bob: { draft: "381" }, cyd: { draft: "391" } });
    const { entries } = await table.play(asked());
    const revisions = table.models.calls.filter(({ request }) => taskOf(request) === "revision");
    const shown = Object.fromEntries(revisions.map(({ name, request }) => [name, labelsIn(request).length]));
    // ada and cyd agree: each sees bob's; bob sees both.
    expect(shown).toEqual({ ada: 2, bob: 3, cyd: 2 });
    for (const { request } of revisions) expect(promptOf(request)).not.toMatch(/your own answer|you hold/i);
    const critiques = entries.flatMap((entry) => (entry.type === "critique-given" ? [entry.data] : []));
    expect(critiques).toHaveLength(7);
    expect(critiques.every(({ by, text }) => text === `${by} looked at it.`)).toBe(true);
  });

  it("shows answers that differ from each other before two that say the same", async () => {
    const people = { ada: "391", bob: "381", cyd: "381", dan: "371", eve: "381" };
    const members = Object.keys(people);
    const table = on(Object.fromEntries(Object.entries(people).map(([name, draft]) => [name, { draft }])));
    await table.play(asked({ members }));
    for (const { request } of table.models.calls.filter(({ request: one }) => taskOf(one) === "revision")) {
      const finals = [...promptOf(request).matchAll(/^Final answer: (\d+)$/gm)].map(([, value]) => value);
      expect(new Set(finals)).toEqual(new Set(["371", "381", "391"]));
      expect(finals).toHaveLength(3);
    }
  });

  it("a first majority outvotes a round that talks it out of its answer", async () => {
    const table = on({
      ada: { draft: "391" },
      bob: { draft: "381" },
      cyd: { draft: "391" },
      dan: { draft: "391", revision: "381" },
    });
    const { entries } = await table.play(asked({ members: ["ada", "bob", "cyd", "dan"] }));
    expect(textOf(entries)).toContain("391");
  });

  it("is inconclusive where first and last answers are level, with the best so far", async () => {
    const table = on({ ada: { draft: "391" }, bob: { draft: "381" } });
    const { entries } = await table.play(asked({ members: ["ada", "bob"] }));
    expect(closingOf(entries)).toMatchObject({
      outcome: "inconclusive",
      why: "after revision 1 of 2 answers comes to 391, 1 to 381; first and last answers together are level",
      best: { control: { kind: "leading-draft", agrees: true } },
    });
  });

  it("is decided by the tie-break where first and last answers are level", async () => {
    const table = on({ ada: { draft: "391" }, bob: { draft: "381" } });
    const opening = asked({ members: ["ada", "bob"] });
    const ana = { ...toyParticipant("ana", "tie-break"), model: Participant.shape.model.parse("human/ana") };
    const { opened } = await table.engine.open("r1", {
      ...opening,
      participants: [...opening.participants, ana],
    });
    const id = opened.deliberation;
    expect(await table.drive(id)).toMatchObject({ status: "waiting", requests: ["seat/tie-break/ana"] });
    const step = StepKey.parse("tie-break/ana");
    const seat = await table.engine.lookAtSeat(id, step);
    expect(seat?.read("neither")).toMatchObject({ ok: false });
    const shown = promptOf({ messages: seat?.messages ?? [] } as never);
    const [, label = "", other = label === "A" ? "B" : "A"] =
      /\[BEGIN answer (\w+) [^\n]*\n(?:(?!\[END)[\s\S])*381/.exec(shown) ?? [];
    const answer = {
      type: "seat-answered" as const,
      data: { step, person: UserId.parse("ana"), text: `FINAL RANKING:\n1. ${label}\n2. ${other}` },
    };
    await table.store.for(LOCAL).append(id, [answer], { by: "client", request: `seat/${step}` });
    await table.drive(id);
    const entries = await table.store.for(LOCAL).read(id);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: expect.stringMatching(/bob$/) });
  });

  it("ends with the drafts where all have the same final answer, however long", async () => {
    const draft = "Final answer: the old red brick house";
    const table = on({ ada: { draft }, bob: { draft }, cyd: { draft } });
    const { entries } = await table.play(asked());
    expect(table.models.calls).toHaveLength(3);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", control: { agrees: true } });
  });

  it("climbs no further than the effort allows, and once more at five", async () => {
    const split = { ada: { draft: "391" }, bob: { draft: "381" }, cyd: { draft: "371" } };
    const calls = async (effort: number) => {
      const table = on(split);
      await table.play(asked({ settings: { effort } }));
      return table.models.calls.length;
    };
    expect(await Promise.all([1, 2, 3, 4, 5].map(calls))).toEqual([3, 6, 6, 6, 9]);
  });

  it("who fails in the round keeps the first answer, and the result is degraded", async () => {
    const table = on({
      ada: { draft: "391" },
      bob: { draft: "381", revision: { fail: "refused" } },
      cyd: { draft: "391" },
    });
    const { entries } = await table.play(asked());
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
    expect(textOf(entries)).toContain("391");
  });

  it("takes one member's answer as it is", async () => {
    const table = on({ ada: { draft: "391" } });
    const { entries } = await table.play(asked({ members: ["ada"] }));
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: "draft/ada" });
    expect(table.models.calls).toHaveLength(1);
  });
});

describe("ask, of an open question", () => {
  const tasks = (table: Stage) => [...new Set(table.models.calls.map(({ request }) => taskOf(request)))];

  it("synthesises without a review where the drafts do not contradict each other", async () => {
    const table = on(OPEN);
    const { entries } = await table.play(asked());
    expect(tasks(table)).toEqual(["draft", "comparison", "synthesis"]);
    expect(closingOf(entries)).toMatchObject({
      outcome: "answered",
      answer: "synthesis/chair",
      control: { kind: "leading-draft" },
    });
    expect(entries.find(({ type }) => type === "comparison-given")?.data).toMatchObject({
      agreements: [
        { claim: "it depends", of: expect.arrayContaining(["draft/ada", "draft/bob", "draft/cyd"]) },
      ],
      contradictions: [],
    });
    const chair = table.models.calls.at(-1);
    expect(chair && promptOf(chair.request)).toContain("Agreed (A, B, C): it depends");
  });

  it("reviews before the synthesis where they do", async () => {
    const table = on({ ...OPEN, chair: { ...CHAIR, comparison: comparing(2) } });
    const { entries } = await table.play(asked());
    expect(tasks(table)).toEqual(["draft", "comparison", "review", "synthesis"]);
    expect(notesOf(entries)).toEqual([
      [{ rung: "draft", next: "comparison" }, "3 of 3 drafts have no short final answer"],
      [{ rung: "comparison", next: "review" }, "the drafts contradict each other on topic 0; topic 1"],
    ]);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered", answer: "synthesis/chair" });
  });

  it.each([
    [1, ["draft"], "draft"],
    [2, ["draft", "comparison"], "draft"],
    [3, ["draft", "comparison", "synthesis"], "synthesis"],
    [4, ["draft", "comparison", "review", "synthesis"], "synthesis"],
    [5, ["draft", "comparison", "revision", "review", "synthesis"], "synthesis"],
  ])("with effort %i goes through %j", async (effort, expected, answer) => {
    const table = on({ ...OPEN, chair: { ...CHAIR, comparison: comparing(1) } });
    const { entries } = await table.play(asked({ settings: { effort } }));
    expect(tasks(table)).toEqual(expected);
    expect(closingOf(entries)).toMatchObject({
      outcome: "answered",
      answer: expect.stringMatching(`^${answer}/`),
      control: { kind: effort < 4 ? "leading-draft" : "best-draft" },
    });
  });

  it("asks nobody to revise who contradicts nobody", async () => {
    const table = on({ ...OPEN, chair: { ...CHAIR, comparison: comparing(1) } });
    await table.play(asked({ settings: { effort: 5 } }));
    const revised = table.models.calls.filter(({ request }) => taskOf(request) === "revision");
    expect(revised).toHaveLength(2); // A and B contradict each other, C nobody
    expect(revised.map(({ request }) => labelsIn(request).sort((a, b) => (a < b ? -1 : 1)))).toEqual([
      ["A", "B"],
      ["A", "B"],
    ]);
  });

  it("has rankings to vote on, also where nothing contradicts", async () => {
    const table = on(OPEN);
    const { entries } = await table.play(asked({ settings: { mode: "vote" } }));
    expect(tasks(table)).toEqual(["draft", "comparison", "review"]);
    expect(closingOf(entries)).toMatchObject({
      outcome: "answered",
      answer: expect.stringMatching("^draft/"),
    });
  });

  it("is one whose final answers are whole sentences", async () => {
    const table = on({
      ada: { draft: "Final answer: move the queue before the next release" },
      bob: { draft: "Final answer: wait until the load is known" },
      cyd: { draft: "Final answer: move only a small part of it" },
    });
    await table.play(asked());
    expect(tasks(table)).toEqual(["draft", "comparison", "synthesis"]);
  });

  it.each<[string, ScriptedLine]>([
    ["fails", { fail: "refused" }],
    ["cannot be read", "there is nothing to say"],
  ])("reviews, and says so, where the comparison %s", async (_, comparison) => {
    const table = on({ ...OPEN, chair: { ...CHAIR, comparison } });
    const { entries } = await table.play(asked());
    expect(tasks(table)).toEqual(["draft", "comparison", "review", "synthesis"]);
    expect(closingOf(entries)).toMatchObject({ outcome: "answered-degraded" });
  });
});

describe("ask under a budget", () => {
  it("stops cleanly with the best answer so far, whatever is cut", async () => {
    const split = { ada: { draft: "391" }, bob: { draft: "381" }, cyd: { draft: "391" } };
    const limited = async (people: Readonly<Record<string, Lines>>, calls: number) => {
      const table = on(people);
      const { entries } = await table.play(asked({ budget: { calls } }));
      expect(table.models.calls.length).toBeLessThanOrEqual(calls);
      return { closing: closingOf(entries), text: textOf(entries) };
    };
    const drafts = await limited(split, 3);
    expect(drafts.closing).toMatchObject({
      outcome: "stopped-by-budget",
      why: "2 of 3 drafts come to 391, 1 to 381, and the budget does not reach for a round of revision",
    });
    expect(drafts.text).toContain("391");
    expect((await limited(split, 5)).closing).toMatchObject({ outcome: "answered-degraded" });
    expect((await limited(split, 6)).closing).toMatchObject({ outcome: "answered" });
    expect((await limited(OPEN, 3)).closing).toMatchObject({
      outcome: "stopped-by-budget",
      why: expect.stringContaining("the budget does not reach for comparing them"),
    });
    expect((await limited(OPEN, 4)).closing).toMatchObject({ outcome: "stopped-by-budget" });
    expect((await limited(OPEN, 5)).closing).toMatchObject({ outcome: "answered" });
    // Reviewers give way to the chair.
    const contradicted = { ...OPEN, chair: { ...CHAIR, comparison: comparing(1) } };
    expect((await limited(contradicted, 6)).closing).toMatchObject({
      outcome: "answered-degraded",
      answer: "synthesis/chair",
    });
  });

  it("begins no rung that the budget does not reach for, and says so", async () => {
    const climb = async (people: Readonly<Record<string, Lines>>, calls: number) => {
      const table = on(people);
      const { entries } = await table.play(asked({ budget: { calls } }));
      return {
        notes: notesOf(entries),
        calls: table.models.calls.map(({ request }) => taskOf(request)),
        entries,
      };
    };
    const split = { ada: { draft: "391" }, bob: { draft: "381" }, cyd: { draft: "391" } };
    const contradicted = { ...OPEN, chair: { ...CHAIR, comparison: comparing(1) } };
    const reason = expect.stringContaining("the budget does not reach for");
    expect((await climb(split, 3)).notes).toEqual([[{ rung: "draft", next: null }, reason]]);
    expect((await climb(OPEN, 3)).notes).toEqual([[{ rung: "draft", next: null }, reason]]);
    const four = await climb(contradicted, 4);
    expect(four.notes.at(-1)).toEqual([{ rung: "comparison", next: null }, reason]);
    expect(four.entries.some(({ type }) => type === "degradation-noted")).toBe(false); // no chair was tried in vain
    const five = await climb(contradicted, 5);
    expect(five.notes.at(-1)).toEqual([{ rung: "comparison", next: "synthesis" }, reason]);
    expect(new Set(five.calls)).toEqual(new Set(["draft", "comparison", "synthesis"]));
    expect(closingOf(five.entries)).toMatchObject({
      outcome: "answered-degraded",
      answer: "synthesis/chair",
    });
  });
});

describe("an ask that is killed", () => {
  const longest = () => on({ ...OPEN, chair: { ...CHAIR, comparison: comparing(1) } });
  const split = () => on({ ada: { draft: "391" }, bob: { draft: "381" }, cyd: { draft: "371" } });
  const five = asked({ settings: { effort: 5 } });

  it.each([
    ["an open question", longest],
    ["a split one", split],
  ])("resumes to the same history of %s, and replays", async (_, table) => {
    const whole = table();
    const expected = factsOf((await whole.play(five)).entries);
    const points = crashPoints({ calls: whole.models.calls.length, appends: expected.length - 1 });
    for (const point of points.filter(({ when }) => when === "after")) {
      const again = table();
      const { id, entries } = await again.playKilled(five, point);
      expect(factsOf(entries)).toEqual(expected);
      expect(new Set(entries.map(({ origin }) => originKey(origin))).size).toBe(entries.length);
      expect(again.models.calls.length - whole.models.calls.length).toBeLessThanOrEqual(3);
      expect((await again.engine.replay(id)).calls).toBe(whole.models.calls.length);
    }
  });
});
