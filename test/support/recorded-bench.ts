import type { BenchReport } from "../../src/features/bench/contract.ts";
import { prepareBench, runBench } from "../../src/features/bench/app/bench.ts";
import { recordBench } from "../../src/features/bench/app/recorded.ts";
import { makeTasks } from "../../src/sim/tasks/index.ts";
import type { TestServer } from "./server.ts";

type BenchRequest = {
  /** How many have a right answer; by default 6. */
  readonly tasks?: number;
  /** By default one model and a council. */
  readonly arms?: readonly string[];
  /** Whether it is run, too, and not recorded alone. */
  readonly isRun?: boolean;
};

/** A bench in a server's store, with an open question where it has several arms, as `parley bench` records and runs it, over simulated models. */
export async function recordedBench(
  { parley, principal }: TestServer,
  { tasks: count = 6, arms = ["single", "council"], isRun = true }: BenchRequest = {},
): Promise<{ readonly id: string; readonly report: BenchReport | undefined }> {
  const models = ["a", "b", "c"].map((name, index) => `sim/${name}?skill=0.6&seed=${index}`);
  const context = parley.context({ models, seed: "7" }, { principal, needs: "write" });
  const known = makeTasks({ count, seed: "7", kinds: ["yes-no", "arithmetic"] });
  const open = { id: "open", question: "How should a team decide about queues?" };
  const isJudged = arms.length > 1;
  const prepared = await prepareBench(context, {
    ...{ file: "tasks.jsonl", arms, tasks: isJudged ? [...known, open] : known },
    judge: isJudged ? "sim/judy" : undefined,
  });
  const recorded = await recordBench(context, prepared.definition);
  if (!("id" in recorded)) throw new Error("the bench is not recorded");
  const options = { signal: new AbortController().signal, concurrency: 4, retryFailed: false };
  const run = isRun ? await runBench(context, prepared, options) : undefined;
  return { id: recorded.id, report: run?.report };
}
