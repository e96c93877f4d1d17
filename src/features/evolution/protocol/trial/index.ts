import { defineProtocol, type DryDesk, type ProtocolContext } from "../../../../engine/index.ts";
import {
  EventId,
  isEvent,
  StepKey,
  type Answer,
  type DataOf,
  type Event,
  type Failure,
  type Participant,
} from "../../../../kernel/index.ts";
import { sameAnswer } from "../../../../replies/answer.ts";
import { extractAnswer } from "../../../../replies/extract-answer.ts";
import { combinePreference } from "../../../../stats/judge-leans.ts";
import {
  decideSigns,
  leastPairs,
  TRIAL_TEST,
  type Sign,
  type SignTally,
} from "../../../../stats/sequential-sign-test.ts";
import { preferenceIn } from "../../../../views/measured.ts";
import { draftPrompt, draftTemplate } from "../../../../protocols/phases/draft.ts";
import { judgeSchema, judgeTemplates, preferencePrompt } from "../../../../protocols/phases/judge-prompts.ts";
import {
  askAgain,
  closeByFailure,
  endingFailure,
  failureIn,
  phaseOfAll,
  seatedAt,
  textNamed,
} from "../../../../protocols/phases/measure.ts";
import { modelParams, readFinal, readReply } from "../../../../protocols/phases/reply.ts";
import { TrialSettings } from "./work.ts";

export { TrialSettings } from "./work.ts";

// The verdict rests on the pairs in the order of the questions, up to the first at which it can be given.

/** What a child is compared with: its parent, or an answer without a persona. */
type Rival = "parent" | "none";
type TrialItem = TrialSettings["items"][number];

const RIVALS: readonly Rival[] = ["parent", "none"];
type TrialContext = ProtocolContext<TrialSettings>;
type TrialVerdict = DataOf<"trial-decided">;

/** A persona against its parent, and against no persona, on questions that nobody has seen who made it. */
export const trial = defineProtocol<TrialSettings>({
  name: "trial",
  version: 1,
  summary: "compare a bred persona with its parent and with none",
  seats: [
    { name: "child", filledBy: "judge", min: 1, max: 1 },
    { name: "parent", filledBy: "judge", min: 1, max: 1 },
    { name: "none", filledBy: "judge", min: 1, max: 1 },
    { name: "judge", filledBy: "judge", min: 0 },
  ],
  settings: TrialSettings,
  templates: [draftTemplate, ...judgeTemplates],
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  async deliberate(context) {
    const { items, wave } = context.settings;
    const pairs: PairResult[] = [];
    let tests = testsOf(context.settings, pairs);
    for (let start = 0; start < items.length && isOpen(tests); start += wave) {
      const open = tests.filter(({ decision }) => decision === "open").map(({ against }) => against);
      const members = items.slice(start, start + wave).map((item) => ({ id: item.name, item }));
      const done = await phaseOfAll(
        context.run,
        { name: `wave-${start / wave + 1}`, work: { kind: "wave" }, members },
        ({ item }, run) => playItem({ ...context, run }, item, open),
      );
      const results = done.in.flatMap(({ value }) => value);
      const failure = endingFailure(results);
      if (failure) return closeByFailure(failure);
      pairs.push(...results);
      tests = testsOf(context.settings, pairs);
    }
    const data = verdictOf(context.settings, tests);
    await context.run.derive(
      { key: "verdict", outcomes: ["trial-decided"], work: { kind: "verdict" }, input: data },
      () => ({ type: "trial-decided", data }),
    );
    const isDegraded = pairs.some(({ sign }) => sign === null);
    const outcome = isDegraded ? "answered-degraded" : "answered";
    return { outcome, answer: StepKey.parse("verdict"), control: null };
  },
});

/** How a pair went; null where it could not be compared, with the failure where a call failed. */
type PairResult = {
  readonly against: Rival;
  readonly sign: Sign | null;
  readonly failure?: Failure | undefined;
};
type Test = SignTally & { readonly against: Rival };

const testsOf = ({ alpha }: TrialSettings, pairs: readonly PairResult[]): readonly Test[] =>
  RIVALS.map((against) => {
    const signs = pairs.flatMap((pair) =>
      pair.against === against && pair.sign !== null ? [pair.sign] : [],
    );
    return { against, ...decideSigns(signs, { ...TRIAL_TEST, alpha }) };
  });

/** Whether more pairs may change the verdict. */
const isOpen = (tests: readonly Test[]): boolean =>
  tests.some(({ decision }) => decision === "open") &&
  tests.every(({ decision }) => decision === "open" || decision === "better");

const NAMES: { readonly [against in Rival]: string } = { parent: "its parent", none: "no persona" };

