import { admitWithinBudget, defineProtocol } from "../../../../engine/index.ts";
import type { Failure, FailureCode } from "../../../../kernel/index.ts";
import { judgeTemplates } from "../../../../protocols/phases/judge-prompts.ts";
import { closeMeasurement, phaseOfAll, type PromptResult } from "../../../../protocols/phases/measure.ts";
import { judgeAnswer, judgePair, largestRequest, openBench } from "./verdict.ts";
import { JUDGE, type JudgeSettings } from "../../../../contract/judge-work.ts";

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
  for (const item of items) {
    for await (const { read: gave, failure } of item) {
      if (gave) read += 1;
      else unread += 1;
      failures = failure ? failures + 1 : 0;
      if (failure && (HOPELESS.has(failure.code) || failures === MAX_FAILURES_IN_A_ROW))
        return { read, unread, ended: failure };
    }
  }
  return { read, unread };
}

const HOPELESS: ReadonlySet<FailureCode> = new Set(["unauthorised", "out-of-credit", "over-budget"]);
