import * as z from "zod";
import { loadPersonas, loadTemplates, personaOf, readContext, type LoadedPersona } from "../config/index.ts";
import type { AnyProtocol, Asked } from "../engine/index.ts";
import {
  canonical,
  familyOf,
  Fault,
  Json,
  OrganizationId,
  ParticipantId,
  type Budget,
  type ModelRef,
} from "../kernel/index.ts";
import { PROMPT_SLOTS, templateTrouble } from "../prompts/index.ts";
import type { AskSettings } from "../protocols/ask/index.ts";
import { findPanel, type Panel } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { reactionPlan } from "./reaction-plan.ts";
import { protocolOf } from "./registry.ts";
import { strategyOf } from "./strategy.ts";

type Seated = Asked["participants"][number];

/** A question, and what of its deliberation is not as the settings say. */
export type Convening = {
  /** By name: one that seats members and a chair. */
  readonly protocol: string;
  readonly question: string;
  readonly files: readonly string[];
  readonly stdin: string | undefined;
  /** Instead of the configured models. */
  readonly panel?: Panel;
  /** Over what the settings say of the protocol's own. */
  readonly settings?: Partial<z.input<typeof AskSettings>>;
  readonly seed?: string;
  /** Whether its answer is graded and remembered, as the settings say; by default nothing comes after it. */
  readonly reactions?: boolean;
};

/** A deliberation on this question, as it will be opened, and what its owner should know before it starts. */
export async function convene(
  parley: Parley,
  given: Convening,
): Promise<{ asked: Asked; notes: readonly string[] }> {
  const question = given.question.trim();
  if (question === "") {
    throw new Fault("configuration", {
      why: "the question is empty",
      next: 'ask one: parley "What is 17 * 23?"',
    });
  }
  const { settings, world } = parley;
  const protocol = protocolOf(given.protocol);
  const strategy = strategyOf(parley);
  const { cwd, env } = parley;
  const context = await readContext({
    files: given.files,
    stdin: given.stdin,
    mostBytes: settings.maxContextBytes,
    cwd,
    env,
  });
  const { members, chairs, judges, notes } = given.panel ?? (await findPanel(parley));
  const participants = seated(parley, { member: members, chair: chairs, judge: judges });
  const budget = budgetOf(settings);
  const plan = given.reactions === true ? reactionPlan(parley, { answering: chairs }) : undefined;
  if (budget.usd !== undefined)
    refuseUnknownPrices(parley, [...participants, ...(plan?.models ?? []).map((model) => ({ model }))]);
  const templates = templatesOf([...protocol.templates, ...(plan?.templates ?? [])], parley);
  return {
    notes: [...notes, ...(plan?.notes ?? [])],
    asked: {
      question,
      context,
      protocol: { name: protocol.name, version: protocol.version },
      settings: settingsOf(protocol, {
        ...phases(parley),
        mode: settings.mode,
        strategy: strategy.settings,
        ...given.settings,
      }),
      participants,
      templates: { ...templates, strategy: strategy.directive },
      ...(plan ? { reactions: plan.settings } : {}),
      seed: given.seed ?? settings.seed ?? world.id(),
      budget,
      organization: OrganizationId.parse(settings.organization),
    },
  };
}

/** These templates as they are in force. @throws Fault `configuration` for an override whose slots are not the template's */
export function templatesOf(
  names: readonly string[],
  place: Pick<Parley, "env" | "cwd">,
): Record<string, string> {
  // The strategy's directive is a template of the opening's own.
  const wanted = Object.entries(PROMPT_SLOTS).filter(([name]) => names.includes(name));
  const loaded = loadTemplates(
    wanted.map(([name]) => name),
    place,
  );
  return Object.fromEntries(
    wanted.map(([name, slots]) => {
      const template = loaded[name];
      const trouble = template ? templateTrouble(template.text, slots) : "it was not found";
      if (!template || trouble !== undefined) {
        const why = `the prompt ${template?.path ?? name} cannot be used: ${trouble}`;
        throw new Fault("configuration", {
          why,
          next: `its slots are ${slots.map((slot) => `{{${slot}}}`).join(", ")}`,
        });
      }
      return [name, template.text];
    }),
  );
}

