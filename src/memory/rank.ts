import type { Recalled, RecallRules } from "../kernel/index.ts";
import type { StoredEngram } from "./engram-store.ts";
import { summarizeAnnotations, chooseMark, type AnnotationSummary } from "./annotate.ts";

// Of one cluster one engram is recalled: the best judged of those that are admitted.
// RANK-4. A retired or forgotten engram is never recalled, and never more than `most` and one. Else: a forgotten memory gets into a prompt.

/** An engram that may fit a question, and how well. */
export type RecallCandidate = {
  readonly stored: StoredEngram;
  /** Cosine of question and engram, −1 to 1; null where one of them has no vector. */
  readonly similarity: number | null;
  /** Shares of the question's words and of its entities that the engram has, 0 to 1. */
  readonly words: number;
  readonly entities: number;
};

export type RankedCandidate = RecallCandidate & {
  readonly judged: AnnotationSummary;
  readonly score: number;
};

/** How well it fits by its text alone: the cosine, and the share of words where there is none. */
function fitOf({ similarity, words }: RecallCandidate): number {
  return similarity ?? words;
}

/** What it is ranked by: how well it fits, and what each weight adds. What nobody has judged adds nothing. */
function scoreOf(
  candidate: RecallCandidate,
  { grade, preference, thumb }: AnnotationSummary,
  { weights }: Pick<RecallRules, "weights">,
): number {
  return (
    fitOf(candidate) +
    weights.words * candidate.words +
    weights.entities * candidate.entities +
    weights.grade * (grade === null ? 0 : grade - 3) +
    weights.preference * PREFERENCES[preference ?? "tied"] +
    weights.thumb * (thumb === "up" ? 1 : thumb === "down" ? -1 : 0)
  );
}

/** All of them by their scores, best first; of equals the newer, then the lesser id. */
export function rankCandidates(
  candidates: readonly RecallCandidate[],
  rules: Pick<RecallRules, "weights">,
): readonly RankedCandidate[] {
  return candidates
    .map((candidate): RankedCandidate => {
      const judged = summarizeAnnotations(candidate.stored.annotations);
      return { ...candidate, judged, score: scoreOf(candidate, judged, rules) };
    })
    .sort((a, b) => b.score - a.score || compareAge(a, b));
}

/** The newer before the older, then by id. */
function compareAge(
  { stored: { engram: a } }: RankedCandidate,
  { stored: { engram: b } }: RankedCandidate,
): number {
  if (a.at !== b.at) return a.at > b.at ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function isAdmitted(candidate: RankedCandidate, rules: RecallRules): boolean {
  return (
    candidate.stored.forgotten === null &&
    candidate.judged.retired === null &&
    fitOf(candidate) >= (candidate.similarity === null ? rules.minimumWords : rules.minimum)
  );
}

const PREFERENCES = { won: 1, tied: 0, lost: -1 } as const;

/** The better judged first: by grade (nobody's is 3), then by comparison, then the newer. */
function compareJudgments(a: RankedCandidate, b: RankedCandidate): number {
  const grades = (b.judged.grade ?? 3) - (a.judged.grade ?? 3);
  const preferences = PREFERENCES[b.judged.preference ?? "tied"] - PREFERENCES[a.judged.preference ?? "tied"];
  return grades || preferences || compareAge(a, b);
}

/**
 * What of the candidates is recalled, best first: those that fit well enough, one of each cluster, `most` at most, and one
 * more where it fits by `extraAt`. None where `most` is 0.
 */
export function selectRecalled(
  candidates: readonly RecallCandidate[],
  rules: RecallRules,
): readonly Recalled[] {
  const best = new Map<string, RankedCandidate>();
  const admitted = rankCandidates(candidates, rules).filter((candidate) => isAdmitted(candidate, rules));
  for (const candidate of admitted) {
    const { cluster } = candidate.stored;
    const other = best.get(cluster);
    if (!other || compareJudgments(candidate, other) < 0) best.set(cluster, candidate);
  }
  const chosen = admitted.filter((candidate) => best.get(candidate.stored.cluster) === candidate);
  const extra = rules.most > 0 ? chosen[rules.most] : undefined;
  const recalled = chosen.slice(0, rules.most);
  if (extra && fitOf(extra) >= rules.extraAt) recalled.push(extra);
  return recalled.map(({ stored: { engram }, judged, similarity, words, score }) => ({
    id: engram.id,
    question: engram.question,
    summary: engram.summary,
    mark: chooseMark(judged),
    grade: judged.grade,
    feedback: judged.feedback,
    similarity,
    words,
    score,
  }));
}
