export { Estimate } from "./contract/figures.ts";
export { Answer, sameAnswer } from "./replies/answer.ts";
export { parseContributors, type Contributor, type Contributors } from "./replies/contributors.ts";
export {
  ComparisonReply,
  parseComparison,
  type ComparedClaim,
  type Comparison,
} from "./replies/comparison.ts";
export { effectiveVotes } from "./stats/proportions.ts";
export { extractAnswer } from "./replies/extract-answer.ts";
export { labelReader, normalizeLabel } from "./replies/reply-fields.ts";
export { majority, type AnswerGroup, type Majority, type MajorityOutcome } from "./stats/vote.ts";
export { meanRank, type MeanRank, type ReviewerBallot } from "./stats/rank-correlation.ts";
export { parseRanking, type Ranking } from "./replies/ranking.ts";
export { parseReview, ReviewReply, type Remarks, type Review } from "./replies/review.ts";
export { standing, type Standing, type StandingInput, type StandingRow } from "./stats/standing.ts";
export { vote, type Vote, type VoteGroup, type Voter } from "./stats/vote.ts";
export { centralText } from "./stats/text-similarity.ts";
export { condorcet } from "./stats/ballot-rules.ts";
export {
  CONTEXT_SEARCH,
  ContextSearchInput,
  searchContext,
  type ContextHit,
  type ContextSearch,
  type SaidText,
} from "./text/context-search.ts";
export { kappa, weightedKappa } from "./stats/kappa.ts";
export { mcnemar } from "./stats/proportions.ts";
export { shapley } from "./stats/shapley.ts";
export { traceSentences, type NamedText, type Source, type Trace } from "./text/trace.ts";
export { wilson, type Interval } from "./stats/proportions.ts";
export { combinePreference, type CombinedPreference } from "./stats/judge-leans.ts";
export { parseGrade, type Grade } from "./replies/grade.ts";
export { judgeLeans, type JudgedPair, type JudgeLeans } from "./stats/judge-leans.ts";
export { parsePreference, type Preference } from "./replies/preference.ts";
export { bootstrap, type Bootstrap, type BootstrapOptions } from "./stats/bootstrap.ts";
export { kendallTau } from "./stats/rank-correlation.ts";
export { AnswerItem, JudgeManner, JudgeWork, PairItem } from "./contract/judge-work.ts";
export { bradleyTerry, type Win } from "./stats/bradley-terry.ts";
export { contentWords, cosine } from "./text/words.ts";
export { ConfidenceReply, parseConfidence, type Confidence } from "./replies/confidence.ts";
export {
  EVALUATION_METRICS,
  EvaluationMetric,
  EvaluationReply,
  parseEvaluation,
  type Evaluation,
} from "./replies/evaluation.ts";
export { EvaluationWork } from "./features/debate/protocol/evaluation/work.ts";
export { parseQuestions, QuestionsReply, type Questions } from "./replies/questions.ts";
export { parseSolution, SolutionReply, type Solution } from "./replies/solution.ts";
export { similarityOfRounds, textSimilarity } from "./stats/text-similarity.ts";
