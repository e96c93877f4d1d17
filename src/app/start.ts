import type { RunEstimate } from "../contract/figures.ts";
import { explainIssue } from "../config/explain.ts";
import * as z from "zod";
import type { Pack } from "../config/packs.ts";
import { settingTypes, type SettingKey } from "../config/settings.ts";
import { isMapping } from "../config/yaml.ts";
import { checkInput, type AnyProtocol, type NewDeliberation, type OpenResult } from "../engine/index.ts";
import {
  Fault,
  isEvent,
  isVoice,
  Labels,
  personOf,
  type Event,
  type Opening,
  refusal,
} from "../kernel/index.ts";
import type { RoundRequest } from "../contract/rounds.ts";
import { adviceTemplate } from "../protocols/phases/draft.ts";
import { MAX_TOOL_CALLS, requireTools, uniqueSpecs } from "../protocols/phases/tools.ts";
import { personaIdOf } from "../views/votes.ts";
import type { OpeningPart, Panel } from "../engine/opening-part.ts";
import { GivenEntry, readGiven, type GivenContext } from "./attachments/index.ts";
import type { AppContext, EffectiveSettings } from "./context.ts";
import { contextsOf } from "./context-window.ts";
import { findNamedTools, searchToolNames } from "./named-tools.ts";
import { choosePanel } from "./panel.ts";
import { PersonRequest, seatPeople } from "./people.ts";
import { protocolNamed, soloProtocol, usualProtocol } from "./registry.ts";
import {
  assembleOpening,
  openingContext,
  openPanel,
  refuseUnknownSettings,
  type AssembledOpening,
  type ClientParts,
  type PanelRequest,
  type PreparedOpening,
} from "./opening.ts";
import { refuseOtherModels } from "./ceilings.ts";
import type { FollowUpRequest } from "./follow-up.ts";
import { follow, type Run, type RunOptions } from "./run.ts";

/** Settings of a process, not of a request. */
const PROCESS_SETTINGS = [
  ...(["store", "organization", "user", "compatible", "mcpServers", "families", "prices"] as const),
  ...(["embedding", "clientModels", "features", "providers", "memberOptions"] as const),
  ...(["fetchPrivate", "fetchUrls", "programs", "clientToolsTimeoutMs", "logFormat", "logLevel"] as const),
  ...(["callsAtOnce", "requestsPerMinute", "tokensPerMinute", "corsOrigins", "notifyUrl", "traces"] as const),
] as const;
export type ProcessSettings = Pick<EffectiveSettings, (typeof PROCESS_SETTINGS)[number]>;
type ProcessSetting = (typeof PROCESS_SETTINGS)[number];

/** A request's settings, which override the process's, as plain strings and numbers; see `Settings`. */
export type RequestSettings = {
  readonly [K in Exclude<keyof EffectiveSettings, ProcessSetting>]?: Plain<EffectiveSettings[K]> | undefined;
};
/** A setting's type without its brand. */
type Plain<T> = T extends string & z.$brand
  ? string
  : T extends readonly (infer E)[]
    ? readonly Plain<E>[]
    : T;

/** Far more than any model reads; what an event may have is four times that. */
const MAX_QUESTION_BYTES = 1_000_000;

/** A question, and settings that override the process's. It contains texts only, never a path or a variable. */
export type StartRequest = RequestSettings &
  FollowUpRequest &
  RoundRequest &
  PanelRequest & {
    readonly question: string;
    /** The protocol's name; `ask` by default. */
    readonly protocol?: string | undefined;
    /** A pack by id: members, strategy and settings, and the protocol where none is named. What the request sets counts before it. */
    readonly pack?: string | undefined;
    /** Attachments: names, and texts that models see fenced, as untrusted data, or pictures and PDFs in base64. */
    readonly context?: readonly GivenContext[] | undefined;
    /** An idempotency key: the same key returns the same deliberation. */
    readonly request?: string | undefined;
    /** People who take part: `me`, or a user, in a seat: `member`, `reviewer` or `judge`. */
    readonly seats?: readonly PersonRequest[] | undefined;
    /** Whether the configured reactors (grading, memory) run; true by default. */
    readonly reactions?: boolean | undefined;
    /** Words about it, each with a value: at most 16. Lists are filtered by them. */
    readonly labels?: Labels | undefined;
  };