function verdictOf({ child }: TrialSettings, tests: readonly Test[]): TrialVerdict {
  const accepted = tests.every(({ decision }) => decision === "better");
  const [worst] = tests.filter(({ decision }) => decision !== "better");
  const why = accepted
    ? "its answers were preferred to its parent's, and to those without a persona"
    : worst?.decision === "no-better"
      ? `its answers are not preferred to those of ${NAMES[worst.against]}`
      : `the pairs do not tell whether it is better than ${worst === undefined ? "both" : NAMES[worst.against]}`;
  return { persona: child.id, version: child.version, accepted, tests: [...tests], why };
}

/** Pairs that a decision took on the mean over 20,000 simulated trials of children at 0.6: see the decision on evolution. */
const USUAL_PAIRS = 80;

/** Whether the child is preferred in a dry run: as often as a decision needs, at once, or so that it comes at the usual pair. */
function isWon({ settings }: Pick<TrialContext, "settings">, item: TrialItem, { course }: DryDesk): boolean {
  const ties = { shortest: 0, usual: USUAL_PAIRS - leastPairs({ ...TRIAL_TEST, alpha: settings.alpha }) };
  return course !== "longest" && settings.items.indexOf(item) >= ties[course];
}

function materialOf(context: Pick<TrialContext, "context">, { name }: TrialItem) {
  const more = textNamed(context, `${name}/context`);
  return {
    question: textNamed(context, `${name}/question`) ?? "",
    context: more === undefined ? [] : [{ name: "context", text: more }],
  };
}

/** The answers to one question, and how the child's compares with each of these. */
async function playItem(
  context: TrialContext,
  item: TrialItem,
  against: readonly Rival[],
): Promise<readonly PairResult[]> {
  const answered = await phaseOfAll(
    context.run,
    {
      ...{ name: item.name, work: { kind: "answer" } },
      members: (["child", ...against] as const).map((id) => ({ id })),
    },
    ({ id }, run) => answerAs({ ...context, run }, item, id),
  );
  const [child, ...others] = answered.in.map(({ value }) => value);
  const lost: PairResult[] = [];
  const pairs: Pair[] = [];
  for (const [index, rival] of against.entries()) {
    const other = others[index];
    if (child?.type === "answer-given" && other?.type === "answer-given")
      pairs.push({ name: `${item.name}/${rival}`, against: rival, child, other });
    else lost.push(lostPair(rival, [child, other]));
  }
  const compared =
    item.answer === undefined
      ? await judgePairs(context, item, pairs)
      : await scorePairs(context, item.answer, pairs);
  return [...lost, ...compared];
}

type TrialReply = Event<"answer-given"> | Event<"reply-received"> | Event<"degradation-noted">;

/** A pair without a sign, with the first failure among these replies. */
function lostPair(against: Rival, replies: readonly (TrialReply | undefined)[]): PairResult {
  const lost = replies.find((reply) => reply !== undefined && isEvent(reply, "degradation-noted"));
  const failure = lost && (failureIn(lost) ?? { code: "unreadable", message: lost.data.why });
  return { against, sign: null, failure };
}

function answerAs(context: TrialContext, item: TrialItem, seat: "child" | Rival) {
  const by = seatedAt(context, seat);
  const messages = draftPrompt(context, {
    material: materialOf(context, item),
    persona: context.instructions(by),
  });
  const loss = {
    ...{ what: `the answer of the ${seat} to ${item.name}`, participant: by.id },
    weakens: "the verdict rests on one pair less",
  };
  return askAgain(
    context,
    {
      ...{ key: `${item.name}/${seat}`, work: { kind: "answer", by: by.id, of: item.name } },
      outcomes: ["answer-given", "degradation-noted"],
      request: { ...modelParams(by, context.settings.answerTokens), messages },
      dry: {
        phase: "answers",
        reply: (desk) =>
          seat === "child" && item.answer !== undefined && isWon(context, item, desk)
            ? `${desk.text()}\nFinal answer: ${item.answer}`
            : desk.text(),
      },
    },
    readReply<"answer-given">(loss, (text, call) => ({
      type: "answer-given",
      data: { by: by.id, kind: "response", round: 1, text, final: readFinal(text, call) },
    })),
  );
}

type Pair = {
  readonly name: string;
  readonly against: Rival;
  readonly child: Event<"answer-given">;
  readonly other: Event<"answer-given">;
};

const SIGNS = { A: "win", B: "loss", tie: "tie" } as const;

/** Records which answer is preferred: the child's is A. */
async function prefer(
  { run }: Pick<TrialContext, "run">,
  { name, child, other }: Pair,
  found: { readonly winner: "A" | "B" | "tie"; readonly orderSensitive: boolean; readonly reason: string },
): Promise<Sign> {
  const data = { of: [EventId.parse(child.id), EventId.parse(other.id)] as [EventId, EventId], ...found };
  await run.derive(
    {
      key: `${name}/preference`,
      outcomes: ["preference-given"],
      work: { kind: "preference", of: name },
      input: found,
    },
    () => ({ type: "preference-given", data }),
  );
  return SIGNS[found.winner];
}

