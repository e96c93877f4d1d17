import { findNearest } from "../text/words.ts";
import type { AnyReactor } from "../engine/reactor.ts";
import { loadReactors, type Reactors } from "../engine/index.ts";
import { familyOf, Json, ModelRef, type RecallRules, type UserId, refusal } from "../kernel/index.ts";
import { explainIssue } from "../config/explain.ts";
import type { Note } from "../engine/opening-part.ts";
import type { Resources } from "../config/resources.ts";
import { chooseJudgeForm } from "../protocols/phases/judge-prompts.ts";
import type { CriticSettings } from "../reactors/critic/index.ts";
import type { AnswerJudgeSettings } from "../reactors/judging/request.ts";
import type { MemorySettings } from "../reactors/memory/index.ts";
import { checkModelRef, type AppContext, type EffectiveSettings } from "./context.ts";
import { judgeFamilyNote } from "./panel.ts";

/** What an opening pins for the reactors that the settings enable. @throws Fault `configuration`, `authentication` for a judge that cannot work */
export async function reactionPlan(
  context: AppContext,
  {
    answering,
    pairwise = false,
    user,
  }: {
    /** The models whose answers are graded. */
    readonly answering: readonly ModelRef[];
    /** Whether a judge compares two answers. */
    readonly pairwise?: boolean;
    readonly user: UserId;
  },
) {
  const { reactors, resources, settings } = context;
  const critic = criticSettings(resources, settings);
  if (critic && settings.judge.length > 0) await checkModelRef(context, critic.model);
  const memory = { ...memorySettings(resources, settings), user };
  /** The reactors that are configured by settings of their own. */
  const configured: Readonly<Record<string, unknown>> = {
    critic: critic ?? undefined,
    pairwise: critic && pairwise ? pairwiseSettings(critic) : undefined,
    // With neither memory nor a critic, there is nothing to store or annotate.
    memory: memory.write || critic ? memory : undefined,
  };
  refuseUnknown(settings.reactors, reactors);
  const named = await loadReactors(
    reactors,
    (name) => configured[name] !== undefined || settings.reactors[name] !== undefined,
  );
  const enabled = named.flatMap((reactor) => {
    const pinned = configured[reactor.name] ?? reactorSettings(reactor, settings.reactors[reactor.name]);
    // The reactor's schema or settings file has validated them.
    return pinned === undefined ? [] : [{ reactor, pinned, needs: reactor.requires?.(pinned as never) }];
  });
  return {
    // The settings were read from JSON or YAML, so they are JSON.
    settings: Object.fromEntries(enabled.map(({ reactor, pinned }) => [reactor.name, Json.parse(pinned)])),
    /** The models that reactors call, besides the participants' models. */
    models: [...new Set(enabled.flatMap(({ needs }) => needs?.models ?? []))],
    /** The templates that reactors render. */
    templates: [...new Set(enabled.flatMap(({ needs }) => needs?.templates ?? []))],
    notes: [
      ...(critic ? fileNotes(resources.critic()) : []),
      ...(settings.memory ? fileNotes(resources.memory()) : []),
      ...(critic ? familyNotes(context, critic.model, answering) : []),
    ],
  };
}

/** A reactor's settings below `reactors`; undefined if it is off. @throws Fault `configuration` */
export function reactorSettings(reactor: AnyReactor, given: unknown): unknown {
  if (given === undefined || given === false) return undefined;
  const { name, settings, switch: own } = reactor;
  if (own !== undefined)
    throw refusal(
      `reactors.${name}: this reactor is turned on by the setting ${own}`,
      `remove it and set ${own}`,
    );
  if (!settings) return undefined; // it reacts to every deliberation
  const read = settings.safeParse(given === true ? {} : given, { reportInput: true });
  if (read.success) return read.data;
  const { path, say, next } = explainIssue(settings, read.error);
  const why = say(["reactors", name, ...path].join("."));
  throw refusal(why, next ?? "correct it in parley.yaml");
}

