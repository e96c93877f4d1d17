import {
  admitWithinBudget,
  defineProtocol,
  type ProtocolContext,
  type StepOutcome,
  type StepRunner,
} from "../../../../engine/index.ts";
import {
  type Failure,
  type FailureCode,
  EventId,
  StepKey,
  type Message,
  type ModelRequest,
  type Participant,
  type Work,
} from "../../../../kernel/index.ts";
import {
  judgeTemplates,
  gradePrompt,
  judgeSchema,
  judgeTemplate,
  preferencePrompt,
} from "../../../../protocols/phases/judge-prompts.ts";
import {
  closeMeasurement,
  phaseOfAll,
  type PromptResult,
  askAgain,
  failureIn,
  seatedAt,
} from "../../../../protocols/phases/measure.ts";
import { JUDGE, type JudgeSettings } from "../../../../contract/judge-work.ts";
import { parseGrade } from "../../../../replies/grade.ts";
import type { Preference } from "../../../../replies/preference.ts";
import { combinePreference } from "../../../../stats/judge-leans.ts";
import { preferenceIn } from "../../../../views/measured.ts";
import { modelParams, readReply } from "../../../../protocols/phases/reply.ts";

// A step depends on its item, order and repeat alone: neither on the lane that it runs in nor on the other items.
// A lane ends when the budget, the key or the account refuses, or after `MAX_FAILURES_IN_A_ROW`.

const MAX_FAILURES_IN_A_ROW = 3;

/** The numbers of replies with and without a verdict, and the failure that ended the lane early. */
type LaneResult = { readonly read: number; readonly unread: number; readonly ended?: Failure };

/**
 * One judge grades or compares items, each by itself, pairs in both orders, every prompt as often as the settings say.
 * Items are dealt to a few lanes, so that a long list neither floods the provider nor times out while it waits. The
 * comparison with the items' labels is in `view.ts`.
 */
export const judge = defineProtocol<JudgeSettings>({
  ...JUDGE,
  summary: "have one model grade answers or compare pairs of them",
  seats: [{ name: "judge", filledBy: "judge", min: 1, max: 1 }],
  templates: judgeTemplates,
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  async deliberate(context) {
    const at = openBench(context);
    const { items, lanes } = context.settings;
    const wanted = Array.from({ length: Math.min(lanes, items.length) }, (_, index) => `lane-${index + 1}`);
    const request = largestRequest(at);
    const work = { kind: "judging" };
    const members = wanted.map((id) => ({ id, request }));
    const may = await admitWithinBudget(context.run, { name: "judge", work, members });
    const names = may.in.length > 0 ? may.in : wanted.slice(0, 1);
    const judgeItem = context.settings.kind === "grade" ? judgeAnswer : judgePair;
    const done = await phaseOfAll(
      context.run,
      { name: "judge", work, members: names.map((id, nth) => ({ id, nth })) },
      ({ nth }, run) => {
        const own = items.filter((_, index) => index % names.length === nth);
        return runLane(own.map(({ name }) => judgeItem(at, run, name)));
      },
    );
    const ends = done.in.map(({ value }) => value);
    const sum = (part: "read" | "unread") => ends.reduce((total, lane) => total + lane[part], 0);
    const body = { read: sum("read"), unread: sum("unread") };
    const failures = ends.flatMap(({ ended }) => ended ?? []);
    return closeMeasurement(context, {
      ...{ key: "judged", reason: "how many replies gave a verdict", body, ...body },
      nothing: "no reply of the judge gave a verdict",
      failure: failures.find(({ code }) => code !== "over-budget") ?? failures[0],
      isPartUseful: false,
    });
  },
});

/** Judges one item after another: a generator does nothing before it is read. */
async function runLane(items: readonly AsyncGenerator<PromptResult>[]): Promise<LaneResult> {
  let [read, unread, failures] = [0, 0, 0];
  for (const item of items)
    for await (const { read: gave, failure } of item) {
      if (gave) read += 1;
      else unread += 1;
      failures = failure ? failures + 1 : 0;
      if (failure && (HOPELESS.has(failure.code) || failures === MAX_FAILURES_IN_A_ROW))
        return { read, unread, ended: failure };
    }
  return { read, unread };
}

const HOPELESS: ReadonlySet<FailureCode> = new Set(["unauthorised", "out-of-credit", "over-budget"]);

/** The judge, and the items' texts. */
type JudgeBench = {
  readonly context: ProtocolContext<JudgeSettings>;
  readonly judge: Participant;
  /** A text of an item (`item-17/question`); undefined for a missing reference. */
  readonly text: (name: string) => string | undefined;
};

function openBench(context: ProtocolContext<JudgeSettings>): JudgeBench {
  const texts = new Map(context.context.map(({ name, text }) => [name, text]));
  return { context, judge: seatedAt(context, "judge"), text: (name) => texts.get(name) };
}

/** A text that every item of its kind has. @throws RangeError where the opening lacks it */
function requireText(bench: JudgeBench, name: string): string {
  const text = bench.text(name);
  if (text === undefined) throw new RangeError(`the opening has no text ${name}`);
  return text;
}

type JudgeCall = {
  readonly key: string;
  readonly work: Work;
  readonly messages: Message[];
  /** The event that a reply becomes. */
  readonly read: (reply: string) => StepOutcome<"grade-given" | "reply-received">;
};

const judgeRequest = ({ context: { settings }, judge }: JudgeBench, messages: Message[]): ModelRequest => {
  const reply = judgeSchema(settings.kind, settings.form);
  return {
    ...modelParams(judge, settings.maxOutputTokens),
    messages,
    ...(reply === undefined ? {} : { reply }),
  };
};

