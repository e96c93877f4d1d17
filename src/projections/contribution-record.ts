import { ParticipantId, type DataOf } from "../kernel/index.ts";
import type { Contributions } from "./contributions.ts";

type Measurement = DataOf<"contribution-measured">;
type Member = Contributions["members"][number];

/** What was measured, as the deliberation's own journal keeps it: one a method. The lost sentences are read from it anew. */
export function measurementsIn({ members, ...found }: Contributions): Measurement[] {
  const { leaveOneOut, vote, standing, overlap, decidedBy, finalAnswer } = found;
  const measured = (
    { status }: { readonly status: string },
    method: string,
    {
      weight,
      detail,
    }: { readonly weight: (member: Member) => number | null; readonly detail: Measurement["detail"] },
  ): Measurement[] => {
    const contributions = members.flatMap((member) => {
      const one = weight(member);
      return one === null ? [] : [{ id: ParticipantId.parse(member.id), weight: one }];
    });
    return status === "measured" ? [{ method, contributions, detail }] : [];
  };
  return [
    ...measured(leaveOneOut, "leave-one-out", {
      weight: (member) => member.leaveOneOut?.weight ?? null,
      detail: {
        chair: leaveOneOut.chair,
        noise: leaveOneOut.noise,
        again: leaveOneOut.again,
        without: Object.fromEntries(
          members.flatMap(({ id, leaveOneOut: one }) => (one === null ? [] : [[id, one]])),
        ),
      },
    }),
    ...measured(vote, "shapley-vote", {
      weight: (member) => member.vote,
      detail: { answer: finalAnswer, total: vote.total, decidedBy },
    }),
    ...measured(standing, "shapley-standing", {
      weight: (member) => member.standing,
      detail: { first: standing.first, total: standing.total },
    }),
    ...measured(overlap, "text-overlap", {
      weight: (member) => member.overlap,
      detail: {
        unsupported: overlap.unsupported,
        kept: Object.fromEntries(members.map(({ id, kept }) => [id, kept])),
      },
    }),
  ];
}
