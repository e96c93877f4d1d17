import { shuffle } from "../engine/index.ts";
import { isEvent, type Entry } from "../kernel/index.ts";
import { labelAt } from "../protocols/phases/table.ts";
import { leagueOf, type League } from "../stats/league.ts";
import { answersIn } from "../views/answer-event.ts";
import { personaShares, voteMatrix, type PersonaShares, type VoteCell } from "../views/run-part.ts";
import { votesIn, type PeerVote } from "../views/votes.ts";
import {
  readNaming,
  readTally,
  type Projected,
  type ProjectionReading,
  type KnownRuns,
} from "./projection.ts";

/** Which votes are looked for; a persona or a model as voter or as candidate. */
export type VoteFilter = KnownRuns & {
  /** A persona's id. */
  readonly persona?: string | undefined;
  readonly model?: string | undefined;
};

/** A vote under the label that its draft was shown by. */
export type LabeledVote = PeerVote & { readonly label: string };

/** The votes of all deliberations, the newest deliberation first. */
export async function* readVotes(
  known: Projected,
  filter: VoteFilter,
  reading: ProjectionReading,
): AsyncGenerator<LabeledVote> {
  const { persona, model } = filter;
  for await (const entries of readNaming(known, filter, reading)) {
    const labels = labelsIn(entries);
    for (const vote of votesIn(entries)) {
      const { voter, candidate } = vote;
      if (persona !== undefined && voter.persona !== persona && candidate.persona !== persona) continue;
      if (model !== undefined && voter.model !== model && candidate.model !== model) continue;
      yield { ...vote, label: labels.get(vote.draft) ?? "" };
    }
  }
}

/** The labels of a deliberation's drafts, which follow from its seed and from who drafted. */
function labelsIn(entries: readonly Entry[]): ReadonlyMap<string, string> {
  const seed = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.seed ?? "";
  const answers = answersIn(entries);
  const shown = new Set(entries.flatMap((entry) => (isEvent(entry, "review-given") ? entry.data.shown : [])));
  const steps = new Map([...shown].map((step) => [answers.get(step)?.data.by ?? "", step as string]));
  return new Map(
    shuffle(seed, "labels", [...steps.keys()]).map((id, index) => [steps.get(id) ?? "", labelAt(index)]),
  );
}

/** Who ranked whom over all deliberations. */
export async function readMatrix(
  known: Projected,
  { persona, model, ...filter }: VoteFilter & { readonly by: "persona" | "model" },
  reading: ProjectionReading,
): Promise<readonly VoteCell[]> {
  return voteMatrix(await readTally(known, filter, reading), filter.by, { persona, model });
}

/** A league of one kind of question, or of all. */
export type KindLeague = League & { readonly kind: string };

/** The leagues of personas or models: over all questions, then by kind, the kind with the most sessions first. */
export async function readLeagues(
  known: Projected,
  { by, ...filter }: KnownRuns & { readonly by: "persona" | "model" },
  reading: ProjectionReading,
): Promise<readonly KindLeague[]> {
  const { kinds, ...all } = await readTally(known, filter, reading);
  if (all[by].sessions === 0) return [];
  const byKind = [...kinds]
    .filter(([, tally]) => tally[by].sessions > 0)
    .toSorted(([, one], [, other]) => other[by].sessions - one[by].sessions)
    .map(([kind, tally]) => ({ kind, ...leagueOf(tally[by]) }));
  return byKind.length === 1 ? byKind : [{ kind: "all", ...leagueOf(all[by]) }, ...byKind];
}

/** What personas had of the answers that chairs wrote, over all deliberations. */
export async function readShares(
  known: Projected,
  { byStrategy, ...filter }: KnownRuns & { readonly byStrategy: boolean },
  reading: ProjectionReading,
): Promise<readonly PersonaShares[]> {
  return personaShares(await readTally(known, filter, reading), byStrategy);
}
