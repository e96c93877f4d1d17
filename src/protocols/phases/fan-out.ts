import {
  admitWithinBudget,
  phase,
  type PhaseResult,
  type PhaseWork,
  type StepRunner,
} from "../../engine/index.ts";
import {
  personOf,
  type Event,
  type Failure,
  type ModelRequest,
  type Participant,
} from "../../kernel/index.ts";
import { countMajority } from "./control.ts";
import { budgetAbsence, createAbsence, type Absence } from "./reply.ts";
import { findById } from "./table.ts";

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
 *
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
  const admission = await admitWithinBudget(run, { name, work, members, least });
  const patience =
    patienceMs === null ? {} : { quorum: quorum ?? countMajority(admission.in.length), patienceMs };
  const failures = new Map<string, Failure>();
  const people = members.flatMap(({ id, request }) => (personOf(request.model) === undefined ? [] : [id]));
  const spec = { name, work, members: admission.in, people, ...patience };
  const done = await phase(run, spec, async (id, part) => {
    const outcome = await step(findById(members, id), part);
    if (outcome.failure) failures.set(id, outcome.failure);
    return outcome;
  });
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
