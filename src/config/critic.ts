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
import { parseRubricText, loadRubric, rubricFiles } from "./rubrics.ts";
import type { ValueSource } from "./sources.ts";
import { once } from "../kernel/once.ts";
import type { YamlFile } from "./yaml.ts";

const positiveInteger = z.int().positive();

/** A model's own name alone is one of Ollama's. */
const Model = z.preprocess(
  (value) => (typeof value === "string" && !value.includes("/") ? `ollama/${value.trim()}` : value),
  ModelRef,
);

const RubricBlock = z.string().trim().min(1).max(20_000);

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
  rubric: RubricBlock,
  kind: KindRule.shape.kind,
  rules: z.array(z.record(z.string(), z.unknown())).max(200),
  num_ctx: positiveInteger.optional(),
  /** Seconds, where it has no unit. */
  grade_timeout: Duration.optional(),
  style_rubric: RubricBlock.optional(),
  clarity_rubric: RubricBlock.optional(),
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

const NO_PERSONAS = "answers have no persona here; write a rule";

const FOREIGN = {
  known: { own: Object.keys(CriticFile.shape) },
  theirs: ["num_ctx", "grade_timeout", "style_rubric", "clarity_rubric"],
  skipped: {
    id: "a name of LoCAL2's",
    grade_prompt: "a prompt of your own is .parley/prompts/judge-grade-prometheus.md",
    top_p: "a judge has a temperature alone",
    top_k: "a judge has a temperature alone",
    empathic_rubric: NO_PERSONAS,
    interpretive_rubric: NO_PERSONAS,
    creative_rubric: NO_PERSONAS,
    persona_rubric_map: NO_PERSONAS,
  },
};

/** LoCAL2's rubrics by the kind of answer that each is for: what tools found, and what was done. */
const THEIR_RUBRICS = { material: "style", confirmation: "clarity" } as const;

/**
 * What `critic.yaml` says: the project's, else the user's, over the built-in one; rubrics are read. LoCAL2's own file is read as
 * it is: `num_ctx` is `context`, `grade_timeout` is `timeout`, a block of text under `rubric` is a rubric named `critic`,
 * `style_rubric` and `clarity_rubric` are those of the built-in rules of the kinds `material` and `confirmation`.
 * @throws Fault `configuration` with the place of what is unknown, malformed or missing
 */
export function loadCritic(place: FileContext) {
  const own = ownFile("critic", place, FOREIGN);
  const says = (key: string) => own.says([key]);
  const file = checkedFile(own.file, CriticFile, FORM);
  refuseConflicts(own);
  own.requireTrust([
    ...(own.says(["model"]) && !isHarmlessModel(file.model) ? [`model: ${file.model}`] : []),
    ...(file.tokens > USUAL_TOKENS ? [`tokens: ${file.tokens}`] : []),
  ]);
  const critic = once((): Critic => {
    const rubricAt = createRubricLoader(own, place);
    return {
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
        const theirs = own.says(["rules"]) ? undefined : theirRubric(kind, file);
        return theirs
          ? { kind, when, rubric: rubricAt([theirs.key], theirs.text, theirs.name) }
          : { kind, when, rubric: rubricAt(["rules", index, "rubric"], rubric) };
      }),
    };
  });
  if (own.says([])) critic(); // a file that is wrong is refused where nothing is graded, too
  return {
    get critic() {
      return critic();
    },
    /** Whether a file of the user's says which model grades, and how long its prompt, its reply and its call may be. */
    says: {
      ...{ model: says("model"), context: says("context") || says("num_ctx"), tokens: says("tokens") },
      timeout: says("timeout") || says("grade_timeout"),
    },
    get sources() {
      return listCriticSources(critic(), own);
    },
    warnings: own.warnings,
  };
}

/** LoCAL2's rubric for a kind of answer, where its file has one. */
function theirRubric(kind: string, file: CriticFile) {
  const name = kind === "material" || kind === "confirmation" ? THEIR_RUBRICS[kind] : undefined;
  const text = name && file[`${name}_rubric`];
  return text === undefined ? undefined : { key: `${name}_rubric`, name, text };
}

/** Every value by its key in the file (`critic.model`), rules one by one (`critic.rules.1`); rubrics by their names. */
function listCriticSources(
  critic: Critic,
  { says, sourceOf }: OwnFile,
): Readonly<Record<string, ValueSource>> {
  const { model, temperature, form, kind, rubric, maxOutputTokens: tokens } = critic;
  const [context, timeout] = [critic.contextTokens, writeDuration(critic.timeoutMs)];
  const values = { model, temperature, context, timeout, form, tokens, rubric: rubric.name, kind };
  const sources = Object.entries(values).map(([key, value]): [string, ValueSource] => {
    const alias = ALIASES.get(key);
    return [`critic.${key}`, sourceOf([alias !== undefined && says([alias]) ? alias : key], value)];
  });
  const rules = critic.rules.map((rule, index): [string, ValueSource] => [
    `critic.rules.${index + 1}`,
    sourceOf(says([`${rule.rubric.name}_rubric`]) ? [`${rule.rubric.name}_rubric`] : ["rules", index], {
      kind: rule.kind,
      rubric: rule.rubric.name,
      when: rule.when,
    }),
  ]);
  const listed = rules.length === 0 ? [["critic.rules", sourceOf(["rules"], [])] as const] : rules;
  return Object.fromEntries([...sources, ...listed]);
}

/** The longest grade that a judge writes where nobody says more. */
const USUAL_TOKENS = 1_024;

type RubricLoader = (path: readonly PropertyKey[], written: string, name?: string) => Rubric;

/** Reads the rubrics that a file names, each once. A path stands for what it means where it was written. */
function createRubricLoader({ file, says, requireTrust }: OwnFile, place: FileContext): RubricLoader {
  const loaded = new Map<string, Rubric>();
  const files = once(() => rubricFiles(place));
  const load: RubricLoader = (path, written, name = "critic") => {
    if (!says(path.slice(0, 1))) return loadRubric(written, place, files());
    if (/^\[|^score\s*\d+\s*:|\n/i.test(written)) {
      const reading = parseRubricText(written, name);
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
  return (path, written, name) => {
    const rubric = loaded.get(written) ?? load(path, written, name);
    loaded.set(written, rubric);
    return rubric;
  };
}

const TEXT_FORM = 'write a line [criteria] and the lines "Score 1: …" to "Score 5: …", or a name';

/** @throws Fault `configuration` for a key under both of its names */
function refuseConflicts({ file, says }: OwnFile): void {
  for (const [name, alias] of ALIASES)
    if (says([name]) && says([alias])) {
      const why = `${file.place([alias], "key")}: ${alias} is another name of ${name}, which is given too`;
      throw refuse(why, "remove one");
    }
}
