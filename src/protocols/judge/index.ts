import {
  admitWithinBudget,
  defineProtocol,
  phase,
  type ProtocolContext,
  type PhaseResult,
  type StepRunner,
} from "../../engine/index.ts";
import { StepKey, type Closing, type Failure, type FailureCode } from "../../kernel/index.ts";
import { judgeTemplates } from "../phases/judge-prompts.ts";
import { stoppedByBudget } from "../phases/reply.ts";
import { judgeAnswer, judgePair, largestRequest, openBench, type VerdictOutcome } from "./verdict.ts";
import { JudgeSettings } from "./work.ts";

export { JudgeSettings } from "./work.ts";

// JUDGE-1. A step depends on its item, order and repeat alone: neither on the lane that it runs in nor on the other items.
// JUDGE-2. There are as many lanes as the budget reaches for at once, each with the largest prompt, and at least one.
// JUDGE-3. A lane ends when the budget, the key or the account refuses, or after `MAX_FAILURES_IN_A_ROW`.

const MAX_FAILURES_IN_A_ROW = 3;

/** The numbers of replies with and without a verdict, and the failure that ended the lane early. */
type LaneResult = { readonly read: number; readonly unread: number; readonly ended?: Failure };

/**
 * One judge grades or compares items, each by itself, pairs in both orders, every prompt as often as the settings say.
 * Items are dealt to a few lanes, so that a long list neither floods the provider nor times out while it waits. The
 * comparison with the items' labels is in `validation.ts`.
 */
export const judge = defineProtocol<JudgeSettings>({
  name: "judge",
  version: 1,
  summary: "have one model grade answers or compare pairs of them",
  seats: [{ name: "judge", filledBy: "judge", min: 1, max: 1 }],
  settings: JudgeSettings,
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
    const names = may.in.length > 0 ? may.in : wanted.slice(0, 1); // JUDGE-2
    const judgeItem = context.settings.kind === "grade" ? judgeAnswer : judgePair;
    const lane = async (name: string, run: StepRunner): Promise<PhaseResult<LaneResult>> => {
      const first = names.indexOf(name);
      const own = items.filter((_, index) => index % names.length === first).map((item) => item.name);
      return { in: true, value: await runLane(own.map((item) => () => judgeItem(at, run, item))) };
    };
    const done = await phase(context.run, { name: "judge", work, members: names }, lane);
    return close(
      context,
      done.in.map(({ value }) => value),
    );
  },
});

async function runLane(items: readonly (() => AsyncGenerator<VerdictOutcome>)[]): Promise<LaneResult> {
  let [read, unread, failures] = [0, 0, 0];
  for (const item of items) {
    for await (const { read: gave, failure } of item()) {
      if (gave) read += 1;
      else unread += 1;
      failures = failure ? failures + 1 : 0;
      if (failure && (HOPELESS.has(failure.code) || failures === MAX_FAILURES_IN_A_ROW))
        return { read, unread, ended: failure }; // JUDGE-3
    }
  }
  return { read, unread };
}

const HOPELESS: ReadonlySet<FailureCode> = new Set(["unauthorised", "out-of-credit", "over-budget"]);

async function close({ run }: ProtocolContext, lanes: readonly LaneResult[]): Promise<Closing> {
  const sum = (count: (lane: LaneResult) => number) => lanes.reduce((total, lane) => total + count(lane), 0);
  const body = { read: sum(({ read }) => read), unread: sum(({ unread }) => unread) };
  await run.derive({ key: "judged", outcomes: ["note-taken"], work: { kind: "tally" }, input: body }, () => ({
    type: "note-taken",
    data: { topic: "judged", reason: "how many replies gave a verdict", body },
  }));
  const ends = lanes.flatMap(({ ended }) => ended ?? []);
  const failure = ends.find(({ code }) => code !== "over-budget") ?? ends[0];
  if (failure?.code === "over-budget") return stoppedByBudget(failure.message, failure.cap, null);
  if (failure) return { outcome: "failed", why: `${failure.code}: ${failure.message}` };
  if (body.read === 0)
    return { outcome: "inconclusive", why: "no reply of the judge gave a verdict", best: null };
  return {
    outcome: body.unread > 0 ? "answered-degraded" : "answered",
    answer: StepKey.parse("judged"),
    control: null,
  };
}
