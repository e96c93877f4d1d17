import * as z from "zod";
import { editDistance } from "../../../text/words.ts";
import type { StartRequest } from "../../../app/start.ts";
import { Budget, Sampling, type DeliberationId, type Labels } from "../../../kernel/index.ts";
import { toText } from "../../../models/loose.ts";
import { badField, misread } from "./errors.ts";
import { fieldsIn, type SentFile } from "./parts.ts";
import { checkSchema } from "./structured.ts";
import type { ForcedTool, SentTools } from "./tools.ts";
import type { SentMessage } from "./turns.ts";

const MAX_SYSTEM = 1_000_000;
const MAX_FIELDS = 200;

/** Whether a field's value asks for what cannot be given; the reason, or undefined where it is harmless. */
type Refusing = (value: unknown) => string | undefined;

const NEVER: Refusing = (value) => (isNothing(value) ? undefined : "it is not supported here");
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === false || (Array.isArray(value) && value.length === 0);

/** Refuses whatever a field asks for. */
export const refuseField =
  (why: string): Refusing =>
  (value) =>
    value === null || value === undefined ? undefined : why;

const isOne: Refusing = (value) =>
  value === 1 || isNothing(value) ? undefined : "there is one answer: n is 1";
/** Fields that change nothing, by names that a typing error may come to: any other name changes nothing, too. */
const IGNORED = [
  ...["tools", "functions", "service_tier", "parallel_tool_calls", "web_search_options"],
  ...["logit_bias", "prediction", "verbosity", "max_tool_calls", "tool_choice", "function_call"],
  ...["include", "truncation", "stream_options", "prompt_cache_key", "prompt_cache_retention"],
  // Of other servers, one letter from a name above.
  ...["top_k", "top_a", "models"],
];
export const CHAT_REFUSED: Readonly<Record<string, Refusing>> = {
  top_logprobs: NEVER,
  n: isOne,
  logprobs: NEVER,
  audio: NEVER,
  modalities: (value) =>
    isNothing(value) || (Array.isArray(value) && value.every((one) => one === "text"))
      ? undefined
      : "answers are text",
};

/** What `parley` in a request may say, beside OpenAI's fields. */
const Own = z.strictObject({
  models: z.array(z.string()).min(1).max(26).optional(),
  chair: z.array(z.string()).min(1).max(26).optional(),
  judge: z.array(z.string()).min(1).max(26).optional(),
  personas: z.array(z.string()).min(1).max(26).optional(),
  strategy: z.string().max(100).optional(),
  goal: z.string().max(2_000).optional(),
  mode: z.enum(["consensus", "vote"]).optional(),
  rounds: z.int().min(1).max(20).optional(),
  previous: z.string().max(100).optional(),
  onDegraded: z.enum(["accept", "refuse"]).optional(),
  /** Whether what happens is told as reasoning. */
  stages: z.boolean().optional(),
  budget: Budget.optional(),
});

const EFFORTS = new Map(
  Object.entries({ none: 1, minimal: 1, low: 2, medium: 3, high: 4, xhigh: 5, max: 5 }),
);
export const EffortName = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** How the last reply has to be formed. */
export type AnswerForm = {
  readonly schema: Readonly<Record<string, unknown>>;
  /** The tool that it is a call of. */
  readonly tool?: Pick<ForcedTool, "name" | "isFunction">;
} | null;

export type ReadRequest = {
  readonly model: string;
  readonly start: Omit<StartRequest, "request" | "context">;
  /** Pictures and documents of the conversation. */
  readonly files: readonly SentFile[];
  readonly stop: readonly string[];
  readonly format: AnswerForm;
  /** False where it is forgotten once it has answered. */
  readonly store: boolean;
  /** False where nothing that happens is told. */
  readonly stages: boolean;
  /** Fields that change nothing. */
  readonly ignored: readonly string[];
  /** What whoever writes the answer may call of the client's. */
  readonly offer: SentTools["offer"];
  /** The conversation as it was sent. */
  readonly messages: readonly SentMessage[];
  /** The response that it goes on with. */
  readonly previous?: DeliberationId | undefined;
};