export type StartOptions = RunOptions & {
  /** The absolute path of a folder for file tools. The process grants it, never a request. */
  readonly folder?: string | undefined;
  /** Called with what the run may take, before anything is recorded or spent. */
  readonly onEstimate?: ((estimate: RunEstimate) => void) | undefined;
  /** The same with `high` alone, which takes half the time: `low` is 0, and `expected` is `high`. */
  readonly onMost?: ((estimate: RunEstimate) => void) | undefined;
};

/** A recorded opening that nobody drives yet. */
export type OpenedRun = Pick<Run, "fresh" | "notes"> & { readonly opened: Event<"deliberation-opened"> };

/** Opens a deliberation and drives it. @throws Fault before anything is recorded or spent */
export async function start(
  context: AppContext,
  request: StartRequest,
  options: StartOptions = {},
): Promise<Run> {
  const { opened, ...begun } = await open(context, request, options);
  await context.usual.follow(context.store, opened.deliberation, opened.data.participants);
  return follow(context, opened, { ...options, ...begun });
}

/** Opens a deliberation, and leaves it to be driven. @throws Fault as `start` does */
export async function open(
  context: AppContext,
  request: StartRequest,
  options: OpenOptions = {},
): Promise<OpenedRun> {
  const { opening: asked, notes } = await prepareOpening(context, request, options);
  const contexts = await contextsOf(context, asked);
  const opening = contexts ? { ...asked, contexts } : asked;
  const prepared = { opening, checked: await checkInput(context, opening) };
  const { onEstimate, onMost } = options;
  const tell = onEstimate ?? onMost;
  if (tell) {
    const { estimateOpening } = await import("./estimate.ts");
    tell(await estimateOpening(context, prepared, onEstimate ? "all" : "most"));
  }
  const { differing, fresh, opened } = await openPrepared(context, prepared, request.request);
  // Every opening draws a seed of its own, unless one is requested.
  const other = differing.filter((key) => key !== "seed" || context.requested.has("seed"));
  if (other.length > 0 && !opening.series)
    throw anotherOpening(request.request ?? opened.deliberation, { opened, differing: other });
  return { opened, fresh, notes };
}

/** `client`: the request of a server's client. */
export type OpenOptions = Pick<StartOptions, "folder" | "onEstimate" | "onMost"> &
  Pick<ClientParts, "client" | "clientTools">;

type PrepareOptions = Pick<OpenOptions, "folder" | "client" | "clientTools"> & {
  /** Replaces the configured or discovered models; they have been checked. */
  readonly panel?: Panel | undefined;
};

