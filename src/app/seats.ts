import type { InboxItem, OwnSeat, PendingSeat } from "../contract/runs.ts";
import {
  type Fault,
  isEvent,
  seatRequest,
  UserId,
  type DeliberationId,
  type Entry,
  type NewEvent,
  type StepKey,
  refusal,
} from "../kernel/index.ts";
import { pendingQuestions } from "../views/pending-questions.ts";
import { pendingSeats } from "../views/pending-seats.ts";
import type { AppContext } from "./context.ts";
import { summariesIn } from "./lookup.ts";

// INBOX-1. Somebody else's seat is neither shown nor answered: a person sees the prompts of the own steps, and nothing else. Else: a
//     participant reads another person's prompts and answers in that name.
// Whoever abstains is left out by name, as one whose time is up. The first of an answer and an abstention stands.

export type SeatCaller = Pick<AppContext, "engine" | "principal" | "store">;

/** The seats of a run that wait for the caller. */
export async function listOwnSeats(context: SeatCaller, id: DeliberationId): Promise<readonly OwnSeat[]> {
  const { engine, principal, store } = context;
  const own = pendingSeats(await store.read(id)).filter(({ person }) => person === principal.user);
  const seats = await Promise.all(
    own.map(async (seat) => ({ seat, prompt: await engine.lookAtSeat(id, seat.step) })),
  );
  return seats.flatMap(({ seat, prompt }) =>
    prompt ? [{ ...seat, id, messages: [...prompt.messages] }] : [],
  );
}

export type SeatAnswer = {
  /** By default the first that waits for the caller. */
  readonly step?: string | undefined;
} & ({ readonly text: string } | { readonly abstain: true });

/**
 * `recorded`: the run can go on. `refused`: the step could not use it; nothing is recorded. `late`: the first answer stands,
 * or the person abstained before, or the seat's time was up.
 */
export type SeatOutcome =
  | { readonly status: "recorded"; readonly step: StepKey }
  | { readonly status: "refused"; readonly step: StepKey; readonly why: string }
  | { readonly status: "late"; readonly step: StepKey | null; readonly why: string };

/** Reads an answer as the step will, and records it, or that the person abstains. @throws Fault `configuration` for somebody else's seat, or none */
export async function answerSeat(
  context: SeatCaller,
  id: DeliberationId,
  answer: SeatAnswer,
): Promise<SeatOutcome> {
  const { engine, principal, store } = context;
  const { step: wanted } = answer;
  const entries = await store.read(id);
  const seats = pendingSeats(entries).filter(({ step }) => wanted === undefined || step === wanted);
  const seat = seats.find(({ person }) => person === principal.user);
  if (!seat) {
    const [other] = seats;
    if (other) throw othersSeat(other, principal.user);
    const past = entries.findLast(
      (entry) =>
        (entry.type === "seat-answered" || entry.type === "seat-expired") &&
        (wanted === undefined ? entry.data.person === principal.user : entry.data.step === wanted),
    );
    if (past) return { status: "late", step: null, why: describeRecord(past) };
    const why = `${id} is not waiting for an answer of ${principal.user}`;
    throw refusal(why, "list what waits, in the inbox");
  }
  const { step } = seat;
  const prompt = await engine.lookAtSeat(id, step);
  if (!prompt) return { status: "late", step, why: "the run went on without it" };
  const reading = "text" in answer ? prompt.read(answer.text) : { ok: true as const };
  if (!reading.ok) return { status: "refused", step, why: reading.why };
  const person = UserId.parse(principal.user);
  const event: NewEvent =
    "text" in answer
      ? { type: "seat-answered", data: { step, person, text: answer.text } }
      : { type: "seat-expired", data: { step, person, why: `${person} abstained`, abstained: true } };
  const appended = await store.append(id, [event], { by: "client", request: seatRequest(step) });
  if (!appended.ok) return { status: "late", step, why: "the run has ended" };
  if (appended.fresh) return { status: "recorded", step };
  return { status: "late", step, why: describeRecord(appended.events[0]) };
}

function describeRecord(entry: Entry | undefined): string {
  if (!entry || !isEvent(entry, "seat-expired")) return "this was answered before; the first answer stands";
  const { abstained, person } = entry.data;
  return abstained
    ? `${person} abstained before, and that stands`
    : "the time was up before this answer came";
}

export const othersSeat = ({ person }: Pick<PendingSeat, "person">, user: string): Fault =>
  refusal(`this seat is ${person}'s, and you are ${user}`, `act as the user ${person}, if that is you`);

/** Everything that waits for the caller, newest run first. It reads the journals of open runs alone. */
export async function readInbox({
  principal,
  store,
}: Pick<SeatCaller, "principal" | "store">): Promise<readonly InboxItem[]> {
  const items: InboxItem[] = [];
  for await (const { id, question } of summariesIn(store, { open: true })) {
    const entries = await store.read(id);
    for (const { step, person, work, since, until } of pendingSeats(entries))
      if (person === principal.user)
        items.push({ id, question, kind: "seat", asked: [work], step, since, until });
    const pending = pendingQuestions(entries);
    const asked = pending?.questions.map(({ text }) => text);
    if (asked) {
      const since = entries.at(-1)?.at ?? "";
      items.push({ id, question, kind: "questions", asked, step: null, since, until: null });
    }
  }
  return items;
}
