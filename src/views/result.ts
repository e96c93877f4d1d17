import * as z from "zod";
import {
  attachmentsOf,
  callOf,
  kindOf,
  isEvent,
  isVoice,
  timeOf,
  Needs,
  RunStatus,
  workOf,
  type Budget,
  type Control,
  type Entry,
  type Event,
  type Opening,
  type StepKey,
} from "../kernel/index.ts";
import { pluralize, writeAnswer } from "../text/format.ts";
import { traceSentences } from "../text/trace.ts";
import { withheldIn } from "./contribution-grounds.ts";
import { criticalPathFold } from "./critical-path.ts";
import { AnswerGrade, gradeIn, ownStepOf, type AnswerEvent } from "./answer-event.ts";
import { waitingFold } from "./waiting.ts";
import { showsSimulation } from "./simulated.ts";
import { ResultSource, sourcesFold } from "./sources.ts";
import { billing, speakerOf, spentFold, type Spent } from "./spending.ts";
import { valueByCount, type ValueByCount } from "./value-by-count.ts";

/** Why a run has no full answer, for programs. */
const RunError = z.strictObject({
  /** The failed call's code (`unauthorised`, `out-of-credit`, `rate-limited`, `timed-out`, …), or the run's status where no call failed. */
  code: z.string(),
  /** Whose call failed, by id; null where no call did. */
  participant: z.string().nullable(),
  /** The part of the model's reference before the slash. */
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The HTTP status of the last answer; null where there was none. */
  http: z.int().nullable(),
});
type RunError = z.infer<typeof RunError>;

/** Why a run that ended has no full answer, from the first of its own calls that failed for good; null for a run that is answered or open. */
function errorOf(status: string, opening: Opening, failed: Entry | undefined): RunError | null {
  if (["answered", "open", "waiting"].includes(status)) return null;
  const call = failed && callOf(failed);
  if (!failed || call?.ok !== false)
    return { code: status, participant: null, provider: null, model: null, http: null };
  const participant = workOf(failed)?.by ?? null;
  const model = opening.participants.find(({ id }) => id === participant)?.model ?? null;
  const provider = model?.split("/", 1)[0] ?? null;
  return { code: call.failure.code, participant, provider, model, http: call.failure.http ?? null };
}

const Fields = z.record(z.string(), z.unknown());
const nullable = { text: z.string().nullable(), number: z.number().nullable() };

/**
 * What `--json` prints: the head that the results of all protocols share, and a section of the protocol's own. Published as
 * `schemas/result.schema.json`, with `schemas/section-NAME.schema.json` for the section of each protocol that ships.
 */
export const Result = z.strictObject({
  id: z.string(),
  /** The protocol's name says which form `section` has. */
  protocol: z.strictObject({ name: z.string(), version: z.int() }),
  /** The pack that members, strategy and settings are from; null where none was named. */
  pack: nullable.text,
  /** A closing's outcome, `waiting` for answers of a person, or `open`. */
  status: RunStatus,
  /** Whether any part of it was said by a simulated model. */
  simulated: z.boolean(),
  question: z.string(),
  answer: nullable.text,
  /** The short definite answer, where one could be extracted. */
  finalAnswer: nullable.text,
  /** Everything that is missing or was cut, and why; the reader sees it above the answer. */
  degraded: z.array(z.strictObject({ what: z.string(), why: z.string(), needs: Needs.optional() })),
  /** Why there is no full answer; null for a run that is answered or open. */
  error: RunError.nullable(),
  /** In the order of their seats, with what each answered last; null where it gave no answer of its own, as a chair. */
  participants: z.array(
    z.strictObject({
      id: z.string(),
      seat: z.string(),
      name: z.string(),
      model: z.string(),
      family: nullable.text,
      /** What its provider was sent beside the prompt: fields of the body, and headers. An effort stands with the model. */
      options: z.strictObject({ body: Fields.nullable(), headers: Fields.nullable() }).nullable(),
      /** What its provider does not take, so that it was asked without: `temperature`, `effort`, `schema`, … */
      without: z.array(z.string()),
      answer: nullable.text,
      finalAnswer: nullable.text,
    }),
  ),
  /** The pages of the web that its answers rest on, by number; empty where nobody searched. */
  sources: z.array(ResultSource),
  /** The baseline: what not deliberating would have answered; `agrees` is null where the two cannot be compared. */
  control: z
    .strictObject({
      kind: z.enum(["draft-majority", "best-draft", "leading-draft"]),
      /** Whose draft says it, by id. */
      by: nullable.text,
      /** The short final answer, or the whole draft where it has none. */
      answer: nullable.text,
      agrees: z.boolean().nullable(),
      /** The share, 0 to 1, of the answer's content that stands in the control's draft (`traceSentences`): 1 where it is that draft. */
      overlap: nullable.number,
    })
    .nullable(),
  /** The judge's score of the answer; null where nobody has graded it (yet). */
  grade: AnswerGrade.nullable(),
  /** The deliberation that this one follows in a conversation. */
  previous: nullable.text,
  /** Requests to models that this deliberation sent itself and of which it is known what they took; what a fork adopted is not counted. */
  calls: z.int(),
  /** Further requests that were sent, and of which nobody knows what they took, as at a kill. */
  unknown: z.int(),
  tokens: z.strictObject({
    ...{ in: nullable.number, out: nullable.number },
    ...{ cached: nullable.number, thinking: nullable.number },
  }),
  /** US dollars that `calls` took; null when the price of any of them is unknown, or nothing else is known. */
  cost: z.strictObject({ usd: nullable.number, source: z.string() }),
  /** From opening to closing, pauses included; null while it is open. */
  wallMs: nullable.number,
  /** The longest chain of calls that had to wait for each other, by their recorded latencies. */
  criticalPathMs: z.number(),
  /** The protocol's own part, as its view folds it; null for a protocol without a view. */
  section: z.unknown(),
});
export type Result = z.infer<typeof Result>;

