import {
  isAtLeast,
  type By,
  type FindingCheck,
  type DecidedFinding,
  type FindingState,
  type MergedFinding,
  type ReviewRules,
  type Stand,
  type Verdict,
} from "./work.ts";

// VERDICT-1. A change passes only if nobody who raised a fault stands by it: what others say drops no finding, whatever their number, and
//     a reviewer that is not heard stands by what it raised. Else: a text in the change that some reviewers obey lets a fault through.
// A finding blocks only where a reviewer beside the one that raised it bears it out. What is missing makes a verdict inconclusive.

type VerdictRules = Pick<ReviewRules, "blocks" | "kinds" | "confirmations" | "reviewers">;

/** Those whose own finding may stand against the change: its severity and kind are looked at one by one, not as merged (VERDICT-1). */
export const objectors = ({ raised }: MergedFinding, { blocks, kinds }: VerdictRules): readonly string[] => [
  ...new Set(
    raised.flatMap(({ by, severity, kind }) =>
      isAtLeast(severity, blocks) && kinds.includes(kind) ? [by] : [],
    ),
  ),
];

/** Whether others bear a finding out: those that confirm it, and those that object to it by themselves. */
const isConfirmed = (
  finding: MergedFinding,
  checks: readonly By<FindingCheck>[],
  rules: VerdictRules,
): boolean =>
  objectors(finding, rules).length - 1 + checks.filter(({ verdict }) => verdict === "confirm").length >=
  rules.confirmations;

/** Findings of which those that raised them are to be heard: they gate, and nothing bears them out. */
export const findDisputed = (
  findings: readonly MergedFinding[],
  checks: readonly By<FindingCheck>[],
  rules: VerdictRules,
): readonly MergedFinding[] =>
  findings.filter((one) => {
    const own = checks.filter(({ finding }) => finding === one.id);
    const isRefuted = own.some(({ verdict }) => verdict === "reject" || verdict === "lesser");
    return objectors(one, rules).length > 0 && !isConfirmed(one, own, rules) && isRefuted;
  });

function stateOf(
  finding: MergedFinding,
  { checks, stands }: { readonly checks: readonly By<FindingCheck>[]; readonly stands: readonly By<Stand>[] },
  rules: VerdictRules,
): FindingState {
  const against = objectors(finding, rules);
  if (against.length === 0) return "reported";
  if (isConfirmed(finding, checks, rules)) return "confirmed";
  const standOf = (id: string) => stands.find(({ by }) => by === id)?.stand ?? "keep"; // VERDICT-1
  const own = against.map(standOf);
  if (own.every((stand) => stand === "withdraw")) return "withdrawn";
  return own.every((stand) => stand !== "keep") ? "lesser" : "open";
}

export type ReviewEvidence = {
  readonly findings: readonly MergedFinding[];
  readonly checks: readonly By<FindingCheck>[];
  readonly stands: readonly By<Stand>[];
  /** The reviewers whose reviews could be read. */
  readonly reviewers: readonly string[];
  /** Changed files that nobody was shown. */
  readonly unseen: readonly { readonly path: string; readonly why: string }[];
};

export type ReviewDecision = {
  readonly verdict: Verdict;
  readonly why: string;
  readonly findings: readonly DecidedFinding[];
};

/** The verdict on a change. Pure: the same evidence under the same rules is the same verdict. */
export function decide(
  { findings, checks, stands, reviewers, unseen }: ReviewEvidence,
  rules: VerdictRules,
): ReviewDecision {
  const decided = findings.map((finding): DecidedFinding => {
    const own = {
      checks: checks.filter((one) => one.finding === finding.id),
      stands: stands.filter((one) => one.finding === finding.id),
    };
    return {
      ...finding,
      state: stateOf(finding, own, rules),
      checks: own.checks.map(({ by, verdict, why }) => ({ by, verdict, why })),
      stands: own.stands.map(({ by, stand, why }) => ({ by, stand, why })),
    };
  });
  const idsOf = (state: FindingState) => decided.filter((one) => one.state === state).map(({ id }) => id);
  const [confirmed, open] = [idsOf("confirmed"), idsOf("open")];
  const verdict = (name: Verdict, why: string): ReviewDecision => ({ verdict: name, why, findings: decided });
  if (reviewers.length < rules.reviewers)
    return verdict(
      "inconclusive",
      `${reviewers.length} of ${rules.reviewers} reviews that are needed could be read`,
    );
  if (confirmed.length > 0) return verdict("block", `confirmed by other reviewers: ${confirmed.join(", ")}`);
  if (open.length > 0) return verdict("inconclusive", `neither confirmed nor withdrawn: ${open.join(", ")}`);
  const [missing] = unseen;
  if (missing)
    return verdict(
      "inconclusive",
      `${unseen.length} of the changed files could not be reviewed: ${missing.path} (${missing.why})`,
    );
  return verdict("pass", "no reviewer stands by a finding that blocks");
}