/** Reads a body's honoured fields by their schema, and sorts out all others. @throws Refused 400 that names the field */
export function readFields<S extends z.ZodObject>(
  body: unknown,
  { honoured, refused }: FieldTable<S>,
): { readonly given: z.infer<S>; readonly ignored: readonly string[] } {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw badField("", "the body is a JSON object");
  const fields = Object.entries(body);
  if (fields.length > MAX_FIELDS) throw badField("", `the body has at most ${MAX_FIELDS} fields`);
  const known = [...Object.keys(honoured.shape), ...IGNORED, ...Object.keys(refused)];
  const passed: string[] = [];
  const kept: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    if (Object.hasOwn(honoured.shape, name)) {
      if (value !== null) kept[name] = value;
      continue;
    }
    const shown = name.slice(0, 60);
    const meant = known.includes(name) ? undefined : known.find((one) => isOneLetterFrom(name, one));
    if (meant !== undefined)
      throw badField(shown, `unknown field ${JSON.stringify(shown)}`, `did you mean ${meant}?`);
    const why = Object.hasOwn(refused, name) ? refused[name]?.(value) : undefined;
    if (why !== undefined) throw badField(name, `${name}: ${why}`);
    if (name === "tools") passed.push(...toolsIn(value));
    else if (!isNothing(value)) passed.push(shown);
  }
  const read = honoured.safeParse(kept, { reportInput: true });
  if (read.success) return { given: read.data, ignored: passed };
  throw misread(honoured, read.error);
}

/** Whether a name is another with one letter more, less or changed, or with two in each other's place. */
function isOneLetterFrom(name: string, known: string): boolean {
  return known.length > 2 && Math.abs(name.length - known.length) <= 1 && editDistance(name, known) <= 1;
}

const CLIENT_KINDS = ["function", "custom", "namespace"];

/** What tools are named where they are not called: `tools` for those of the client, `tools.TYPE` for those that a provider would run. */
function toolsIn(value: unknown): readonly string[] {
  const kinds = [value]
    .flat()
    .map((tool: unknown) => (toText(fieldsIn(tool)["type"]) || "function").slice(0, 60));
  const named = kinds.map((kind) => (CLIENT_KINDS.includes(kind) ? "tools" : `tools.${kind}`));
  return isNothing(value) ? [] : [...new Set(named)];
}

export type FieldTable<S extends z.ZodObject> = {
  readonly honoured: S;
  readonly refused: Readonly<Record<string, Refusing>>;
};

export const Limit = z.int().positive().max(1_000_000);
const SentSampling = Sampling.omit({ seed: true });
/** What both APIs say of how words are chosen; a seed has a name of its own. */
export const SAMPLING_NAMES = SentSampling.keyof().options;
/** Fields that both APIs have, by the same names. */
export const COMMON_FIELDS = {
  model: z.string().min(1).max(200),
  temperature: z.number().min(0).max(2).optional(),
  ...SentSampling.shape,
  metadata: z
    .record(z.string().min(1).max(64), z.string().max(512))
    .refine((all) => Object.keys(all).length <= 16, "it has at most 16 pairs")
    .optional(),
  user: z.string().max(512).optional(),
  safety_identifier: z.string().max(512).optional(),
  stream: z.boolean().optional(),
  store: z.boolean().optional(),
  parley: Own.optional(),
};
type CommonFields = z.infer<z.ZodObject<typeof COMMON_FIELDS>>;

export const FormSchema = z.record(z.string(), z.unknown());
/** Forms of an answer that both APIs name alike. */
export const USUAL_FORMS = [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object"), schema: FormSchema.optional() }),
] as const;

type AskedForm = {
  readonly type: string;
  readonly schema?: z.infer<typeof FormSchema> | undefined;
  readonly json_schema?: { readonly schema?: z.infer<typeof FormSchema> | undefined } | undefined;
};

