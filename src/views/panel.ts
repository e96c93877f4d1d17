import * as z from "zod";
import {
  isEvent,
  isVoice,
  workOf,
  type Answer,
  type Entry,
  type Participant,
  type StepKey,
} from "../kernel/index.ts";
import { writeAnswerLine } from "../text/format.ts";
import { vote } from "../stats/vote.ts";
import { answerEvent, answersIn, type AnswerEvent } from "./answer-event.ts";

const text = z.string().nullable();
const figure = z.number().nullable();

/** What protocols share in which members draft, review each other, and vote or hand over to a chair: part of their sections. */
export const PanelSection = z.strictObject({
  /** How the drafts become one answer, as it was asked for: `consensus`, `vote`. */
  mode: text,
  /** The chair's strategy; null where no chair wrote the answer. */
  strategy: text,
  /** Best first; `score` 0 to 1, higher is better; `low` and `high` its 95 % interval, null below 4 rankings or where all place it alike. */
  standing: z.array(
    z.strictObject({
      id: z.string(),
      place: z.int(),
      score: figure,
      low: figure,
      high: figure,
      tiedWith: z.array(z.string()),
    }),
  ),
  /** Agreement among the rankings, Kendall's W, 0 to 1: agreement, not probability. */
  agreement: figure,
  effectiveVotes: figure,
  /** How members voted by their final answers, at first and at last, by id; most votes first, empty where none could be compared. */
  votes: z.array(
    z.strictObject({ answer: z.string(), first: z.array(z.string()), last: z.array(z.string()) }),
  ),
  /** Who was asked to break a tie, and whose answer that chose; null where nobody was asked, `chosen` where no choice was read. */
  tieBreak: z.strictObject({ by: z.string(), chosen: text }).nullable(),
  dissent: z.array(z.string()),
  insights: z.array(z.string()),
  vetoed: z.array(z.strictObject({ id: z.string(), flaw: z.string() })),
  contributions: z.strictObject({
    claimed: z.array(z.strictObject({ id: z.string(), weight: z.number(), reason: z.string() })),
    /** Why the chair's account does not add up, or could not be read; null where neither is so. */
    problem: text,
    /** As they were last measured, by method. */
    measured: z.array(z.strictObject({ id: z.string(), weight: z.number(), method: z.string() })),
  }),
  /** `Synthesized from inputs by: …`, by claimed weight; null when the claim could not be read. */
  footer: text,
});
export type PanelSection = z.infer<typeof PanelSection>;

/** Folds what a panel did from a deliberation's entries. */
export function panelSection(entries: readonly Entry[]): PanelSection {
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const members = opening?.participants.filter(isVoice) ?? [];
  const answers = answersIn(entries);
  const standing = entries.findLast((entry) => isEvent(entry, "standing-reached"))?.data;
  const answer = answerEvent(entries);
  const synthesis = answer?.type === "synthesis-given" ? answer.data : undefined;
  const claims = synthesis?.claims;
  const claimed = claims?.ok ? claims.contributors : [];
  const mode = opening?.settings["mode"];
  return {
    mode: typeof mode === "string" ? mode : null,
    strategy: synthesis?.strategy ?? null,
    standing: (standing?.places ?? []).map(({ votes: _votes, ...rank }) => ({
      ...rank,
      tiedWith: [...rank.tiedWith],
    })),
    agreement: standing?.agreement ?? null,
    effectiveVotes: standing?.effectiveVotes ?? null,
    votes: votesOf(members, answers.values()),
    tieBreak: tieBreakIn(entries, answers),
    dissent: [...(synthesis?.dissent ?? [])],
    insights: [...(synthesis?.insights ?? [])],
    vetoed: (synthesis?.vetoed ?? []).map(({ id, flaw }) => ({ id, flaw })),
    contributions: {
      claimed: claimed.map(({ id, weight, reason }) => ({ id, weight, reason })),
      problem: (claims?.ok ? claims.problem : claims?.reason) ?? null,
      measured: measuredIn(entries),
    },
    footer: footerOf(claimed, members),
  };
}

/** How the members' drafts, and what they hold now, fall into groups. */
function votesOf(members: readonly Participant[], answers: Iterable<AnswerEvent>): PanelSection["votes"] {
  const spoken = new Map<string, { readonly first: Answer | null; readonly last: Answer | null }>();
  for (const { type, data } of answers) {
    if (type !== "answer-given") continue;
    spoken.set(data.by, { first: data.final, ...spoken.get(data.by), last: data.final });
  }
  const voters = members.flatMap(({ id }) => {
    const own = spoken.get(id);
    return own ? [{ id, ...own }] : [];
  });
  return vote(voters).groups.map(({ answer, first, last }) => {
    return { answer: writeAnswerLine(answer), first: [...first], last: [...last] };
  });
}

function tieBreakIn(
  entries: readonly Entry[],
  answers: ReadonlyMap<StepKey, AnswerEvent>,
): PanelSection["tieBreak"] {
  const given = entries.findLast((entry) => workOf(entry)?.kind === "tie-break");
  if (!given || !isEvent(given, "review-given", "degradation-noted")) return null;
  const by = isEvent(given, "review-given") ? given.data.by : given.data.participant;
  const first =
    isEvent(given, "review-given") && given.data.ranking.ok ? given.data.ranking.steps[0] : undefined;
  const chosen = first === undefined ? undefined : answers.get(first)?.data.by;
  return by === undefined ? null : { by, chosen: chosen ?? null };
}

/** Measured again by a method, what it says now holds. */
function measuredIn(entries: readonly Entry[]): PanelSection["contributions"]["measured"] {
  const byMethod = new Map<string, PanelSection["contributions"]["measured"]>();
  for (const entry of entries) {
    if (!isEvent(entry, "contribution-measured")) continue;
    const { method, contributions } = entry.data;
    const measured = contributions.map(({ id, weight }) => ({ id, weight, method }));
    byMethod.delete(method);
    byMethod.set(method, measured);
  }
  return [...byMethod.values()].flat();
}

function footerOf(
  claimed: PanelSection["contributions"]["claimed"],
  members: readonly Participant[],
): string | null {
  const names = [...claimed]
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ id }) => members.find((member) => member.id === id)?.persona.name ?? id);
  return names.length > 0 ? `Synthesized from inputs by: ${names.join(", ")}` : null;
}
