import type { NewDeliberation } from "../../src/engine/index.ts";
import { textDigest } from "../../src/engine/index.ts";
import { ModelRef, ParticipantId, type ModelRequest } from "../../src/kernel/index.ts";
import { readFenced } from "../../src/prompts/material.ts";
import { trial } from "../../src/features/evolution/protocol/trial/index.ts";
import { random } from "../../src/stats/numbers.ts";
import { siblingAlpha, TRIAL_TEST } from "../../src/stats/sequential-sign-test.ts";
import { shippedTextsOf, toyAsked } from "../../src/testing/kit.ts";
import type { Script } from "../../src/testing/scripted-models.ts";

export type TrialAsked = {
  readonly questions?: number;
  /** The right answer of each question, where it is known. */
  readonly answer?: (nth: number) => string | undefined;
  readonly judges?: number;
  readonly siblings?: number;
  readonly wave?: number;
  /** The child's instructions. */
  readonly child?: string;
  readonly seed?: string;
};

const rubric = {
  name: "right",
  criteria: "Is it right?",
  anchors: { 1: "No.", 2: "Hardly.", 3: "In part.", 4: "Mostly.", 5: "Yes." },
};

/** A trial of `be CHILD` against `be PARENT`; the model is `sim/model`, and judges are `sim/judge-1`, … */
export function trialAsked({
  questions = 40,
  answer = () => undefined,
  judges = 1,
  siblings = 0,
  wave = 6,
  child = "be CHILD",
  seed = "seed",
}: TrialAsked = {}): NewDeliberation {
  const seats = { child, parent: "be PARENT", none: "" };
  const judging = Array.from({ length: judges }, (_, index) => `judge-${index + 1}`);
  const items = Array.from({ length: questions }, (_, index) => ({
    name: `question-${index + 1}`,
    ...(answer(index + 1) === undefined ? {} : { answer: answer(index + 1) ?? "" }),
  }));
  return toyAsked("trial", {
    ...{ seed, question: "Is it better?", templates: shippedTextsOf(trial) },
    protocol: { name: trial.name, version: trial.version },
    context: items.map(({ name }) => ({ name: `${name}/question`, text: `What of ${name} in ${seed}?` })),
    settings: {
      child: { id: "kid", version: textDigest(child) },
      parent: { id: "mom", version: textDigest("be PARENT") },
      ...{ items, rubric, wave, form: {}, alpha: siblingAlpha(TRIAL_TEST.alpha, siblings + 1) },
    },
    participants: [
      ...Object.entries(seats).map(([seat, instructions]) => ({
        ...{ id: ParticipantId.parse(seat), seat, model: ModelRef.parse("sim/model"), family: "a" },
        persona: { name: seat, instructions },
      })),
      ...judging.map((name) => ({
        id: ParticipantId.parse(name),
        seat: "judge",
        model: ModelRef.parse(`sim/${name}`),
        family: "b",
        persona: { name, instructions: "" },
      })),
    ],
  });
}

const piecesOf = ({ messages }: ModelRequest) => readFenced(messages.map(({ text }) => text).join("\n"));
const questionIn = (request: ModelRequest): string =>
  piecesOf(request).find(({ kind }) => kind === "question")?.text ?? "";

/** Who answers: as the prompt's own words say. */
export const seatIn = ({ messages }: ModelRequest): string => {
  const text = messages.map((message) => message.text).join("\n");
  return text.includes("be CHILD") ? "child" : text.includes("be PARENT") ? "parent" : "none";
};

/** Answers that say whose they are. */
export const answering: Script = { model: (request) => ({ text: `I am ${seatIn(request)}.`, latencyMs: 5 }) };

/** What a judge says of the two answers that it is shown, by whose they are. */
export const judging =
  (prefer: (question: string, rival: string) => "child" | "rival" | "tie" | "first") =>
  (request: ModelRequest) => {
    const shown = piecesOf(request).filter(({ kind }) => kind === "answer");
    const isChild = (text: string) => text.includes("I am child");
    const rival = shown.find(({ text }) => !isChild(text))?.text.match(/I am (\w+)/)?.[1] ?? "parent";
    const said = prefer(questionIn(request), rival);
    const winner =
      said === "tie"
        ? "tie"
        : said === "first"
          ? "A"
          : (shown.find(({ text }) => isChild(text) === (said === "child"))?.label ?? "A");
    return { text: JSON.stringify({ reason: "so it seems", winner }), latencyMs: 5 };
  };

/** A judge that prefers the child's answer to this share of the questions, in both orders alike. */
export const preferring = (share: number, seed = "judge") =>
  judging((question, rival) => (random(`${seed} ${question} ${rival}`)() < share ? "child" : "rival"));
