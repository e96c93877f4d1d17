import type { KindLeague, LabeledVote, VoteCell } from "../../../contract/knowledge.ts";
import { shuffle } from "../../../engine/index.ts";
import { DeliberationId, Fault, isEvent, type Entry } from "../../../kernel/index.ts";
import { labelAt } from "../../../protocols/phases/table.ts";
import { leagueOf, MIN_LEAGUE_VOTES } from "../../../stats/league.ts";
import { sumsUnder } from "../../../stats/numbers.ts";
import { answersIn } from "../../../views/answer-event.ts";
import { voteMatrix } from "../../../views/run-part.ts";
import { veilEntries } from "../../../views/veil.ts";
import { votesIn } from "../../../views/votes.ts";
import {
  readNaming,
  readSums,
  type Projected,
  type ProjectionReading,
  type KnownRuns,
} from "../../../app/projection.ts";

/** Which votes are looked for; a persona or a model as voter or as candidate. */
export type VoteFilter = KnownRuns & {
  /** A persona's id. */
  readonly persona?: string | undefined;
  readonly model?: string | undefined;
};

/** Votes, and what `after` takes for those behind them; null behind the last. */
export type VotePage = { readonly votes: readonly LabeledVote[]; readonly next: string | null };

/**
 * At most `limit` of the votes of all deliberations, the newest deliberation first.
 * @throws Fault `deliberation-missing` for a place in one that is not there
 */
export async function readVotePage(
  known: Projected,
  { limit, after, ...filter }: VoteFilter & { readonly limit: number; readonly after?: string | undefined },
  reading: ProjectionReading,
): Promise<VotePage> {
  const { persona, model } = filter;
  const from = after === undefined ? undefined : readPlace(after);
  const votes: LabeledVote[] = [];
  let next: string | null = null;
  for await (const all of readNaming(known, { ...filter, from: from?.id }, reading)) {
    const entries = veilEntries(all); // also where it was filed before that was asked
    const labels = labelsIn(entries);
    for (const [index, vote] of votesIn(entries).entries()) {
      if (vote.deliberation === from?.id && index < from.votes) continue;
      const { voter, candidate } = vote;
      if (persona !== undefined && voter.persona !== persona && candidate.persona !== persona) continue;
      if (model !== undefined && voter.model !== model && candidate.model !== model) continue;
      if (votes.length === limit) return { votes, next };
      votes.push({ ...vote, label: labels.get(vote.draft) ?? "" });
      next = `${vote.deliberation}:${index + 1}`;
    }
  }
  return { votes, next: null };
}

/** A place among votes: behind so many of a deliberation's. */
function readPlace(text: string): { readonly id: DeliberationId; readonly votes: number } {
  const [given = "", votes] = text.split(":");
  const id = DeliberationId.safeParse(given).data;
  if (id === undefined) throw new Fault("deliberation-missing", { id: given.slice(0, 40) });
  return { id, votes: Number(votes) };
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
  const { all } = await readSums(known, filter, reading);
  return voteMatrix(all, filter.by, { persona, model });
}

/** The leagues of personas or models: over all questions, then by kind, the kind with the most sessions first. */
export async function readLeagues(
  known: Projected,
  { by, ...filter }: KnownRuns & { readonly by: "persona" | "model" },
  reading: ProjectionReading,
): Promise<readonly KindLeague[]> {
  const { kinds, all } = await readSums(known, filter, reading);
  const leagues = [...kinds]
    .map(([kind, sums]) => kindLeague(kind, leagueOf(sumsUnder(sums, by))))
    .filter(({ sessions }) => sessions > 0)
    .toSorted((one, other) => other.sessions - one.sessions);
  return leagues.length < 2 ? leagues : [kindLeague("all", leagueOf(sumsUnder(all, by))), ...leagues];
}

const kindLeague = (kind: string, league: ReturnType<typeof leagueOf>): KindLeague => ({
  ...{ kind, tooFew: league.sessions < MIN_LEAGUE_VOTES },
  ...league,
});
