import type { Floor, Run } from "../engine/index.ts";
import { admitted, phase, type Joined } from "../engine/index.ts";
import { extractAnswer } from "../judging/index.ts";
import {
  StepKey,
  type Answer,
  type FailureCode,
  type ModelRequest,
  type Participant,
} from "../kernel/index.ts";
import { draftPrompt } from "../prompts/index.ts";
import { lossOf } from "./loss.ts";

/** One member's blind answer. */
export type Draft = {
  readonly by: Participant;
  readonly step: StepKey;
  readonly text: string;
  readonly final: Answer | null;
};

/** Who did not answer, and what it failed of; null where it was not a failure of its call. */
export type Absent = { readonly by: Participant; readonly why: string; readonly code: FailureCode | null };

export type Drafts = { readonly drafts: readonly Draft[]; readonly absent: readonly Absent[] };

export type DraftLimits = {
  readonly quorum: number;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly patienceMs: number | null;
};

/** Everybody answers alone and at once, under `draft/<member>`; in seat order. */
export async function draft(
  floor: Floor,
  members: readonly Participant[],
  limits: DraftLimits,
): Promise<Drafts> {
  const requests = new Map(
    members.map((member) => [member.id as string, draftRequest(floor, member, limits)]),
  );
  const may = await admitted(floor.run, {
    name: "draft",
    members: [...requests].map(([id, request]) => ({ id, request })),
  });
  const codes = new Map<string, FailureCode>();
  const work = async (id: string, run: Run): Promise<Joined<Draft>> => {
    const by = byId(members, id);
    const request = requests.get(id) ?? draftRequest(floor, by, limits);
    const step = StepKey.parse(`draft/${id}`);
    const event = await run.call(
      { key: step, ends: ["answer-given", "degradation-noted"], request, timeoutMs: limits.timeoutMs },
      (call) => {
        const failure = call.ok ? emptiness(call.reply) : call.failure;
        if (failure) return lossOf({ what: `the draft of ${by.persona.name}`, failure, participant: by.id });
        const text = call.ok ? call.reply : "";
        return {
          type: "answer-given",
          data: { by: by.id, kind: "draft", round: 1, text, final: extractAnswer(text) },
        };
      },
    );
    if (event.type === "answer-given")
      return { in: true, value: { by, step, text: event.data.text, final: event.data.final } };
    if (event.data.call && !event.data.call.ok) codes.set(id, event.data.call.failure.code);
    return { in: false, why: event.data.why };
  };
  const { quorum, patienceMs } = limits;
  const done = await phase(
    floor.run,
    { name: "draft", members: may, quorum, ...(patienceMs === null ? {} : { patienceMs }) },
    work,
  );
  const cut = members.filter(({ id }) => !may.includes(id));
  return {
    drafts: done.in.map(({ value }) => value),
    absent: [
      ...done.out.map(({ id, why }) => ({ by: byId(members, id), why, code: codes.get(id) ?? null })),
      ...cut.map((by) => ({ by, why: "the budget does not reach for it", code: "over-budget" as const })),
    ],
  };
}

const draftRequest = (floor: Floor, member: Participant, { maxOutputTokens }: DraftLimits): ModelRequest => ({
  ...speaking(member),
  messages: draftPrompt(floor, { material: floor, persona: floor.instructions(member) }),
  maxOutputTokens,
});

/** The part of a request that the participant decides. */
export const speaking = ({ model, temperature }: Participant): Pick<ModelRequest, "model" | "temperature"> =>
  temperature === undefined ? { model } : { model, temperature };

/** A reply of nothing is a failure: no answer is never passed on as one. */
export const emptiness = (
  reply: string,
): { readonly code: FailureCode; readonly message: string } | undefined =>
  reply.trim() === "" ? { code: "unreadable", message: "the reply was empty" } : undefined;

export function byId(participants: readonly Participant[], id: string): Participant {
  const found = participants.find((participant) => participant.id === id);
  if (!found) throw new RangeError(`no participant ${id} has a seat here`);
  return found;
}
