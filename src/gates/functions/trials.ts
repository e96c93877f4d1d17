import { canonical, type Json } from "../../kernel/index.ts";
import { failedRun, type Executed, type FailedRun } from "../outcome.ts";
import { openRealm, type ScriptLimits } from "../script.ts";
import type { Example, FunctionTask } from "./tasks.ts";

/** For one call of a function. The work decides; the clock is for machines that are far slower than any in use. */
export const CALL_LIMITS: ScriptLimits = {
  timeMs: 30_000,
  maxWork: 2_000_000_000,
  memoryBytes: 64_000_000,
  maxOutput: 1_000_000,
};

/** What a function gave, and how much work it did, its top level included and the reading of its arguments left out. */
export type Trial = { readonly outcome: Executed; readonly work: number };

export type TrialCall = { readonly source: string; readonly name: string; readonly args: readonly Json[] };

/** Calls a function in a realm of its own, so that nothing is left of it for the next call. */
export async function callFunction({ source, name, args }: TrialCall, limits = CALL_LIMITS): Promise<Trial> {
  const realm = await openRealm(limits);
  const read = realm.prepare(args);
  const before = realm.work;
  const ran = read.ok ? realm.run(source) : read;
  const loading = realm.work - before;
  const outcome = ran.ok ? realm.call(name) : ran;
  return { outcome, work: loading + realm.callWork };
}

export const isSame = (one: Json, other: Json): boolean => canonical(one) === canonical(other);

/** How many examples a function gets right, and of the others how many by which cause (`wrong` is another result). */
export type TrialScore = { readonly passed: number; readonly causes: ReadonlyMap<string, number> };

export async function scoreExamples(
  source: string,
  name: string,
  examples: readonly Example[],
): Promise<TrialScore> {
  let passed = 0;
  const causes = new Map<string, number>();
  for (const { args, result } of examples) {
    const { outcome } = await callFunction({ source, name, args });
    if (outcome.ok && isSame(outcome.value, result)) passed += 1;
    else {
      const cause = outcome.ok ? "wrong" : outcome.cause;
      causes.set(cause, (causes.get(cause) ?? 0) + 1);
    }
  }
  return { passed, causes };
}

/** An input that the task's workload makes for a seed. @throws Error for a workload that makes none */
export async function makeInput({ workload }: FunctionTask, seed: string): Promise<readonly Json[]> {
  const realm = await openRealm(CALL_LIMITS, seed);
  const ran = realm.run(`const workload = (${workload}\n);\nconst makeInput = () => workload(Math.random);`);
  const made = ran.ok ? realm.call("makeInput", []) : ran;
  if (!made.ok) throw new Error(`workload: ${made.detail}`);
  if (!Array.isArray(made.value))
    throw new Error("workload: it must return an array, the function's arguments");
  return made.value;
}

export type PropertyRun = {
  readonly source: string;
  readonly name: string;
  readonly property: string;
  readonly cases: number;
  readonly seed: string;
};

/**
 * Tries a property on chance cases: the number of the first case in which it does not hold, or null. The property and the
 * function run in realms of their own and hand each other copies of data, so that a candidate cannot change how it is judged.
 */
export async function tryProperty(run: PropertyRun): Promise<Executed> {
  const limits = { ...CALL_LIMITS, timeMs: 60_000, maxWork: 5_000_000_000 };
  const [judge, candidate] = [await openRealm(limits, run.seed), await openRealm(limits)];
  const ran = candidate.run(run.source);
  if (!ran.ok) return ran;
  let failure: FailedRun | undefined;
  judge.provide("candidate", (args) => {
    const outcome = candidate.call(run.name, args);
    // What a candidate throws stays with it: its words might tell what it was given.
    if (!outcome.ok) failure = failedRun(outcome.cause, "the candidate failed");
    return failure ?? outcome;
  });
  const prepared = judge.run(`const property = (${run.property}\n);
    const tryCases = (cases) => {
      for (let index = 0; index < cases; index++) if (property(candidate, Math.random) !== true) return index;
      return null;
    };`);
  const tried = prepared.ok ? judge.call("tryCases", [run.cases]) : prepared;
  return failure ?? tried;
}
