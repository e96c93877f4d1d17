import {
  Fault,
  personOf,
  type Cap,
  type Event,
  type Failure,
  type FailureCode,
  type ModelRequest,
  type Participant,
  type StepKey,
} from "../kernel/index.ts";
import { Halt, isHalt, linkAbort } from "./halt.ts";
import { admitWithinBudget, shareOut, workAbout, type Admission, type PhaseWork } from "./admission.ts";
import type { StepRunner, StepScope } from "./run.ts";

// PHASE-1. The recorded roster is the phase's decision; later steps read only the roster. Else: a resume takes other members.
// Once the roster is recorded, no member's step runs any more: it is recalled, or the member has no value.
// `patienceMs` after `quorum` members are in, the phase stops waiting for models; for a person it waits as long as the seat does.

/** The result of one member's part of a phase. */
export type PhaseResult<T> =
  { readonly in: true; readonly value: T } | { readonly in: false; readonly why: string };

export type PhaseSpec = {
  /** Part of the roster's key: `draft` gives `draft/roster`. */
  readonly name: string;
  readonly work?: PhaseWork;
  /** In seat order; the names are valid in a step key. */
  readonly members: readonly string[];
  /** When this many members are in, `patienceMs` starts. */
  readonly quorum?: number;
  readonly patienceMs?: number;
  readonly people?: readonly string[] | undefined;
};

export type Phase<T> = {
  /** In seat order. */
  readonly in: readonly { readonly id: string; readonly value: T }[];
  readonly out: readonly { readonly id: string; readonly why: string }[];
};

/** Runs all members concurrently, each in its own scope, and records the roster as `<name>/roster`. */
export async function phase<T>(
  run: StepRunner,
  spec: PhaseSpec,
  work: (member: string, run: StepRunner) => Promise<PhaseResult<T>>,
): Promise<Phase<T>> {
  // createSteps makes every StepRunner, as a StepScope.
  const scope = run as StepScope;
  const members = [...spec.members];
  const step = {
    key: `${spec.name}/roster`,
    outcomes: ["roster-fixed"] as const,
    input: { members },
    work: workAbout("roster", spec),
  };

  const known = scope.recorded(step);
  const recalled = known && (await recall(scope, known.data.in, work));
  if (known && recalled?.size === known.data.in.length) {
    await recall(
      scope,
      known.data.out.map(({ id }) => id),
      work,
    ); // steps that were recorded late belong to the phase, too
    return result(members, await adopt(scope, step), recalled);
  }

  const values = new Map<string, T>();
  // A roster of the parent that can be adopted was adopted above.
  const roster = await scope.join({ ...step, adopt: false }, async (signal) => {
    const { outcomes, after } = await gather(scope.scope({ signal }), spec, work);
    const out = members.flatMap((id) => {
      const outcome = outcomes.get(id);
      return outcome?.in ? [] : [{ id, why: outcome?.why ?? "it had not answered when the others had" }];
    });
    for (const [id, outcome] of outcomes) if (outcome.in) values.set(id, outcome.value);
    const joined = members.filter((id) => values.has(id));
    return { ending: { type: "roster-fixed", data: { phase: spec.name, in: joined, out } }, after };
  });
  const missing = roster.data.in.filter((id) => !values.has(id));
  if (missing.length > 0) {
    await scope.catchUp(); // another process recorded this roster, and its members' steps before it
    for (const [id, value] of await recall(scope, missing, work)) values.set(id, value);
  }
  return result(members, roster, values);
}

const adopt = (run: StepScope, step: Parameters<StepScope["recorded"]>[0]) =>
  run.join({ ...step, outcomes: ["roster-fixed"], adopt: true }, () =>
    Promise.reject(new Halt("unrecorded")),
  );

/** Returns the values of the members whose steps are all recorded. */
async function recall<T>(
  run: StepScope,
  members: readonly string[],
  work: (member: string, run: StepRunner) => Promise<PhaseResult<T>>,
) {
  const values = new Map<string, T>();
  await Promise.all(
    members.map(async (member) => {
      try {
        const joined = await work(member, run.scope({ recallOnly: true }));
        if (joined.in) values.set(member, joined.value);
      } catch (error) {
        if (!isHalt(error, "unrecorded")) throw error;
      }
    }),
  );
  return values;
}

async function gather<T>(
  run: StepScope,
  spec: PhaseSpec,
  work: (member: string, run: StepRunner) => Promise<PhaseResult<T>>,
) {
  const outcomes = new Map<string, PhaseResult<T>>();
  const after = new Set<StepKey>(run.frontier);
  let quorumReached: () => void = () => undefined;
  const quorum = new Promise<void>((resolve) => (quorumReached = resolve));
  const { quorum: needed = Infinity, patienceMs = Infinity, people = [] } = spec;

  const parts = spec.members.map(async (member) => {
    const part = run.scope({});
    outcomes.set(member, await work(member, part));
    for (const key of part.frontier) after.add(key);
    if ([...outcomes.values()].filter((outcome) => outcome.in).length >= needed) quorumReached();
  });
  // An aborted straggler rejects after the phase has ended.
  for (const part of parts) part.catch(() => undefined);
  if (Number.isFinite(patienceMs)) {
    const enough = linkAbort(run.signal);
    const patience = quorum.then(() => run.sleep(patienceMs, enough.signal));
    await Promise.race([Promise.all(parts), patience]).finally(() => {
      enough.abort(new Halt("recorded"));
      enough.release();
    });
    await Promise.all(parts.filter((_, index) => people.includes(spec.members[index] ?? "")));
  } else await Promise.all(parts);
  run.signal.throwIfAborted();
  const keys =
    after.size > run.frontier.length ? [...after].filter((key) => !run.frontier.includes(key)) : [...after];
  return { outcomes: new Map(outcomes), after: keys };
}

