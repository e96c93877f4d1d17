import * as z from "zod";
import { isEvent, type Entry, type Failure } from "../../../../kernel/index.ts";
import { decideSigns, TRIAL_TEST, type Sign } from "../../../../stats/sequential-sign-test.ts";
import { lostCalls as failuresOf } from "../../../../views/measured.ts";
import { isSimulated } from "../../../../views/simulated.ts";
import type { TrialSettings } from "./work.ts";

const Test = z.strictObject({
  /** `parent`, or `none` for an answer without a persona. */
  against: z.enum(["parent", "none"]),
  wins: z.int(),
  losses: z.int(),
  ties: z.int(),
  /** `open`: more pairs would tell; `undecided`: there are no more. */
  decision: z.enum(["better", "no-better", "open", "undecided"]),
});

/** What a trial has found so far. */
export const sectionSchema = z.strictObject({
  child: z.string(),
  parent: z.string(),
  model: z.string(),
  judges: z.array(z.string()),
  simulated: z.boolean(),
  questions: z.int(),
  /** What calling the child better may risk when it is not. */
  alpha: z.number(),
  tests: z.array(Test),
  /** Null while the trial is open, or where it ended without a verdict. */
  accepted: z.boolean().nullable(),
  why: z.string().nullable(),
});
export type TrialSection = z.infer<typeof sectionSchema>;

export function sectionOf(entries: readonly Entry[]): TrialSection | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  if (opened?.protocol.name !== "trial") return undefined;
  // As the protocol's schema read them.
  const { child, parent, items, alpha } = opened.settings as TrialSettings;
  const verdict = entries.findLast((entry) => isEvent(entry, "trial-decided"))?.data;
  const models = (seat: string) =>
    opened.participants.flatMap((one) => (one.seat === seat ? [one.model] : []));
  return {
    ...{ child: child.id, parent: parent.id, questions: items.length, alpha },
    ...{ model: models("child")[0] ?? "unknown", judges: models("judge") },
    simulated: isSimulated(entries),
    tests: verdict?.tests ?? testsSoFar(entries, { items, alpha }),
    accepted: verdict?.accepted ?? null,
    why: verdict?.why ?? null,
  };
}

function testsSoFar(
  entries: readonly Entry[],
  { items, alpha }: Pick<TrialSettings, "items" | "alpha">,
): TrialSection["tests"] {
  return signsSoFar(entries, items).map(({ against, signs }) => ({
    against,
    ...decideSigns(signs, { ...TRIAL_TEST, alpha }),
  }));
}

/** How each question went, in the order in which the tests count them. */
export function pathsOf(entries: readonly Entry[]): ReturnType<typeof signsSoFar> {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  return opened?.protocol.name === "trial"
    ? signsSoFar(entries, (opened.settings as TrialSettings).items) // as the protocol's schema has parsed them
    : [];
}

function signsSoFar(entries: readonly Entry[], items: TrialSettings["items"]) {
  const winners = new Map(
    entries.flatMap((entry) =>
      isEvent(entry, "preference-given") && "step" in entry.origin
        ? [[String(entry.origin.step), entry.data.winner] as const]
        : [],
    ),
  );
  return (["parent", "none"] as const).map((against) => {
    const signs = items.flatMap(({ name }): Sign[] => {
      const winner = winners.get(`${name}/${against}/preference`);
      return winner === undefined ? [] : [winner === "A" ? "win" : winner === "B" ? "loss" : "tie"];
    });
    return { against, signs };
  });
}

/** The failures of calls that have no reply, where asking again may bring one. */
export const lostCalls = (entries: readonly Entry[]): readonly Failure[] =>
  entries.some((entry) => isEvent(entry, "trial-decided")) ? [] : failuresOf(entries);