/** What folds a protocol's own section of a result. */
export type SectionView = { sectionOf(entries: readonly Entry[]): unknown };

/** The outcome of one deliberation, from all its entries in order, with the section that its protocol's view folds; undefined for none. */
export function resultOf(entries: readonly Entry[], view?: SectionView): Result | undefined {
  const fold = resultFold(view);
  for (const entry of entries) fold.take(entry);
  return fold.read();
}

export type ResultFold = {
  /** Adds the next entry. */
  take(entry: Entry): void;
  /** `resultOf` the first `count` entries that were taken; of all of them unless given. */
  read(count?: number): Result | undefined;
};

/** How a run ended: the closing, the answer that it names, and the baseline. */
type Ending = {
  readonly closed: Event<"deliberation-closed">;
  readonly answer: AnswerEvent | undefined;
  readonly control: Result["control"];
};

/**
 * The result of a run entry by entry. Each entry is looked at once, and what changes with the number of entries is kept by that
 * number, so that reading the result of any of them takes no longer than of all, but for the section, which is folded anew.
 */
export function resultFold(view?: SectionView): ResultFold {
  const entries: Entry[] = [];
  const answers = new Map<StepKey, AnswerEvent>();
  const lacking: Result["degraded"] = [];
  /** The steps that say themselves that their part is lost. */
  const noted = new Set<string>();
  /** Who is said not to have seen what. */
  const unseen = new Set<string>();
  const bill = billing();
  const sources = sourcesFold();
  const folds = { waiting: waitingFold(), spent: spentFold(), criticalPath: criticalPathFold() };
  const at = {
    opened: valueByCount<Event<"deliberation-opened">>(),
    ended: valueByCount<Ending>(),
    waiting: valueByCount<boolean>(),
    simulated: valueByCount<boolean>(),
    lacking: valueByCount<number>(),
    failed: valueByCount<Entry>(),
    spent: valueByCount<Spent>(),
    criticalPathMs: valueByCount<number>(),
    answers: new Map<string, ValueByCount<Event<"answer-given">>>(),
    without: new Map<string, ValueByCount<readonly string[]>>(),
    grades: new Map<string, ValueByCount<Event<"grade-given">>>(),
  };

  /** Reactions are no part of an answer: what a second respondent says, or fails to say, changes nothing here. */
  const takeOwn = (entry: Entry, count: number) => {
    if (isEvent(entry, "deliberation-opened") && !at.opened.at(count)) at.opened.set(count, entry);
    if (isEvent(entry, "deliberation-closed")) at.ended.set(count, endingOf(entry, answers));
    const step = ownStepOf(entry);
    if (step !== undefined && isEvent(entry, "answer-given", "synthesis-given")) {
      answers.set(step, entry);
      if (isEvent(entry, "answer-given")) historyOf(at.answers, entry.data.by).set(count, entry);
    }
    sources.take(entry, count);
    const call = callOf(entry);
    if (call?.ok === false && !at.failed.at(count)) at.failed.set(count, entry);
    if (call?.without) {
      const left = historyOf(at.without, speakerOf(entry));
      left.set(count, [...new Set([...(left.at(count) ?? []), ...call.without])]);
    }
    if (step !== undefined && isLost(entry)) noted.add(step);
    lacking.push(...lackingIn(entry, { budget: at.opened.at(count)?.data.budget ?? {}, noted }));
    const opening = at.opened.at(count)?.data;
    if (opening) lacking.push(...unseenIn(entry, opening, unseen));
    at.lacking.set(count, lacking.length);
    folds.waiting.take(entry);
    at.waiting.set(count, folds.waiting.read());
    folds.criticalPath.take(entry);
    at.criticalPathMs.set(count, folds.criticalPath.read());
  };

  return {
    take(entry) {
      const count = entries.push(entry);
      if (entry.origin.by !== "reactor") takeOwn(entry, count);
      if (!at.simulated.at(count) && showsSimulation(entry)) at.simulated.set(count, true);
      if (isEvent(entry, "grade-given")) historyOf(at.grades, entry.data.of).set(count, entry);
      const items = bill(entry);
      if (items.length === 0) return;
      items.forEach(folds.spent.add);
      at.spent.set(count, folds.spent.read());
    },
    read(count = entries.length) {
      const opened = at.opened.at(count);
      if (!opened) return undefined;
      const { data } = opened;
      const { closed, answer, control = null } = at.ended.at(count) ?? {};
      const closing = closed?.data;
      const grade = answer && at.grades.get(answer.id)?.at(count);
      return {
        id: opened.deliberation,
        protocol: { ...data.protocol },
        pack: data.pack ?? null,
        status: closing?.outcome ?? (at.waiting.at(count) ? "waiting" : "open"),
        simulated: at.simulated.at(count) ?? false,
        question: data.question,
        answer: answer?.data.text ?? null,
        finalAnswer: answer?.data.final ? writeAnswer(answer.data.final) : null,
        degraded: [
          ...(closing && "why" in closing ? [{ what: closing.outcome, why: closing.why }] : []),
          ...withheldFrom(data),
          ...lacking.slice(0, at.lacking.at(count)),
        ],
        error: errorOf(closing?.outcome ?? "open", data, at.failed.at(count)),
        participants: data.participants.map(({ id, seat, persona: { name }, model, family, options }) => {
          const last = at.answers.get(id)?.at(count)?.data;
          const asked = {
            options: options ? { body: options.body ?? null, headers: options.headers ?? null } : null,
            without: [...(at.without.get(id)?.at(count) ?? [])],
          };
          const finalAnswer = last?.final ? writeAnswer(last.final) : null;
          return { id, seat, name, model, family, ...asked, answer: last?.text ?? null, finalAnswer };
        }),
        sources: sources.read(count, data),
        control,
        grade: grade ? gradeIn(grade) : null,
        previous: data.previous ?? null,
        ...(at.spent.at(count) ?? NOTHING_SPENT),
        wallMs: closed ? Math.max(0, timeOf(closed) - timeOf(opened)) : null, // a clock may have run backwards
        criticalPathMs: at.criticalPathMs.at(count) ?? 0,
        section: view?.sectionOf(entries.slice(0, count)) ?? null,
      };
    },
  };
}

