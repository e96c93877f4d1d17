import { fence, type Desk, type Labelled } from "./material.ts";

export type History = {
  /** Made at the start of `round`: it stands for all rounds before that one. */
  readonly summary?: { readonly round: number; readonly text: string } | undefined;
  /** Oldest first, each with what the agent wrote or was told, in the order in which that came about. */
  readonly rounds: readonly {
    readonly round: number;
    readonly items: readonly {
      readonly kind: "proposal" | "critique" | "refinement";
      readonly text: string;
    }[];
  }[];
};

/**
 * An agent's own perspective on the debate so far, for `proposalPrompt`, `critiquePrompt` and `refinementPrompt`: its
 * summary, then every text since, whole. Rounds that the summary stands for are not shown again. Without a summary all
 * is shown. Empty where there is nothing.
 */
export function historyText(desk: Desk, { summary, rounds }: History): string {
  const since = summary?.round ?? 0;
  const pieces = [
    ...(summary
      ? [fence(desk, { kind: "summary", label: `before round ${summary.round}`, text: summary.text })]
      : []),
    ...rounds
      .filter(({ round }) => round >= since)
      .flatMap(({ round, items }) =>
        items.map(({ kind, text }) =>
          fence(desk, { kind: "history", label: `round ${round} ${kind}`, text }),
        ),
      ),
  ];
  return pieces.length === 0 ? "" : ["# Your part in the debate so far", ...pieces].join("\n\n");
}

/** What the agents held in one round, under the same labels in every round. */
export type JudgedRound = {
  readonly round: number;
  readonly proposals: readonly Labelled[];
  readonly refinements: readonly Labelled[];
};

/**
 * The rounds as the judge sees them: proposals and refinements under labels, never critiques. A proposal that is word
 * for word what stood under its label at the end of the round before is not shown a second time.
 */
export function roundsText(desk: Desk, rounds: readonly JudgedRound[]): string {
  const standing = new Map<string, string>();
  return rounds
    .map(({ round, proposals, refinements }) => {
      const fresh = proposals.filter(({ label, text }) => standing.get(label) !== text);
      for (const { label, text } of [...proposals, ...refinements]) standing.set(label, text);
      return [
        `# Round ${round}`,
        ...(fresh.length < proposals.length
          ? ["Who has no proposal here goes on with the text that stood at the end of the round before."]
          : []),
        ...fresh.map(({ label, text }) => fence(desk, { kind: "proposal", label, text })),
        ...refinements.map(({ label, text }) => fence(desk, { kind: "refinement", label, text })),
      ].join("\n\n");
    })
    .join("\n\n");
}
