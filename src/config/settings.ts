import * as z from "zod";
import {
  bareModel,
  Json,
  ModelRef,
  OrganizationId,
  redactSecrets,
  Sampling,
  SAMPLING_FIELDS,
  UserId,
} from "../kernel/index.ts";
import { byProvider } from "./by-provider.ts";
import { AgentSettings, Compatible, endpointFields, MemberOptions, Routing } from "./endpoints.ts";
import { holdsMappings, recordKeyType } from "./explain.ts";
import { McpServers } from "./mcp-servers.ts";
import {
  choice,
  count,
  degrees,
  entries,
  line,
  mapping,
  money,
  number,
  replyTokens,
  splitEntries,
  time,
  toSwitch,
  truth,
} from "./setting-values.ts";

/** What other programs write before a colon as a provider; a model of Ollama's is named by none of these. */
const PROVIDERS =
  /^(?:anthropic|azure|bedrock|compatible|google|groq|ollama|openai|openrouter|sim|vertex|xai):/i;

/**
 * A name with a tag and without a provider, as `ollama list` shows it (`gemma4:26b`), is a model of Ollama's: it runs here
 * and costs nothing, whatever was meant.
 */
function nameLocalModel(value: unknown): unknown {
  if (typeof value !== "string" || PROVIDERS.test(value.trim())) return value;
  const isName = /^[a-z0-9][\w.-]{0,199}(?:\?\S*)?$/i.test(value.trim());
  if (isName && redactSecrets(value) === value) return bareModel(value.trim());
  return /^[a-z0-9][\w.-]*:[\w.-]+(?:\?\S*)?$/i.test(value.trim()) ? `ollama/${value.trim()}` : value;
}

const MODEL = { noun: "a model reference", expects: "provider/model" };
function ref(example: string) {
  return z.preprocess(nameLocalModel, ModelRef).meta({ ...MODEL, example });
}
function refs(example: string) {
  const single = ModelRef.refine((name) => !/[,*]/.test(name));
  const one = z.preprocess(nameLocalModel, single).meta({ ...MODEL, example: "openai/gpt-6.1-terra" });
  const expects = "one or more model references (provider/model), separated by commas or as a list";
  return z.preprocess(splitEntries, z.array(one).min(1).max(26)).meta({ expects, example });
}

/** US dollars per million tokens. */
const Price = z
  .strictObject({
    ...{ in: money("1.25"), out: money("10"), cached: money("0.125").optional() },
    /** Of input written to the provider's cache; for one search that the provider makes, in US dollars. */
    ...{ written: money("1.5625").optional(), search: money("0.01").optional() },
  })
  .meta({ expects: "a mapping of in, out, cached, written and search", example: "{in: 1.25, out: 10}" });
/** Who is seated unless settings say otherwise. */
export const DEFAULT_PERSONAS = ["analyst", "pragmatist", "challenger"] as const;

/** An id of a persona: lower case, since it also names a file. */
export const PersonaId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/)
  .meta({ noun: "a persona id", expects: "lower-case letters, digits, - and _", example: "analyst" });

/**
 * Everything that can be set. A key is written in kebab case and without its unit in a file (`max-cost-usd`,
 * `timeout: 90s`), as a flag (`--max-cost-usd`) and in the environment (`PARLEY_MAX_COST_USD`). What is
 * absent is left to the protocol or to what is found.
 */