const NOTHING_SPENT: Spent = spentFold().read();

/** The history of a key's value; a new one where it has none yet. */
function historyOf<T>(histories: Map<string, ValueByCount<T>>, key: string): ValueByCount<T> {
  const history = histories.get(key) ?? valueByCount<T>();
  histories.set(key, history);
  return history;
}

function endingOf(closed: Event<"deliberation-closed">, answers: ReadonlyMap<StepKey, AnswerEvent>): Ending {
  const { data: closing } = closed;
  const ended = "answer" in closing ? closing : "best" in closing ? closing.best : null;
  return {
    closed,
    answer: ended ? answers.get(ended.answer) : undefined,
    control: ended?.control ? controlRow(ended.control, ended.answer, answers) : null,
  };
}

function controlRow(
  { kind, step, agrees, answer: short }: Control,
  answer: StepKey,
  answers: ReadonlyMap<StepKey, AnswerEvent>,
): NonNullable<Result["control"]> {
  const draft = answers.get(step)?.data;
  const text = answers.get(answer)?.data.text;
  const share = (whole: string, part: string) =>
    Math.min(1, traceSentences(whole, [{ id: step, text: part }]).share[step] ?? 0);
  const overlap = answer === step ? 1 : text === undefined || !draft ? null : share(text, draft.text);
  return { kind, by: draft?.by ?? null, answer: short?.value ?? draft?.text ?? null, agrees, overlap };
}

