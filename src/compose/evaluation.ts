import { digestOf, idOfRequest, textDigest, type Asked } from "../engine/index.ts";
import {
  canonical,
  Fault,
  isEvent,
  OrganizationId,
  type Closing,
  type DeliberationId,
  type Entry,
} from "../kernel/index.ts";
import {
  evaluationsIn,
  familyWarning,
  lostEvaluations,
  sharedFamilies,
  type DebateRecord,
} from "../projections/index.ts";
import { contextOf, evaluation } from "../protocols/evaluation/index.ts";
import { budgetOf, refuseUnknownPrices, settingsOf, templatesOf } from "./convene.ts";
import { subjectOf } from "./evaluation-subject.ts";
import { evaluatorSeats, type Evaluators, type EvaluatorSeats } from "./evaluators.ts";
import type { Parley } from "./parley.ts";

/** A debate, and who evaluates its solution. */
export type Evaluating = Evaluators & {
  readonly record: DebateRecord;
  /** Evaluates anew what has been evaluated before. */
  readonly again: boolean;
};

type OpenedEvaluation = {
  readonly id: DeliberationId;
  /** `new`: nothing was recorded; `open`: it goes on where it was; `closed`: all is recorded; `forked`: what an ended run lacks is asked. */
  readonly state: "new" | "open" | "closed" | "forked";
  /** The evaluators, with their models. */
  readonly evaluators: readonly { readonly id: string; readonly model: string }[];
  /** What its owner should know before it starts. */
  readonly notes: readonly string[];
};

/**
 * The deliberation in which these evaluators score this debate. Its id follows from all that its prompts are made from, so
 * that the same command finds it again: it goes on where it was, or is shown. Where calls failed, or the budget did not
 * reach, a fork of the run that got furthest asks for the rest; a cap counts for each run by itself.
 * @throws Fault `configuration`, `authentication`, `budget`
 */
export async function openEvaluation(parley: Parley, given: Evaluating): Promise<OpenedEvaluation> {
  const { key, asked, warnings } = prepared(parley, given);
  const evaluators = asked.participants.map(({ id, model }) => ({ id, model }));
  const as = (id: DeliberationId, state: OpenedEvaluation["state"]): OpenedEvaluation => ({
    id,
    state,
    evaluators,
    notes: warnings,
  });
  let furthest: { readonly id: DeliberationId; readonly read: number } | undefined;
  for (let turn = 0; ; turn += 1) {
    const request = turn === 0 ? key : `${key}/${turn}`;
    const id = idOfRequest(asked.organization, request);
    const entries = await parley.store.read(id);
    const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
    if (!opened) {
      if (!furthest) await parley.engine.open(request, asked);
      else {
        const settings = { ...asked.settings, again: Math.min(turn, MOST_AGAIN) };
        await parley.engine.fork(furthest.id, { request, changes: { settings, budget: asked.budget } });
      }
      return as(id, furthest ? "forked" : "new");
    }
    const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
    if (!closing) return as(id, "open");
    if (!canGoOn(closing, entries, canonical(opened.data.budget) !== canonical(asked.budget)))
      return as(id, "closed");
    const read = evaluationsIn(entries);
    if (!furthest || read >= furthest.read) furthest = { id, read };
  }
}

/** As often as the protocol's settings let a failed call be asked again. */
const MOST_AGAIN = 100;

/** Whether an ended run lacks something that asking again could bring. */
const canGoOn = (closing: Closing, entries: readonly Entry[], otherBudget: boolean): boolean =>
  closing.outcome === "stopped-by-budget"
    ? otherBudget
    : closing.outcome === "failed" || closing.outcome === "cancelled" || lostEvaluations(entries).length > 0;

function prepared(
  parley: Parley,
  { record, again, ...who }: Evaluating,
): { readonly key: string; readonly asked: Asked; readonly warnings: readonly string[] } {
  const { settings, world } = parley;
  const { texts, work } = subjectOf(record, settings.families);
  const seats = evaluatorSeats(parley, who);
  if (settings.strictFamilies) refuseFamilies(seats, work.debaters);
  const context = contextOf(texts);
  refuseTooMuch(context, settings.maxContextBytes);
  const { participants, timeoutsMs } = seats;
  const budget = budgetOf(settings);
  if (budget.usd !== undefined) refuseUnknownPrices(parley, participants);
  const templates = { ...templatesOf(evaluation.templates, parley), ...seats.templates };
  const asking = settingsOf(evaluation, { ...work, maxOutputTokens: settings.reviewTokens });
  const digest = digestOf({
    version: evaluation.version,
    asking,
    participants: participants.map(({ id, persona, model, family, temperature }) => ({
      id,
      persona: [persona.name, textDigest(persona.instructions.toWellFormed())],
      model,
      family,
      temperature: temperature ?? null,
    })),
    templates: Object.entries(templates).map(([name, text]) => [name, textDigest(text.toWellFormed())]),
    texts: context.map(({ name, text }) => [name, textDigest(text.toWellFormed())]),
    seed: settings.seed ?? null,
  });
  return {
    key: `evaluation/${digest}${again ? `/again/${world.id()}` : ""}`,
    asked: {
      question: `Evaluate the solution of the debate ${record.id.slice(0, 200)}`,
      context,
      protocol: { name: evaluation.name, version: evaluation.version },
      settings: settingsOf(evaluation, {
        ...work,
        maxOutputTokens: settings.reviewTokens,
        callTimeoutMs: settings.callTimeoutMs,
        timeoutsMs,
      }),
      participants,
      templates,
      seed: settings.seed ?? world.id(),
      budget,
      organization: OrganizationId.parse(settings.organization),
    },
    warnings: seats.warnings,
  };
}

/** @throws Fault `configuration` for an evaluator of a debater's family */
function refuseFamilies(
  { participants }: EvaluatorSeats,
  debaters: Parameters<typeof sharedFamilies>[1],
): void {
  const [shared] = sharedFamilies(participants, debaters);
  if (!shared) return;
  const next = "choose an evaluator of another family, or set strict-families: false";
  throw new Fault("configuration", { why: familyWarning(shared).slice(0, 600), next });
}

/** @throws Fault `configuration` for more than any other question may bring with it */
function refuseTooMuch(context: Asked["context"], mostBytes: number): void {
  const bytes = context.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes <= mostBytes) return;
  throw new Fault("configuration", {
    why: `the debate has ${bytes} bytes to evaluate, more than ${mostBytes}`,
    next: "raise max-context-bytes",
  });
}
