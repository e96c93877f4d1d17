import * as z from "zod";
import { ModelRef, OrganizationId, UserId } from "../kernel/index.ts";
import { Duration } from "./duration.ts";

/** A number, also where the environment or a flag gives it as text. */
const fromText = (value: unknown): unknown =>
  typeof value === "string" && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(value.trim()) ? Number(value) : value;
const count = z.preprocess(fromText, z.int().positive());
const money = z.preprocess(fromText, z.number().nonnegative());

const WORDS = new Map<unknown, boolean>([
  ...["true", "yes", "on", "1"].map((word) => [word, true] as const),
  ...["false", "no", "off", "0"].map((word) => [word, false] as const),
]);
const truth = z.preprocess((value) => WORDS.get(value) ?? value, z.boolean());
const degrees = z.preprocess(fromText, z.number().min(0).max(2));

/** `on` and `off` as truth is written, or `auto`. */
const toSwitch = (value: unknown): unknown => {
  const said = WORDS.get(value) ?? value;
  return typeof said === "boolean" ? (said ? "on" : "off") : said;
};

/** A list, or text with commas between the entries. */
export const entriesOf = (value: unknown): unknown =>
  typeof value === "string" ? value.split(",").map((one) => one.trim()) : value;
const refs = z.preprocess(
  entriesOf,
  z
    .array(ModelRef.refine((ref) => !ref.includes(",")))
    .min(1)
    .max(26),
);

/** An id of a persona: lower case, since it also names a file. */
export const PersonaId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/);

const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^\P{Cc}*$/u);
const url = z.string().refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol));

const Compatible = z
  .strictObject({
    url,
    /** Names the variable that holds the key; the key itself stands in no file. */
    "key-env": z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]*$/)
      .optional(),
    model: line(200).optional(),
    family: line(60).optional(),
    /** Tokens that a prompt and its reply may have together. */
    context: count.optional(),
    wire: z.enum(["openai", "anthropic", "ollama"]).optional(),
    /** On the user's own machine: it costs nothing. */
    local: truth.optional(),
  })
  .transform(({ "key-env": keyEnv, ...entry }) => ({ ...entry, keyEnv }));

/** US dollars per million tokens. */
const Price = z.strictObject({ in: money, out: money, cached: money.optional() });

/**
 * Everything that can be set. A key is written in kebab case and without its unit in a file (`max-cost-usd`,
 * `timeout: 90s`), as a flag (`--max-cost-usd`) and in the environment (`PARLEY_MAX_COST_USD`). What is
 * absent is left to the protocol or to what is found.
 */
export const Settings = z.strictObject({
  models: refs.default([]),
  /** Who synthesises, and who steps in for it, in this order. */
  chair: refs.default([]),
  /** Review, but draft nothing. */
  judge: refs.default([]),
  /** Whose vectors tell how near texts are to each other; without one their words do. */
  embedding: ModelRef.optional(),
  /** Whether answers are graded; `auto`: where there is a judge. `critic.yaml` says how. */
  critic: z.preprocess(toSwitch, z.enum(["auto", "on", "off"])).default("auto"),
  /** Whether answers are remembered and recalled. `memory.yaml` says how. */
  memory: truth.default(true),
  /** Whose memory it is. */
  user: UserId.default(UserId.parse("local")),
  /** The respondent's. */
  temperature: degrees.optional(),
  /** Whether a second respondent answers too, for comparison; */
  respondentB: truth.default(false),
  /** by default the first one's model, */
  modelB: ModelRef.optional(),
  temperatureB: degrees.default(0.5),
  /** The members' personas, dealt out in turn. */
  personas: z
    .preprocess(entriesOf, z.array(PersonaId).min(1).max(26))
    .default(["analyst", "pragmatist", "challenger"]),
  /** A name, or an absolute path. */
  strategy: line(1_000).default("balanced"),
  goal: line(2_000).optional(),
  mode: z.enum(["consensus", "vote"]).default("consensus"),
  /** How far `ask` may climb where drafts disagree. */
  effort: z.preprocess(fromText, z.int().min(1).max(5)).optional(),
  seed: z.preprocess((value) => (typeof value === "number" ? String(value) : value), line(200)).optional(),
  quorum: count.optional(),
  maxCostUsd: z.preprocess(fromText, z.number().positive()).optional(),
  /** In and out together, over the whole deliberation. */
  maxTokens: count.optional(),
  maxCalls: count.optional(),
  /** Of the whole deliberation. */
  timeoutMs: Duration.optional(),
  callTimeoutMs: Duration.optional(),
  /** How long a phase waits for stragglers once a quorum is in. */
  patienceMs: Duration.optional(),
  draftTokens: count.optional(),
  reviewTokens: count.optional(),
  synthesisTokens: count.optional(),
  respondTokens: count.optional(),
  /** So many turns of a conversation, the latest, stand in a prompt. */
  historyTurns: count.default(20),
  onDegraded: z.enum(["accept", "refuse"]).default("accept"),
  strictFamilies: truth.default(false),
  /** Of all context files and standard input together. */
  maxContextBytes: count.default(1_000_000),
  /** `postgres://…`, an absolute path of an SQLite file, or `:memory:`. */
  store: z.string().min(1).max(2_000).refine(isStore).optional(),
  organization: OrganizationId.default(OrganizationId.parse("local")),
  /** Endpoints of the user's own, reached as `compatible/NAME`. */
  compatible: z.record(z.string().regex(/^[a-z0-9][a-z0-9._-]{0,59}$/i), Compatible).default({}),
  /** The beginning of a reference, to who trained what it names. */
  families: z.record(z.string().min(1).max(300), line(60)).default({}),
  /** By reference. */
  prices: z.record(ModelRef, Price).default({}),
});
export type Settings = z.infer<typeof Settings>;
export type SettingKey = keyof Settings;