function refuseUnknown(given: Readonly<Record<string, unknown>>, known: Reactors): void {
  const names = known.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw refusal(`reactors: there is no reactor "${unknown}"`, `did you mean ${findNearest(unknown, names)}?`);
}

const fileNotes = ({ warnings }: { readonly warnings: readonly string[] }): Note[] =>
  warnings.map((text) => ({ code: "warning", text }));

function familyNotes({ settings }: AppContext, judge: ModelRef, answering: readonly ModelRef[]): Note[] {
  const family = familyOf(judge, settings.families);
  const shared = answering.find((ref) => familyOf(ref, settings.families) === family);
  if (family === null || shared === undefined) return [];
  return [judgeFamilyNote({ judge, family, model: shared }, settings)];
}

/**
 * The critic's settings: `critic.yaml` with its rubrics; the first judge of the settings replaces its model.
 * null if the critic is off, or `auto` without a judge in the request or a file.
 * @throws Fault `configuration` for an invalid `critic.yaml` or rubric
 */
export function criticSettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "critic" | "judge" | "compatible">,
): CriticSettings | null {
  const [judge] = settings.judge;
  if (settings.critic === "off") return null;
  const loaded = resources.critic();
  if (settings.critic === "auto" && judge === undefined && !loaded.says.model) return null;
  const { critic } = loaded;
  const model = judge ?? critic.model;
  const bounded = loaded.says.context || makesRoom(model, settings);
  return {
    model,
    temperature: critic.temperature,
    contextTokens: bounded ? critic.contextTokens : null,
    maxOutputTokens: critic.maxOutputTokens,
    timeoutMs: critic.timeoutMs,
    form: critic.form ?? chooseJudgeForm(model),
    rubric: critic.rubric,
    kind: critic.kind,
    rules: [...critic.rules],
  };
}

/** Ollama's own default cuts longer prompts silently; requests for this many tokens run on most machines. */
const OLLAMA_CONTEXT = 8_192;

/** The tokens that a respondent's prompt and reply may have together; undefined if neither settings nor server say. */
export function contextTokensOf(
  ref: ModelRef | string,
  settings: Pick<EffectiveSettings, "compatible" | "respondContext">,
): number | undefined {
  const model = ModelRef.parse(ref);
  const [provider, name = ""] = model.split("/");
  const declared = provider === "compatible" ? settings.compatible[name]?.context : undefined;
  return settings.respondContext ?? declared ?? (makesRoom(model, settings) ? OLLAMA_CONTEXT : undefined);
}

/** True if the model's server allocates its context length per request. */
function makesRoom(model: ModelRef, { compatible }: Pick<EffectiveSettings, "compatible">): boolean {
  const [provider, name = ""] = model.split("/");
  if (provider !== "compatible") return provider === "ollama";
  return compatible[name]?.wire === "ollama";
}

/** The critic also compares answers, by its default rubric. */
export function pairwiseSettings({ kind: _, rules: __, ...judge }: CriticSettings): AnswerJudgeSettings {
  return judge;
}

/**
 * The memory reactor's settings; with memory off, it writes nothing.
 * @throws Fault `configuration` for an invalid `memory.yaml`
 */
export function memorySettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): MemorySettings {
  const { mergeAt, retireAt, write } = resources.memory().memory;
  return { user: settings.user, write: settings.memory && write, mergeAt, retireAt };
}

/** The memory owner and the recall rules; null if memory is off. @throws Fault `configuration` for an invalid `memory.yaml` */
export function recallSettings(
  resources: Pick<Resources, "critic" | "memory">,
  settings: Pick<EffectiveSettings, "memory" | "user">,
): { readonly user: UserId; readonly rules: RecallRules } | null {
  return settings.memory ? { user: settings.user, rules: resources.memory().memory.recall } : null;
}