/**
 * The form that was asked for, by a tool that is demanded or else by itself; an object of any form, where no schema is given.
 * @throws Refused 400 for one that cannot be used
 */
export function formOf(forced: ForcedTool | undefined, asked: AskedForm = { type: "text" }): AnswerForm {
  if (forced) return { schema: forced.schema, tool: { name: forced.name, isFunction: forced.isFunction } };
  if (asked.type === "text") return null;
  const schema = asked.json_schema?.schema ?? asked.schema ?? { type: "object" };
  checkSchema(schema);
  return { schema };
}

/** What the APIs call by other names. */
type NamedFields = {
  readonly seed?: number | undefined;
  readonly effort?: z.infer<typeof EffortName> | undefined;
  readonly maxTokens?: number | undefined;
  readonly system: string;
};

/** What both APIs' fields are in a request of the library's, for a protocol or a pack; and what of it that protocol has no use for. */
export function settingsOf(
  { asked, hasEffort, isAlone }: ChosenModel,
  { temperature, parley = {}, metadata, safety_identifier, user = safety_identifier, ...sent }: CommonFields,
  { seed, effort, maxTokens, system }: NamedFields,
): { readonly settings: Omit<StartRequest, "request" | "question">; readonly ignored: readonly string[] } {
  if (system.length > MAX_SYSTEM)
    throw badField(
      "instructions",
      `instructions have at most ${MAX_SYSTEM} characters`,
      "send the rest as a message",
    );
  const { budget = {}, stages: _, ...own } = parley;
  const labels = labelsOf(metadata, user);
  const { top_p, presence_penalty, frequency_penalty } = sent;
  const sampling = { top_p, presence_penalty, frequency_penalty, seed };
  const limit = maxTokens === undefined ? {} : { draftTokens: maxTokens, synthesisTokens: maxTokens };
  return {
    settings: {
      ...asked,
      ...own,
      ...(system === "" ? {} : { system }),
      ...(temperature === undefined ? {} : isAlone ? { temperature } : { temperatures: [temperature] }),
      ...(seed === undefined ? {} : { seed: String(seed) }),
      ...(Object.values(sampling).some((one) => one !== undefined) ? { sampling } : {}),
      ...(effort === undefined || !hasEffort ? {} : { effort: EFFORTS.get(effort) }),
      ...(isAlone && maxTokens !== undefined ? { respondTokens: maxTokens } : limit),
      ...(budget.usd === undefined ? {} : { maxCostUsd: budget.usd }),
      ...(budget.tokens === undefined ? {} : { maxTotalTokens: budget.tokens }),
      ...(budget.calls === undefined ? {} : { maxCalls: budget.calls }),
      ...(budget.timeMs === undefined ? {} : { timeoutMs: budget.timeMs }),
      ...(Object.keys(labels.labels).length > 0 ? { labels: labels.labels } : {}),
    },
    ignored: [
      ...(effort !== undefined && !hasEffort ? ["reasoning_effort"] : []),
      ...(labels.isUserLeftOut ? ["user"] : []),
    ],
  };
}

const MAX_LABELS = 16;

function labelsOf(
  metadata: Readonly<Record<string, string>> = {},
  user?: string,
): { readonly labels: Labels; readonly isUserLeftOut: boolean } {
  const isFull = user !== undefined && Object.keys(metadata).length >= MAX_LABELS && !("user" in metadata);
  return {
    labels: { ...(user === undefined || isFull ? {} : { user }), ...metadata },
    isUserLeftOut: isFull,
  };
}

/** What a model's name stands for. */
export type ChosenModel = {
  readonly id: string;
  /** What a request names for it. */
  readonly asked: { readonly protocol: string } | { readonly pack: string };
  readonly hasEffort: boolean;
  /** Whether one model answers alone. */
  readonly isAlone: boolean;
};
