import * as z from "zod";
import { loadPersonas, loadTemplates, personaOf, readContext, type LoadedPersona } from "../config/index.ts";
import type { Asked } from "../engine/index.ts";
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
import { COUNCIL_SLOTS, templateTrouble } from "../prompts/index.ts";
import { council, CouncilSettings } from "../protocols/council/index.ts";
import { findPanel } from "./panel.ts";
import type { Parley } from "./parley.ts";
import { strategyOf } from "./strategy.ts";

type Seated = Asked["participants"][number];

/** A council on this question, as it will be opened, and what its owner should know before it starts. */
export async function convene(
  parley: Parley,
  given: { readonly question: string; readonly files: readonly string[]; readonly stdin: string | undefined },
): Promise<{ asked: Asked; notes: readonly string[] }> {
  const question = given.question.trim();
  if (question === "") {
    throw new Fault("configuration", {
      why: "the question is empty",
      next: 'ask one: parley "What is 17 * 23?"',
    });
  }
  const { settings, world } = parley;
  const strategy = strategyOf(parley);
  const templates = councilTemplates(parley);
  const { cwd, env } = parley;
  const context = await readContext({
    files: given.files,
    stdin: given.stdin,
    mostBytes: settings.maxContextBytes,
    cwd,
    env,
  });
  const { members, chairs, judges, notes } = await findPanel(parley);
  const participants = seated(parley, { member: members, chair: chairs, judge: judges });
  const budget = budgetOf(settings);
  if (budget.usd !== undefined) refuseUnknownPrices(parley, participants);
  return {
    notes,
    asked: {
      question,
      context,
      protocol: { name: council.name, version: council.version },
      settings: recordable(
        CouncilSettings.parse({ ...phases(parley), mode: settings.mode, strategy: strategy.settings }),
      ),
      participants,
      templates: { ...templates, strategy: strategy.directive },
      seed: settings.seed ?? world.id(),
      budget,
      organization: OrganizationId.parse(settings.organization),
    },
  };
}

/** The templates in force. @throws Fault `configuration` for an override whose slots are not the template's */
function councilTemplates(parley: Pick<Parley, "env" | "cwd">): Record<string, string> {
  const loaded = loadTemplates(Object.keys(COUNCIL_SLOTS), parley);
  return Object.fromEntries(
    Object.entries(COUNCIL_SLOTS).map(([name, slots]) => {
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

/** How many templates are in force, after the check that a council could be convened on them. */
export const convenable = (place: Pick<Parley, "env" | "cwd">): number =>
  Object.keys(councilTemplates(place)).length;

/** A protocol's settings as the opening keeps them: JSON, what is undefined left out. */
export const recordable = (settings: CouncilSettings): Record<string, Json> =>
  z.record(z.string(), Json).parse(JSON.parse(canonical(settings)));

/** What of the settings says how the phases go. */
function phases({ settings }: Parley): z.input<typeof CouncilSettings> {
  const {
    quorum,
    callTimeoutMs,
    patienceMs,
    draftTokens: draft,
    reviewTokens: review,
    synthesisTokens: synthesis,
  } = settings;
  return { quorum, callTimeoutMs, patienceMs, maxOutputTokens: { draft, review, synthesis } };
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
