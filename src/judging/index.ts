export { Answer, sameAnswer } from "./answer.ts";
export type { Ballot } from "./ballot.ts";
export { borda, type Tally } from "./borda.ts";
export {
  ContributorsReply,
  parseContributors,
  weightTolerance,
  type Contributor,
  type Contributors,
} from "./contributors.ts";
export { ComparisonReply, parseComparison, type ComparedClaim, type Comparison } from "./comparison.ts";
export { effectiveVotes } from "./effective-votes.ts";
export { extractAnswer } from "./extract-answer.ts";
export { kendallW } from "./kendall-w.ts";
export { labelReader, normaliseLabel } from "./labels.ts";
export { majority, type AnswerGroup, type Majority, type MajorityOutcome } from "./majority.ts";
export { meanRank, type MeanRank, type ReviewerBallot } from "./mean-rank.ts";
export { parseRanking, type Ranking } from "./ranking.ts";
export { parseReview, ReviewReply, type Remarks, type Review } from "./review.ts";
export { standing, type Standing, type StandingInput, type StandingRow } from "./standing.ts";
export { vote, type Vote, type VoteGroup, type Voter } from "./vote.ts";
export { centralText } from "./central-text.ts";
export { condorcet } from "./condorcet.ts";
export {
  CONTEXT_SEARCH,
  ContextSearchInput,
  searchContext,
  type ContextHit,
  type ContextSearch,
  type SaidText,
} from "./context-search.ts";
export { kappa, weightedKappa } from "./kappa.ts";
export { krippendorffAlpha } from "./krippendorff-alpha.ts";
export { mcnemar } from "./mcnemar.ts";
export { shapley } from "./shapley.ts";
export { traceSentences, type NamedText, type Source, type Trace } from "./trace.ts";
export { wilson, type Interval } from "./wilson.ts";
export { combinePreference, type CombinedPreference } from "./combine-preference.ts";
export { Estimate, leanOf, shareOf } from "./estimate.ts";
export { parseGrade, type Grade } from "./grade.ts";
export { judgeLeans, type JudgedPair, type JudgeLeans } from "./judge-leans.ts";
export { parsePreference, type Preference } from "./preference.ts";
export { bootstrap, type Bootstrap, type BootstrapOptions } from "./bootstrap.ts";
export { copeland } from "./copeland.ts";
export { kemeny, type Kemeny } from "./kemeny.ts";
export { kendallTau } from "./kendall-tau.ts";
export { schulze } from "./schulze.ts";
export { AnswerItem, JudgeManner, JudgeWork, PairItem } from "./judge-work.ts";
export { bradleyTerry, type BradleyTerry } from "./bradley-terry.ts";
export { dawidSkene, type DawidSkene, type Label } from "./dawid-skene.ts";
export type { Tie, Win } from "./paired-results.ts";
export { cosine } from "./cosine.ts";
export { contentWords } from "./content-words.ts";
export { ConfidenceReply, parseConfidence, type Confidence } from "./confidence.ts";
export { coverageOf, hasCoverage } from "./coverage.ts";
export {
  EVALUATION_METRICS,
  EvaluationMetric,
  EvaluationReply,
  parseEvaluation,
  type Evaluation,
} from "./evaluation.ts";
export { EvaluationWork } from "./evaluation-work.ts";
export { parseQuestions, QuestionsReply, type Questions } from "./questions.ts";
export { requirementsOf, type Requirements } from "./requirements.ts";
export { parseSolution, SolutionReply, type Solution } from "./solution.ts";
export { similarityOfRounds, textSimilarity } from "./text-similarity.ts";
export { sentencesOf } from "./sentences.ts";
export { intentOf } from "./intent.ts";
export { entitiesOf, entityKey } from "./entities.ts";
export { gistOf, shortened } from "./gist.ts";
export { kindOf, type AnswerTraits } from "./answer-kind.ts";