export const settingTypes = {
  /** The models that answer: the members of a council, the agents of a debate. */
  models: refs("openai/gpt-6.1-terra,anthropic/claude-sonnet-5-5"),
  /** The models that clients of a server may name, beside those of these settings. */
  clientModels: refs("openai/gpt-6.1-terra"),
  /** The model that writes the synthesis, followed by those that replace it if it fails. */
  chair: refs("anthropic/claude-sonnet-5-5"),
  /** Models that review drafts, and draft nothing themselves. */
  reviewers: refs("google/gemini-3.8-flash"),
  /** The model that writes the solution of a debate, followed by those that replace it if it fails. */
  synthesizer: refs("anthropic/claude-sonnet-5-5"),
  /** The judge that scores answers from 1 to 5. */
  judge: refs("google/gemini-3.8-flash"),
  /** The embedding model that measures how similar two texts are. Without one, their words are compared. */
  embedding: ref("openai/text-embedding-3-small"),
  /** Whether answers are graded. `auto` grades where a judge is set; `critic.yaml` has the details. */
  critic: choice(["auto", "on", "off"], "off", toSwitch),
  /** Whether answers are stored and retrieved. `memory.yaml` has the details. */
  memory: truth.meta({ expects: "on or off", example: "off" }),
  /** Whether the models of `respond` and `chat` may search memory themselves, and keep facts that they are told. */
  memoryTools: truth.meta({ expects: "on or off", example: "off" }),
  /** Servers of tools (MCP), in the form that other clients read; written `mcpServers` too. */
  mcpServers: McpServers,
  /** Tools that members, respondents and agents may call: `get_datetime`, `SERVER/TOOL`, or `SERVER/*` for all of a server's. */
  tools: entries(
    z.array(line(200)).max(50),
    "names of tools, separated by commas or as a list",
    "get_datetime,search/*",
  ),
  /** Whether members, agents and respondents may search the web for what they write: by their provider's own search, else by `search-server`. */
  search: truth,
  /** The server among `mcp-servers` whose tools search, for models whose provider has no search of its own. */
  searchServer: line(100, { expects: "the name of a server of tools", example: "tavily" }),
  /** How many tools one answer may call; 5 by default, 10 for an agent of a debate. */
  toolCallLimit: number(z.int().min(1).max(100), "an integer from 1 to 100", "10"),
  /** The owner of the memory. */
  user: UserId.meta({ expects: "a name of letters, digits, dot, dash, underscore, @ and +", example: "ada" }),
  /** The temperature of `respond` and `chat`; the provider decides by default. */
  temperature: degrees("0.2"),
  /** Whether a second model answers each question too, for comparison. */
  respondentB: truth,
  /** The second model; by default the first model answers again. */
  modelB: ref("ollama/gemma3:27b"),
  /** The temperature of the second model. */
  temperatureB: degrees("0.5"),
  /** The personas of the members in their order, a member each; by default analyst, pragmatist and challenger in turn. */
  personas: entries(
    z.array(PersonaId).min(1).max(26),
    "persona ids, separated by commas or as a list",
    "analyst,challenger",
  ),
  /** The persona of `respond` and `chat`. */
  respondent: PersonaId,
  /** The temperatures of the members, assigned in turn; by default as their personas say. */
  temperatures: z
    .preprocess(
      (value) => (typeof value === "number" ? [value] : splitEntries(value)),
      z.array(degrees("0.2")).min(1).max(26),
    )
    .meta({ expects: "numbers from 0 to 2, separated by commas or as a list", example: "0.2,0.9" }),
  /** How the models of members and respondents choose their words, beside the temperature, where their providers take it. */
  sampling: Sampling.meta({
    expects: `a mapping of ${SAMPLING_FIELDS.join(", ")}`,
    example: "{top_p: 0.9, seed: 7}",
  }),
  /** What each member is asked with, in their order: effort, body, headers. By default as their personas say. */
  memberOptions: z
    .array(MemberOptions)
    .min(1)
    .max(26)
    .meta({ expects: "a list of mappings, one a member", example: "[{effort: high}, {}]" }),
  /** Instructions for this question: of `respond` and `chat` in place of the persona's, of members after their own. */
  system: z
    .string()
    .trim()
    .min(1)
    .max(1_000_000)
    .meta({ expects: "a text", example: "Answer for a reader without a legal education." }),
  /** How the chair weighs the drafts: a name, or the absolute path of a file. */
  strategy: line(1_000, { expects: "the name of a strategy, or a file", example: "risk-averse" }),
  /** The goal that the strategy `goal-seeking` works toward. */
  goal: line(2_000, { expects: "a line of text", example: "fewest outages" }),
  /** Whether the chair synthesizes an answer, or the best-ranked draft is the answer. */
  mode: choice(["consensus", "vote"], "vote"),
  /** How far `ask` may go where drafts disagree; 4 by default. */
  effort: number(z.int().min(1).max(5), "an integer from 1 to 5", "3"),
  /** Decides labels and orders. The same seed builds the same prompts. */
  seed: z
    .preprocess((value) => (typeof value === "number" ? String(value) : value), line(200))
    .meta({ expects: "a number or a short text", example: "7" }),
  /** How many drafts a council needs at least; more than half by default. */
  quorum: count("2"),
  /** A hard limit on cost. Models without a known price are refused under it. */
  maxCostUsd: number(z.number().positive(), "an amount above 0 in US dollars", "0.50"),
  /** A hard limit on input and output tokens together. */
  maxTotalTokens: count("50000"),
  /** A hard limit on model calls. */
  maxCalls: count("20"),
  /** A hard limit on the time of a whole run. */
  timeoutMs: time("5m"),
  /** A limit on the time of one call, retries included. */
  callTimeoutMs: time("3m"),
  /** How long a phase waits for stragglers after the quorum is reached. */
  patienceMs: time("30s"),
  /** How long a person's seat waits for its answer; without limit by default. */
  seatTimeoutMs: time("2d"),
  /** How long a run waits for what the tools of a client of the API give; 10 minutes by default. */
  clientToolsTimeoutMs: time("30m"),
  /** The longest draft, in tokens; a budget reserves as much. */
  draftTokens: replyTokens("4096"),
  /** The longest review, in tokens. */
  reviewTokens: replyTokens("4096"),
  /** The longest synthesis, in tokens. */
  synthesisTokens: replyTokens("8192"),
  /** The longest answer of `respond` and `chat`, in tokens. */
  respondTokens: replyTokens("4096"),
  /** How many tokens prompt and reply of `respond` and `chat` may have together; longer conversations are summarized. By default as an endpoint declares, 8192 for Ollama, and unknown for others. */
  respondContext: count("8192", ", in tokens"),
  /** How many of the latest turns of a conversation a prompt shows. */
  historyTurns: count("20"),
  /** Whether a degraded answer is accepted, or ends with exit code 6. */
  onDegraded: choice(["accept", "refuse"], "refuse"),
  /** Whether members are shown what others wrote about their personas, in short: the summary of their feedback. */
  personaFeedback: truth.meta({ expects: "on or off", example: "on" }),
  /** Whether a judge of the same family as a member is refused instead of noted. */
  strictFamilies: truth,
  /** A limit on the size of all context files and standard input together. */
  maxContextBytes: count("1000000"),
  /** A limit on the size of one picture or PDF; all of them together may have twice as much. */
  maxAttachmentBytes: count("10000000"),
  /** What is made of a PDF: its text alone, or the file as well for models that take it. */
  pdf: choice(["text", "file"], "file"),
  /** Whether addresses of this machine and its network, and other ports than the web's, may be fetched for a question. */
  fetchPrivate: truth,
  /** Whether a server fetches addresses that its clients name. */
  fetchUrls: truth,
  /** How a server writes its log: lines for people, or JSON lines, which also tell of requests, runs and failed calls. */
  logFormat: choice(["text", "json"], "json"),
  /** The least that a log of JSON lines tells. */
  logLevel: choice(["debug", "info", "warn", "error"], "warn"),
  /** The origins of other sites whose pages may call a server, with a key. */
  corsOrigins: entries(z.array(line(300)).max(100), "origins, as https://HOST", "https://app.example.org"),
  /** Where a server sends what happened to runs: that one ended, or waits for a person. `PARLEY_NOTIFY_SECRET` signs it. */
  notifyUrl: line(2_000, { expects: "an http or https URL", example: "https://hooks.example.org/parley" }),
  /** Whether a server's runs are traced by OpenTelemetry, and whether spans have what was asked and answered. */
  traces: choice(["off", "on", "content"], "on", toSwitch),
  /** Where runs are recorded: `postgres://…`, an absolute path of an SQLite file, or `:memory:`. `PARLEY_DATABASE_URL` is read too. */
  store: z
    .string()
    .min(1)
    .max(2_000)
    .refine(isStore)
    .meta({ expects: "postgres://… or the path of a file", example: "postgres://localhost/parley" }),
  /** How many connections to a PostgreSQL server one process may have. */
  storeConnections: count("4"),
  /** The organization whose runs and memory are used. */
  organization: OrganizationId.meta({
    expects: "a name of letters, digits, dot, dash and underscore",
    example: "local",
  }),
  /** The user's own endpoints, reached as `compatible/NAME`. */
  compatible: mapping(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]{0,59}$/i)
      .meta({ noun: "a name for an endpoint", expects: "one word", example: "lab" }),
    Compatible,
    { expects: "a mapping of names to endpoints", example: "{lab: {url: http://localhost:8000/v1}}" },
  ),
  /** What requests to a provider are sent with beside what Parley sets: fields of the body, headers; and where the key goes. */
  providers: mapping(
    z
      .string()
      .regex(/^[a-z0-9-]{1,40}$/)
      .meta({ noun: "the name of a provider", expects: "one word", example: "openai" }),
    z
      .strictObject(endpointFields)
      .meta({ expects: "a mapping of body, headers and auth", example: "{headers: {openai-project: p1}}" }),
    {
      expects: "a mapping of providers to what requests are sent with",
      example: "{openai: {body: {service_tier: flex}}}",
    },
  ),
  /** What is changed about programs of agents that answer: the folder that each may read, more arguments, variables that it gets. */
  programs: mapping(
    z
      .string()
      .regex(/^(?:codex|claude|agy|opencode)$/)
      .meta({ noun: "a program", expects: "codex, claude, agy or opencode", example: "codex" }),
    AgentSettings,
    { expects: "a mapping of programs to what is changed", example: "{codex: {folder: /home/ana/project}}" },
  ),
  /** Which of the providers behind OpenRouter may answer. */
  openrouter: Routing,
  /** How many calls may be in flight with a provider; by default up to 128, a model up to 64, and 4 with Ollama and LM Studio. */
  callsAtOnce: byProvider("openai=32,ollama=1"),
  /** How many requests a minute may have; without limit by default. */
  requestsPerMinute: byProvider("openai=500"),
  /** How many tokens of prompts and replies a minute may have; without limit by default. */
  tokensPerMinute: byProvider("openai=200000"),
  /** Who trained a model, by the beginning of its reference. */
  families: mapping(
    z
      .string()
      .min(1)
      .max(300)
      .meta({ noun: "the beginning of a model reference", expects: "1 to 300 characters" }),
    line(60, { expects: "the name of who trained the model", example: "meta" }),
    {
      expects: "a mapping of model references, or their beginnings, to families",
      example: "{ollama/mine: meta}",
    },
  ),
  /** Prices of models in US dollars per million tokens, by reference. */
  prices: mapping(ModelRef.meta({ ...MODEL, example: "openai/gpt-5" }), Price, {
    expects: "a mapping of model references to prices",
    example: "{openai/gpt-5: {in: 1.25, out: 10}}",
  }),
  /** Modules that bring features of their own: paths, or packages that are installed in your folder of settings. */
  features: entries(z.array(line(500)).max(50), "paths or names of packages, as a list", "./poll.mjs"),
  /** Other reactors by name: their settings, or whether they are on. */
  reactors: mapping(
    z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,59}$/)
      .meta({
        noun: "a reactor's name",
        expects: "a word of small letters, digits and dashes",
        example: "length-watch",
      }),
    z
      .union([z.record(z.string(), Json), truth])
      .meta({ expects: "true, false or a mapping of settings", example: "{words: 300}" }),
    { expects: "a mapping of reactors' names to their settings", example: "{length-watch: {words: 300}}" },
  ),
};

