import { explainIssue } from "../config/explain.ts";
import * as z from "zod";
import type { AnyProtocol, CheckedInput, NewDeliberation } from "../engine/index.ts";
import {
  askedBy,
  bareReference,
  canonical,
  familyOf,
  Json,
  mergeOptions,
  ParticipantId,
  personOf,
  samplingOptions,
  type Budget,
  type Labels,
  type Opening,
  type ToolSpec,
  refusal,
} from "../kernel/index.ts";
import { findNearest, quoteValue } from "../text/words.ts";
import { slotsOf } from "../prompts/template.ts";
import { pluralize } from "../text/format.ts";
import type { OpeningContext, OpeningPart, Panel, SeatedParticipant } from "../engine/opening-part.ts";
import type { EndpointExtras } from "../models/index.ts";
import { checkModelRef, type AppContext, type EffectiveSettings } from "./context.ts";
import { nextTurn, turnsBefore, WHOLE_CONVERSATION } from "./conversation.ts";
import { pricesUsed, refuseUnknownPrices } from "./listed-models.ts";
import { findNamedTools, grantSearch, searchToolNames } from "./named-tools.ts";
import { choosePanel, listPersonas } from "./panel.ts";
import { seatPerson } from "./people.ts";
import { checkMaySit } from "./personas/seating.ts";
import type { GivenContext } from "./attachments/index.ts";
import { CLIENT_TOOLS } from "../protocols/phases/reply.ts";
import { neededTokens } from "../prompts/context-window.ts";
import { windowOf } from "./context-window.ts";
import { reactionPlan, recallSettings } from "./reaction-plan.ts";
import { templatesInForce } from "./templates.ts";

/** A protocol's part of an opening, and the fields that all openings have. */
export type OpeningParts = {
  readonly protocol: AnyProtocol;
  readonly question: string;
  /** The question's attachments: untrusted text. */
  readonly context: NewDeliberation["context"];
  readonly part: OpeningPart;
  /** Whether the configured reactors (grading, memory) are enabled. */
  readonly reactions: boolean;
} & ClientParts;

/** What a client says about its deliberation, and where the request came from. */
export type ClientParts = {
  readonly labels?: Labels | undefined;
  readonly pack?: string | undefined;
  readonly client?: Opening["client"];
  /** The tools that a client runs itself, as an opening pins them (`ClientTools`). */
  readonly clientTools?: string | undefined;
};

export type PreparedOpening = { readonly opening: NewDeliberation; readonly notes: OpeningPart["notes"] };

/** An assembled opening, and the same as the engine has checked it, where it has. */
export type AssembledOpening = Pick<PreparedOpening, "opening"> & { readonly checked?: CheckedInput };

/** A question with its files of so many letters fits every model. */
const MAX_SHORT_LENGTH = 2_000;
/** For how long what a client's tools give is waited for. */
const USUAL_TOOLS_MS = 600_000;

/**
 * Assembles an opening. Every opening is assembled here.
 * @throws Fault `configuration` for invalid settings or templates, `budget` for an unknown price under a cost limit
 */