/** Whose drafts a fork kept from the chair, so that nobody takes what it wrote for the whole deliberation's answer. */
const withheldFrom = (opening: Opening): Result["degraded"] =>
  opening.participants
    .filter((one) => isVoice(one) && withheldIn(opening)?.includes(one.id))
    .map(({ persona }) => ({
      what: `the draft of ${persona.name}`,
      why: `withheld from the chair, to measure its contribution to ${opening.parent?.id ?? "the answer"}`,
    }));

/** Whether an entry says of its own step that it came to nothing that can be used. */
const isLost = (entry: Entry): boolean =>
  isEvent(entry, "degradation-noted") || (isEvent(entry, "review-given") && !entry.data.ranking.ok);

/** What an entry says to be missing or cut, beside what is `noted` by steps of their own. */
function lackingIn(
  entry: Entry,
  { budget, noted }: { readonly budget: Budget; readonly noted: ReadonlySet<string> },
): Result["degraded"] {
  if (isEvent(entry, "degradation-noted")) return [{ what: entry.data.what, why: entry.data.why }];
  if (isEvent(entry, "answer-given", "synthesis-given")) {
    const { by, call } = entry.data;
    // A reply that ran into its limit is used, but never silently.
    if (!call?.ok || call.finish !== "length") return [];
    const limit = call.tokens.out === null ? "" : ` of ${call.tokens.out} tokens`;
    return [{ what: `the text by ${by}`, why: `cut off at its limit${limit}` }];
  }
  if (isEvent(entry, "review-given")) {
    const { by, ranking } = entry.data;
    return ranking.ok ? [] : [{ what: `the ranking by ${by}`, why: `unreadable: ${ranking.reason}` }];
  }
  // Those whom no event of their own says to be missing: stragglers, and those for whom the budget did not reach.
  const work = workOf(entry);
  if (!isEvent(entry, "roster-fixed") || (work?.kind !== "admission" && work?.kind !== "roster")) return [];
  const when = work.round === undefined ? "" : ` in round ${work.round}`;
  const isNoted = (part: string) => [...noted].some((step) => step === part || step.startsWith(`${part}/`));
  return entry.data.out.flatMap(({ id, why, needs }) => {
    if (isNoted(`${entry.data.phase}/${id}`)) return [];
    const what = `${work.of ?? "part"} by ${id.replace("/of/", " of ")}${when}`;
    return [needs ? { what, why: `${why}${describeNeeds(needs, budget)}`, needs } : { what, why }];
  });
}

/** Which attachments a participant was not shown, the first time that a call of it says so. */
function unseenIn(entry: Entry, opening: Opening, told: Set<string>): Result["degraded"] {
  const { without = [] } = callOf(entry) ?? {};
  const by = opening.participants.find(({ id }) => id === workOf(entry)?.by);
  if (!by) return [];
  return attachmentsOf(opening).flatMap((one) => {
    const key = `${by.id} ${one.digest} ${one.name}`;
    if (!without.includes(kindOf(one)) || told.has(key)) return [];
    told.add(key);
    return [
      {
        what: `${one.name} for ${by.persona.name}`,
        why: `${by.model} was not shown it: it takes no ${kindOf(one)}`,
      },
    ];
  });
}

/** How much of each limit that was too low would do. */
function describeNeeds(needs: Needs, budget: Budget): string {
  const isShort = (cap: "usd" | "tokens" | "calls") => (needs[cap] ?? 0) > (budget[cap] ?? Infinity);
  const amounts = [
    ...(isShort("usd") ? [`$${needs.usd}`] : []),
    ...(isShort("tokens") ? [pluralize(needs.tokens, "token")] : []),
    ...(isShort("calls") ? [pluralize(needs.calls, "call")] : []),
  ];
  return amounts.length === 0 ? "" : `; ${amounts.join(" and ")} would do`;
}

/** Whether these entries have come to an end. */
export const isClosed = (entries: readonly Entry[]): boolean =>
  entries.some((entry) => isEvent(entry, "deliberation-closed"));
