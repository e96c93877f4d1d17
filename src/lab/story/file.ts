import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import { checkedFile } from "../../config/named-files.ts";
import { filesIn } from "../../config/named-files.ts";
import { toAbsolute, type FileContext } from "../../config/paths.ts";
import { refuse } from "../../config/text-file.ts";
import { quoteValue as shown } from "../../text/words.ts";
import { displayPath } from "../../config/text-file.ts";
import { readYaml, type YamlFile } from "../../config/yaml.ts";
import { ModelRef, Respondent } from "../../kernel/index.ts";
import { findNearest } from "../../text/words.ts";

// STORY-5. Nothing that a story expects is passed over: what cannot be looked at is refused when the story is read.

const NOTHING = "nothing is written here";
const line = (most: number) => z.string().trim().min(1, NOTHING).max(most);
/** What people write for each other. */
const prose = z.string().max(20_000).nullish();

/** `a|b`: one of them is enough. */
const Saying = line(2_000).transform((text, context) => {
  const either = text.split("|").map((one) => one.trim());
  // An empty text stands in every answer.
  if (!either.includes("")) return either;
  context.addIssue({ code: "custom", message: "nothing stands beside a |" });
  return z.NEVER;
});
const sayings = z.array(Saying).max(100).nullish();

const Checks = z.strictObject({
  answer_not_empty: z.boolean().optional(),
  thinking_not_empty: z.boolean().optional(),
  tool_calls_empty: z.boolean().optional(),
  tool_calls_not_empty: z.boolean().optional(),
  tool_names_include: z.array(line(200)).max(100).optional(),
  only_one_ui_response: z.boolean().optional(),
});

const Turn = z.strictObject({
  query: line(100_000),
  expected_content: sayings,
  must_not_contain: sayings,
  new_session: z.boolean().optional(),
  response_generation_checks: Checks.optional(),
  notes: prose,
});

const scalar = z.union([z.string().max(2_000), z.number(), z.boolean(), z.null()]);
const FIELD =
  "it should be a value, a list of values, or {type: integer, number, text, boolean, list or null}";
const Field = z.union(
  [
    scalar.transform((value) => ({ oneOf: [value] })),
    z
      .array(scalar)
      .min(1)
      .max(100)
      .transform((oneOf) => ({ oneOf })),
    z.strictObject({ type: z.enum(["integer", "number", "text", "boolean", "list", "null"]) }),
  ],
  FIELD,
);

/** A subject, or a subject with more. */
const Message = z.preprocess(
  (written) => (typeof written === "string" ? { subject: written } : written),
  z.strictObject({
    subject: line(300),
    where: z.record(z.string().max(100), Field).default({}),
    times: z.int().min(1).max(10_000).optional(),
  }),
);
const messages = z.array(Message).max(100).nullish();

const EngramEntry = z.strictObject({
  respondent: Respondent.default("A"),
  type: z.enum(["episodic", "pinned"]).default("episodic"),
  has: z
    .array(
      z.enum([
        ...["question", "summary", "at", "entities", "models"],
        ...["grade", "preference", "thumb", "outcome", "comment", "retired"],
      ] as const),
    )
    .default([]),
});

const temperature = z.number().min(0).max(2);

/** What a story says in place of flags, as its file writes it. */
const WrittenDefaults = z.strictObject({
  model: ModelRef.optional(),
  judge: ModelRef.optional(),
  respondent_b: z.boolean().optional(),
  model_b: ModelRef.optional(),
  temperature: temperature.optional(),
  temperature_b: temperature.optional(),
});
type WrittenDefaults = z.output<typeof WrittenDefaults>;

/** What a story says in place of flags, where these are not given. */
export type StoryDefaults = {
  readonly model?: ModelRef | undefined;
  readonly judge?: ModelRef | undefined;
  readonly respondentB?: boolean | undefined;
  readonly modelB?: ModelRef | undefined;
  readonly temperature?: number | undefined;
  readonly temperatureB?: number | undefined;
};

const defaultsOf = ({
  respondent_b: respondentB,
  model_b: modelB,
  temperature_b: temperatureB,
  ...same
}: WrittenDefaults): StoryDefaults => ({
  ...same,
  ...(respondentB === undefined ? {} : { respondentB }),
  ...(modelB === undefined ? {} : { modelB }),
  ...(temperatureB === undefined ? {} : { temperatureB }),
});

/** LoCAL2's flags that mean something here. */
const FLAGS = ["--model", "--respondent-b", "--model-b", "--temperature-b"];

/**
 * What LoCAL2's `startup_flags` ask for. A model without a provider is Ollama's, as all of LoCAL2's are.
 * @throws Fault `configuration` with the place of a flag that means nothing here, or lacks its value
 */
