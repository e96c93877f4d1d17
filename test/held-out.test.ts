import { describe, expect, it } from "vitest";
import { heldOutFilter, isHeldOut, isHeldOutRun } from "../src/app/personas/held-out.ts";
import { readFeedback, shownRemarks, uniqueRemarks } from "../src/features/evolution/app/feedback.ts";
import { textDigest } from "../src/engine/index.ts";
import { OrganizationId, type ModelRequest } from "../src/kernel/index.ts";
import {
  breedingPrompt,
  personaTemplates,
  summaryPrompt,
} from "../src/features/evolution/protocol/persona/index.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { openSqlite } from "../src/stores/sqlite.ts";
import type { OpenedStore } from "../src/stores/store.ts";
import { stage } from "../src/testing/stage.ts";
import { agreeable, councilAsked, labelsIn, taskOf } from "./support/council-table.ts";

const LOCAL = OrganizationId.parse("local");
const PEOPLE = ["ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal"];
const questionOf = (seed: string, nth: number) => `What should ${seed} do about its queue number ${nth}?`;

type Asked = { readonly id: string; readonly question: string };

/** Councils whose reviewers quote questions, ids and digests of this run and of earlier ones. */
async function playQuoting(
  store: OpenedStore,
  { seed, runs }: { seed: string; runs: number },
): Promise<Asked[]> {
  const asked: Asked[] = [];
  const plain = agreeable([...PEOPLE, "chair"]);
  let current = "";
  const script = Object.fromEntries(
    Object.entries(plain).map(([name, usual]) => [
      name,
      (request: ModelRequest, nth: number) => {
        if (taskOf(request) !== "review")
          return typeof usual === "function" ? usual(request, nth) : "It is so.";
        const [last, other] = [asked.at(-1), asked[(nth * 7) % Math.max(1, asked.length)]];
        const reviews = labelsIn(request).map((label, index) => ({
          label,
          strengths: [
            `${label} of ${name} is clear ${index}`,
            `It answers "${current.toUpperCase()}"`,
            `As in ${other?.question}`,
          ],
          weaknesses: [
            `Compare run ${last?.id}`,
            `Its digest is ${textDigest(other?.question ?? "")}`,
            `${name} misses costs`,
          ],
        }));
        return { text: JSON.stringify({ reviews, ranking: labelsIn(request) }), latencyMs: 1 };
      },
    ]),
  );
  const on = stage({ protocols: [council], script, store: () => store });
  for (let nth = 0; nth < runs; nth += 1) {
    current = questionOf(seed, nth);
    const members = PEOPLE.filter((_, index) => (nth + index) % 2 === 0 || (nth * index) % 5 === 1);
    const { id } = await on.play(councilAsked({ members, question: current }), `run-${nth}`);
    asked.push({ id, question: current });
  }
  return asked;
}

const desk = {
  template: (name: string) => personaTemplates.find((one) => one.name === name)?.text ?? "",
  mark: () => "0123456789abcdef",
};

const choose = (count: number): string[][] =>
  PEOPLE.flatMap((one, i) =>
    PEOPLE.slice(i + 1).flatMap((two, j) =>
      count === 2 ? [[one, two]] : PEOPLE.slice(i + j + 2).map((three) => [one, two, three]),
    ),
  );