function isStore(target: string): boolean {
  if (!target.includes("://")) return true;
  return /^postgres(ql)?:\/\//.test(target) && URL.canParse(target);
}

/** What a value has to be, in words, and one that is right. */
export type Hint = { readonly expects: string; readonly example: string };

const COUNT = "a whole number above 0";
const REFS = "one or more models as provider/model, separated by commas or as a list";
const DEGREES = "a number from 0 to 2";
const TIME = "a time such as 90 (seconds), 90s, 5m or 1h";

/** By key, and by path below it where the key is a map of entries under names of the user's choice (`*`). */
export const hints: { readonly [K in SettingKey]-?: Hint } & { readonly [path: string]: Hint } = {
  models: { expects: REFS, example: "openai/gpt-5-mini,anthropic/claude-sonnet-4-5" },
  chair: { expects: REFS, example: "anthropic/claude-sonnet-4-5" },
  judge: { expects: REFS, example: "google/gemini-2.5-flash" },
  embedding: { expects: "one model as provider/model", example: "openai/text-embedding-3-small" },
  critic: { expects: "auto, on or off", example: "off" },
  memory: { expects: "on or off", example: "off" },
  user: { expects: "a name of letters, digits, dot, dash, underscore, @ and +", example: "ada" },
  temperature: { expects: DEGREES, example: "0.2" },
  respondentB: { expects: "true or false", example: "true" },
  modelB: { expects: "one model as provider/model", example: "ollama/gemma3:27b" },
  temperatureB: { expects: DEGREES, example: "0.5" },
  personas: { expects: "ids of personas, separated by commas or as a list", example: "analyst,challenger" },
  strategy: { expects: "the name of a strategy, or a file", example: "risk-averse" },
  goal: { expects: "a line of text", example: "fewest outages" },
  mode: { expects: "consensus or vote", example: "vote" },
  effort: { expects: "a whole number from 1 to 5", example: "3" },
  seed: { expects: "a number or a short text", example: "7" },
  quorum: { expects: COUNT, example: "2" },
  maxCostUsd: { expects: "a number above 0, in US dollars", example: "0.50" },
  maxTokens: { expects: COUNT, example: "50000" },
  maxCalls: { expects: COUNT, example: "20" },
  timeoutMs: { expects: TIME, example: "5m" },
  callTimeoutMs: { expects: TIME, example: "3m" },
  patienceMs: { expects: TIME, example: "30s" },
  draftTokens: { expects: COUNT, example: "4096" },
  reviewTokens: { expects: COUNT, example: "4096" },
  synthesisTokens: { expects: COUNT, example: "8192" },
  respondTokens: { expects: COUNT, example: "4096" },
  historyTurns: { expects: COUNT, example: "20" },
  onDegraded: { expects: "accept or refuse", example: "refuse" },
  strictFamilies: { expects: "true or false", example: "true" },
  maxContextBytes: { expects: COUNT, example: "1000000" },
  store: { expects: "postgres://… or the path of a file", example: "postgres://localhost/parley" },
  organization: { expects: "a name of letters, digits, dot, dash and underscore", example: "local" },
  compatible: { expects: "a map of names to endpoints", example: "{lab: {url: http://localhost:8000/v1}}" },
  "compatible.*": {
    expects: "a map with a url, its name one word",
    example: "{lab: {url: http://localhost:8000/v1}}",
  },
  "compatible.*.url": {
    expects: "an http or https URL",
    example: "http://localhost:8000/v1",
  },
  "compatible.*.key-env": { expects: "the name of an environment variable", example: "LAB_API_KEY" },
  "compatible.*.model": { expects: "a model's name", example: "llama-3.3-70b" },
  "compatible.*.family": { expects: "who trained the model", example: "meta" },
  "compatible.*.context": { expects: `${COUNT}, in tokens`, example: "32768" },
  "compatible.*.wire": { expects: "openai, anthropic or ollama", example: "openai" },
  "compatible.*.local": { expects: "true or false", example: "true" },
  families: {
    expects: "a map of references, or their beginnings, to families",
    example: "{ollama/mine: meta}",
  },
  "families.*": { expects: "who trained the model", example: "meta" },
  prices: { expects: "a map of references to prices", example: "{openai/gpt-5: {in: 1.25, out: 10}}" },
  "prices.*": {
    expects: "a map of in, out and cached under a reference provider/model",
    example: "{in: 1.25, out: 10}",
  },
  "prices.*.in": { expects: "US dollars per million tokens", example: "1.25" },
  "prices.*.out": { expects: "US dollars per million tokens", example: "10" },
  "prices.*.cached": { expects: "US dollars per million tokens", example: "0.125" },
};

/** A key as files and flags write it. */
export const written = (key: string): string =>
  key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/-ms$/, "");

/** The key behind what a file or a flag writes. */
export const keyOf: ReadonlyMap<string, SettingKey> = new Map(
  Settings.keyof().options.map((key) => [written(key), key]),
);

/** Every setting as files and flags write it. */
export const settingNames: readonly string[] = [...keyOf.keys()];

export const variableOf = (name: string): string => `PARLEY_${name.replaceAll("-", "_").toUpperCase()}`;

/** Settings whose entries stand under names of the user's choice: entries of all files count, and they stand in files only. */
export const isMapped = (key: SettingKey): boolean => Object.hasOwn(hints, `${key}.*`);
