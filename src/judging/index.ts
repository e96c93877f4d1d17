export { Answer, sameAnswer } from "./answer.ts";
export { borda, type Ballot, type Tally } from "./borda.ts";
export {
  ContributorsReply,
  parseContributors,
  weightTolerance,
  type Contributor,
  type Contributors,
} from "./contributors.ts";
export { effectiveVotes } from "./effective-votes.ts";
export { extractAnswer } from "./extract-answer.ts";
export { kendallW } from "./kendall-w.ts";
export { normaliseLabel } from "./labels.ts";
export { majority, type AnswerGroup, type Majority, type MajorityOutcome } from "./majority.ts";
export { meanRank, type MeanRank, type ReviewerBallot } from "./mean-rank.ts";
export { parseRanking, type Ranking } from "./ranking.ts";
export { parseReview, ReviewReply, type Remarks, type Review } from "./review.ts";
export { standing, type Standing, type StandingInput, type StandingRow } from "./standing.ts";
