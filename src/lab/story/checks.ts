import * as z from "zod";
import {
  answerText,
  busJournal,
  isResponse,
  respondentOf,
  type SubjectMessage,
  subjectsOf,
} from "../../interop/local2/subjects.ts";
import {
  type Annotation,
  type Engram,
  type Entry,
  type Event,
  isEvent,
  type Json,
  type Respondent,
  timeOf,
} from "../../kernel/index.ts";

// STORY-3. Whatever a story expects is one check that holds or does not; what cannot be looked at is one that says so.
// STORY-4. A turn without an answer fails, whatever else is expected of it.

/** What an answer has to say, or must not: one of these, in any case of letters. */
export type Saying = readonly string[];

/** LoCAL2's `response_generation_checks`; what is absent or false is not looked at. */
export type ResponseChecks = {
  readonly answer_not_empty?: boolean | undefined;
  readonly thinking_not_empty?: boolean | undefined;
  readonly tool_calls_empty?: boolean | undefined;
  readonly tool_calls_not_empty?: boolean | undefined;
  readonly tool_names_include?: readonly string[] | undefined;
  readonly only_one_ui_response?: boolean | undefined;
};

export type TurnExpectations = {
  readonly says: readonly Saying[];
  readonly saysNot: readonly Saying[];
  readonly checks: ResponseChecks;
};

/** What a field has to be: a value, one of several, or of a type. */
export type FieldExpectation = {
  readonly field: string;
  readonly is:
    | { readonly oneOf: readonly (string | number | boolean | null)[] }
    | { readonly type: "integer" | "number" | "text" | "boolean" | "list" | "null" };
};

export type MessageExpectation = {
  readonly subject: string;
  readonly where: readonly FieldExpectation[];
  /** Exactly so often; once at least where it is absent. */
  readonly times?: number | undefined;
};

/** What an engram may have beside its type: of its own, or by what was said of it later. */
export type EngramHas = "question" | "summary" | "at" | "entities" | "models" | Annotation["what"]["kind"];

export type EngramExpectation = {
  readonly respondent: Respondent;
  readonly type: Engram["type"];
  readonly has: readonly EngramHas[];
};

export type StoryExpectations = {
  readonly present: readonly MessageExpectation[];
  readonly absent: readonly MessageExpectation[];
  readonly engrams: readonly EngramExpectation[];
};

/** An engram as memory keeps it. */
export type KeptEngram = { readonly engram: Engram; readonly annotations: readonly Annotation[] };

/** The answer that was shown, without the mark of a simulated model; null where there is none. */
export function shownAnswer(entries: readonly Entry[]): string | null {
  const answer = entries.filter(isResponse).findLast((one) => respondentOf(one) === "A");
  return answer ? answerText(answer) : null;
}

const THERE_IS = "there is an answer";

/** Whether a turn's answer is what the story expects of it. `entries` are all of its deliberation. */
export function turnChecks(expected: TurnExpectations, entries: readonly Entry[]): StoryCheck[] {
  const answer = shownAnswer(entries);
  if (answer === null) return [{ what: THERE_IS, ok: false, found: whyNone(entries) }]; // STORY-4
  const found = `"${answer}"`;
  return [
    { what: THERE_IS, ok: true, found },
    ...expected.says.map((saying) => ({
      what: `the answer says ${quoted(saying, "or")}`,
      ok: saying.some((one) => says(answer, one)),
      found,
    })),
    ...expected.saysNot.map((saying) => ({
      what: `the answer does not say ${quoted(saying, "or")}`,
      ok: !saying.some((one) => says(answer, one)),
      found,
    })),
    ...responseChecks(expected.checks, { answer, entries }),
  ];
}

function responseChecks(
  { answer_not_empty, tool_calls_empty, tool_calls_not_empty, ...more }: ResponseChecks,
  { answer, entries }: { readonly answer: string; readonly entries: readonly Entry[] },
): StoryCheck[] {
  const shown = entries.filter(isResponse).filter((one) => respondentOf(one) === "A");
  const called = shown.flatMap((one) =>
    entries.flatMap((entry) =>
      isEvent(entry, "tool-called") && entry.data.by === one.data.by ? [entry.data.tool] : [],
    ),
  );
  const tools = called.length === 0 ? "no tool was called" : called.join(", ");
  const dialogs = subjectsOf(entries).filter(({ subject }) => subject === "answer.dialog").length;
  return [
    ...check(answer_not_empty, { what: "the answer is not empty", ok: answer !== "", found: `"${answer}"` }),
    ...(more.thinking_not_empty
      ? [{ what: "the model thinks", ok: null, found: "what a model thinks is not recorded" }]
      : []),
    ...check(tool_calls_empty, { what: "no tool was called", ok: called.length === 0, found: tools }),
    ...check(tool_calls_not_empty, { what: "a tool was called", ok: called.length > 0, found: tools }),
    ...(more.tool_names_include ?? []).map((name) => ({
      what: `the tool ${name} was called`,
      ok: called.includes(name),
      found: tools,
    })),
    ...check(more.only_one_ui_response, {
      what: "one answer is shown",
      ok: dialogs === 1,
      found: String(dialogs),
    }),
  ];
}

