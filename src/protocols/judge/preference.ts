import { parseGrade } from "../../replies/grade.ts";
import { EventId, type Work } from "../../kernel/index.ts";
import { parsePreference, type Preference } from "../../replies/preference.ts";
import { combinePreference } from "../../stats/judge-leans.ts";
import type { StepOutcome, StepRunner } from "../../engine/index.ts";
import { preferencePrompt, gradePrompt } from "../phases/judge-prompts.ts";
import {
  ask,
  itemWork,
  judgedOf,
  repeated,
  repeats,
  textOf,
  type JudgeReply,
  type Bench,
  type Judged,
} from "./verdict.ts";

const ORDERS = [
  { key: "order-1", shown: ["a", "b"] },
  { key: "order-2", shown: ["b", "a"] },
] as const;

/** Compares one pair in both orders, under `ITEM/order-1` and `ITEM/order-2`; `ITEM/preference` is what they say together. */
export async function* judgePair(at: Bench, run: StepRunner, item: string): AsyncGenerator<Judged> {
  for (const repeat of repeats(at)) {
    const said: Preference[] = [];
    for (const { key, shown } of ORDERS) {
      const reply = await inOrder(at, run, {
        key: repeated(`${item}/${key}`, repeat),
        work: itemWork(key, item, repeat),
        item,
        shown,
      });
      const read = readingOf(reply);
      said.push(read);
      yield judgedOf(reply, read.ok);
    }
    const [first, second] = said;
    if (first === undefined || second === undefined) return;
    const key = repeated(`${item}/preference`, repeat);
    const work = itemWork("preference", item, repeat);
    const ends = ["preference-given", "degradation-noted"] as const;
    await run.derive({ key, work, outcomes: ends, input: { first, second } }, () =>
      together(item, first, second),
    );
  }
}

type Order = {
  readonly key: string;
  readonly work: Work;
  readonly item: string;
  readonly shown: readonly ["a" | "b", "a" | "b"];
};

const inOrder = (
  at: Bench,
  run: StepRunner,
  { key, work, item, shown: [first, second] }: Order,
): Promise<JudgeReply> => {
  const { form, rubric } = at.context.settings;
  const messages = preferencePrompt(at.context, {
    form,
    rubric,
    question: textOf(at, `${item}/question`),
    first: textOf(at, `${item}/${first}`),
    second: textOf(at, `${item}/${second}`),
  });
  return ask(at, run, {
    key,
    work,
    messages,
    read: () => ({
      type: "reply-received",
      data: { by: at.judge.id, why: `${item}, ${first} shown before ${second}` },
    }),
  });
};

/** What a recorded reply says, by the order in which it was shown the answers. */
const readingOf = ({ type, data }: JudgeReply): Preference =>
  type === "degradation-noted"
    ? { ok: false, reason: data.why }
    : parsePreference(data.call?.ok ? data.call.reply : "");

function together(
  item: string,
  first: Preference,
  second: Preference,
): StepOutcome<"preference-given" | "degradation-noted"> {
  const { winner, orderSensitive, ...rest } = combinePreference(first, second);
  if (winner === null) {
    const why = "why" in rest ? rest.why : "";
    const weakens = "the judge's figures rest on one pair less";
    return { type: "degradation-noted", data: { what: `the preference on ${item}`, why, weakens } };
  }
  const reason = first.reason === "" ? second.reason : first.reason;
  return {
    type: "preference-given",
    // No events: the answers stand in the opening's context under these names.
    data: {
      of: [EventId.parse(`${item}/a`), EventId.parse(`${item}/b`)],
      winner,
      orderSensitive,
      reason,
    },
  };
}

/** Grades one item under `ITEM/grade`, as often as the settings say. */
export async function* judgeAnswer(at: Bench, run: StepRunner, item: string): AsyncGenerator<Judged> {
  const { form, rubric } = at.context.settings;
  const messages = gradePrompt(at.context, {
    form,
    rubric,
    question: textOf(at, `${item}/question`),
    answer: textOf(at, `${item}/answer`),
    reference: at.text(`${item}/reference`),
  });
  // The answer is no event: it stands in the opening's context under this name.
  const of = EventId.parse(`${item}/answer`);
  for (const repeat of repeats(at)) {
    const given = await ask(at, run, {
      key: repeated(`${item}/grade`, repeat),
      work: itemWork("grade", item, repeat),
      messages,
      read: (reply) => {
        const grade = parseGrade(reply);
        const data = grade.ok
          ? { of, score: grade.score, feedback: grade.feedback, rubric: rubric.name }
          : { of, score: null, feedback: "", rubric: rubric.name, why: grade.reason };
        return { type: "grade-given", data };
      },
    });
    yield judgedOf(given, given.type === "grade-given" && given.data.score !== null);
  }
}