/** How many templates are in force, after the check that every protocol could be opened on its own. */
export const convenable = (place: Pick<Parley, "env" | "cwd">): number =>
  Object.keys(templatesOf(Object.keys(PROMPT_SLOTS), place)).length;

/**
 * A protocol's settings as the opening keeps them: JSON, checked and completed by its schema, what is undefined left
 * out. What the protocol has no setting for is left out where the user's files say it for all protocols.
 * @throws Fault `configuration`
 */
export function settingsOf(
  { name, settings }: AnyProtocol,
  given: Readonly<Record<string, unknown>>,
): Record<string, Json> {
  const known = settings instanceof z.ZodObject ? Object.keys(settings.shape) : Object.keys(given);
  const read = settings.safeParse(
    Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key))),
  );
  if (!read.success) {
    const [issue] = read.error.issues;
    const why = `the settings of ${name} cannot be used: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
    throw new Fault("configuration", { why, next: `parley ${name} --help lists them` });
  }
  return z.record(z.string(), Json).parse(JSON.parse(canonical(read.data)));
}

/** What of the settings says how the phases go. */
function phases({ settings }: Parley): z.input<typeof AskSettings> {
  const {
    effort,
    quorum,
    callTimeoutMs,
    patienceMs,
    draftTokens: draft,
    reviewTokens: review,
    synthesisTokens: synthesis,
  } = settings;
  return { effort, quorum, callTimeoutMs, patienceMs, maxOutputTokens: { draft, review, synthesis } };
}

export type Caps = Pick<Parley["settings"], "maxCostUsd" | "maxTokens" | "maxCalls" | "timeoutMs">;

/** The caps of a deliberation that these settings open. */
export function budgetOf({
  maxCostUsd: usd,
  maxTokens: tokens,
  maxCalls: calls,
  timeoutMs: timeMs,
}: Caps): Budget {
  return {
    ...(usd === undefined ? {} : { usd }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(calls === undefined ? {} : { calls }),
    ...(timeMs === undefined ? {} : { timeMs }),
  };
}

/** Seats these models: each member with another persona, going round when there are more members than personas. */
export function seated(
  parley: Parley,
  seats: {
    readonly member: readonly ModelRef[];
    readonly chair: readonly ModelRef[];
    readonly judge: readonly ModelRef[];
  },
): Seated[] {
  const personas = loadPersonas(parley);
  const named = (id: string): LoadedPersona => personaOf(personas, id);
  const ids = parley.settings.personas;
  const seat = (
    persona: LoadedPersona,
    { name, turn, model }: { name: string; turn: number; model: ModelRef },
  ): Seated => ({
    id: ParticipantId.parse(turn === 0 ? persona.id : `${persona.id}-${turn + 1}`),
    seat: name,
    persona: {
      name: turn === 0 ? persona.name : `${persona.name} ${turn + 1}`,
      instructions: persona.instructions,
    },
    model,
    family: familyOf(model, parley.settings.families),
    ...(persona.temperature === undefined ? {} : { temperature: persona.temperature }),
  });
  return [
    ...seats.member.map((model, index) =>
      seat(named(ids[index % ids.length] ?? "analyst"), {
        name: "member",
        turn: Math.floor(index / ids.length),
        model,
      }),
    ),
    ...seats.chair.map((model, turn) => seat(named("chair"), { name: "chair", turn, model })),
    ...seats.judge.map((model, turn) => seat(named("judge"), { name: "judge", turn, model })),
  ];
}

/** @throws Fault `budget`: a money cap cannot be kept with a model whose price nobody knows */
export function refuseUnknownPrices(
  { models }: Pick<Parley, "models">,
  participants: readonly { readonly model: ModelRef }[],
): void {
  for (const { model } of participants) {
    const quote = models.quote({ model, messages: [{ role: "user", text: "" }], maxOutputTokens: 1 });
    if (quote.usd !== null) continue;
    const next = "declare it under prices in parley.yaml, choose another model, or cap with --max-tokens";
    throw new Fault("budget", {
      why: `the price of ${model} is unknown, so a cap in money cannot be kept`,
      next,
    });
  }
}