const check = (wanted: boolean | undefined, made: StoryCheck): StoryCheck[] => (wanted ? [made] : []);

const says = (answer: string, text: string): boolean =>
  answer.normalize("NFC").toLowerCase().includes(text.normalize("NFC").toLowerCase());

const quoted = (saying: Saying, between: string): string =>
  saying.map((one) => `"${one}"`).join(` ${between} `);

function whyNone(entries: readonly Entry[]): string {
  const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
  if (!closing) return "it did not end";
  return "why" in closing ? `${closing.outcome}: ${closing.why}` : closing.outcome;
}

/**
 * Whether the whole story left what it should: messages on the bus, over all of its turns, and engrams in memory, one of
 * every answer of the respondent.
 */
export function storyChecks(
  expected: StoryExpectations,
  { entries, engrams }: { readonly entries: readonly Entry[]; readonly engrams: readonly KeptEngram[] },
): StoryCheck[] {
  const messages = subjectsOf(entries);
  return [
    ...expected.present.map((one) => presence(one, messages)),
    ...expected.absent.map((one) => absence(one, messages)),
    ...expected.engrams.map((one) => engramCheck(one, { entries, engrams })),
  ];
}

function presence(expected: MessageExpectation, messages: readonly SubjectMessage[]): StoryCheck {
  const { times } = expected;
  const fitting = messages.filter((one) => fits(expected, one));
  const often = times === undefined ? "" : times === 1 ? " once" : ` ${times} times`;
  return {
    what: `there is ${messageWords(expected)}${often}`,
    ok: times === undefined ? fitting.length > 0 : fitting.length === times,
    found: messagesFound(expected, messages),
  };
}

const absence = (expected: MessageExpectation, messages: readonly SubjectMessage[]): StoryCheck => ({
  what: `there is no ${messageWords(expected)}`,
  ok: !messages.some((one) => fits(expected, one)),
  found: messagesFound(expected, messages),
});

const fits = ({ subject, where }: MessageExpectation, message: SubjectMessage): boolean =>
  message.subject === subject && where.every(({ field, is }) => isAs(message.payload[field], is));

function isAs(value: Json | undefined, is: FieldExpectation["is"]): boolean {
  if ("oneOf" in is) return is.oneOf.some((one) => one === value);
  switch (is.type) {
    case "integer":
      return Number.isInteger(value);
    case "text":
      return typeof value === "string" && value.trim() !== "";
    case "list":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "number":
    case "boolean":
      return typeof value === is.type;
  }
}

function messageWords({ subject, where }: MessageExpectation): string {
  if (where.length === 0) return subject;
  return `${subject} with ${where.map(({ field, is }) => `${field} ${isWords(is)}`).join(" and ")}`;
}

const isWords = (is: FieldExpectation["is"]): string =>
  "oneOf" in is ? is.oneOf.map((one) => JSON.stringify(one)).join(" or ") : `of type ${is.type}`;

/** So many messages of a subject are told of. */
const MAX_SHOWN_MESSAGES = 5;

/** How often the subject came, and with which values of the fields that are asked for. */
function messagesFound({ subject, where }: MessageExpectation, messages: readonly SubjectMessage[]): string {
  const of = messages.filter((one) => one.subject === subject);
  if (of.length === 0 || where.length === 0) return `${of.length} of ${subject}`;
  const told = of
    .slice(0, MAX_SHOWN_MESSAGES)
    .map(
      ({ payload }) =>
        where.map(({ field }) => `${field} ${valueWords(payload[field])}`).join(", ") + reasonOf(payload),
    );
  return `${of.length} of ${subject}: ${told.join("; ")}${of.length > MAX_SHOWN_MESSAGES ? "; …" : ""}`;
}

const valueWords = (value: Json | undefined): string => (JSON.stringify(value) ?? "nothing").slice(0, 200);