function result<T>(
  members: readonly string[],
  roster: Event<"roster-fixed">,
  values: ReadonlyMap<string, T>,
): Phase<T> {
  const lost = roster.data.in.find((id) => !values.has(id));
  if (lost !== undefined)
    throw new Fault("step-unrecorded", { key: `${roster.data.phase}, the part of ${lost}` });
  const joined = members.flatMap((id) => {
    // Every member that is in has a value, which may be undefined.
    return roster.data.in.includes(id) ? [{ id, value: values.get(id) as T }] : [];
  });
  return { in: joined, out: roster.data.out };
}

/** What kept a participant from answering. `code` is null where its call did not fail. */
export type Absence = {
  readonly why: string;
  readonly code: FailureCode | null;
  readonly cap?: Cap | undefined;
};

export const createAbsence = (why: string, failure: Failure | undefined): Absence => ({
  why,
  code: failure?.code ?? null,
  cap: failure?.cap,
});

/** Why a participant was not asked at all. */
const budgetAbsence = ({ why, cap }: Admission["out"][number]): Absence => ({
  why,
  code: "over-budget",
  cap,
});

/** The usual quorum: more than half. */
export const countMajority = (of: number): number => Math.floor(of / 2) + 1;

/** @throws RangeError where no one has this id, which only a mistake in a protocol brings about */
export function findById<T extends { readonly id: string }>(all: readonly T[], id: string): T {
  const one = all.find((other) => other.id === id);
  if (!one) throw new RangeError(`${id} has no part in this`);
  return one;
}

/** Who takes part in a fan-out, with the request that the budget is asked about. */
export type FanOutMember = { readonly id: string; readonly request: ModelRequest };

export type FanOutSpec<M extends FanOutMember> = {
  /** A member's step is `<name>/<id>`. */
  readonly name: string;
  readonly work: PhaseWork;
  /** In seat order; a budget that is too small for all leaves out the last ones. */
  readonly members: readonly M[];
  /** With this many in, `patienceMs` starts to run; by default more than half of those that the budget admits. */
  readonly quorum?: number;
  /** Where the budget reaches for fewer, nobody is asked. */
  readonly least?: number | undefined;
  /** How long to wait for stragglers; null waits for everybody. */
  readonly patienceMs: number | null;
};

/** What a member's step came to; `failure` where its call failed. */
export type FanOutPart<T> = PhaseResult<T> & { readonly failure?: Failure | undefined };

export type FanOut<M extends FanOutMember, T> = {
  /** In seat order. */
  readonly in: readonly { readonly member: M; readonly value: T }[];
  /** Those whose step failed or came too late. */
  readonly out: readonly (Absence & { readonly member: M })[];
  /** Those who were not asked, for want of budget. */
  readonly cut: readonly (Absence & { readonly member: M })[];
};

/** Those who failed, came too late or were not asked, by participant. */
export const listAbsent = <M extends FanOutMember & { readonly by: Participant }, T>({
  out,
  cut,
}: FanOut<M, T>): readonly Absent[] =>
  [...out, ...cut].map(({ member: { by }, ...absence }) => ({ by, ...absence }));

/** A participant who did not answer, and why. */
export type Absent = Absence & { readonly by: Participant };

/**
 * Asks all members at once, as many as the budget reaches for, and waits for them.
 * @example
 * const { in: given, out, cut } = await fanOut(run, { name: "draft", work, members, patienceMs: null }, async (member, run) => {
 *   const event = await run.call({ key: `draft/${member.id}`, outcomes, work, request: member.request }, read);
 *   return event.type === "answer-given" ? { in: true, value: event } : failedPart(event);
 * });
 */
export async function fanOut<M extends FanOutMember, T>(
  run: StepRunner,
  { name, work, members, quorum, least, patienceMs }: FanOutSpec<M>,
  step: (member: M, run: StepRunner) => Promise<FanOutPart<T>>,
): Promise<FanOut<M, T>> {
  const spec = { name, work, members, least };
  const admission = await admitWithinBudget(run, spec);
  shareOut(run, spec, admission);
  const patience =
    patienceMs === null ? {} : { quorum: quorum ?? countMajority(admission.in.length), patienceMs };
  const failures = new Map<string, Failure>();
  const people = members.flatMap(({ id, request }) => (personOf(request.model) === undefined ? [] : [id]));
  const admitted = { name, work, members: admission.in, people, ...patience };
  const done = await phase(run, admitted, async (id, part) => {
    const outcome = await step(findById(members, id), part);
    if (outcome.failure) failures.set(id, outcome.failure);
    return outcome;
  });
  // See `phase`.
  for (const { id } of members) (run as StepScope).budget.release(`${name}/${id}`);
  return {
    in: done.in.map(({ id, value }) => ({ member: findById(members, id), value })),
    out: done.out.map(({ id, why }) => ({
      member: findById(members, id),
      ...createAbsence(why, failures.get(id)),
    })),
    cut: admission.out.map((one) => ({ member: findById(members, one.id), ...budgetAbsence(one) })),
  };
}

/** The part of a member whose step ended in a degradation. */
export const failedPart = ({ data: { why, call } }: Event<"degradation-noted">): FanOutPart<never> => ({
  in: false,
  why,
  failure: call?.ok === false ? call.failure : undefined,
});
