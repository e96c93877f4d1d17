import type { Estimate } from "../../../contract/figures.ts";
import { bootstrap } from "../../../stats/bootstrap.ts";
import { mean, sum } from "../../../stats/numbers.ts";

/** One reviewer's review of drafts, which are named by their authors. */
export type GivenReview = {
  readonly reviewer: string;
  /** Whose figures it counts for: the reviewer's model, or its persona. */
  readonly key: string;
  readonly family: string | null;
  /** The drafts in the order in which the reviewer saw them. */
  readonly shown: readonly string[];
  /** Best first; null where none could be read. */
  readonly ranking: readonly string[] | null;
  /** How many strengths and weaknesses it names of a draft. */
  readonly remarks: readonly {
    readonly of: string;
    readonly strengths: number;
    readonly weaknesses: number;
  }[];
};

/** The reviews of one deliberation, and the families of those whose drafts they are about. */
export type ReviewedRun = {
  readonly reviews: readonly GivenReview[];
  readonly families: ReadonlyMap<string, string | null>;
};

/** What a reviewer leans on besides the drafts' worth; each null below 20 observations, of which there are `n`. */
export type ReviewerLeans = {
  readonly key: string;
  readonly runs: number;
  readonly reviews: number;
  /** The share of weaknesses among its remarks on a draft, less the other reviewers' on the same draft: −1 to 1. */
  readonly harshness: Estimate;
  /** The share of pairs of drafts of which it ranks the one shown earlier higher, less one half: −0.5 to 0.5; `n` counts rankings. */
  readonly positionLean: Estimate;
  /**
   * How much oftener than other reviewers it ranks a draft of its own family above one of another: −1 to 1; `n` counts pairs of
   * drafts that a reviewer of neither the family nor the pair ranked, too. Nobody reviews an own draft.
   */
  readonly ownFamilyLean: Estimate;
};

/** With fewer observations nothing is claimed of a reviewer. */
export const MIN_OBSERVATIONS = 20;

/** With fewer deliberations there is no interval, since the observations of one are not independent. */
const MIN_RUNS = 4;

/** What one deliberation adds to a figure: the sum of its observations, and how many there are. */
type LeanPart = { readonly sum: number; readonly n: number };
type LeanName = "harshness" | "positionLean" | "ownFamilyLean";
type RunParts = { readonly [name in LeanName]: LeanPart };

/**
 * The leans of each reviewer over past deliberations, by key, most reviews first. Intervals are percentile bootstraps (95 %)
 * over deliberations, as the observations of one hang together; null for fewer than four of them.
 */
export function reviewerLeans(runs: readonly ReviewedRun[]): ReviewerLeans[] {
  const byKey = new Map<string, { reviews: number; parts: RunParts[] }>();
  for (const run of runs)
    for (const key of new Set(run.reviews.map((one) => one.key))) {
      const own = run.reviews.filter((one) => one.key === key);
      const known = byKey.get(key) ?? { reviews: 0, parts: [] };
      const parts = {
        harshness: together(own.map((one) => harshnessIn(run, one))),
        positionLean: together(own.map(positionIn)),
        ownFamilyLean: together(own.map((one) => familyIn(run, one))),
      };
      byKey.set(key, { reviews: known.reviews + own.length, parts: [...known.parts, parts] });
    }
  return [...byKey]
    .map(([key, { reviews, parts }]) => {
      const figure = (name: LeanName) => estimate(parts.map((part) => part[name]));
      return {
        ...{ key, runs: parts.length, reviews, harshness: figure("harshness") },
        ...{ positionLean: figure("positionLean"), ownFamilyLean: figure("ownFamilyLean") },
      };
    })
    .sort((a, b) => b.reviews - a.reviews || (a.key < b.key ? -1 : 1));
}

const together = (parts: readonly LeanPart[]): LeanPart => ({
  sum: sum(parts.map((part) => part.sum)),
  n: sum(parts.map((part) => part.n)),
});

function estimate(parts: readonly LeanPart[]): Estimate {
  const observed = parts.filter(({ n }) => n > 0);
  const n = sum(observed.map((part) => part.n));
  if (n < MIN_OBSERVATIONS) return { value: null, n, low: null, high: null };
  const ratio = (drawn: readonly LeanPart[]) => together(drawn).sum / together(drawn).n;
  const interval = observed.length < MIN_RUNS ? null : bootstrap(observed, ratio, { seed: "leans" });
  return { value: ratio(observed), n, low: interval?.low ?? null, high: interval?.high ?? null };
}

const harshOn = ({ remarks }: GivenReview, draft: string): number | undefined => {
  const { strengths = 0, weaknesses = 0 } = remarks.find(({ of }) => of === draft) ?? {};
  return strengths + weaknesses === 0 ? undefined : weaknesses / (strengths + weaknesses);
};

function harshnessIn({ reviews }: ReviewedRun, own: GivenReview): LeanPart {
  const differences = own.remarks.flatMap(({ of }) => {
    const others = reviews.flatMap((one) => (one === own ? [] : (harshOn(one, of) ?? [])));
    const said = harshOn(own, of);
    return said === undefined || others.length === 0 ? [] : [said - mean(others)];
  });
  return { sum: sum(differences), n: differences.length };
}

function positionIn({ shown, ranking }: GivenReview): LeanPart {
  const pairs = pairsOf(shown).flatMap(([first, second]) => {
    const earlier = isAbove(ranking ?? [], first, second);
    return earlier === undefined ? [] : [Number(earlier)];
  });
  return pairs.length === 0 ? { sum: 0, n: 0 } : { sum: mean(pairs) - 0.5, n: 1 };
}

function familyIn({ reviews, families }: ReviewedRun, own: GivenReview): LeanPart {
  if (own.family === null) return { sum: 0, n: 0 };
  const familyOf = (author: string) => families.get(author) ?? null;
  const drafts = (own.ranking ?? []).filter((author) => familyOf(author) !== null);
  const differences = drafts
    .filter((author) => familyOf(author) === own.family)
    .flatMap((kin) =>
      drafts
        .filter((author) => familyOf(author) !== own.family)
        .flatMap((stranger) => {
          const votes = reviews.flatMap(({ reviewer, family, ranking }) => {
            const isNeutral = family !== own.family && reviewer !== kin && reviewer !== stranger;
            const above = isNeutral ? isAbove(ranking ?? [], kin, stranger) : undefined;
            return above === undefined ? [] : [Number(above)];
          });
          const above = isAbove(own.ranking ?? [], kin, stranger);
          return votes.length === 0 || above === undefined ? [] : [Number(above) - mean(votes)];
        }),
    );
  return { sum: sum(differences), n: differences.length };
}

const pairsOf = (drafts: readonly string[]): (readonly [string, string])[] =>
  drafts.flatMap((first, index) => drafts.slice(index + 1).map((second) => [first, second] as const));

/** Whether `one` is ranked above `other`; undefined where either is not ranked. */
function isAbove(ranking: readonly string[], one: string, other: string): boolean | undefined {
  const [first, second] = [ranking.indexOf(one), ranking.indexOf(other)];
  return first < 0 || second < 0 ? undefined : first < second;
}