function startupDefaults(file: YamlFile, words: readonly string[]): WrittenDefaults {
  let given: WrittenDefaults = {};
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const at = file.place(["startup_flags", index], "value");
    const value = <S extends z.ZodType>(read: S, what: string, written: unknown): z.output<S> => {
      const parsed = read.safeParse(written);
      if (!parsed.success) throw refuse(`${at}: ${word} needs a ${what}`, "write it behind the flag");
      index += 1;
      return parsed.data;
    };
    const next = words[index + 1];
    switch (word) {
      case "--respondent-b":
        given = { ...given, respondent_b: true };
        break;
      case "--model":
        given = { ...given, model: value(ModelRef, "model", local(next)) };
        break;
      case "--model-b":
        given = { ...given, model_b: value(ModelRef, "model", local(next)) };
        break;
      case "--temperature-b":
        given = { ...given, temperature_b: value(temperature, "temperature", Number(next || Number.NaN)) };
        break;
      default:
        throw refuse(
          `${at}: the flag ${shown(word)} means nothing here`,
          `the nearest is ${findNearest(word, FLAGS)}`,
        );
    }
  }
  return given;
}

const local = (model = ""): string => (model.includes("/") ? model : `ollama/${model}`);

const StoryFile = z.strictObject({
  story_id: z.preprocess((id) => (typeof id === "number" ? String(id) : id), line(60)),
  title: z.string().trim().max(300).default(""),
  description: prose,
  notes: prose,
  startup_flags: z
    .array(z.union([z.string(), z.number()]).transform(String))
    .max(20)
    .optional(),
  turns: z.array(Turn).min(1, "there are no turns").max(100),
  expected_bus_events: z.strictObject({ present: messages, absent: messages }).optional(),
  response_generation_checks: Checks.optional(),
  inter_turn_delay_secs: z.number().min(0).max(3_600).default(0),
  critic: z.strictObject({ should_fire: z.boolean().optional() }).optional(),
  needs: z
    .array(z.enum(["judge", "respondent-b"]))
    .max(2)
    .default([]),
  defaults: WrittenDefaults.default({}),
  expected_engrams: z.array(EngramEntry).max(100).default([]),
});

type StoryField = { readonly field: string; readonly is: z.output<typeof Field> };
type StoryMessage = {
  readonly subject: string;
  readonly where: readonly StoryField[];
  readonly times: number | undefined;
};

/** A conversation, and what is expected of it. */
export type Story = {
  /** As it was named. */
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly turns: readonly {
    readonly query: string;
    /** Begins another conversation of the same person. */
    readonly newSession: boolean;
    /** One of each has to stand in the answer, */
    readonly says: readonly (readonly string[])[];
    /** and none of these. */
    readonly saysNot: readonly (readonly string[])[];
    readonly checks: z.output<typeof Checks>;
  }[];
  readonly present: readonly StoryMessage[];
  readonly absent: readonly StoryMessage[];
  readonly engrams: readonly z.output<typeof EngramEntry>[];
  /** What it waits between two turns for LoCAL2's agents in the background, milliseconds. */
  readonly delayMs: number;
  readonly needs: readonly ("judge" | "respondent-b")[];
  readonly defaults: StoryDefaults;
};

/** What whoever runs stories knows of a subject: its fields, or why it never comes; undefined for none that there is. */
export type Subjects = {
  readonly names: readonly string[];
  readonly known: (
    subject: string,
  ) =>
    | { readonly ok: true; readonly fields: readonly string[] }
    | { readonly ok: false; readonly reason: string }
    | undefined;
};

const FORM = "a story has a story_id and turns, each with a query";

/**
 * A story in YAML.
 *
 * LoCAL2's: `story_id`, `title`, `description`, `notes`, `turns` (`query`, `expected_content` and `must_not_contain` with
 * `a|b`, `new_session`, `response_generation_checks`, `notes`), `response_generation_checks` of all turns (a turn's own
 * come before them), `inter_turn_delay_secs`, `expected_bus_events` as lists of subjects, `startup_flags` (those of the
 * respondents), `critic.should_fire`. Its runner declares the last three and does not look at them; here they are checked.
 *
 * Ours: an expected event may be `{subject, where: {field: value, list of values or {type}}, times}`; `expected_engrams`;
 * `needs`; `defaults`.
 *
 * @throws Fault `configuration` with file, line and column, and the nearest name for one that there is not: a key, a subject or
 *   its field; also for a subject that never comes, with the reason
 */
