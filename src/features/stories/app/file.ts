import * as z from "zod";
import { filesMatching, isPattern } from "../../../config/file-patterns.ts";
import { checkedFile } from "../../../config/named-files.ts";
import { toAbsolute, type FileContext } from "../../../config/paths.ts";
import { displayPath, refuse } from "../../../config/text-file.ts";
import { readYaml, type YamlFile } from "../../../config/yaml.ts";
import { ModelRef, Respondent } from "../../../kernel/index.ts";
import { findMeant, findNearest, quoteValue, toOneLine } from "../../../text/words.ts";
import { isOwnStory, readForeign, type Skipped, type Subjects } from "./foreign.ts";

// Every expectation of a story is a check: one that cannot be checked is refused when the story is read, or, in a story of LoCAL2's,
// skipped by name.

const line = (maxLength: number) => z.string().trim().min(1).max(maxLength);
/** Notes for people. */
const prose = z.string().max(20_000).nullish();

/** `a|b`: one of them suffices. */
const Saying = line(2_000).transform((text, context) => {
  const either = text.split("|").map((one) => one.trim());
  // Every answer contains an empty text.
  if (!either.includes("")) return either;
  context.addIssue({ code: "custom", message: "one side of a | is empty" });
  return z.NEVER;
});
const sayings = z
  .array(Saying)
  .max(100)
  .nullish()
  .transform((written) => written ?? []);

const Checks = z.strictObject({
  answer_not_empty: z.boolean().optional(),
  thinking_not_empty: z.boolean().optional(),
  tool_calls_empty: z.boolean().optional(),
  tool_calls_not_empty: z.boolean().optional(),
  tool_names_include: z.array(line(200)).max(100).optional(),
  only_one_ui_response: z.boolean().optional(),
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
    where: z
      .record(z.string().max(100), Field)
      .default({})
      .transform((rules) => Object.entries(rules).map(([field, is]) => ({ field, is }))),
    times: z.int().min(1).max(10_000).optional(),
  }),
);
const messages = z
  .array(Message)
  .max(100)
  .nullish()
  .transform((written) => written ?? []);
const BusEvents = z.strictObject({ present: messages, absent: messages }).prefault({});

const Turn = z
  .strictObject({
    query: line(100_000),
    /** The answer has to contain one of each. */
    expected_content: sayings,
    /** The answer must contain none of these. */
    must_not_contain: sayings,
    /** Starts another conversation of the same person. */
    new_session: z.boolean().default(false),
    /** Messages of this turn. */
    expected_bus_events: BusEvents,
    response_generation_checks: Checks.optional(),
    notes: prose,
  })
  .transform(({ query, ...turn }) => ({
    query,
    newSession: turn.new_session,
    says: turn.expected_content,
    saysNot: turn.must_not_contain,
    checks: { ...turn.response_generation_checks },
    events: turn.expected_bus_events,
  }));

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
    .readonly()
    .default([]),
});

const temperature = z.number().min(0).max(2);

const WrittenDefaults = z.strictObject({
  model: ModelRef.optional(),
  judge: ModelRef.optional(),
  respondent_b: z.boolean().optional(),
  model_b: ModelRef.optional(),
  temperature: temperature.optional(),
  temperature_b: temperature.optional(),
});
type WrittenDefaults = z.output<typeof WrittenDefaults>;

/** A model without a provider is Ollama's, as all of LoCAL2's are. */
const LocalModel = z
  .string()
  .transform((model) => (model.includes("/") ? model : `ollama/${model}`))
  .pipe(ModelRef);

const NO_MEANING = "it has no meaning here";

/** LoCAL2's flags that have a meaning here: the default that each sets, and how its value is read. */
const FLAGS: Readonly<Record<string, { readonly key: keyof WrittenDefaults; readonly value?: z.ZodType }>> = {
  "--respondent-b": { key: "respondent_b" },
  "--model": { key: "model", value: LocalModel },
  "--model-b": { key: "model_b", value: LocalModel },
  "--temperature-b": {
    key: "temperature_b",
    value: z.string().min(1).pipe(z.coerce.number()).pipe(temperature),
  },
};

/**
 * The defaults that LoCAL2's `startup_flags` set, and the flags that are skipped. What stands behind a flag is its value.
 * @throws Fault `configuration` with the place of a flag that is misspelled, or lacks its value
 */
