import { describe, expect, it } from "vitest";
import { defineReactor, type RecordedTurn } from "../../../engine/index.ts";
import { DeliberationId, EventId, type ModelRequest } from "../../../kernel/index.ts";
import { readFenced } from "../../../prompts/material.ts";
import { stage } from "../../../testing/stage.ts";
import { respondAsked, responding } from "../../../../test/support/toys/respondents.ts";
import { critic } from "./critic.ts";
import { pairwise } from "./pairwise.ts";

const alone = new AbortController().signal;
const piecesIn = ({ messages }: ModelRequest) => readFenced(messages.map(({ text }) => text).join("\n"));
const answersIn = (request: ModelRequest) => piecesIn(request).filter(({ kind }) => kind === "answer");

/** What a judge is shown of a conversation in which each respondent answered these before, by what it is to judge. */
async function judged(a: readonly string[], b: readonly string[]) {
  const previous = DeliberationId.parse("earlier");
  const known = b.map((answer, index): RecordedTurn => ({
    ...{ question: `question ${index + 1}`, answer, deliberation: previous },
    of: EventId.parse(`earlier/${index}`),
  }));
  // The second respondent, with the turns that it chose.
  const chooser = defineReactor({
    name: "chooser",
    on: ["deliberation-opened"],
    emits: ["turns-chosen", "answer-given", "degradation-noted"],
    async react({ data }, { run }) {
      const bob = data.participants.find(({ seat }) => seat === "respondent-b");
      if (!bob) return;
      const answers = known.map(({ of }) => of);
      await run.derive({ key: "turns", outcomes: ["turns-chosen"], input: answers }, () => ({
        type: "turns-chosen",
        data: { answers },
      }));
      const answered = {
        by: bob.id,
        kind: "response",
        round: 1,
        text: "bad",
        final: null,
        respondent: "B",
      } as const;
      await run.derive({ key: "answer/B", outcomes: ["answer-given"], input: answers }, () => ({
        type: "answer-given",
        data: answered,
      }));
    },
  });
  const on = stage({
    protocols: [responding],
    reactors: [critic, pairwise, chooser],
    ports: { turns: (_, by) => Promise.resolve(by === "B" ? known : []) },
    script: {
      ada: () => "good",
      judge: (request) => `Feedback: so. [RESULT] ${answersIn(request).length === 1 ? "4" : "A"}`,
    },
  });
  const history = a.map((answer, index) => ({ question: `question ${index + 1}`, answer }));
  const { opened } = await on.engine.open("r1", respondAsked(undefined, { previous, history }));
  await on.drive(opened.deliberation);
  await on.clock.settle(on.engine.drain(opened.deliberation, { worker: "w", signal: alone }));
  return Object.fromEntries(
    on.models.calls
      .filter(({ name }) => name === "judge")
      .map(({ request }) => [
        answersIn(request)
          .map(({ text }) => text)
          .join(" before "),
        piecesIn(request).flatMap(({ kind, label, text }) =>
          kind === "turn"
            ? [`${label.replace(" of the conversation before", "")}: ${text.split("Answer: ")[1]}`]
            : [],
        ),
      ]),
  );
}

describe("the conversation that a judge is shown", () => {
  it.each<[string, string[], string[], Record<string, string[]>]>([
    [
      "one turn each",
      ["AAA"],
      ["BBB"],
      {
        good: ["1: AAA"],
        bad: ["1: BBB"],
        "good before bad": ["1 answer A: AAA", "1 answer B: BBB"],
        "bad before good": ["1 answer A: BBB", "1 answer B: AAA"],
      },
    ],
    [
      "two turns each",
      ["A1", "A2"],
      ["B1", "B2"],
      {
        good: ["1: A1", "2: A2"],
        bad: ["1: B1", "2: B2"],
        "good before bad": ["1 answer A: A1", "2 answer A: A2", "1 answer B: B1", "2 answer B: B2"],
        "bad before good": ["1 answer A: B1", "2 answer A: B2", "1 answer B: A1", "2 answer B: A2"],
      },
    ],
    [
      "none of the second's, which joins later",
      ["AAA"],
      [],
      {
        good: ["1: AAA"],
        bad: [],
        "good before bad": ["1 answer A: AAA"],
        "bad before good": ["1 answer B: AAA"],
      },
    ],
    [
      "the same of both",
      ["same"],
      ["same"],
      { good: ["1: same"], bad: ["1: same"], "good before bad": ["1: same"], "bad before good": ["1: same"] },
    ],
    ["none", [], [], { good: [], bad: [], "good before bad": [], "bad before good": [] }],
  ])("is the one that the answer continues: %s", async (_, ...row) => {
    const [a, b, expected] = row;
    expect(await judged(a, b)).toEqual(expected);
  });
});
