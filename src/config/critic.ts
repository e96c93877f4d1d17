import { dirname } from "node:path";
import * as z from "zod";
import { isFault, KindRule, ModelRef, type AnswerSigns, type Rubric } from "../kernel/index.ts";
import { checkedFile } from "./named-files.ts";
import { Duration, writeDuration } from "./duration.ts";
import { ownFile, type OwnFile } from "./own-file.ts";
import { toAbsolute, type FileContext } from "./paths.ts";
import { isHarmlessModel } from "./project-settings.ts";
import { refuse } from "./text-file.ts";
import { isOwnPath } from "./trust.ts";
import { parseRubricText, loadRubric } from "./rubrics.ts";
import type { ValueSource } from "./sources.ts";
import type { YamlFile } from "./yaml.ts";

const positiveInteger = z.int().positive();

/** A model's own name alone is one of Ollama's. */
const Model = z.preprocess(
  (value) => (typeof value === "string" && !value.includes("/") ? `ollama/${value.trim()}` : value),
  ModelRef,
);

/** `critic.yaml`, with what LoCAL2 calls the same. */
const CriticFile = z.strictObject({
  model: Model,
  temperature: z.number().min(0).max(2),
  /** Tokens. */
  context: positiveInteger,
  timeout: Duration,
  form: z.enum(["prometheus", "json"]).optional(),
  tokens: positiveInteger,
  /** A name, a file, or a rubric as a block of text. */
  rubric: z.string().trim().min(1).max(20_000),
  kind: KindRule.shape.kind,
  rules: z.array(z.record(z.string(), z.unknown())).max(200),
  num_ctx: positiveInteger.optional(),
  /** Seconds, where it has no unit. */
  grade_timeout: Duration.optional(),
  top_p: z.number().optional(),
  top_k: z.number().optional(),
});
type CriticFile = z.infer<typeof CriticFile>;

const FORM =
  "it has keys as model: ollama/prometheus:7b, temperature: 0, context: 4096, timeout: 30s, form: prometheus (or json), " +
  "tokens: 1024, rubric: answer-quality, kind: knowledge, and a list of rules";
const RULE_FORM =
  "a rule has a kind (a word), when (one or more of tools: any or a list of names, question and answer: lists of phrases, " +
  "at-most: words of the answer) and a rubric's name";

/** How answers are graded where they are. */
export type Critic = {
  readonly model: ModelRef;
  readonly temperature: number;
  /** Tokens that prompt and reply may have together. */
  readonly contextTokens: number;
  readonly timeoutMs: number;
  /** undefined: as the model's name says. */
  readonly form: "prometheus" | "json" | undefined;
  readonly maxOutputTokens: number;
  /** For what no rule fits, which is taken to be `kind`. */
  readonly rubric: Rubric;
  readonly kind: string;
  /** The first that fits decides. */
  readonly rules: readonly { readonly kind: string; readonly when: AnswerSigns; readonly rubric: Rubric }[];
};

/** What LoCAL2 calls some of the keys. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["context", "num_ctx"],
  ["timeout", "grade_timeout"],
]);

/**
 * What `critic.yaml` says: the project's, else the user's, over the built-in one; rubrics are read. LoCAL2's own file is read as
 * it is: `num_ctx` is `context`, `grade_timeout` is `timeout`, a block of text under `rubric` is a rubric named `critic`.
 * @throws Fault `configuration` with the place of what is unknown, malformed or missing
 */
export function loadCritic(place: FileContext) {
  const own = ownFile("critic", place);
  const file = checkedFile(own.file, CriticFile, FORM);
  refuseConflicts(own, file);
  own.requireTrust([
    ...(own.says(["model"]) && !isHarmlessModel(file.model) ? [`model: ${file.model}`] : []),
    ...(file.tokens > USUAL_TOKENS ? [`tokens: ${file.tokens}`] : []),
  ]);
  const rubricAt = createRubricLoader(own, place);
  const critic: Critic = {
    model: file.model,
    temperature: file.temperature,
    contextTokens: file.num_ctx ?? file.context,
    timeoutMs: file.grade_timeout ?? file.timeout,
    form: file.form,
    maxOutputTokens: file.tokens,
    rubric: rubricAt(["rubric"], file.rubric),
    kind: file.kind,
    rules: file.rules.map((value, index) => {
      // Checked by itself, so that an error names the keys of a rule.
      const at: YamlFile["place"] = (path, of) => own.file.place(["rules", index, ...path], of);
      const { kind, when, rubric } = checkedFile({ ...own.file, value, place: at }, KindRule, RULE_FORM);
      return { kind, when, rubric: rubricAt(["rules", index, "rubric"], rubric) };
    }),
  };
  return { critic, sources: listCriticSources(critic, own) };
}