/** Assembles an opening without recording anything. @throws Fault */
export async function prepareOpening(
  given: AppContext,
  request: StartRequest,
  options: PrepareOptions = {},
): Promise<PreparedOpening> {
  const pack = request.pack === undefined ? undefined : given.resources.pack(request.pack);
  const settled = pack ? withPack(given, pack.settings) : given;
  const question = request.question.trim();
  if (question === "") throw refusal("the question is empty", "give a question");
  if (Buffer.byteLength(question) > MAX_QUESTION_BYTES) {
    const next = "shorten it, or attach what it is about as a file";
    throw refusal("the question has more than 1 MB", next);
  }
  const { context: attached = [], reactions = true, member: name, previous, again, history } = request;
  const { protocols } = settled;
  const wanted = request.protocol ?? pack?.protocol ?? usualProtocol(protocols);
  const protocol = await (name === undefined ? protocolNamed(protocols, wanted) : soloProtocol(protocols));
  if (!protocol)
    throw refusal("there is no protocol by which one model answers alone", "add a feature that brings one");
  const isFollowing = [previous, again, history, name].some((one) => one !== undefined);
  const following = isFollowing ? await import("./follow-up.ts") : undefined;
  const context = (await following?.withEarlierModels(settled, protocol, request)) ?? settled;
  const names = ownSettings(protocol);
  const flat = Object.entries(request).filter(([key, value]) => names.includes(key) && value !== undefined);
  const protocolSettings = { ...Object.fromEntries(flat), ...request.protocolSettings };
  const own = await protocol.opening?.();
  refuseUnknownSettings(protocol, protocolSettings);
  const turn = await following?.followUp(context, request);
  const usual = own && (await openingContext(context, { ...options, question, attached }));
  const opened = usual
    ? await own(request, turn?.as?.(usual) ?? usual)
    : await openSeated(context, protocol, options.panel ?? (await choosePanel(context)));
  const conversation = opened.conversation ? undefined : await turn?.part?.(opened.participants);
  const settings = { ...opened.settings, ...conversation?.settings, ...protocolSettings };
  const { seats: people = [], labels } = request;
  const { user } = context.principal;
  const seated = turn?.seated?.(opened.participants) ?? opened.participants;
  const part = {
    ...opened,
    ...conversation,
    participants: seatPeople(seated, { protocol, people, user }),
    settings,
    templates: { ...opened.templates, ...conversation?.templates },
  };
  const { context: read, notes } = await readGiven(context, attached, part.participants);
  const texts = [...read, ...(turn?.attachments ?? [])];
  const { client, clientTools } = options;
  await refuseOtherModels(context, part.participants, pack?.settings);
  return assembleOpening(context, {
    ...{ protocol, question, context: texts, reactions, labels, client, clientTools, pack: pack?.id },
    part: { ...part, notes: [...part.notes, ...notes] },
  });
}

async function openSeated(context: AppContext, protocol: AnyProtocol, panel: Panel): Promise<OpeningPart> {
  const { seatPersonas } = await import("./personas/seating.ts");
  const { context: seated, notes, advice } = await seatPersonas(context);
  const part = openPanel(seated, protocol, panel);
  const shown = part.participants.flatMap((one) => {
    const text = isVoice(one) ? advice.get(personaIdOf(one)) : undefined;
    return text === undefined ? [] : [[adviceTemplate(one.id), text] as const];
  });
  return {
    ...part,
    settings: { ...part.settings, ...(await memberTools(seated, protocol, part.participants)) },
    notes: [...part.notes, ...notes],
    templates: { ...part.templates, ...Object.fromEntries(shown) },
  };
}

/** The tools of members, by the settings and by their personas, for a protocol that lets members call any. */
async function memberTools(
  context: AppContext,
  { settings: schema }: AnyProtocol,
  participants: OpeningPart["participants"],
): Promise<OpeningPart["settings"]> {
  if (!fieldNames(schema).includes("toolSpecs")) return {};
  const { resources, settings } = context;
  const { toolCallLimit: limit = MAX_TOOL_CALLS } = settings;
  const namedTools = (names: readonly string[]) => findNamedTools(context, names);
  const own = participants.flatMap((one) => {
    if (one.seat !== "member" || personOf(one.model) !== undefined) return [];
    const { tools = [] } = resources.persona(personaIdOf(one));
    const searching = settings.search ? searchToolNames(context, one.model) : [];
    const names = [...settings.tools, ...tools, ...searching];
    return [{ id: one.id, names: [...new Set(names)] }];
  });
  const specs = await Promise.all(own.map(({ names }) => requireTools({ namedTools }, names)));
  return {
    tools: Object.fromEntries(
      own.flatMap(({ id }, index) => {
        const names = specs[index]?.map(({ name }) => name) ?? [];
        return names.length === 0 ? [] : [[id, { names, limit }]];
      }),
    ),
    toolSpecs: uniqueSpecs(specs.flat()),
  };
}

