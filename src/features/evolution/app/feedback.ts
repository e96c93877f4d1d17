import type { LoadedPersona } from "../../../config/personas.ts";
import { digestOf } from "../../../engine/index.ts";
import type { SeatedParticipant } from "../../../engine/opening-part.ts";
import {
  familyOf,
  ParticipantId,
  refusal,
  type DeliberationId,
  type EventId,
  type OrganizationStore,
} from "../../../kernel/index.ts";
import { personaProtocol } from "../protocol/persona/index.ts";
import { likenessTo } from "../../../stats/text-similarity.ts";
import { votesIn } from "../../../views/votes.ts";
import type { AppContext } from "../../../app/context.ts";
import { choosePanel } from "../../../app/panel.ts";
import { readNaming, type Projected, type ProjectionReading } from "../../../app/projection.ts";
import { openMeasurement, resumable, type Resumed } from "../../../app/resumable.ts";
import { summaryRequest } from "../../../app/personas/advice.ts";
import { heldOutFilter, isHeldOutRun } from "../../../app/personas/held-out.ts";

/** What a reviewer wrote about one of a persona's answers. */
export type PersonaRemark = {
  readonly kind: "strength" | "weakness";
  readonly text: string;
  /** Who wrote it: a persona's id, and its model. */
  readonly by: string;
  readonly model: string;
  readonly deliberation: DeliberationId;
  readonly at: string;
  /** The review's event. */
  readonly event: EventId;
  /** How like it what was said of the others beside it is, at most: 0 to 1; null where nothing was. */
  readonly likeness: number | null;
};

export type PersonaFeedback = {
  readonly persona: string;
  /** The newest first. */
  readonly remarks: readonly PersonaRemark[];
  /** Of how many deliberations. */
  readonly runs: number;
  /** How many more were left out because they are held out. */
  readonly heldOut: number;
};

/** The deliberations that are looked at, unless somebody says otherwise. */
const FEEDBACK_RUNS = 50;
/** The most remarks that a prompt shows, and of each the most characters. */
const SHOWN_REMARKS = 60;
const SHOWN_LENGTH = 400;
/** What is said of a persona and is less like all that is said beside it is unique. */
const UNIQUE_LIKENESS = 0.25;

/** What peers wrote about a persona in its last `limit` reviewed deliberations. */
export async function readFeedback(
  known: Projected & { readonly store: OrganizationStore },
  { persona, limit = FEEDBACK_RUNS }: { readonly persona: string; readonly limit?: number },
  reading: ProjectionReading,
): Promise<PersonaFeedback> {
  const mayFeed = await heldOutFilter(known.store);
  const remarks: PersonaRemark[] = [];
  let [runs, heldOut] = [0, 0];
  for await (const entries of readNaming(known, { persona }, reading)) {
    if (runs >= limit) break;
    const votes = votesIn(entries);
    const own = votes.filter(
      ({ voter, candidate }) => candidate.persona === persona && voter.persona !== persona,
    );
    if (own.length === 0) continue;
    if (await isHeldOutRun(known.store, entries)) {
      heldOut += 1;
      continue;
    }
    runs += 1;
    const likeness = likenessTo(
      votes
        .filter(({ candidate }) => candidate.persona !== persona)
        .flatMap(({ strengths, weaknesses }) => [...strengths, ...weaknesses]),
    );
    for (const { voter, strengths, weaknesses, deliberation, at, event } of own)
      for (const [kind, texts] of [
        ["strength", strengths],
        ["weakness", weaknesses],
      ] as const)
        for (const text of texts.filter((one) => one.trim() !== "" && mayFeed(one)))
          remarks.push({
            ...{ kind, text: text.trim(), by: voter.persona, model: voter.model, at },
            deliberation: deliberation as DeliberationId,
            event: event as EventId,
            likeness: likeness(text),
          });
  }
  return { persona, remarks, runs, heldOut };
}

/** What is said of nobody else, the least like first. */
export const uniqueRemarks = ({ remarks }: PersonaFeedback): readonly PersonaRemark[] =>
  remarks
    .filter(({ likeness }) => likeness !== null && likeness < UNIQUE_LIKENESS)
    .toSorted((one, other) => (one.likeness ?? 0) - (other.likeness ?? 0));

/** Remarks as a prompt shows them. */
export const shownRemarks = ({ remarks }: Pick<PersonaFeedback, "remarks">): readonly string[] =>
  remarks
    .slice(0, SHOWN_REMARKS)
    .map(
      ({ kind, text }) => `${kind === "strength" ? "Strength" : "Weakness"}: ${text.slice(0, SHOWN_LENGTH)}`,
    );

/** Opens the summary of a persona's feedback, or finds it: the same remarks are summarized once. @throws Fault */
export async function openSummary(
  context: AppContext,
  {
    persona,
    feedback,
  }: { readonly persona: Pick<LoadedPersona, "id" | "name">; readonly feedback: PersonaFeedback },
): Promise<Resumed> {
  const remarks = shownRemarks(feedback);
  const { callTimeoutMs } = context.settings;
  const { id, name } = persona;
  const writer = await seatWriter(context);
  const settings = {
    kind: "summary" as const,
    persona: { id, name },
    remarks: remarks.length,
    callTimeoutMs,
  };
  const measurement = await openMeasurement(context, {
    protocol: personaProtocol,
    question: `What peers wrote about ${name}`,
    texts: remarks.map((text, index) => ({ name: `remark/${index + 1}`, text })),
    part: { settings, participants: [writer] },
    identity: ({ templates, settings: own }) => ({ own, templates, model: writer.model }),
    again: false,
  });
  return resumable(context, {
    ...measurement,
    key: `${summaryRequest(id)}${digestOf(measurement.key).slice(0, 32)}`,
  });
}

/** The model that breeds personas and summarizes feedback: the chair, or else the first of the panel. @throws Fault */
export async function seatWriter(context: AppContext): Promise<SeatedParticipant> {
  const { chairs, members } = await choosePanel(context);
  const model = chairs[0] ?? members[0];
  if (model === undefined) throw refusal("no model is set", "set a model, e.g. openai/gpt-6.1-terra");
  return {
    id: ParticipantId.parse("writer"),
    seat: "writer",
    persona: { name: "Writer", instructions: "" },
    model,
    family: familyOf(model, context.settings.families),
  };
}
