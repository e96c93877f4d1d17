import * as z from "zod";
import {
  answerText,
  busJournal,
  isResponse,
  respondentOf,
  type SubjectMessage,
  subjectsOf,
} from "../../../interop/local2/subjects.ts";
import {
  type Annotation,
  type Engram,
  type Entry,
  isEvent,
  type Json,
  type Respondent,
  timeOf,
} from "../../../kernel/index.ts";
import type { EngramExpectation, MessageExpectation, ResponseChecks, Story } from "./file.ts";

/** A memory entry, and everything that was said of it. */
export type KeptEngram = { readonly engram: Engram; readonly annotations: readonly Annotation[] };

const answersBy = (respondent: Respondent, entries: readonly Entry[]) =>
  entries.filter(isResponse).filter((answer) => respondentOf(answer) === respondent);

/** The answer that was shown, without the mark of a simulated model; null where there is none. */
export function shownAnswer(entries: readonly Entry[]): string | null {
  const answer = answersBy("A", entries).at(-1);
  return answer ? answerText(answer) : null;
}

const HAS_ANSWER = "there is an answer";

/** Checks a turn's answer against what the story expects. `entries` are all of the turn's deliberation. */
export function turnChecks(
  { says, saysNot, checks, events, skipped }: Omit<Story["turns"][number], "query" | "newSession">,
  entries: readonly Entry[],
): StoryCheck[] {
  const answer = shownAnswer(entries);
  if (answer === null)
    return [{ what: HAS_ANSWER, ok: false, found: explainNoAnswer(entries) }, ...skippedChecks(skipped)];
  const found = `"${answer}"`;
  const contains = (texts: readonly string[]) => texts.some((text) => fold(answer).includes(fold(text)));
  const list = (texts: readonly string[]) => texts.map((text) => `"${text}"`).join(" or ");
  return [
    { what: HAS_ANSWER, ok: true, found },
    ...says.map((texts) => ({ what: `the answer contains ${list(texts)}`, ok: contains(texts), found })),
    ...saysNot.map((texts) => ({
      what: `the answer does not contain ${list(texts)}`,
      ok: !contains(texts),
      found,
    })),
    ...responseChecks(checks, { answer, entries }),
    ...messageChecks(events, entries),
    ...skippedChecks(skipped),
  ];
}

const skippedChecks = (skipped: Story["skipped"]): StoryCheck[] =>
  skipped.map(({ what, why }) => ({ what, ok: null, found: why }));

const fold = (text: string): string => text.normalize("NFC").toLowerCase();

function responseChecks(
  checks: ResponseChecks,
  { answer, entries }: { readonly answer: string; readonly entries: readonly Entry[] },
): StoryCheck[] {
  const called = answersBy("A", entries).flatMap(({ data: { by } }) =>
    entries.flatMap((entry) =>
      isEvent(entry, "tool-called") && entry.data.by === by ? [entry.data.tool] : [],
    ),
  );
  const tools = called.length === 0 ? "no tool was called" : called.join(", ");
  const dialogs = subjectsOf(entries).filter(({ subject }) => subject === "answer.dialog").length;
  type Row = readonly [wanted: boolean | undefined, what: string, ok: boolean | null, found: string];
  const rows: readonly Row[] = [
    [checks.answer_not_empty, "the answer is not empty", answer !== "", `"${answer}"`],
    [checks.thinking_not_empty, "the model thinks", null, "what a model thinks is not recorded"],
    [checks.tool_calls_empty, "no tool was called", called.length === 0, tools],
    [checks.tool_calls_not_empty, "a tool was called", called.length > 0, tools],
    ...(checks.tool_names_include ?? []).map((name): Row => [
      true,
      `the tool ${name} was called`,
      called.includes(name),
      tools,
    ]),
    [checks.only_one_ui_response, "one answer is shown", dialogs === 1, String(dialogs)],
  ];
  return rows.flatMap(([wanted, what, ok, found]) => (wanted ? [{ what, ok, found }] : []));
}

function explainNoAnswer(entries: readonly Entry[]): string {
  const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
  if (!closing) return "it did not end";
  return "why" in closing ? `${closing.outcome}: ${closing.why}` : closing.outcome;
}

type StoryRun = { readonly entries: readonly Entry[]; readonly engrams: readonly KeptEngram[] };

/** Checks the messages on the bus over all turns, and the memory entry of each of the respondent's answers. */
export function storyChecks(
  { present, absent, engrams, skipped }: Pick<Story, "present" | "absent" | "engrams" | "skipped">,
  run: StoryRun,
): StoryCheck[] {
  return [
    ...messageChecks({ present, absent }, run.entries),
    ...engrams.map((expected) => engramCheck(expected, run)),
    ...skippedChecks(skipped),
  ];
}

function messageChecks(
  { present, absent }: Pick<Story, "present" | "absent">,
  entries: readonly Entry[],
): StoryCheck[] {
  const messages = subjectsOf(entries);
  const count = (expected: MessageExpectation) =>
    messages.filter((message) => matches(expected, message)).length;
  return [
    ...present.map((expected) => {
      const { times } = expected;
      const often = times === undefined ? "" : times === 1 ? " once" : ` ${times} times`;
      return {
        what: `there is ${describeExpectation(expected)}${often}`,
        ok: times === undefined ? count(expected) > 0 : count(expected) === times,
        found: describeMessages(expected, messages),
      };
    }),
    ...absent.map((expected) => ({
      what: `there is no ${describeExpectation(expected)}`,
      ok: count(expected) === 0,
      found: describeMessages(expected, messages),
    })),
  ];
}