export function readStoryFile(written: string, subjects: Subjects, place: FileContext): Story {
  const file = readYaml(toAbsolute(written, place), "story");
  const stray = strayKey(file.value, { schema: StoryFile, path: [] });
  if (stray) {
    const word = stray.path.at(-1);
    const hint = `the nearest is ${findNearest(String(word), stray.keys)}`;
    throw refuse(`${file.place(stray.path, "key")}: there is no key ${shown(word)} here`, hint);
  }
  const data = checkedFile(file, StoryFile, FORM);
  const { present, absent } = data.expected_bus_events ?? {};
  const events = { present: expected(present), absent: expected(absent) };
  for (const kind of ["present", "absent"] as const) {
    for (const [index, message] of events[kind].entries())
      refuseUnseen(message, { file, path: ["expected_bus_events", kind, index], subjects });
  }
  const { should_fire } = data.critic ?? {};
  const critic: StoryMessage = { subject: "critique.result", where: [], times: undefined };
  return {
    file: displayPath(written),
    id: data.story_id,
    title: data.title,
    turns: data.turns.map((turn) => ({
      query: turn.query,
      newSession: turn.new_session ?? false,
      says: turn.expected_content ?? [],
      saysNot: turn.must_not_contain ?? [],
      checks: { ...data.response_generation_checks, ...turn.response_generation_checks },
    })),
    present: [...events.present, ...(should_fire === true ? [critic] : [])],
    absent: [...events.absent, ...(should_fire === false ? [critic] : [])],
    engrams: data.expected_engrams,
    delayMs: Math.round(data.inter_turn_delay_secs * 1_000),
    needs: data.needs,
    defaults: defaultsOf({ ...startupDefaults(file, data.startup_flags ?? []), ...data.defaults }),
  };
}

const expected = (written: z.output<typeof messages>): StoryMessage[] =>
  (written ?? []).map(({ subject, where, times }) => ({
    subject,
    times,
    where: Object.entries(where).map(([field, is]) => ({ field, is })),
  }));

type Spot = { readonly file: YamlFile; readonly path: readonly PropertyKey[]; readonly subjects: Subjects };

/** Refuses to wait for what never comes, or to find that nothing misspelt ever came. */
function refuseUnseen({ subject, where }: StoryMessage, { file, path, subjects }: Spot): void {
  const known = subjects.known(subject);
  const at = file.place([...path, "subject"], "value");
  if (!known) {
    const hint = `the nearest is ${findNearest(subject, subjects.names)}`;
    throw refuse(`${at}: there is no subject ${shown(subject)}`, hint);
  }
  if (!known.ok) throw refuse(`${at}: ${shown(subject)} never comes: ${known.reason}`, "take it out");
  for (const { field } of where) {
    if (known.fields.includes(field)) continue;
    const spot = file.place([...path, "where", field], "key");
    const hint = `the nearest is ${findNearest(field, known.fields)}`;
    throw refuse(`${spot}: there is no field ${shown(field)} in ${shown(subject)}`, hint);
  }
}

type Part = { readonly schema: unknown; readonly path: readonly PropertyKey[] };
type StrayKey = { readonly path: readonly PropertyKey[]; readonly keys: readonly string[] };

/** The first key that the schema does not know where it stands, at any depth; a misspelt one is also missing, and says more. */
function strayKey(value: unknown, { schema, path }: Part): StrayKey | undefined {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    for (const [index, one] of value.entries()) {
      const stray = strayKey(one, { schema: inner.element, path: [...path, index] });
      if (stray) return stray;
    }
    return undefined;
  }
  if (!(inner instanceof z.ZodObject) || typeof value !== "object" || value === null || Array.isArray(value))
    return undefined;
  const shape: Readonly<Record<string, unknown>> = inner.shape;
  for (const [key, one] of Object.entries(value)) {
    const at = [...path, key];
    if (!Object.hasOwn(shape, key)) return { path: at, keys: Object.keys(shape) };
    const stray = strayKey(one, { schema: shape[key], path: at });
    if (stray) return stray;
  }
  return undefined;
}

/** What stands behind the wrappers of a key that may be absent, or may be written in short. */
function unwrapped(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable)
    return unwrapped(schema.unwrap());
  return schema instanceof z.ZodPipe && schema.in instanceof z.ZodTransform ? unwrapped(schema.out) : schema;
}

/** A run of so many is no slip of the hand. */
const MAX_FILES = 500;

/**
 * The files that words name. A `*` in a file's name, which not every shell resolves, stands for any characters, in files that
 * end in .yaml or .yml, in the order of their names.
 * @throws Fault `configuration` where none fits, or more than 500 do
 */
export function storyFiles(words: readonly string[], place: FileContext): string[] {
  const files = words.flatMap((word) => {
    const pattern = basename(word);
    if (!pattern.includes("*") || existsSync(toAbsolute(word, place))) return [word];
    const fitting = filesIn(toAbsolute(dirname(word), place), [".yaml", ".yml"])
      .map((path) => basename(path))
      .filter((name) => fits(name, pattern));
    if (fitting.length === 0) throw refuse(`no story fits ${displayPath(word)}`, "name a file that is there");
    return fitting.map((name) => join(dirname(word), name));
  });
  if (files.length > MAX_FILES)
    throw refuse(`there are ${files.length} stories, more than ${MAX_FILES}`, "run them in parts");
  return files;
}

/** Whether the parts between the stars stand in the name, in their order, the outer ones at its ends. */
function fits(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop() ?? "";
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
