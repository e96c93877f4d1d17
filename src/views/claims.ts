import { defineProjection, type DeliberationId, type ParticipantId, type SeriesId } from "../kernel/index.ts";

/** One contributor as a chair claimed it: the seed's table `consensus_contributions`. */
export type ClaimRow = {
  readonly deliberation: DeliberationId;
  readonly conversation: SeriesId | null;
  readonly participant: ParticipantId;
  readonly strategy: string | null;
  /** 0 to 1; the rows of one synthesis sum to 1. */
  readonly weight: number;
  readonly reason: string;
};

type State = {
  readonly conversations: ReadonlyMap<DeliberationId, SeriesId>;
  readonly rows: readonly ClaimRow[];
};

/** One row a claim, over any number of deliberations. A fork's synthesis is its own; an adopted one stays its parent's. */
export const claims = defineProjection<State>({
  name: "claims",
  initial: { conversations: new Map(), rows: [] },
  on: {
    "deliberation-opened": (state, { deliberation, data }) =>
      data.series
        ? { ...state, conversations: new Map(state.conversations).set(deliberation, data.series.id) }
        : state,
    "synthesis-given": (state, { deliberation, data, origin }) => {
      if (!data.claims?.ok || origin.by === "adopted") return state;
      const conversation = state.conversations.get(deliberation) ?? null;
      const rows = data.claims.contributors.map(({ id, weight, reason }) => ({
        deliberation,
        conversation,
        participant: id,
        strategy: data.strategy,
        weight,
        reason,
      }));
      return { ...state, rows: [...state.rows, ...rows] };
    },
  },
});
