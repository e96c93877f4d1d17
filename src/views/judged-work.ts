import * as z from "zod";
import type { AnswerItem, JudgeManner, JudgeWork, PairItem } from "../contract/judge-work.ts";
import type { Preference } from "../replies/preference.ts";
import { isEvent, type Entry, type Failure } from "../kernel/index.ts";
import { lostCalls, measuredEnds, preferenceIn, whyUnread } from "./measured.ts";
import { Result } from "./result.ts";
import { isSimulated } from "./simulated.ts";
import { spending } from "./spending.ts";

/** A pair before the judge; verdicts are by the order shown, in the order of their repeats. */
export type JudgedPairItem = z.infer<typeof PairItem> & {
  /** What both orders of the first asking say together; null where it is not known, `why` then says why. */
  readonly winner: "A" | "B" | "tie" | null;
  readonly orderSensitive: boolean | null;
  readonly reason: string;
  readonly why: string | null;
  readonly orders: readonly [readonly Preference[], readonly Preference[]];
};

export type JudgedAnswerItem = z.infer<typeof AnswerItem> & {
  readonly score: number | null;
  readonly feedback: string;
  readonly why: string | null;
  readonly grades: readonly (number | null)[];
};

/** A deliberation of the protocol `judge`: what the judge was given, and what it has made of it so far. */
export type JudgedWork = Readonly<z.infer<typeof JudgeHead>> & {
  /** Why it ended without an answer, else null. */
  readonly why: string | null;
  readonly repeat: number;
  /** Prompts in all, and those that have a recorded end. */
  readonly asked: { readonly of: number; readonly done: number };
  /** How the calls of prompts failed that have no reply; asking them again may bring one. */
  readonly lost: readonly Failure[];
} & (
    | { readonly kind: "preference"; readonly items: readonly JudgedPairItem[] }
    | { readonly kind: "grade"; readonly items: readonly JudgedAnswerItem[] }
  );

/** The kinds of work that an item takes. */
const PARTS: readonly string[] = ["order-1", "order-2", "grade", "preference"];

/** By item, part and repeat: `item-17/order-2/1`; what was asked again replaces what had failed. */
type JudgeSteps = { readonly ends: ReadonlyMap<string, Entry>; readonly repeat: number };

/** Folds all entries of a judge's deliberation; undefined for any other one. */
export function judgedWork(entries: readonly Entry[]): JudgedWork | undefined {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (opened?.data.protocol.name !== "judge") return undefined;
  const { settings, participants } = opened.data;
  // As the protocol's schema read them; without its defaults where a program has opened it.
  const { form, rubric, repeat = 1 } = settings as z.input<typeof JudgeManner>;
  const work = settings as JudgeWork;
  const closing = entries.findLast((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const ends = measuredEnds(entries, ({ kind, of, nth = 1 }) =>
    of !== undefined && PARTS.includes(kind) ? `${of}/${kind}/${nth}` : undefined,
  );
  const steps = { ends, repeat };
  const judge = participants.find(({ seat }) => seat === "judge");
  const prompts = work.items.length * repeat * (work.kind === "preference" ? 2 : 1);
  const shared = {
    id: opened.deliberation,
    status: closing?.outcome ?? "open",
    why: closing && "why" in closing ? closing.why : null,
    simulated: isSimulated(entries),
    model: judge?.model ?? "unknown",
    family: judge?.family ?? null,
    form,
    rubric: rubric.name,
    repeat,
    asked: { of: prompts, done: [...ends.keys()].filter((key) => !key.includes("/preference/")).length },
    lost: lostCalls(ends.values()),
    ...spending(entries).total,
  };
  return work.kind === "preference"
    ? { ...shared, kind: work.kind, items: work.items.map((item) => pairOf(item, steps)) }
    : { ...shared, kind: work.kind, items: work.items.map((item) => answerOf(item, steps)) };
}

function pairOf(item: z.infer<typeof PairItem>, steps: JudgeSteps): JudgedPairItem {
  const together = steps.ends.get(`${item.name}/preference/1`);
  const given = together && isEvent(together, "preference-given") ? together.data : undefined;
  return {
    ...item,
    winner: given?.winner ?? null,
    orderSensitive: given?.orderSensitive ?? null,
    reason: given?.reason ?? "",
    why: given ? null : whyUnread(together),
    orders: [
      readings(steps, `${item.name}/order-1`, preferenceIn),
      readings(steps, `${item.name}/order-2`, preferenceIn),
    ],
  };
}

function answerOf(item: z.infer<typeof AnswerItem>, steps: JudgeSteps): JudgedAnswerItem {
  const first = steps.ends.get(`${item.name}/grade/1`);
  const given = first && isEvent(first, "grade-given") ? first.data : undefined;
  return {
    ...item,
    score: given?.score ?? null,
    feedback: given?.feedback ?? "",
    why:
      given?.score === null ? (given.why ?? "the reply declares no score") : given ? null : whyUnread(first),
    grades: readings(steps, `${item.name}/grade`, (entry) =>
      isEvent(entry, "grade-given") ? entry.data.score : null,
    ),
  };
}

const readings = <V>({ ends, repeat }: JudgeSteps, part: string, read: (entry: Entry) => V): V[] =>
  Array.from({ length: repeat }, (_, index) => index + 1).flatMap((turn) => {
    const entry = ends.get(`${part}/${turn}`);
    return entry ? [read(entry)] : [];
  });

/** What is common to all that a judge's deliberations print as JSON. */
export const JUDGE_HEAD = {
  id: z.string(),
  /** A closing's outcome, or `open`. */
  status: z.string(),
  simulated: z.boolean(),
  model: z.string(),
  family: z.string().nullable(),
  form: z.string(),
  rubric: z.string(),
  ...Result.pick({ calls: true, unknown: true, tokens: true, cost: true }).shape,
};

const JudgeHead = z.object(JUDGE_HEAD);
type JudgeHead = z.infer<typeof JudgeHead>;

export function headOf(work: JudgedWork): JudgeHead {
  const { id, status, simulated, model, family, form, rubric, calls, unknown, tokens, cost } = work;
  return { id, status, simulated, model, family, form, rubric, calls, unknown, tokens, cost };
}