function startupDefaults(file: YamlFile, words: readonly string[]) {
  const known = Object.keys(FLAGS);
  const defaults: Record<string, unknown> = {};
  const skipped: Skipped[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    const at = file.place(["startup_flags", index], "value");
    const flag = Object.hasOwn(FLAGS, word) ? FLAGS[word] : undefined;
    const meant = flag ? undefined : findMeant(word, known);
    if (meant !== undefined)
      throw refuse(`${at}: unknown flag ${quoteValue(word)}`, `did you mean ${meant}?`);
    if (!flag) {
      if (word.startsWith("-")) skipped.push({ what: `the flag ${toOneLine(word, 60)}`, why: NO_MEANING });
      continue;
    }
    defaults[flag.key] = true;
    if (!flag.value) continue;
    index += 1;
    const read = flag.value.safeParse(words[index]);
    const noun = flag.key.startsWith("model") ? "model" : "temperature";
    if (!read.success) throw refuse(`${at}: ${word} needs a ${noun}`, "write it behind the flag");
    defaults[flag.key] = read.data;
  }
  return { defaults: WrittenDefaults.parse(defaults), skipped };
}

const StoryFile = z.strictObject({
  story_id: z.preprocess((id) => (typeof id === "number" ? String(id) : id), line(60)),
  title: z.string().trim().max(300).default(""),
  description: prose,
  notes: prose,
  startup_flags: z
    .array(z.union([z.string(), z.number()]).transform(String))
    .max(20)
    .default([]),
  turns: z.array(Turn).max(100).default([]),
  expected_bus_events: BusEvents,
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

type StoryFile = z.output<typeof StoryFile>;

/** A message that must be on the bus, or must not: exactly `times`, or at least once. */
export type MessageExpectation = z.output<typeof Message>;

export type EngramExpectation = z.output<typeof EngramEntry>;
/** LoCAL2's `response_generation_checks`; what is absent or false is not checked. */
export type ResponseChecks = z.output<typeof Checks>;

/** A conversation, and what is expected of it. */
export type Story = {
  /** As it was named. */
  readonly file: string;
  readonly id: string;
  readonly title: string;
  readonly turns: readonly (z.output<typeof Turn> & { readonly skipped: readonly Skipped[] })[];
  readonly present: readonly MessageExpectation[];
  readonly absent: readonly MessageExpectation[];
  readonly engrams: readonly EngramExpectation[];
  /** What of the story as a whole cannot be checked. */
  readonly skipped: readonly Skipped[];
  /** Milliseconds between two turns, which LoCAL2's background agents need. */
  readonly delayMs: number;
  readonly needs: readonly StoryFile["needs"][number][];
  /** Settings that apply where no flag sets them. */
  readonly defaults: Omit<WrittenDefaults, "respondent_b" | "model_b" | "temperature_b"> & {
    readonly respondentB?: boolean | undefined;
    readonly modelB?: ModelRef | undefined;
    readonly temperatureB?: number | undefined;
  };
};

const FORM = "a story has a story_id and turns, each with a query";

const CHECKS = Object.keys(Checks.shape);
const EVENTS = Object.keys(BusEvents.unwrap().shape);

/** The keys of a story and of its turns that LoCAL2's have, too. */
const KEYS = {
  story: {
    own: Object.keys(StoryFile.shape),
    within: { response_generation_checks: CHECKS, expected_bus_events: EVENTS, critic: ["should_fire"] },
  },
  turn: {
    own: Object.keys(Turn.in.shape),
    within: { response_generation_checks: CHECKS, expected_bus_events: EVENTS },
  },
};

/**
 * Reads a story in YAML.
 *
 * LoCAL2's: `story_id`, `title`, `description`, `notes`, `turns` (`query`, `expected_content` and `must_not_contain` with
 * `a|b`, `new_session`, `response_generation_checks`, `assertions`, `notes`), `response_generation_checks` of all turns (a
 * turn's own override them), `inter_turn_delay_secs`, `expected_bus_events` as lists of subjects, `startup_flags` (those of
 * the respondents), `critic.should_fire`. LoCAL2's runner ignores the last three; here they are checked. Whatever else such a
 * story says is skipped by name, unless it is misspelled.
 *
 * Parley's own: an expected event may be `{subject, where: {field: value, list of values or {type}}, times}`;
 * `expected_bus_events` of a turn; `expected_engrams`; `needs`; `defaults`.
 * @throws Fault `configuration` with file, line and column, and the nearest name for an unknown key, subject or field; also
 *   for a subject that never comes, with the reason
 */
export function readStoryFile(path: string, subjects: Subjects, place: FileContext): Story {
  const file = readYaml(toAbsolute(path, place), "story");
  const foreign = isOwnStory(file.value) ? undefined : readForeign(file.value, { ...KEYS, subjects });
  const data = checkedFile(foreign ? { ...file, value: foreign.value } : file, StoryFile, FORM);
  if (data.turns.length === 0 && !foreign?.skipped.length)
    throw refuse(`${file.place(["turns"], "value")}: turns is not valid: it has no turns`, FORM);
  const checkEvents = (events: z.output<typeof BusEvents>, within: readonly PropertyKey[]) => {
    for (const kind of ["present", "absent"] as const)
      for (const [index, message] of events[kind].entries())
        checkSubject(message, { file, path: [...within, "expected_bus_events", kind, index], subjects });
  };
  const events = data.expected_bus_events;
  checkEvents(events, []);
  for (const [index, turn] of data.turns.entries()) checkEvents(turn.events, ["turns", index]);
  const critic = (fires: boolean): MessageExpectation[] =>
    data.critic?.should_fire === fires ? [{ subject: "critique.result", where: [] }] : [];
  const flags = startupDefaults(file, data.startup_flags);
  const { respondent_b, model_b, temperature_b, ...defaults } = { ...flags.defaults, ...data.defaults };
  return {
    file: displayPath(path),
    id: data.story_id,
    title: data.title,
    turns: data.turns.map((turn, index) => ({
      ...turn,
      checks: { ...data.response_generation_checks, ...turn.checks },
      skipped: foreign?.turns[index]?.skipped ?? [],
    })),
    present: [...events.present, ...critic(true)],
    absent: [...events.absent, ...critic(false)],
    engrams: data.expected_engrams,
    skipped: [...(foreign?.skipped ?? []), ...flags.skipped],
    delayMs: Math.round(data.inter_turn_delay_secs * 1_000),
    needs: data.needs,
    defaults: { ...defaults, respondentB: respondent_b, modelB: model_b, temperatureB: temperature_b },
  };
}

/** @throws Fault `configuration` for a subject that does not exist or never comes, and for a field that it does not have */
function checkSubject(
  { subject, where }: MessageExpectation,
  { file, path, subjects }: { file: YamlFile; path: readonly PropertyKey[]; subjects: Subjects },
): void {
  const known = subjects.known(subject);
  const at = file.place([...path, "subject"], "value");
  if (!known)
    throw refuse(
      `${at}: there is no subject ${quoteValue(subject)}`,
      `did you mean ${findNearest(subject, subjects.names)}?`,
    );
  if (!known.ok) throw refuse(`${at}: ${quoteValue(subject)} never comes: ${known.reason}`, "remove it");
  const unknown = where.find(({ field }) => !known.fields.includes(field));
  if (!unknown) return;
  const spot = file.place([...path, "where", unknown.field], "key");
  throw refuse(
    `${spot}: there is no field ${quoteValue(unknown.field)} in ${quoteValue(subject)}`,
    `did you mean ${findNearest(unknown.field, known.fields)}?`,
  );
}

const MAX_FILES = 500;

/**
 * Lists the files that words name. A pattern of names, which not every shell resolves, stands for files that end in .yaml
 * or .yml, in the order of their names.
 * @throws Fault `configuration` where none fits, or more than 500 do
 */
export function storyFiles(words: readonly string[], place: FileContext): string[] {
  const files = words.flatMap((word) => {
    if (!isPattern(word, place)) return [word];
    const matches = filesMatching(word, place).filter((name) => /\.ya?ml$/.test(name));
    if (matches.length === 0) throw refuse(`no story fits ${displayPath(word)}`, "name a file that exists");
    return matches;
  });
  if (files.length > MAX_FILES)
    throw refuse(`there are ${files.length} stories, more than ${MAX_FILES}`, "run them in parts");
  return files;
}
