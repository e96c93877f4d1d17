import type * as z from "zod";
import type { Answered, AnswersBody, Cancelled } from "../contract/runs.ts";
import type { OpenedRun } from "../app/start.ts";
import { isEvent, type DeliberationId, type Entry, type Principal } from "../kernel/index.ts";
import { isClosed } from "../views/result.ts";
import { Refused } from "./problem.ts";
import { readAll, readingContext } from "./results.ts";
import type { Services } from "./route.ts";

type Steered = Pick<Services, "parley" | "drives">;

/** Closes an open deliberation for good; of one that has ended it says how. @throws Fault `deliberation-missing` */
export async function cancelRun(
  { parley }: Pick<Services, "parley">,
  principal: Principal,
  given: string,
): Promise<z.infer<typeof Cancelled>> {
  const { id } = await readAll(parley, principal, given);
  const cancelled = await parley.cancel(id, { principal });
  const { entries } = await readAll(parley, principal, id);
  const closing = closingIn(entries);
  const why = closing && "why" in closing ? closing.why : null;
  return { id, cancelled, status: closing?.outcome ?? "open", why };
}

/** Has a deliberation driven on, whoever opened it. @throws Refused 409 for one that has ended, 503 without room */
export async function resumeRun(
  { parley, drives }: Steered,
  principal: Principal,
  given: string,
): Promise<OpenedRun> {
  const { id, entries } = await readAll(parley, principal, given);
  const owes = await readingContext(parley, principal).engine.owesReactions(id);
  if (isClosed(entries) && !owes) throw endedRefusal(entries);
  if (!drives.isRunning(id) && drives.place(id) === 0) drives.checkRoom();
  drives.add(id, principal);
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (!opened) throw new Error("a deliberation begins with its opening");
  return { opened, fresh: true, notes: [] };
}

/** Records what a person says, and has the deliberation driven on. @throws Refused 409 where an answer stands, 422 for one that cannot be used */
export async function recordAnswer(
  { parley, drives }: Steered,
  principal: Principal,
  { id: given, body }: { readonly id: string; readonly body: z.infer<typeof AnswersBody> },
): Promise<z.infer<typeof Answered>> {
  const { id } = await readAll(parley, principal, given);
  if ("answers" in body) {
    const isFirst = await parley.answer(id, body.answers, { principal }).catch(async (error: unknown) => {
      if (await parley.pending(id, { principal })) throw error;
      const { entries } = await readAll(parley, principal, id);
      const isPast = entries.some((entry) => isEvent(entry, "clarification-answered")) || isClosed(entries);
      if (isPast) return false;
      throw error;
    });
    if (!isFirst) throw late("the first answers stand");
    drives.add(id, principal);
    return { status: "recorded", step: null };
  }
  const answered = await parley.answerSeat(id, body, { principal });
  if (answered.status === "late") throw late(answered.why);
  if (answered.status === "refused") {
    const next = "correct it and send it again: nothing was recorded";
    throw new Refused({ status: 422, code: "answer-refused", detail: answered.why, next });
  }
  drives.add(id, principal);
  return { status: "recorded", step: answered.step };
}

/** What waits in a deliberation: the questions, and the caller's own seats. */
export async function readWaiting(
  { parley }: Pick<Services, "parley">,
  principal: Principal,
  id: DeliberationId,
) {
  const [questions, seats] = await Promise.all([
    parley.pending(id, { principal }),
    parley.seats(id, { principal }),
  ]);
  return { questions: questions ?? null, seats };
}

const closingIn = (entries: readonly Entry[]) =>
  entries.find((entry) => isEvent(entry, "deliberation-closed"))?.data;

const late = (detail: string) => new Refused({ status: 409, code: "answered", detail });

const endedRefusal = (entries: readonly Entry[]): Refused => {
  const detail = `it has ended: ${closingIn(entries)?.outcome ?? "closed"}`;
  const next =
    "fork it to run it again with changes, or with retry: true to ask anew only what an outage failed";
  return new Refused({ status: 409, code: "deliberation-closed", detail, next });
};
