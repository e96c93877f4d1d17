import { type AppContext, checkModelRef, parseModelRef } from "../../../app/context.ts";
import { protocolSettings } from "../../../app/opening.ts";
import type { FileContext } from "../../../config/paths.ts";
import { type NewDeliberation, textDigest } from "../../../engine/index.ts";
import { type EvaluationConfig, readEvaluationFile } from "./dialectic/agent-file.ts";
import { type Families, familyOf, type Fault, ParticipantId, refusal } from "../../../kernel/index.ts";
import { mapModels } from "../protocol/debate/seats.ts";
import type { DebateRecord } from "../protocol/debate/view/record.ts";
import {
  createEvaluationContext,
  evaluation,
  type EvaluationTexts,
  ownTemplate,
} from "../protocol/evaluation/index.ts";
import {
  evaluationsIn,
  familyWarning,
  lostEvaluations,
  sharedFamilies,
} from "../protocol/evaluation/view.ts";
import type { EvaluationWork } from "../protocol/evaluation/work.ts";
import { extractCoverage } from "../../../replies/coverage.ts";
import { extractRequirements } from "../../../text/requirements.ts";
import { openMeasurement, resumable, type Resumed } from "../../../app/resumable.ts";

/** A debate, and who evaluates its solution. */
export type EvaluationRequest = Evaluators & {
  readonly record: DebateRecord;
  /** Evaluates again what has been evaluated before. */
  readonly again: boolean;
};

type OpenedEvaluation = Resumed & {
  readonly evaluators: readonly { readonly id: string; readonly model: string }[];
  /** What the person who asked should know before it starts. */
  readonly notes: readonly string[];
};

/**
 * Opens or finds the deliberation in which these evaluators score this debate. Where calls failed, or the budget was
 * exhausted, a fork of the run that got furthest asks for the rest; a limit counts for each run by itself.
 * @throws Fault `configuration`, `authentication`, `budget`
 */
export async function openEvaluation(
  context: AppContext,
  request: EvaluationRequest,
): Promise<OpenedEvaluation> {
  const { warnings, ...measurement } = await prepareEvaluation(context, request);
  const { opening } = measurement;
  const resumed = await resumable(context, {
    ...measurement,
    isBudgetEach: true,
    countReplies: evaluationsIn,
    lostCalls: lostEvaluations,
    changes: (_, nth, budget) => ({
      settings: { ...opening.settings, again: Math.min(nth, MAX_RETRIES) },
      budget,
    }),
  });
  const evaluators = opening.participants.map(({ id, model }) => ({ id, model }));
  return { ...resumed, evaluators, notes: warnings };
}

/** The protocol's settings allow no more retries of a failed call. */
const MAX_RETRIES = 100;

async function prepareEvaluation(context: AppContext, { record, again, ...who }: EvaluationRequest) {
  const { settings } = context;
  const { texts, work } = subjectOf(record, settings.families);
  const { participants, timeoutsMs, templates, warnings } = await evaluatorSeats(context, who);
  if (settings.strictFamilies) refuseFamilies(participants, work.debaters);
  const material = createEvaluationContext(texts);
  refuseTooMuch(material, settings.maxContextBytes);
  const asking = { ...work, maxOutputTokens: settings.reviewTokens };
  const measurement = await openMeasurement(context, {
    protocol: evaluation,
    question: `Evaluate the solution of the debate ${record.id.slice(0, 200)}`,
    texts: material,
    again,
    part: {
      settings: { ...asking, callTimeoutMs: settings.callTimeoutMs, timeoutsMs },
      participants,
      templates,
    },
    identity: (opening) => ({
      asking: protocolSettings(evaluation, asking),
      participants: participants.map(({ id, persona, model, family, temperature }) => ({
        id,
        model,
        family,
        temperature: temperature ?? null,
        persona: [persona.name, textDigest(persona.instructions.toWellFormed())],
      })),
      templates: Object.entries(opening.templates).map(([name, text]) => [
        name,
        textDigest(text.toWellFormed()),
      ]),
    }),
  });
  return { ...measurement, warnings };
}

/** @throws Fault `configuration` for an evaluator of the same family as a debater */
function refuseFamilies(...seats: Parameters<typeof sharedFamilies>): void {
  const [shared] = sharedFamilies(...seats);
  if (!shared) return;
  const next = "choose an evaluator of another family, or set strict-families: false";
  throw refusal(familyWarning(shared).slice(0, 600), next);
}

/** @throws Fault `configuration` for more bytes than the context of a question may have */
function refuseTooMuch(context: NewDeliberation["context"], mostBytes: number): void {
  const bytes = context.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  if (bytes <= mostBytes) return;
  throw refusal(
    `the debate has ${bytes} bytes to evaluate, more than ${mostBytes}`,
    "raise max-context-bytes",
  );
}

/** The evaluators: those of a configuration file, or one for each of these models. */
export type Evaluators = {
  /** Relative paths of files start here. */
  readonly place: FileContext;
  readonly config?: string | undefined;
  readonly models?: readonly string[] | undefined;
  /** See `mapModels`. */
  readonly mapModels?: string | undefined;
};

/** It is low, so that the same solution gets the same scores. */
const TEMPERATURE = 0.1;
const MAX_EVALUATORS = 26;

/**
 * Seats evaluators, with the judge's instructions or those of their own files.
 * @throws Fault `configuration` where they are named twice or not at all, and as `readEvaluationFile`, `mapModels` and
 * `checkedRef` do
 */