/** The same under a pack's settings, except for what the caller set itself. */
export function withPack(context: AppContext, settings: Pack["settings"]): AppContext {
  const { requested } = context;
  const own = Object.entries(settings).filter(([key]) => !requested.has(key));
  // A goal of the pack's is its strategy's.
  const kept = own.filter(([key]) => key !== "goal" || !requested.has("strategy"));
  return { ...context, settings: { ...context.settings, ...Object.fromEntries(kept) } };
}

type Opened = Pick<OpenResult, "differing" | "opened">;

const anotherOpening = (request: string, { differing, opened }: Opened): Fault =>
  refusal(
    `request ${request} already belongs to ${opened.deliberation}, which differs in its ${differing.join(", ")}`,
    "give every question a request name of its own",
  );

/**
 * Records an opening, or returns the existing one of the same request or position in a conversation, and in which fields that
 * differs.
 * @throws Fault `configuration` if it has another question
 */
export async function openPrepared(
  context: AppContext,
  { opening, checked }: AssembledOpening,
  request: string = context.world.id(),
): Promise<OpenResult> {
  const result = await context.engine.open(request, checked ?? opening);
  const { fresh, opened } = result;
  if (fresh || isSameTurn(opened.data, opening)) return result;
  if (!opening.series) throw anotherOpening(request, { opened, differing: ["question"] });
  const [last] = await context.store.list({ series: opening.series.id, limit: 1 });
  const latest = last?.id ?? opened.deliberation;
  const ended = (await context.store.read(latest)).some((entry) => isEvent(entry, "deliberation-closed"));
  throw refusal(
    `this turn already has a follow-up: another question followed ${opening.previous}`,
    ended
      ? `continue from its latest turn, ${latest}`
      : `${latest} is under way or was interrupted; resume or cancel it, then continue from ${latest}`,
  );
}

/** Whether the same question was put to the same protocol, and to the same member. */
const isSameTurn = (one: Opening, other: NewDeliberation): boolean =>
  one.question === other.question &&
  (!other.series ||
    (one.protocol.name === other.protocol.name &&
      one.again === other.again &&
      one.participants[0]?.persona.name === other.participants[0]?.persona.name));

/** A request's fields beside its settings and those that its protocol reads. */
const COMMON_FIELDS = {
  question: z.string(),
  protocol: z.string().optional(),
  pack: z.string().optional(),
  context: z.array(GivenEntry).optional(),
  previous: z.string().optional(),
  again: z.boolean().optional(),
  member: z.string().min(1).optional(),
  history: z.array(z.strictObject({ question: z.string(), answer: z.string() })).optional(),
  request: z.string().min(1).optional(),
  seats: z.array(PersonRequest).max(26).optional(),
  reactions: z.boolean().optional(),
  labels: Labels.optional(),
  protocolSettings: z.record(z.string(), z.unknown()).optional(),
};
const FORK_FIELDS = {
  without: z.array(z.string()).optional(),
  request: z.string().min(1).optional(),
  upToSeq: z.int().positive().optional(),
  retry: z.boolean().optional(),
  labels: Labels.optional(),
};

const isProcessSetting = (key: string): boolean => (PROCESS_SETTINGS as readonly string[]).includes(key);
const settingNames = Object.keys(settingTypes);
const isSetting = (key: string): boolean => Object.hasOwn(settingTypes, key);
export const isRequestSetting = (key: string): key is SettingKey =>
  Object.hasOwn(settingTypes, key) && !(PROCESS_SETTINGS as readonly string[]).includes(key);
export const requestSettingNames = (): readonly string[] => settingNames.filter(isRequestSetting);

/** A setting's value is checked by `requestSettings`; here only its name is. */
const anyValue = z.unknown().optional();
const settingFields = (keys: readonly string[]) => Object.fromEntries(keys.map((key) => [key, anyValue]));