describe("held-out questions", () => {
  it("are a fifth of all, the same in every process, and others in another organization", () => {
    const questions = Array.from({ length: 5_000 }, (_, nth) => questionOf("ann", nth));
    const share = questions.filter((one) => isHeldOut("local", one)).length / questions.length;
    expect(share).toBeGreaterThan(0.18);
    expect(share).toBeLessThan(0.22);
    expect(questions.map((one) => isHeldOut("local", `  ${one.toUpperCase()}\n`))).toEqual(
      questions.map((one) => isHeldOut("local", one)),
    );
    expect(
      questions.filter((one) => isHeldOut("local", one) !== isHeldOut("acme", one)).length,
    ).toBeGreaterThan(1_000);
    // It must not change: what was held out would feed prompts then.
    expect(
      questions
        .slice(0, 20)
        .map((one) => Number(isHeldOut("local", one)))
        .join(""),
    ).toMatchInlineSnapshot(`"00001100010010001100"`);
  });

  it("stand in none of 10,000 prompts that breed or summarize, nor do their ids and digests", async () => {
    let [prompts, remarks, quoting] = [0, 0, 0];
    for (const seed of ["ann", "ben", "cas"]) {
      await using opened = await openSqlite(":memory:");
      const asked = await playQuoting(opened, { seed, runs: 44 });
      const heldOut = asked.filter(({ question }) => isHeldOut("local", question));
      expect(heldOut.length).toBeGreaterThan(2);
      const needles = heldOut.flatMap(({ id, question }) => [
        id,
        textDigest(question),
        question.toLowerCase(),
      ]);
      const store = opened.for(LOCAL);
      const known = { store, projection: store.projection };
      const reading = { onUnreadable: (id: string) => expect.unreachable(id) };
      const feedback = new Map<string, readonly string[]>();
      for (const persona of PEOPLE) {
        const found = await readFeedback(known, { persona }, reading);
        remarks += found.remarks.length;
        // As a prompt shows it after the newest run, the next one, and so on.
        for (let from = 1; from <= 44; from += 1)
          feedback.set(`${persona} ${from}`, shownRemarks({ remarks: found.remarks.slice(3 * (from - 1)) }));
      }
      const check = (messages: readonly { readonly text: string }[]) => {
        const text = messages
          .map((message) => message.text)
          .join("\n")
          .toLowerCase();
        prompts += 1;
        if (/number \d+\?/.test(text)) quoting += 1;
        expect(needles.filter((needle) => text.includes(needle))).toEqual([]);
      };
      for (let limit = 1; limit <= 44; limit += 1) {
        for (const name of PEOPLE)
          check(summaryPrompt(desk, { name, remarks: feedback.get(`${name} ${limit}`) ?? [] }));
        for (const parents of [...choose(2), ...choose(3)])
          check(
            breedingPrompt(desk, {
              name: "Kid",
              parents: parents.map((name) => ({
                ...{ name, instructions: `be ${name}` },
                feedback: (feedback.get(`${name} ${limit}`) ?? []).join("\n"),
              })),
            }),
          );
      }
    }
    process.stdout.write(
      `held-out questions: ${prompts} prompts searched, ${quoting} of them quote another question\n`,
    );
    expect(prompts).toBeGreaterThan(10_000);
    // Other questions do stand in them, so the search can find something.
    expect([remarks, quoting].every((count) => count > 1_000)).toBe(true);
  }, 120_000);

  it("hold back whoever follows one in its conversation", async () => {
    await using opened = await openSqlite(":memory:");
    const store = opened.for(LOCAL);
    const on = stage({
      protocols: [council],
      script: agreeable(["ada", "bob", "chair"]),
      store: () => opened,
    });
    const held =
      Array.from({ length: 40 }, (_, nth) => questionOf("ann", nth)).find((one) => isHeldOut("local", one)) ??
      "";
    const free =
      Array.from({ length: 40 }, (_, nth) => questionOf("ann", nth)).find(
        (one) => !isHeldOut("local", one),
      ) ?? "";
    const run = async (question: string, history: { question: string; answer: string }[] = []) => {
      const { entries } = await on.play(
        councilAsked({ members: ["ada", "bob"], question, history }),
        `${question}${history.length}`,
      );
      return isHeldOutRun(store, entries);
    };
    expect([await run(held), await run(free)]).toEqual([true, false]);
    expect(await run(free, [{ question: held, answer: "So." }])).toBe(true);
    const mayFeed = await heldOutFilter(store);
    expect(mayFeed(`It says ${held}`)).toBe(false);
    expect(mayFeed("It says something else")).toBe(true);
  });
});

describe("feedback", () => {
  it("is what others wrote about this persona alone, newest run first", async () => {
    await using opened = await openSqlite(":memory:");
    const asked = await playQuoting(opened, { seed: "ann", runs: 12 });
    const store = opened.for(LOCAL);
    const known = { store, projection: store.projection };
    const found = await readFeedback(known, { persona: "cyd" }, { onUnreadable: () => undefined });
    expect(found.remarks.length).toBeGreaterThan(5);
    expect(found.remarks.map(({ by }) => by)).not.toContain("cyd");
    for (const { event, deliberation, text, kind } of found.remarks) {
      const entries = await store.read(deliberation);
      const review = entries.find((entry) => entry.id === event);
      if (review?.type !== "review-given") return expect.unreachable();
      const drafts = new Map(
        entries.flatMap((entry) =>
          entry.type === "answer-given" && "step" in entry.origin ? [[entry.origin.step, entry.data.by]] : [],
        ),
      );
      const about = review.data.remarks.find(({ of }) => drafts.get(of) === "cyd");
      expect(kind === "strength" ? about?.strengths : about?.weaknesses).toContain(text);
    }
    const order = asked.map(({ id }) => id);
    const runs = [...new Set(found.remarks.map(({ deliberation }) => deliberation))].map((id) =>
      order.indexOf(id),
    );
    expect(runs).toEqual(runs.toSorted((one, other) => other - one));
    expect(found.heldOut + found.runs).toBeGreaterThan(2);
    expect(uniqueRemarks(found).every(({ likeness }) => likeness !== null && likeness < 0.25)).toBe(true);
    const none = await readFeedback(known, { persona: "nobody" }, { onUnreadable: () => undefined });
    expect(none).toMatchObject({ remarks: [], runs: 0 });
  });
});
