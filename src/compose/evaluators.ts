import { loadPersonas, mapModels, personaOf, readEvaluationFile, type Evaluator } from "../config/index.ts";
import type { Asked } from "../engine/index.ts";
import { familyOf, Fault, ParticipantId } from "../kernel/index.ts";
import { ownTemplate } from "../protocols/evaluation/index.ts";
import { checkedRef } from "./panel.ts";
import type { Parley } from "./parley.ts";

/** Who evaluates: as a configuration file says, or these models, one evaluator each. */
export type Evaluators = {
  readonly config?: string | undefined;
  readonly models?: readonly string[] | undefined;
  /** See `mapModels`. */
  readonly mapModels?: string | undefined;
};

/** What of an evaluation's opening belongs to those who evaluate. */
export type EvaluatorSeats = {
  readonly participants: Asked["participants"];
  /** Their own user prompts, to be pinned. */
  readonly templates: Readonly<Record<string, string>>;
  /** Milliseconds, by evaluator. */
  readonly timeoutsMs: Readonly<Record<string, number>>;
  readonly warnings: readonly string[];
};

/** Low, so that the same solution is scored alike. */
const TEMPERATURE = 0.1;
const MOST = 26;

/**
 * Seats evaluators, with the judge's instructions or those of their own files.
 * @throws Fault `configuration` where they are named twice or not at all, and as `readEvaluationFile`, `mapModels` and
 * `checkedRef` do
 */
export function evaluatorSeats(parley: Parley, given: Evaluators): EvaluatorSeats {
  const { agents, warnings } = evaluatorsOf(parley, given);
  const mapped = given.mapModels === undefined ? agents : mapModels(agents, given.mapModels);
  const instructions = personaOf(loadPersonas(parley), "judge").instructions;
  return {
    participants: mapped.map(({ id, name, model: ref, prompts: { system } }) => {
      const model = checkedRef(parley, ref);
      return {
        id,
        seat: "evaluator",
        persona: { name, instructions: system.source === "file" ? system.text : instructions },
        model,
        family: familyOf(model, parley.settings.families),
        temperature: TEMPERATURE,
      };
    }),
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

function evaluatorsOf(
  parley: Parley,
  { config, models = [] }: Evaluators,
): { readonly agents: readonly Evaluator[]; readonly warnings: readonly string[] } {
  if (config !== undefined && models.length > 0) {
    const why = "the evaluators are named by --config and by --model";
    throw new Fault("configuration", { why, next: "give one of them; --map-models changes a file's models" });
  }
  if (config === undefined) return { agents: ofModels(parley, models), warnings: [] };
  return readEvaluationFile(config, parley);
}

function ofModels(parley: Parley, models: readonly string[]): readonly Evaluator[] {
  if (models.length === 0 || models.length > MOST) {
    const why = models.length === 0 ? "no evaluator is named" : `more than ${MOST} evaluators are named`;
    throw new Fault("configuration", {
      why,
      next: "add --config FILE, or --model with their models (provider/model, comma-separated)",
    });
  }
  const builtIn = { source: "built-in" } as const;
  return models.map((ref, index) => ({
    id: ParticipantId.parse(`eval-${index + 1}`),
    name: `Evaluator ${index + 1}`,
    model: checkedRef(parley, ref),
    timeoutMs: undefined,
    prompts: { system: builtIn, user: builtIn },
  }));
}