async function evaluatorSeats(context: AppContext, given: Evaluators) {
  const { agents, warnings } = evaluatorsOf(given);
  const mapped = given.mapModels === undefined ? agents : mapModels(agents, given.mapModels);
  const instructions = context.resources.persona("judge").instructions;
  return {
    participants: await Promise.all(
      mapped.map(async ({ id, name, model: ref, prompts: { system } }) => {
        const model = await checkModelRef(context, ref);
        return {
          id,
          seat: "evaluator",
          persona: { name, instructions: system.source === "file" ? system.text : instructions },
          model,
          family: familyOf(model, context.settings.families),
          temperature: TEMPERATURE,
        };
      }),
    ),
    templates: Object.fromEntries(
      mapped.flatMap(({ id, prompts: { user } }) =>
        user.source === "file" ? [[ownTemplate(id), user.text]] : [],
      ),
    ),
    timeoutsMs: Object.fromEntries(
      mapped.flatMap(({ id, timeoutMs }) => (timeoutMs === undefined ? [] : [[id, timeoutMs]])),
    ),
    warnings,
  };
}

/** @throws Fault `configuration` */
function evaluatorsOf({ config, models = [], place }: Evaluators): EvaluationConfig {
  if (config !== undefined) {
    if (models.length === 0) return readEvaluationFile(config, place);
    throw refusal(
      "the evaluators are named twice: by a configuration file and by their models",
      "name them in one way; a model map changes the models of a file",
    );
  }
  if (models.length === 0 || models.length > MAX_EVALUATORS)
    throw refusal(
      models.length === 0
        ? "no evaluators given"
        : `at most ${MAX_EVALUATORS} evaluators are allowed (got ${models.length})`,
      "name a configuration file, or models as provider/model",
    );
  const builtIn = { source: "built-in" } as const;
  const agents = models.map((ref, index) => ({
    id: ParticipantId.parse(`eval-${index + 1}`),
    name: `Evaluator ${index + 1}`,
    model: parseModelRef(ref),
    timeoutMs: undefined,
    prompts: { system: builtIn, user: builtIn },
  }));
  return { agents, warnings: [] };
}

/**
 * What of a debate is evaluated. Its requirements are read out of the problem anew, so that debates of any origin are
 * measured alike; of an agent's coverage counts what it wrote last.
 * @throws Fault `configuration` for a debate without problem or solution
 */
export function subjectOf(
  record: DebateRecord,
  families: Families,
): { readonly texts: EvaluationTexts; readonly work: EvaluationWork } {
  const { problem, clarifications, synthesis } = record;
  if (problem.trim() === "") throw missing(record, "has no problem", "name a result file that has one");
  if (synthesis === null || synthesis.text.trim() === "") {
    const next =
      record.source === "parley" && record.status === "waiting"
        ? `it waits for answers to its questions: answer ${record.id} first`
        : record.source === "parley" && record.status === "open"
          ? `it is still open: resume ${record.id} first`
          : "name a debate that came to a synthesis";
    throw missing(record, "has no solution", next);
  }
  const { major, minor } = extractRequirements(problem);
  return {
    texts: {
      problem,
      solution: synthesis.text,
      clarifications: clarifications.map(({ question, answer }) => ({ question, answer: answer ?? "NA" })),
      coverage: coverageIn(record),
    },
    work: {
      debate: { id: record.id, simulated: record.simulated },
      debaters: debatersIn(record, families),
      requirements: { major: [...major], minor: [...minor] },
      unfulfilled: [...synthesis.unfulfilledMajorRequirements],
    },
  };
}

const missing = ({ id }: DebateRecord, what: string, next: string): Fault<"configuration"> =>
  refusal(`the debate ${id.slice(0, 100)} ${what} to evaluate`, next);

/** From the last refinement of each agent, else from its last proposal; agents that say nothing of it are left out. */
function coverageIn({ agents, rounds }: DebateRecord): EvaluationTexts["coverage"] {
  return agents.flatMap(({ id }) => {
    const last = (kind: "refinements" | "proposals") =>
      rounds.flatMap((round) => round[kind].filter(({ by }) => by === id)).at(-1);
    const text = extractCoverage((last("refinements") ?? last("proposals"))?.text ?? "");
    return text === null ? [] : [{ label: id, text }];
  });
}

/** The agents and the judge, with the families of all models that wrote for them. */
function debatersIn(record: DebateRecord, families: Families): EvaluationWork["debaters"] {
  const { agents, judge, rounds, judgeSummary, synthesis } = record;
  // Files name models without their provider.
  const findFamily = (model: string | null) =>
    model === null ? [] : (familyOf(model.includes("/") ? model : `any/${model}`, families) ?? []);
  const debater = (
    { id, role, model, family }: DebateRecord["agents"][number],
    texts: readonly { readonly model: string | null }[],
  ): EvaluationWork["debaters"][number] => {
    const known = [model, ...texts.map((text) => text.model)].flatMap(findFamily);
    return { id, role, families: [...new Set(known.length > 0 || family === null ? known : [family])] };
  };
  const texts = rounds.flatMap((round) => [...round.proposals, ...round.critiques, ...round.refinements]);
  const writtenBy = (id: string) => texts.filter(({ by }) => by === id);
  const judged = [judgeSummary, synthesis].filter((text) => text !== null);
  return [
    ...agents.map((agent) => debater(agent, writtenBy(agent.id))),
    ...(judge ? [debater(judge, judged)] : []),
  ];
}