export async function assembleOpening(context: AppContext, parts: OpeningParts): Promise<PreparedOpening> {
  const { protocol, part, clientTools: tools } = parts;
  const { principal, settings, world } = context;
  const own = protocolSettings(protocol, part.settings);
  const plan = parts.reactions
    ? await reactionPlan(context, {
        answering: part.answering.filter((model) => personOf(model) === undefined),
        pairwise: part.pairwise ?? false,
        user: part.conversation?.user ?? principal.user,
      })
    : undefined;
  const budget = budgetFrom(settings);
  const seatTimeoutMs = tools ? (settings.clientToolsTimeoutMs ?? USUAL_TOOLS_MS) : settings.seatTimeoutMs;
  const pinned = await Promise.all(part.participants.map((one) => pinAsked(context, one)));
  const { participants, notes } = await grantSearch(context, pinned);
  if (budget.usd !== undefined)
    refuseUnknownPrices(context, [...participants, ...(plan?.models ?? []).map((model) => ({ model }))]);
  const letters = parts.context.reduce((sum, { text }) => sum + text.length, parts.question.length);
  if (letters > MAX_SHORT_LENGTH)
    await (
      await import("./context-sizes.ts")
    ).refuseTooLong(context, { ...parts, participants, settings: own });
  const prices = pricesUsed(context.catalog, [
    ...participants.map(({ model }) => model),
    ...(plan?.models ?? []),
  ]);
  const templates = await templatesInForce(
    [...protocol.templates, ...(plan?.templates ?? [])],
    context.resources,
    context.protocols,
  );
  return {
    notes: [...part.notes, ...notes, ...(plan?.notes ?? [])],
    opening: {
      question: parts.question,
      context: parts.context,
      protocol: { name: protocol.name, version: protocol.version },
      settings: own,
      participants,
      templates: { ...templates, ...part.templates, ...(tools && { [CLIENT_TOOLS]: tools }) },
      ...(plan ? { reactions: { ...plan.settings, ...part.reactions?.(own) } } : {}),
      ...part.conversation,
      ...(seatTimeoutMs === undefined ? {} : { seatTimeoutMs }),
      ...(prices === undefined ? {} : { prices }),
      ...(parts.labels === undefined ? {} : { labels: parts.labels }),
      ...(parts.client === undefined ? {} : { client: parts.client }),
      ...(context.askedIn === undefined ? {} : { folder: context.askedIn }),
      ...(parts.pack === undefined ? {} : { pack: parts.pack }),
      seed: settings.seed ?? world.id(),
      budget,
      organization: principal.organization,
    },
  };
}

/**
 * A participant with what its endpoint's requests are sent with beside its own, so that it is on record how it was asked.
 * @throws Fault `configuration` for an effort that its provider does not take
 */
export async function pinAsked<P extends Pick<SeatedParticipant, "model" | "options">>(
  context: AppContext,
  participant: P,
): Promise<P> {
  const { model, options } = participant;
  if (model.includes("effort=")) await checkModelRef(context, model);
  const { body, headers } = extrasOf(model, context.settings);
  const merged = mergeOptions({ body, headers }, options);
  return merged === undefined ? participant : { ...participant, options: merged };
}

function extrasOf(
  model: string,
  { compatible, providers }: Pick<EffectiveSettings, "compatible" | "providers">,
): EndpointExtras {
  const [provider = "", name = ""] = bareReference(model).split("/");
  const [all, key] = provider === "compatible" ? [compatible, name] : [providers, provider];
  return (Object.hasOwn(all, key) ? all[key] : undefined) ?? {};
}

/** Creates the context of a protocol's own opening. `folder` is an absolute path for file tools. */
export async function openingContext(
  context: AppContext,
  {
    folder,
    question,
    attached,
  }: {
    readonly folder?: string | undefined;
    readonly question: string;
    readonly attached: readonly GivenContext[];
  },
): Promise<OpeningContext> {
  const needed = neededTokens([question, ...attached.map((one) => ("text" in one ? one.text : ""))]);
  const { folders, principal, resources, settings, store } = context;
  if (folder !== undefined) folders.add(folder);
  const fileTools = folder === undefined ? null : { folder, specs: await fileToolSpecs(folder) };
  return {
    settings: { ...settings, user: principal.user },
    organization: principal.organization,
    panel: () => choosePanel(context),
    model: (ref) => checkModelRef(context, ref),
    family: (ref) => familyOf(ref, settings.families),
    persona: (id) => checkMaySit(resources.persona(id)),
    role: (name) => checkMaySit(resources.role(name)),
    fileTools,
    namedTools: (names) => findNamedTools(context, names),
    searchTools: (model) => searchToolNames(context, model),
    recall: (user) => recallSettings(resources, { ...settings, user }),
    turnsBefore: (previous, { again }) =>
      turnsBefore(store, previous, { by: "A", again, ...WHOLE_CONVERSATION }),
    window: (ref) => windowOf(ref, context, needed),
    placeAfter: (previous, user) => nextTurn(store, previous, user),
    embeddingProblem: context.embeddingProblem,
  };
}