/** A request as large as the largest of this bench, for the budget. */
function largestRequest(bench: JudgeBench): ModelRequest {
  const { context } = bench;
  const { kind, form, items, rubric } = context.settings;
  const parts = ["question", "a", "b", "answer", "reference"];
  const texts = items.map(({ name }) => parts.map((part) => bench.text(`${name}/${part}`) ?? "").join("\n"));
  const longest = texts.reduce((one, other) => (other.length > one.length ? other : one), "");
  const text = [context.template(judgeTemplate(kind, form).name), JSON.stringify(rubric), longest].join("\n");
  return judgeRequest(bench, [{ role: "user", text }]);
}

/** Asks one prompt under `key`; an empty reply counts as a failed call. */
function askJudge(bench: JudgeBench, run: StepRunner, { key, work, messages, read }: JudgeCall) {
  const { settings } = bench.context;
  const weakens = "the judge's figures rest on one verdict less";
  const loss = { what: `the verdict ${key}`, participant: bench.judge.id, weakens };
  return askAgain(
    { run, settings },
    {
      ...{ key, work, request: judgeRequest(bench, messages), rereads: true },
      outcomes: ["grade-given", "reply-received", "degradation-noted"],
    },
    readReply<"grade-given" | "reply-received">(loss, read),
  );
}

/** `item-17/grade`, and `item-17/grade/repeat-2` for the second time. */
const repeatKey = (key: string, repeat: number): StepKey =>
  StepKey.parse(repeat === 1 ? key : `${key}/repeat-${repeat}`);

const itemWork = (kind: string, of: string, repeat: number): Work =>
  repeat === 1 ? { kind, of } : { kind, of, nth: repeat };

/** From 1 to the number of times that every prompt is asked. */
const listRepeats = ({ context }: JudgeBench): number[] =>
  Array.from({ length: context.settings.repeat }, (_, index) => index + 1);

const ORDERS = [
  ["order-1", "a", "b"],
  ["order-2", "b", "a"],
] as const;

/** Compares a pair in both orders, under `ITEM/order-1` and `ITEM/order-2`; `ITEM/preference` combines the two. */
async function* judgePair(bench: JudgeBench, run: StepRunner, item: string): AsyncGenerator<PromptResult> {
  const { form, rubric } = bench.context.settings;
  const question = requireText(bench, `${item}/question`);
  const texts = { a: requireText(bench, `${item}/a`), b: requireText(bench, `${item}/b`) };
  for (const repeat of listRepeats(bench)) {
    const preferences: Preference[] = [];
    for (const [order, one, other] of ORDERS) {
      const pair = { form, rubric, question, first: texts[one], second: texts[other] };
      const why = `${item}, ${one} shown before ${other}`;
      const reply = await askJudge(bench, run, {
        key: repeatKey(`${item}/${order}`, repeat),
        work: itemWork(order, item, repeat),
        messages: preferencePrompt(bench.context, pair),
        read: () => ({ type: "reply-received", data: { by: bench.judge.id, why } }),
      });
      const read = preferenceIn(reply);
      preferences.push(read);
      yield { read: read.ok, failure: failureIn(reply) };
    }
    const [first, second] = preferences;
    if (first === undefined || second === undefined) return;
    const key = repeatKey(`${item}/preference`, repeat);
    const work = itemWork("preference", item, repeat);
    const outcomes = ["preference-given", "degradation-noted"] as const;
    await run.derive({ key, work, outcomes, input: { first, second } }, () =>
      combineOrders(item, first, second),
    );
  }
}

function combineOrders(
  item: string,
  first: Preference,
  second: Preference,
): StepOutcome<"preference-given" | "degradation-noted"> {
  const combined = combinePreference(first, second);
  if (combined.winner === null) {
    const [what, weakens] = [`the preference on ${item}`, "the judge's figures rest on one pair less"];
    return { type: "degradation-noted", data: { what, why: combined.why, weakens } };
  }
  const { winner, orderSensitive } = combined;
  const reason = first.reason === "" ? second.reason : first.reason;
  return {
    type: "preference-given",
    // The answers are not events, but texts of the opening's context under these names.
    data: { of: [EventId.parse(`${item}/a`), EventId.parse(`${item}/b`)], winner, orderSensitive, reason },
  };
}

/** Grades one item under `ITEM/grade`, as often as the settings say. */
async function* judgeAnswer(bench: JudgeBench, run: StepRunner, item: string): AsyncGenerator<PromptResult> {
  const { form, rubric } = bench.context.settings;
  const messages = gradePrompt(bench.context, {
    form,
    rubric,
    question: requireText(bench, `${item}/question`),
    answer: requireText(bench, `${item}/answer`),
    reference: bench.text(`${item}/reference`),
  });
  // The answer is not an event, but a text of the opening's context under this name.
  const of = EventId.parse(`${item}/answer`);
  for (const repeat of listRepeats(bench)) {
    const reply = await askJudge(bench, run, {
      key: repeatKey(`${item}/grade`, repeat),
      work: itemWork("grade", item, repeat),
      messages,
      read: (text) => {
        const grade = parseGrade(text);
        const data = grade.ok
          ? { of, score: grade.score, feedback: grade.feedback, rubric: rubric.name }
          : { of, score: null, feedback: "", rubric: rubric.name, why: grade.reason };
        return { type: "grade-given", data };
      },
    });
    yield { read: reply.type === "grade-given" && reply.data.score !== null, failure: failureIn(reply) };
  }
}