/** What settings are where nobody says so; any other is absent then. */
const makeDefaults = () => ({
  ...{ models: [], clientModels: [], chair: [], reviewers: [], synthesizer: [], judge: [], tools: [] },
  ...{ search: false },
  ...{ critic: "auto", memory: true, memoryTools: true, user: UserId.parse("local"), historyTurns: 20 },
  ...{ respondent: "respondent", respondentB: false, temperatureB: 0.5, strategy: "balanced" },
  ...{ mode: "consensus", onDegraded: "accept", personaFeedback: false, strictFamilies: false },
  ...{ maxContextBytes: 1_000_000, maxAttachmentBytes: 10_000_000, pdf: "text" },
  ...{ fetchPrivate: false, fetchUrls: false, storeConnections: 4, corsOrigins: [] },
  ...{ logFormat: "text", logLevel: "info", traces: "off" },
  ...{ organization: OrganizationId.parse("local"), mcpServers: {}, compatible: {}, providers: {} },
  ...{ programs: {}, families: {}, prices: {}, features: [], reactors: {} },
  ...{ callsAtOnce: {}, requestsPerMinute: {}, tokensPerMinute: {} },
});

export type SettingKey = keyof typeof settingTypes;
type Typed = { [K in SettingKey]: z.infer<(typeof settingTypes)[K]> };
type Usual = Pick<Typed, keyof ReturnType<typeof makeDefaults>>;
export type Settings = Usual & { [K in Exclude<SettingKey, keyof Usual>]?: Typed[K] | undefined };