/** Compares answers with the one that is right. */
async function scorePairs(
  context: TrialContext,
  expected: string,
  pairs: readonly Pair[],
): Promise<PairResult[]> {
  const truth = extractAnswer(`Final answer: ${expected}`);
  const isRight = (final: Answer | null) => final !== null && truth !== null && sameAnswer(final, truth);
  const said = (right: boolean) => (right ? "right" : "wrong");
  const results: PairResult[] = [];
  for (const pair of pairs) {
    const [child, other] = [isRight(pair.child.data.final), isRight(pair.other.data.final)];
    const winner = child === other ? "tie" : child ? "A" : "B";
    const reason = `A is ${said(child)} and B is ${said(other)}: the answer is ${expected}`;
    const sign = await prefer(context, pair, { winner, orderSensitive: false, reason });
    results.push({ against: pair.against, sign });
  }
  return results;
}

const ORDERS = ["order-1", "order-2"] as const;

/** Has every judge compare the answers of every pair in both orders. */
async function judgePairs(
  context: TrialContext,
  item: TrialItem,
  pairs: readonly Pair[],
): Promise<PairResult[]> {
  const judges = context.seats("judge");
  const members = pairs.flatMap((pair) =>
    judges.flatMap((judge) =>
      ORDERS.map((order) => ({ id: `${pair.against}-${judge.id}-${order}`, pair, judge, order })),
    ),
  );
  if (members.length === 0) return [];
  const judged = await phaseOfAll(
    context.run,
    { name: `${item.name}/judged`, work: { kind: "comparison" }, members },
    (one, run) => askJudge({ ...context, run }, { item, ...one }),
  );
  const replies = new Map(judged.in.map(({ id, value }) => [id, value]));
  const results: PairResult[] = [];
  for (const pair of pairs) {
    const { against } = pair;
    const said = judges.map(({ id }) => ORDERS.map((order) => replies.get(`${against}-${id}-${order}`)));
    const found = combineJudges(said);
    results.push(
      found ? { against, sign: await prefer(context, pair, found) } : lostPair(against, said.flat()),
    );
  }
  return results;
}

/** What the judges prefer together, by what each replied in both orders; undefined where nothing could be read. */
function combineJudges(said: readonly (readonly (TrialReply | undefined)[])[]) {
  const read = said.flatMap((replies) => {
    const [first, second] = replies.map(preferenceIn);
    if (!first?.ok || !second) return [];
    const { winner, orderSensitive } = combinePreference(first, second);
    return winner === null ? [] : [{ winner, orderSensitive, reason: first.reason }];
  });
  if (read.length === 0) return undefined;
  const balance = read.reduce((sum, { winner }) => sum + (winner === "A" ? 1 : winner === "B" ? -1 : 0), 0);
  const winner = balance > 0 ? ("A" as const) : balance < 0 ? ("B" as const) : ("tie" as const);
  return {
    winner,
    orderSensitive: read.some((one) => one.orderSensitive),
    reason: (read.find((one) => one.winner === winner) ?? read[0])?.reason ?? "",
  };
}

type AskedComparison = {
  readonly item: TrialItem;
  readonly pair: Pair;
  readonly judge: Participant;
  readonly order: (typeof ORDERS)[number];
};

function askJudge(context: TrialContext, { item, pair, judge, order }: AskedComparison) {
  const { settings } = context;
  const form = settings.form[judge.id] ?? "json";
  const texts = [pair.child.data.text, pair.other.data.text];
  const [first = "", second = ""] = order === "order-1" ? texts : texts.toReversed();
  const reply = judgeSchema("preference", form);
  const request = {
    ...modelParams(judge, settings.judgeTokens),
    messages: preferencePrompt(context, {
      ...{ form, rubric: settings.rubric, ...materialOf(context, item), first, second },
    }),
    ...(reply === undefined ? {} : { reply }),
  };
  const key = `${pair.name}/${judge.id}/${order}`;
  const weakens = "the verdict rests on one comparison less";
  return askAgain(
    context,
    {
      ...{ key, work: { kind: "comparison", by: judge.id, of: item.name }, request },
      outcomes: ["reply-received", "degradation-noted"],
      dry: {
        phase: "comparisons",
        reply: (desk) =>
          `${desk.text()} [RESULT] ${isWon(context, item, desk) && order === "order-2" ? "B" : "A"}`,
      },
    },
    readReply<"reply-received">({ what: `the verdict ${key}`, participant: judge.id, weakens }, () => ({
      type: "reply-received",
      data: { by: judge.id, why: `${order} of ${pair.name}` },
    })),
  );
}
