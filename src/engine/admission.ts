import { personOf, type Cap, type Event, type ModelRequest, type Work } from "../kernel/index.ts";
import type { StepRunner, StepScope } from "./run.ts";

/** The `work` fields that all members' steps share. */
export type PhaseWork = Pick<Work, "kind" | "round" | "nth">;

/** The `work` of a decision about who takes part in a phase. A phase without `work` is named by `name`. */
export const workAbout = (
  kind: string,
  { name, work }: { readonly name: string; readonly work?: PhaseWork | undefined },
): Work => ({ ...work, kind, of: work?.kind ?? name });

/** The quote of a step that is recorded or adopted. */
const NOTHING_TO_PAY = undefined;

export type AdmissionSpec = {
  /** A member's step is `<name>/<id>`. */
  readonly name: string;
  /** In seat order; members are cut from the end. */
  readonly members: readonly { readonly id: string; readonly request: ModelRequest }[];
  /** With fewer than these nothing could be done: then nobody is asked. */
  readonly least?: number | undefined;
  readonly work?: PhaseWork;
};

/** The members that take part, and those that the budget excludes. */
export type Admission = {
  readonly in: readonly string[];
  readonly out: Event<"roster-fixed">["data"]["out"];
};

/**
 * Decides which members the budget allows in the next phase, in the worst case, and records it as `<name>/admitted`.
 * Without a cap all members take part and nothing is recorded.
 */
export function admitWithinBudget(
  run: StepRunner,
  { name, members, least, work }: AdmissionSpec,
): Promise<Admission> {
  // createSteps makes every StepRunner, as a StepScope.
  (run as StepScope).budget.release(name);
  return fitToBudget(run, {
    key: `${name}/admitted`,
    work: workAbout("admission", { name, work }),
    calls: members.map(({ id, request }) => ({ id, step: `${name}/${id}`, request })),
    least,
  });
}

/** Holds back for each of the calls that were admitted, so that it gets its part of what there is, whoever comes first. */
export function shareOut(run: StepRunner, { name, members }: AdmissionSpec, admission: Admission): void {
  // As above.
  const scope = run as StepScope;
  for (const { id, request } of members) {
    const step = `${name}/${id}`;
    if (admission.in.includes(id) && !scope.settled(step, request)) reserveFor(run, step, () => request);
  }
}

/**
 * Decides whether the budget allows all of these calls, in the worst case, and records it as `<name>/reached`. Without a
 * cap it does and nothing is recorded. `cap`: the cap that the calls would exceed.
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
    /** Called only if there is a cap. */
    readonly calls: () => readonly { readonly step: string; readonly request: ModelRequest }[];
  },
): Promise<{ readonly ok: boolean; readonly cap?: Cap | undefined }> => {
  // createSteps makes every StepRunner, as a StepScope.
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
  readonly least?: number | undefined;
};

/** Admits as many calls, from the first, as fit the budget together; where these are too few, those alone that are paid. */
async function fitToBudget(run: StepRunner, { key, calls, least = 0, work }: Fitting): Promise<Admission> {
  // createSteps makes every StepRunner, as a StepScope.
  const scope = run as StepScope;
  const ids = calls.map(({ id }) => id);
  if (!scope.budget.capped) return { in: ids, out: [] };
  const paid = calls.filter(({ request }) => personOf(request.model) === undefined);
  const { data } = await scope.effect(
    { key, outcomes: ["roster-fixed"], input: { members: ids, caps: scope.budget.caps }, work },
    async () => {
      const quotes = paid.map(({ step, request }) =>
        scope.settled(step, request) ? NOTHING_TO_PAY : scope.budget.quote(request),
      );
      const people = calls.length - paid.length;
      const whole = scope.budget.affordable(quotes);
      const isTooFew = whole.fits < paid.length && whole.fits + people < least;
      const { cap, needs } = isTooFew
        ? scope.budget.affordable(quotes.slice(0, Math.max(0, least - people)))
        : whole;
      const cut = isTooFew
        ? paid.filter((_, index) => quotes[index] !== NOTHING_TO_PAY)
        : paid.slice(whole.fits);
      const out = cut.map(({ id }) => ({
        id,
        why: "skipped: budget exhausted",
        ...(cap && { cap }),
        ...(needs && { needs }),
      }));
      const within = ids.filter((id) => !out.some((one) => one.id === id));
      return Promise.resolve({ type: "roster-fixed", data: { phase: key, in: within, out } });
    },
  );
  return data;
}

type Worst = () => ModelRequest | readonly ModelRequest[] | undefined;

/** Holds back for a later call in its worst case, which names it by `share`. `worst` is called only if there is a cap. */
export const reserveFor = (run: StepRunner, share: string, worst: Worst): void =>
  holdFor(run, { share, worst, optional: false });

/** Leaves room for a later phase of this name, without which the run still comes to its end, as far as there is any. */
export const leaveRoomFor = (run: StepRunner, phase: string, worst: Worst): void =>
  holdFor(run, { share: phase, worst, optional: true });

function holdFor(
  run: StepRunner,
  { share, worst, optional }: { readonly share: string; readonly worst: Worst; readonly optional: boolean },
): void {
  // createSteps makes every StepRunner, as a StepScope.
  const { budget } = run as StepScope;
  const requests = [budget.capped ? (worst() ?? []) : []].flat();
  const paid = requests.filter(({ model }) => personOf(model) === undefined);
  budget.hold(share, paid.map(budget.quote), optional);
}
