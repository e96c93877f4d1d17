import * as z from "zod";
import { Digest, ReplyLimit } from "../../../kernel/index.ts";

/** From the worst on. */
export const SEVERITIES = ["blocker", "major", "minor", "note"] as const;
export const Severity = z.enum(SEVERITIES);
export type Severity = z.infer<typeof Severity>;

export const isAtLeast = (one: Severity, least: Severity): boolean =>
  SEVERITIES.indexOf(one) <= SEVERITIES.indexOf(least);

export const KINDS = [
  ...([
    "correctness",
    "security",
    "data-loss",
    "concurrency",
    "performance",
    "compatibility",
    "tests",
  ] as const),
  ...(["style", "docs", "other"] as const),
] as const;
export const FindingKind = z.enum(KINDS);
export type FindingKind = z.infer<typeof FindingKind>;

/** How a review's verdict follows from findings. `parley-review.yaml` says it, in the same words with dashes. */
export const ReviewRules = z.strictObject({
  /** A finding of this severity, or a worse one, stands against the change. */
  blocks: Severity.default("major"),
  /** The kinds of findings that may stand against it; of others the report tells, and no more. */
  kinds: z
    .array(FindingKind)
    .min(1)
    .default(KINDS.filter((kind) => kind !== "style" && kind !== "docs")),
  /** By how many reviewers beside one that raised it a finding has to be borne out to block. */
  confirmations: z.int().min(1).max(25).default(1),
  /** With fewer reviews that can be read there is no verdict. */
  reviewers: z.int().min(1).max(26).default(2),
  /** A longer diff has no verdict: kilobytes. */
  maxDiffKb: z.int().min(1).max(2_000).default(200),
  /** Files that are not reviewed, as patterns. */
  ignore: z
    .array(z.string().min(1).max(300))
    .max(200)
    .default(["**/*.{png,jpg,jpeg,gif,webp,ico,woff,woff2}"]),
  /** What reviewers of this project are to look at, in its own words. */
  instructions: z.string().trim().max(20_000).default(""),
});
export type ReviewRules = z.infer<typeof ReviewRules>;

/** Why a file of the change was not shown to reviewers. */
const LeftOut = z.strictObject({ path: z.string(), why: z.string() });

/**
 * What a review's opening pins beside its context, which has the texts: `diff`, and `file PATH` of each touched file that fits.
 */
export const ReviewSettings = z.strictObject({
  rules: ReviewRules,
  /** Where the rules are from: a revision, the file of the work tree, or the built-in ones. */
  rulesFrom: z.string(),
  /** The commit that it is a change of, and how that was named; null for a diff that was handed over. */
  base: z.strictObject({ revision: z.string(), commit: z.string().nullable() }).nullable(),
  /** Of the diff as it was reviewed, of all touched files after the change, and of the rules. */
  pins: z.strictObject({ diff: Digest, files: Digest, rules: Digest }),
  /** Files that the rules ignore. */
  ignored: z.array(z.string()),
  /** Changed files that nobody could be shown: as long as there is one, the change does not pass. */
  unseen: z.array(LeftOut),
  /** Touched files that reviewers know by the diff alone: there was no room for the whole of them. */
  diffOnly: z.array(z.string()).optional(),
  maxOutputTokens: ReplyLimit,
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  patienceMs: z.int().positive().nullable().default(null),
});
export type ReviewSettings = z.infer<typeof ReviewSettings>;

/** What one reviewer says is wrong. Without lines it is about the file. */
export type ReviewFinding = {
  readonly file: string;
  readonly from: number | null;
  readonly to: number | null;
  readonly severity: Severity;
  readonly kind: FindingKind;
  readonly title: string;
  readonly why: string;
};

export type By<T> = T & { readonly by: string };

/** Findings of one fault, as one: the worst one's words, over the lines of all of them. */
export type MergedFinding = ReviewFinding & {
  readonly id: string;
  /** What each reviewer raised, as it said it. */
  readonly raised: readonly By<ReviewFinding>[];
};

export type DroppedFinding = {
  readonly by: string;
  readonly finding: ReviewFinding;
  readonly reason: string;
};

/** What a reviewer that did not raise a finding says of it. `lesser`: it is there, and does not weigh so much. */
export type FindingCheck = {
  readonly finding: string;
  readonly verdict: "confirm" | "lesser" | "reject" | "unsure";
  readonly why: string;
};

/** What a reviewer that raised a finding says once it has read what others say against it. */
export type Stand = {
  readonly finding: string;
  readonly stand: "keep" | "lesser" | "withdraw";
  readonly why: string;
};

/** What became of a finding: the rule says it, no model. */
export const FINDING_STATES = ["confirmed", "open", "lesser", "withdrawn", "reported"] as const;
export type FindingState = (typeof FINDING_STATES)[number];

export type DecidedFinding = MergedFinding & {
  readonly state: FindingState;
  readonly checks: readonly By<Omit<FindingCheck, "finding">>[];
  readonly stands: readonly By<Omit<Stand, "finding">>[];
};

export type Verdict = "pass" | "block" | "inconclusive";

/** The topics of the protocol's notes, which are the keys of its steps as well. */
export const TOPICS = { find: "find", merge: "merge", check: "check", hear: "hear" } as const;