async function fileToolSpecs(folder: string): Promise<readonly ToolSpec[]> {
  const { createFileTools } = await import("../tools/file-tools.ts");
  return (await createFileTools(folder)).specs;
}

export type PanelRequest = {
  /** The protocol's own settings, which override what the request and the process's settings come to. */
  readonly protocolSettings?: Readonly<Record<string, unknown>> | undefined;
};

/** The opening of a protocol without its own: the panel in its declared seats. */
export function openPanel(
  context: AppContext,
  { seats, settings: schema, texts = [] }: Pick<AnyProtocol, "seats" | "settings" | "texts">,
  panel: Panel,
): OpeningPart {
  const { settings } = context;
  const strategy = texts.includes("strategy") ? chooseStrategy(context) : undefined;
  const { effort, quorum, callTimeoutMs, patienceMs, draftTokens, reviewTokens, synthesisTokens, mode } =
    settings;
  return {
    settings: {
      ...{ effort, quorum, callTimeoutMs, patienceMs, mode },
      ...(limitsByWork(schema)
        ? { maxOutputTokens: { draft: draftTokens, review: reviewTokens, synthesis: synthesisTokens } }
        : {}),
      ...(strategy ? { strategy: strategy.settings } : {}),
    },
    participants: seatPanel(context, seats, panel),
    templates: strategy ? { strategy: strategy.directive } : {},
    answering: seats.some(({ filledBy }) => filledBy === "chair") ? panel.chairs : panel.members,
    notes: panel.notes,
  };
}

/** True if a protocol limits drafts, reviews and syntheses separately. */
function limitsByWork(settings: AnyProtocol["settings"]): boolean {
  if (!(settings instanceof z.ZodObject)) return false;
  const limit: unknown = settings.shape["maxOutputTokens"];
  return limit instanceof z.ZodType && limit.safeParse({}).success;
}

/**
 * Seats a panel's models in a protocol's seats. A seat without a persona rotates the configured ones.
 * @throws Fault `configuration` for fewer models than a seat needs
 */
export function seatPanel(
  { resources, settings }: Pick<AppContext, "resources" | "settings">,
  seats: AnyProtocol["seats"],
  { members, chairs, reviewers, synthesizers, judges }: Omit<Panel, "notes">,
): SeatedParticipant[] {
  const models = {
    ...{ models: members, chair: chairs, reviewers, synthesizer: synthesizers, judge: judges },
    people: [],
  };
  return seats.flatMap((seat) => {
    const personas = seat.persona === undefined ? listPersonas({ resources, settings }) : [seat.persona];
    const seated = models[seat.filledBy].slice(0, seat.max);
    if (seated.length < seat.min) {
      const why = `${seat.name} needs ${pluralize(seat.min, "model")} (got ${seated.length})`;
      throw refusal(why, `set ${seat.filledBy}, e.g. openai/gpt-6.1-terra`);
    }
    const {
      temperatures = [],
      memberOptions = [],
      sampling,
      system,
    } = seat.filledBy === "models" ? settings : {};
    const turns = new Map<string, number>();
    let next = 0;
    return seated.map((model): SeatedParticipant => {
      const person = personOf(model);
      if (person !== undefined) return seatPerson(person, seat.name, []);
      const index = next++;
      const {
        id,
        name,
        instructions,
        temperature: own,
        ...how
      } = resources.persona(personas[index % personas.length] ?? "analyst");
      const turn = turns.get(id) ?? 0;
      turns.set(id, turn + 1);
      const temperature = temperatures[index % temperatures.length] ?? own;
      return {
        id: ParticipantId.parse(turn === 0 ? id : `${id}-${turn + 1}`),
        seat: seat.name,
        persona: {
          name: turn === 0 ? name : `${name} ${turn + 1}`,
          instructions:
            system === undefined ? instructions : `${instructions}\n\n## For this question\n${system}`,
        },
        ...askedBy(model, samplingOptions(sampling), how, memberOptions[index % memberOptions.length]),
        family: familyOf(model, settings.families),
        ...(temperature === undefined ? {} : { temperature }),
      };
    });
  });
}