/** Every value by its key in the file (`critic.model`), rules one by one (`critic.rules.1`); rubrics by their names. */
function listCriticSources(
  critic: Critic,
  { says, sourceOf }: OwnFile,
): Readonly<Record<string, ValueSource>> {
  const { model, temperature, form, kind, rubric } = critic;
  const [context, timeout] = [critic.contextTokens, writeDuration(critic.timeoutMs)];
  const tokens = critic.maxOutputTokens;
  const values = { model, temperature, context, timeout, form, tokens, rubric: rubric.name, kind };
  const sources = Object.entries(values).map(([key, value]): [string, ValueSource] => {
    const alias = ALIASES.get(key);
    return [`critic.${key}`, sourceOf([alias !== undefined && says([alias]) ? alias : key], value)];
  });
  const rules = critic.rules.map((rule, index): [string, ValueSource] => [
    `critic.rules.${index + 1}`,
    sourceOf(["rules", index], { kind: rule.kind, rubric: rule.rubric.name, when: rule.when }),
  ]);
  const listed = rules.length === 0 ? [["critic.rules", sourceOf(["rules"], [])] as const] : rules;
  return Object.fromEntries([...sources, ...listed]);
}

/** The longest grade that a judge writes where nobody says more. */
const USUAL_TOKENS = 1_024;

type RubricLoader = (path: readonly PropertyKey[], written: string) => Rubric;

/** Reads the rubrics that a file names, each once. A path stands for what it means where it was written. */
function createRubricLoader({ file, says, requireTrust }: OwnFile, place: FileContext): RubricLoader {
  const loaded = new Map<string, Rubric>();
  const load: RubricLoader = (path, written) => {
    if (!says(path.slice(0, 1))) return loadRubric(written, place);
    if (/^\[|^score\s*\d+\s*:|\n/i.test(written)) {
      const reading = parseRubricText(written, "critic");
      if (reading.ok) return reading.rubric;
      throw refuse(`${file.place(path, "value")}: the rubric cannot be read: ${reading.reason}`, TEXT_FORM);
    }
    const isFile = /[/\\]|\.ya?ml$/i.test(written);
    if (isFile && !isOwnPath(written, dirname(file.path), place.env)) requireTrust([`rubric: ${written}`]);
    try {
      return loadRubric(isFile ? toAbsolute(written, { ...place, cwd: dirname(file.path) }) : written, place);
    } catch (error) {
      if (!isFault(error, "configuration")) throw error;
      throw refuse(`${file.place(path, "value")}: ${error.details.why}`, error.details.next);
    }
  };
  return (path, written) => {
    const rubric = loaded.get(written) ?? load(path, written);
    loaded.set(written, rubric);
    return rubric;
  };
}

const TEXT_FORM = 'write a line [criteria] and the lines "Score 1: …" to "Score 5: …", or a name';

/** Refuses a key under both of its names, and what chooses among tokens: at temperature 0 nothing is chosen. */
function refuseConflicts({ file, says }: OwnFile, { temperature }: CriticFile): void {
  for (const [name, alias] of ALIASES)
    if (says([name]) && says([alias])) {
      const why = `${file.place([alias], "key")}: ${alias} is another name of ${name}, which is given too`;
      throw refuse(why, "remove one");
    }
  const sampling = temperature === 0 ? undefined : ["top_p", "top_k"].find((key) => says([key]));
  if (sampling === undefined) return;
  const why = `${file.place([sampling], "key")}: ${sampling} is not passed on to a judge`;
  throw refuse(why, "remove it, or set temperature: 0");
}