/** Why a grade has no score is what whoever expects one wants to know. */
const reasonOf = ({ why }: SubjectMessage["payload"]): string =>
  typeof why === "string" && why !== "" ? ` (${why})` : "";

function engramCheck(
  { respondent, type, has }: EngramExpectation,
  { entries, engrams }: { readonly entries: readonly Entry[]; readonly engrams: readonly KeptEngram[] },
): StoryCheck {
  const journal = busJournal(entries);
  const answers = entries.filter(isResponse).filter((one) => respondentOf(one) === respondent);
  const found = answers.map((answer) => {
    const kept = engrams.find(({ engram }) => engram.id === engramIdOf(answer));
    if (!kept) return { ok: false, words: `no engram of ${respondent}'s answer` };
    const lacks = has.filter((one) => !engramHas(one, { kept, question: journal.question(answer) ?? "" }));
    const is = kept.engram.type;
    const wrong = [
      ...(is === type ? [] : [`is ${is}`]),
      ...((kept.engram.respondent ?? "A") === respondent ? [] : [`is of ${kept.engram.respondent}`]),
      ...(lacks.length > 0 ? [`lacks ${lacks.join(", ")}`] : []),
    ];
    return {
      ok: wrong.length === 0,
      words: wrong.length > 0 ? wrong.join(", ") : `${is}, ${hasWords(kept)}`,
    };
  });
  return {
    what: `${respondent}'s engram is ${type}${has.length > 0 ? ` and has ${has.join(", ")}` : ""}`,
    ok: found.length > 0 && found.every(({ ok }) => ok),
    found: found.length === 0 ? `${respondent} gave no answer` : found.map(({ words }) => words).join("; "),
  };
}

/** An engram has the id of the event that holds its answer. */
const engramIdOf = (answer: Event<"answer-given">): string => answer.id;

/** What was said of an engram, in words. */
const hasWords = ({ annotations }: KeptEngram): string =>
  annotations.length === 0
    ? "nothing said of it"
    : annotations
        .map(({ what }) =>
          what.kind === "grade"
            ? `grade ${what.score}`
            : what.kind === "preference"
              ? `preference ${what.result}`
              : what.kind,
        )
        .join(", ");

/** Whether something is still there, and what it should be. */
function engramHas(
  what: EngramHas,
  { kept, question }: { readonly kept: KeptEngram; readonly question: string },
): boolean {
  const { engram, annotations } = kept;
  switch (what) {
    case "question":
      // Memory keeps the beginning of a long one.
      return engram.question.trim() !== "" && question.trim().startsWith(engram.question.trim());
    case "summary":
      return engram.summary.trim() !== "";
    case "at":
      return Number.isFinite(timeOf(engram));
    case "entities":
    case "models":
      return engram[what].length > 0;
    case "grade":
    case "preference":
    case "thumb":
    case "outcome":
    case "comment":
    case "retired":
      return annotations.some(({ what: said }) => said.kind === what);
  }
}

/** One thing that a story expects: what, whether it is so (null: it cannot be looked at), and what there is, or why not, in words. */
export const StoryCheck = z.strictObject({ what: z.string(), ok: z.boolean().nullable(), found: z.string() });
export type StoryCheck = z.infer<typeof StoryCheck>;

/** What became of one story. */
export const StoryReport = z.strictObject({
  file: z.string(),
  /** The story's own id, such as `S1`. */
  id: z.string(),
  title: z.string(),
  /** Whether no check fails. */
  ok: z.boolean(),
  simulated: z.boolean(),
  /** Whose memory it ran in: nobody else's. */
  user: z.string(),
  turns: z.array(
    z.strictObject({
      query: z.string(),
      /** The deliberation, for `parley show`. */
      deliberation: z.string(),
      /** As it was shown; null where there is none. */
      answer: z.string().nullable(),
      checks: z.array(StoryCheck),
    }),
  ),
  /** Of the story as a whole. */
  checks: z.array(StoryCheck),
});
export type StoryReport = z.infer<typeof StoryReport>;

/** What `parley test --json` prints. */
export const StoryReports = z.strictObject({ ok: z.boolean(), stories: z.array(StoryReport) });
export type StoryReports = z.infer<typeof StoryReports>;

/** Every check of a story: its turns', in order, then its own. */
export const checksOf = ({ turns, checks }: Pick<StoryReport, "turns" | "checks">): readonly StoryCheck[] => [
  ...turns.flatMap((turn) => turn.checks),
  ...checks,
];
