import { Fault, type Cap, type Event, type ModelRequest, type StepKey, type Work } from "../kernel/index.ts";
import { Halt, isHalt, linkAbort } from "./halt.ts";
import type { StepRunner, StepScope } from "./run.ts";

// PHASE-1. What a phase decided is its recorded roster; later steps read the roster and nothing else.
// PHASE-2. Once a roster is recorded, no member's step is made any more: it is recalled, or it is not there.
// PHASE-3. When the roster is recorded, whoever is still at work is aborted.
// PHASE-4. A phase waits for nobody after `patienceMs`, once `quorum` members are in.

/** What a member's part of a phase came to. */
export type PhaseResult<T> =
  { readonly in: true; readonly value: T } | { readonly in: false; readonly why: string };

/** What the members of a phase do: the part of their steps' `work` that is common to all. */
export type PhaseWork = Pick<Work, "kind" | "round" | "nth">;

export type PhaseSpec = {
  /** Part of the roster's key: `draft` gives `draft/roster`. */
  readonly name: string;
  readonly work?: PhaseWork;
  /** In seat order; names that can stand in a step key. */
  readonly members: readonly string[];
  /** With this many in, `patienceMs` starts to run. */
  readonly quorum?: number;
  readonly patienceMs?: number;
};

export type Phase<T> = {
  /** In seat order. */
  readonly in: readonly { readonly id: string; readonly value: T }[];
  readonly out: readonly { readonly id: string; readonly why: string }[];
};

/** All members at once, each in a part of the run of its own; ends in the recorded roster `<name>/roster`. */
export async function phase<T>(
  run: StepRunner,
  spec: PhaseSpec,
  work: (member: string, run: StepRunner) => Promise<PhaseResult<T>>,
): Promise<Phase<T>> {
  // Every Run is made by createSteps, which makes Scopes; protocols see the narrower face.
  const whole = run as StepScope;
  const members = [...spec.members];
  const step = {
    key: `${spec.name}/roster`,
    outcomes: ["roster-fixed"] as const,
    input: { members },
    work: workAbout("roster", spec),
  };

  const known = whole.recorded(step);
  const recalled = known && (await recall(whole, known.data.in, work));
  if (known && recalled?.size === known.data.in.length) {
    await recall(
      whole,
      known.data.out.map(({ id }) => id),
      work,
    ); // what was recorded late belongs to the phase too
    return result(members, await adopt(whole, step), recalled);
  }

  const values = new Map<string, T>();
  // A parent's roster that could be adopted was, above; this one is made anew.
  const roster = await whole.join({ ...step, adopt: false }, async (signal) => {
    const { outcomes, after } = await gather(whole.scope({ signal }), spec, work);
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
    await whole.catchUp(); // a rival's roster: its members' steps were recorded before it
    for (const [id, value] of await recall(whole, missing, work)) values.set(id, value);
  }
  return result(members, roster, values);
}

const adopt = (run: StepScope, step: Parameters<StepScope["recorded"]>[0]) =>
  run.join({ ...step, outcomes: ["roster-fixed"], adopt: true }, () =>
    Promise.reject(new Halt("unrecorded")),
  );

/** The values of members whose steps are all recorded. */
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
        if (!isHalt(error, "unrecorded")) throw error; // PHASE-2
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
  const { quorum: needed = Infinity, patienceMs = Infinity } = spec;

  const parts = spec.members.map(async (member) => {
    const part = run.scope({});
    outcomes.set(member, await work(member, part));
    for (const key of part.frontier) after.add(key);
    if ([...outcomes.values()].filter((outcome) => outcome.in).length >= needed) quorumReached();
  });
  // A straggler rejects when it is aborted, after the phase has ended.
  for (const part of parts) part.catch(() => undefined);
  if (Number.isFinite(patienceMs)) {
    const enough = linkAbort(run.signal);
    const patience = quorum.then(() => run.sleep(patienceMs, enough.signal));
    await Promise.race([Promise.all(parts), patience]).finally(() => {
      enough.abort(new Halt("recorded"));
      enough.release();
    }); // PHASE-4
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
    // A member that is in has a value, which may itself be undefined.
    return roster.data.in.includes(id) ? [{ id, value: values.get(id) as T }] : [];
  });
  return { in: joined, out: roster.data.out };
}