/** The chosen strategy: its settings, and the directive that the opening pins. */
export function chooseStrategy({
  requested,
  resources,
  settings: { strategy, goal },
}: Pick<AppContext, "requested" | "resources" | "settings">) {
  const { name, directive, sees, path } = resources.strategy(strategy, goal);
  const unknown = [...slotsOf(directive)].find((slot) => slot !== "goal" && slot !== "count");
  if (unknown !== undefined) {
    const why = `the strategy ${path} has a slot {{${unknown}}} that nothing fills`;
    throw refusal(why, "only {{goal}} and {{count}} are filled");
  }
  if (requested.has("goal")) refuseUnreadGoal(name, directive);
  return { settings: { name, sees: [...sees], ...(goal === undefined ? {} : { goal }) }, directive };
}

/** @throws Fault `configuration` if the directive has no slot for a goal */
export function refuseUnreadGoal(name: string, directive: string): void {
  if (slotsOf(directive).has("goal")) return;
  const why = `the strategy ${name} has no place for a goal`;
  throw refusal(why, "leave the goal out, or choose the strategy goal-seeking");
}

/**
 * Parses a protocol's settings by its schema, as JSON without undefined values. Unknown settings are dropped, because
 * settings files apply to all protocols.
 * @throws Fault `configuration`
 */
export function protocolSettings(
  { name, settings }: Pick<AnyProtocol, "name" | "settings">,
  given: Readonly<Record<string, unknown>>,
): Record<string, Json> {
  const known = settings instanceof z.ZodObject ? Object.keys(settings.shape) : Object.keys(given);
  const read = settings.safeParse(
    Object.fromEntries(Object.entries(given).filter(([key]) => known.includes(key))),
    { reportInput: true },
  );
  if (!read.success) {
    const { path, say, next } = explainIssue(settings, read.error);
    const why = `the settings of ${name} cannot be used: ${say(path.join("."))}`;
    throw refusal(why, next ?? `${name} knows ${known.join(", ")}`);
  }
  return z.record(z.string(), Json).parse(JSON.parse(canonical(read.data)));
}

/** @throws Fault `configuration` for settings of a request that the protocol does not have */
export function refuseUnknownSettings(
  { name, settings }: Pick<AnyProtocol, "name" | "settings">,
  given: Readonly<Record<string, unknown>>,
): void {
  if (!(settings instanceof z.ZodObject)) return;
  const known = Object.keys(settings.shape);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw refusal(
    `${name} has no setting ${quoteValue(unknown)}`,
    known.length === 0 ? "leave it out" : `did you mean ${findNearest(unknown, known)}?`,
  );
}

/** The settings of caps, by what they cap. */
const CAP_SETTINGS = [
  ["usd", "maxCostUsd"],
  ["tokens", "maxTotalTokens"],
  ["calls", "maxCalls"],
  ["timeMs", "timeoutMs"],
] as const;

export type Caps = Pick<EffectiveSettings, (typeof CAP_SETTINGS)[number][1]>;

export const budgetFrom = (caps: Partial<Caps>): Budget =>
  Object.fromEntries(
    CAP_SETTINGS.flatMap(([kind, setting]) => (caps[setting] === undefined ? [] : [[kind, caps[setting]]])),
  );

/** The settings that make a budget. */
export const capsOf = (budget: Budget): Partial<Caps> =>
  Object.fromEntries(
    CAP_SETTINGS.flatMap(([kind, setting]) => (budget[kind] === undefined ? [] : [[setting, budget[kind]]])),
  );

/** Of each cap the smallest. */
export function lowestOf(...budgets: readonly (Budget | undefined)[]): Budget {
  const amounts = CAP_SETTINGS.flatMap(([kind]) => {
    const given = budgets.flatMap((budget) => budget?.[kind] ?? []);
    return given.length === 0 ? [] : [[kind, Math.min(...given)] as const];
  });
  return Object.fromEntries(amounts);
}