const matches = ({ subject, where }: MessageExpectation, message: SubjectMessage): boolean =>
  message.subject === subject && where.every(({ field, is }) => follows(message.payload[field], is));

function follows(value: Json | undefined, rule: MessageExpectation["where"][number]["is"]): boolean {
  if ("oneOf" in rule) return rule.oneOf.some((one) => one === value);
  switch (rule.type) {
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
      return typeof value === rule.type;
  }
}

function describeExpectation({ subject, where }: MessageExpectation): string {
  const rules = where.map(({ field, is }) =>
    "oneOf" in is
      ? `${field} ${is.oneOf.map((one) => JSON.stringify(one)).join(" or ")}`
      : `${field} of type ${is.type}`,
  );
  return rules.length === 0 ? subject : `${subject} with ${rules.join(" and ")}`;
}

const MAX_SHOWN_MESSAGES = 5;

/** How often the subject came, with the values of the fields that are checked. */
function describeMessages(
  { subject, where }: MessageExpectation,
  messages: readonly SubjectMessage[],
): string {
  const own = messages.filter((one) => one.subject === subject);
  if (own.length === 0 || where.length === 0) return `${own.length} of ${subject}`;
  const shown = own.slice(0, MAX_SHOWN_MESSAGES).map(({ payload }) => {
    const fields = where.map(
      ({ field }) => `${field} ${(JSON.stringify(payload[field]) ?? "nothing").slice(0, 200)}`,
    );
    // A grade without a score says why.
    const { why } = payload;
    return `${fields.join(", ")}${typeof why === "string" && why !== "" ? ` (${why})` : ""}`;
  });
  return `${own.length} of ${subject}: ${shown.join("; ")}${own.length > MAX_SHOWN_MESSAGES ? "; …" : ""}`;
}

function engramCheck(
  { respondent, type, has }: EngramExpectation,
  { entries, engrams }: StoryRun,
): StoryCheck {
  const journal = busJournal(entries);
  const results = answersBy(respondent, entries).map((answer) => {
    // An engram has the id of the event that holds its answer.
    const kept = engrams.find(({ engram }) => String(engram.id) === answer.id);
    if (!kept) return { ok: false, found: `no memory entry of ${respondent}'s answer` };
    const question = journal.question(answer) ?? "";
    const lacks = has.filter((one) => !hasPart(one, { ...kept, question }));
    const { engram } = kept;
    const wrong = [
      ...(engram.type === type ? [] : [`is ${engram.type}`]),
      ...((engram.respondent ?? "A") === respondent ? [] : [`is of ${engram.respondent}`]),
      ...(lacks.length > 0 ? [`lacks ${lacks.join(", ")}`] : []),
    ];
    return {
      ok: wrong.length === 0,
      found: wrong.length > 0 ? wrong.join(", ") : `${engram.type}, ${describeAnnotations(kept)}`,
    };
  });
  return {
    what: `${respondent}'s memory entry is ${type}${has.length > 0 ? ` and has ${has.join(", ")}` : ""}`,
    ok: results.length > 0 && results.every(({ ok }) => ok),
    found:
      results.length === 0 ? `${respondent} gave no answer` : results.map(({ found }) => found).join("; "),
  };
}

const describeAnnotations = ({ annotations }: KeptEngram): string =>
  annotations.length === 0
    ? "no grade or feedback"
    : annotations
        .map(({ what }) =>
          what.kind === "grade"
            ? `grade ${what.score}`
            : what.kind === "preference"
              ? `preference ${what.result}`
              : what.kind,
        )
        .join(", ");

/** Whether a memory entry has a part of its own, or an annotation of this kind. */
function hasPart(
  part: EngramExpectation["has"][number],
  { engram, annotations, question }: KeptEngram & { readonly question: string },
): boolean {
  const own: { readonly [P in EngramExpectation["has"][number]]?: boolean } = {
    // Memory keeps the beginning of a long one.
    question: engram.question.trim() !== "" && question.trim().startsWith(engram.question.trim()),
    summary: engram.summary.trim() !== "",
    at: Number.isFinite(timeOf(engram)),
    entities: engram.entities.length > 0,
    models: engram.models.length > 0,
  };
  return own[part] ?? annotations.some(({ what }) => what.kind === part);
}

/** One expectation of a story. `ok` is null where it cannot be checked; `found` says what was there instead, or why not. */
export const StoryCheck = z.strictObject({ what: z.string(), ok: z.boolean().nullable(), found: z.string() });
export type StoryCheck = z.infer<typeof StoryCheck>;

export const StoryReport = z.strictObject({
  file: z.string(),
  /** The story's own id, such as `S1`. */
  id: z.string(),
  title: z.string(),
  ok: z.boolean(),
  /** How many checks could not be made. */
  skipped: z.int(),
  simulated: z.boolean(),
  /** The memory owner: a user that exists for this story alone. */
  user: z.string(),
  turns: z.array(
    z.strictObject({
      query: z.string(),
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

/** The results of all stories of a run. */
export const StoryReports = z.strictObject({ ok: z.boolean(), stories: z.array(StoryReport) });
export type StoryReports = z.infer<typeof StoryReports>;

/** Every check of a story: first those of its turns, in order, then its own. */
export const checksOf = ({ turns, checks }: Pick<StoryReport, "turns" | "checks">): readonly StoryCheck[] => [
  ...turns.flatMap((turn) => turn.checks),
  ...checks,
];