type KnownFields = { own: z.ZodRawShape; has: (name: string) => boolean; more?: readonly string[] };

/**
 * `has`: which of the settings it may have beside its `own` fields, whose values are checked elsewhere, as are those of `more`.
 * @throws Fault `invalid-request` for an unknown field, with the nearest, and for a value of the wrong type
 */
function checkFields(what: string, { own, has, more = [] }: KnownFields, given: unknown): void {
  const isOther = ([key]: readonly [string, unknown]) =>
    Object.hasOwn(own, key) || !(has(key) || more.includes(key));
  const others = isMapping(given) ? Object.fromEntries(Object.entries(given).filter(isOther)) : given;
  if (z.strictObject(own).safeParse(others).success) return;
  // For the nearest name, the schema of all of them.
  const schema = z.strictObject({ ...settingFields([...more, ...settingNames.filter(has)]), ...own });
  const read = schema.safeParse(given, { reportInput: true });
  if (read.success) return;
  const { path, say, next } = explainIssue(schema, read.error);
  throw new Fault("invalid-request", {
    problem: `${path.length === 0 ? `${what} must be an object` : `${what}: ${say(path.join("."))}`}${next === undefined ? "" : `; ${next}`}`,
  });
}

/** Checks what a program passes to `start`, before anything is read from it. @throws Fault `invalid-request` */
export async function checkRequest(protocols: AppContext["protocols"], request: unknown): Promise<void> {
  const { protocol: named } = isMapping(request) ? request : {};
  const name = typeof named === "string" ? named : usualProtocol(protocols);
  const protocol = await protocolNamed(protocols, name);
  const own = protocol.request instanceof z.ZodObject ? protocol.request.shape : {};
  const fields = { own: { ...COMMON_FIELDS, ...own }, has: isRequestSetting, more: ownSettings(protocol) };
  checkFields("request", fields, request);
}

/** A protocol's settings that no other protocol shares and that its own opening does not read from the request. */
function ownSettings({ settings, request }: AnyProtocol): string[] {
  const own = new Set(fieldNames(settings));
  for (const key of [...settingNames, ...fieldNames(request)]) own.delete(key);
  return [...own];
}

const fieldNames = (schema: z.ZodType | undefined): string[] =>
  schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];

export const checkForkRequest = (request: unknown): void =>
  checkFields("request", { own: FORK_FIELDS, has: isRequestSetting }, request);

export const checkBoundSettings = (settings: unknown): void =>
  checkFields("settings", { own: {}, has: isRequestSetting }, settings);

export const checkProcessSettings = (settings: unknown): void =>
  checkFields("settings", { own: {}, has: isSetting }, settings);

export const processSettings = (given: Partial<ProcessSettings>): Partial<ProcessSettings> =>
  Object.fromEntries(
    Object.entries(given).filter(([key, value]) => value !== undefined && isProcessSetting(key)),
  );
/** Parses the settings among a request's fields. @throws Fault `configuration` for an invalid value */
export function requestSettings(request: Readonly<Record<string, unknown>>): Partial<EffectiveSettings> {
  const isGiven = (key: string): key is SettingKey => request[key] !== undefined && isRequestSetting(key);
  const given = Object.keys(request).filter(isGiven);
  if (given.length === 0) return {}; // a server asks for every request
  const schema = z.object(Object.fromEntries(given.map((key) => [key, settingTypes[key]])));
  // A bare number is seconds in text for people and milliseconds in code.
  const values = given.map((key) => [
    key,
    typeof request[key] === "number" && key.endsWith("Ms") ? `${request[key]}ms` : request[key],
  ]);
  const read = schema.safeParse(Object.fromEntries(values), { reportInput: true });
  if (read.success) return read.data;
  const { path, say, next = "correct it" } = explainIssue(schema, read.error);
  throw refusal(say(path.join(".")), next);
}
