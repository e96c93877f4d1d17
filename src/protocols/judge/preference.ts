import { parseGrade } from "../../replies/grade.ts";
import { EventId, type Work } from "../../kernel/index.ts";
import { parsePreference, type Preference } from "../../replies/preference.ts";
import { combinePreference } from "../../stats/judge-leans.ts";
import type { StepOutcome, StepRunner } from "../../engine/index.ts";
import { preferencePrompt, gradePrompt } from "../phases/judge-prompts.ts";
import {
  askJudge,
  itemWork,
  verdictOutcome,
  repeatKey,
  listRepeats,
  requireText,
  type JudgeReply,
  type JudgeBench,
  type VerdictOutcome,
} from "./verdict.ts";

const ORDERS = [
  { key: "order-1", shown: ["a", "b"] },
  { key: "order-2", shown: ["b", "a"] },
] as const;

/** Compares one pair in both orders, under `ITEM/order-1` and `ITEM/order-2`; `ITEM/preference` is what they say together. */
export async function* judgePair(
  at: JudgeBench,
  run: StepRunner,
  item: string,
): AsyncGenerator<VerdictOutcome> {
  for (const repeat of listRepeats(at)) {
    const said: Preference[] = [];
    for (const { key, shown } of ORDERS) {
      const reply = await askInOrder(at, run, {
        key: repeatKey(`${item}/${key}`, repeat),
        work: itemWork(key, item, repeat),
        item,
        shown,
      });
      const read = readPreference(reply);
      said.push(read);
      yield verdictOutcome(reply, read.ok);
    }
    const [first, second] = said;
    if (first === undefined || second === undefined) return;
    const key = repeatKey(`${item}/preference`, repeat);
    const work = itemWork("preference", item, repeat);
    const ends = ["preference-given", "degradation-noted"] as const;
    await run.derive({ key, work, outcomes: ends, input: { first, second } }, () =>
      combineOrders(item, first, second),
    );
  }
}

type PairOrder = {
  readonly key: string;
  readonly work: Work;
  readonly item: string;
  readonly shown: readonly ["a" | "b", "a" | "b"];
};

const askInOrder = (
  at: JudgeBench,
  run: StepRunner,
  { key, work, item, shown: [first, second] }: PairOrder,
): Promise<JudgeReply> => {
  const { form, rubric } = at.context.settings;
  const messages = preferencePrompt(at.context, {
    form,
    rubric,
    question: requireText(at, `${item}/question`),
    first: requireText(at, `${item}/${first}`),
    second: requireText(at, `${item}/${second}`),
  });
  return askJudge(at, run, {
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
const readPreference = ({ type, data }: JudgeReply): Preference =>
  type === "degradation-noted"
    ? { ok: false, reason: data.why }
    : parsePreference(data.call?.ok ? data.call.reply : "");

function combineOrders(
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
export async function* judgeAnswer(
  at: JudgeBench,
  run: StepRunner,
  item: string,
): AsyncGenerator<VerdictOutcome> {
  const { form, rubric } = at.context.settings;
  const messages = gradePrompt(at.context, {
    form,
    rubric,
    question: requireText(at, `${item}/question`),
    answer: requireText(at, `${item}/answer`),
    reference: at.text(`${item}/reference`),
  });
  // The answer is no event: it stands in the opening's context under this name.
  const of = EventId.parse(`${item}/answer`);
  for (const repeat of listRepeats(at)) {
    const given = await askJudge(at, run, {
      key: repeatKey(`${item}/grade`, repeat),
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
    yield verdictOutcome(given, given.type === "grade-given" && given.data.score !== null);
  }
}
