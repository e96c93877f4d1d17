import * as z from "zod";
import { isEvent, type Entry } from "../../../kernel/index.ts";
import {
  FINDING_STATES,
  FindingKind,
  ReviewRules,
  ReviewSettings,
  Severity,
  TOPICS,
  type DecidedFinding,
  type DroppedFinding,
  type Verdict,
} from "./work.ts";

const Line = z.int().nullable();
const FindingFields = {
  file: z.string(),
  /** Lines of the file after the change; null for one about the file as a whole. */
  from: Line,
  to: Line,
  severity: Severity,
  kind: FindingKind,
  title: z.string(),
  why: z.string(),
};

/** The verdict on a change, and all that it follows from. `parley review --json` prints it below a head. */
export const sectionSchema = z.strictObject({
  /** Null while the review is under way. */
  verdict: z.enum(["pass", "block", "inconclusive"]).nullable(),
  why: z.string().nullable(),
  /** From the worst on. */
  findings: z.array(
    z.strictObject({
      id: z.string(),
      ...FindingFields,
      /** `confirmed` blocks, `open` makes the verdict inconclusive; `lesser` and `withdrawn` do neither, nor does `reported`. */
      state: z.enum(FINDING_STATES),
      /** By the id of the reviewer. */
      raised: z.array(z.strictObject({ by: z.string(), ...FindingFields })),
      checks: z.array(
        z.strictObject({
          by: z.string(),
          verdict: z.enum(["confirm", "lesser", "reject", "unsure"]),
          why: z.string(),
        }),
      ),
      stands: z.array(
        z.strictObject({ by: z.string(), stand: z.enum(["keep", "lesser", "withdraw"]), why: z.string() }),
      ),
    }),
  ),
  /** Findings that are not about the change, and why. */
  dropped: z.array(
    z.strictObject({ by: z.string(), finding: z.strictObject(FindingFields), reason: z.string() }),
  ),
  /** `review`: whether its review could be read. */
  reviewers: z.array(
    z.strictObject({ id: z.string(), name: z.string(), model: z.string(), review: z.boolean() }),
  ),
  rules: ReviewRules,
  rulesFrom: z.string(),
  base: ReviewSettings.shape.base,
  /** Digests (SHA-256) of what the verdict belongs to, with the reviewers' models. */
  pins: ReviewSettings.shape.pins,
  ignored: z.array(z.string()),
  unseen: ReviewSettings.shape.unseen,
  /** Touched files that reviewers know by the diff alone: there was no room for the whole of them. */
  diffOnly: z.array(z.string()),
});
export type ReviewSection = z.infer<typeof sectionSchema>;

const VERDICTS = { passed: "pass", failed: "block", unknown: "inconclusive" } as const satisfies Record<
  string,
  Verdict
>;

/** Folds a review so far; undefined for any other run. */
export function sectionOf(entries: readonly Entry[]): ReviewSection | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "review") return undefined;
  // As the protocol's schema read them.
  const settings = opened.data.settings as unknown as ReviewSettings;
  const { rules, rulesFrom, base, pins, ignored, unseen, diffOnly = [] } = settings;
  const notes = entries.filter((entry) => isEvent(entry, "note-taken"));
  const merged = notes.find(({ data }) => data.topic === TOPICS.merge)?.data.body as
    { readonly findings: readonly DecidedFinding[]; readonly dropped: readonly DroppedFinding[] } | undefined;
  const read = new Set(
    notes.flatMap(({ data }) =>
      data.topic === TOPICS.find ? [(data.body as { readonly by: string }).by] : [],
    ),
  );
  const decided = entries.find((entry) => isEvent(entry, "gate-decided"))?.data;
  const findings = decided?.metrics["findings"] as unknown as readonly DecidedFinding[] | undefined;
  return {
    verdict: decided ? VERDICTS[decided.outcome] : null,
    why: decided?.because ?? null,
    findings: (findings ?? []).map((one) => ({
      ...one,
      ...{ raised: [...one.raised], checks: [...one.checks], stands: [...one.stands] },
    })),
    dropped: [...(merged?.dropped ?? [])],
    reviewers: opened.data.participants.map(({ id, persona, model }) => ({
      ...{ id, name: persona.name, model, review: read.has(id) },
    })),
    ...{ rules, rulesFrom, base, pins, ignored: [...ignored], unseen: [...unseen], diffOnly: [...diffOnly] },
  };
}