/** Settings with the defaults of what is not given. @throws ZodError for a value that its schema does not take */
export function completeSettings(given: { readonly [K in SettingKey]?: unknown }): Settings {
  const keys = Object.keys(given) as SettingKey[]; // The type has no others.
  const own = keys.map((key) => [key, settingTypes[key].parse(given[key])]);
  return { ...(makeDefaults() as Usual), ...Object.fromEntries(own) }; // Each is of its own type.
}

function isStore(target: string): boolean {
  if (!target.includes("://")) return true;
  return /^postgres(ql)?:\/\//.test(target) && URL.canParse(target);
}

/** A key as files and flags write it. */
export function settingName(key: string): string {
  return key.replaceAll(/[A-Z]/g, "-$&").toLowerCase().replace(/-ms$/, "");
}

const keysByName = new Map<string, SettingKey>();
for (const key of Object.keys(settingTypes)) keysByName.set(settingName(key), key as SettingKey); // a key of the literal above
/** The key behind what a file or a flag writes. */
export const settingKeys: ReadonlyMap<string, SettingKey> = keysByName;

/** Settings under their older names, which are still read: the names now. */
export const RENAMED_SETTINGS: ReadonlyMap<string, string> = new Map([["max-tokens", "max-total-tokens"]]);

/** Every setting as files and flags write it. */
export const settingNames: readonly string[] = [...settingKeys.keys()];

export function settingVariable(name: string): string {
  return `PARLEY_${name.replaceAll("-", "_").toUpperCase()}`;
}

/** Settings whose entries stand under names of the user's choice: entries of all files count. */
export function isMapSetting(key: SettingKey): boolean {
  return recordKeyType(settingTypes[key]) !== undefined;
}

/** Settings that stand in files only. */
export const isFileSetting = (key: SettingKey): boolean => holdsMappings(settingTypes[key]);