/** The work of deciding who takes part in a phase; one that does not say what it does goes by its name. */
const workAbout = (
  kind: string,
  { name, work }: { readonly name: string; readonly work?: PhaseWork | undefined },
): Work => ({ ...work, kind, of: work?.kind ?? name });

/** A step that is recorded, or that a fork adopts. */
const NOTHING_TO_PAY = undefined;

export type AdmissionSpec = {
  /** A member's step is `<name>/<id>`. */
  readonly name: string;
  /** In seat order; who is cut is cut from the end. */
  readonly members: readonly { readonly id: string; readonly request: ModelRequest }[];
  readonly work?: PhaseWork;
};

/** Who takes part, and who is left out for want of budget. */
export type Admission = {
  readonly in: readonly string[];
  readonly out: Event<"roster-fixed">["data"]["out"];
};

/**
 * Who can take part in the coming phase within the budget, in the worst case: decided and recorded at the
 * phase's boundary as `<name>/admitted`. Without a cap everybody can, and nothing is recorded.
 */
export const admitWithinBudget = (
  run: StepRunner,
  { name, members, work }: AdmissionSpec,
): Promise<Admission> =>
  fitToBudget(run, {
    key: `${name}/admitted`,
    work: workAbout("admission", { name, work }),
    calls: members.map(({ id, request }) => ({ id, step: `${name}/${id}`, request })),
  });

/**
 * Whether the budget reaches for all of these calls together, in the worst case: decided before any of them is made, and
 * recorded as `<name>/reached`. Without a cap it does, and nothing is recorded. `cap`: which one is in the way.
 */
export const canAfford = async (
  run: StepRunner,
  {
    name,
    calls,
    work,
  }: {
    readonly name: string;
    readonly work?: PhaseWork;
    /** Called where there is a cap. */
    readonly calls: () => readonly { readonly step: string; readonly request: ModelRequest }[];
  },
): Promise<{ readonly ok: boolean; readonly cap?: Cap | undefined }> => {
  // As in `phase`.
  if (!(run as StepScope).budget.capped) return { ok: true };
  const wanted = calls().map((call) => ({ ...call, id: call.step }));
  const key = `${name}/reached`;
  const { out } = await fitToBudget(run, {
    key,
    calls: wanted,
    work: workAbout("affordability", { name, work }),
  });
  return out.length === 0 ? { ok: true } : { ok: false, cap: out[0]?.cap };
};

type Fitting = {
  readonly key: string;
  readonly work: Work;
  readonly calls: readonly { readonly id: string; readonly step: string; readonly request: ModelRequest }[];
};

/** So many calls, from the first, as fit together. */
async function fitToBudget(run: StepRunner, { key, calls, work }: Fitting): Promise<Admission> {
  // As in `phase`.
  const whole = run as StepScope;
  const ids = calls.map(({ id }) => id);
  if (!whole.budget.capped) return { in: ids, out: [] };
  const { data } = await whole.effect(
    { key, outcomes: ["roster-fixed"], input: { members: ids, caps: whole.budget.caps }, work },
    async () => {
      const quotes = calls.map(({ step, request }) =>
        whole.settled(step, request) ? NOTHING_TO_PAY : whole.budget.quote(request),
      );
      const { fits, cap } = whole.budget.affordable(quotes);
      const out = ids
        .slice(fits)
        .map((id) => ({ id, why: "skipped: budget exhausted", ...(cap ? { cap } : {}) }));
      return Promise.resolve({ type: "roster-fixed", data: { phase: key, in: ids.slice(0, fits), out } });
    },
  );
  return data;
}

/** Keeps the worst case of a later call back, under the name that the call will give as its `share`; `worst` is called where there is a cap. */
export function reserveFor(run: StepRunner, share: string, worst: () => ModelRequest | undefined): void {
  // As in `phase`.
  const { budget } = run as StepScope;
  const request = budget.capped ? worst() : undefined;
  if (request) budget.hold(share, budget.quote(request));
}
