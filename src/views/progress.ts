import {
  callOf,
  workOf,
  type Call,
  type Entry,
  type Frame,
  type Opening,
  type Participant,
  type StepKey,
  type Work,
} from "../kernel/index.ts";
import { doingAfter, type Doing } from "./doing.ts";
import { isHidden } from "./veil.ts";
import { billing, speakerOf, spentFold, type Spent } from "./spending.ts";
import { valueByCount } from "./value-by-count.ts";

/** What one step looks like from outside. */
export type StepView = {
  readonly step: StepKey;
  /** What kind of work it is: `draft`, `review`, `synthesis`; the step's key where it does not say so. */
  readonly work: string;
  /** Whether the same was asked before: a repair, or another try. */
  readonly again: boolean;
  /** `calling`: sent, nothing back yet; `writing`: text arrives; `done`, `failed`, `stopped`: recorded. */
  readonly state: "calling" | "writing" | "done" | "failed" | "stopped";
  /** What has arrived of the current attempt; once recorded, the reply. */
  readonly text: string;
  readonly attempt: number;
  /** What it does before it writes; null from then on. */
  readonly doing: Doing | null;
  /** Why it failed, else null. */
  readonly why: string | null;
  /** Once recorded, where its call reported them; else null. */
  readonly tokensOut: number | null;
  /** Part of `tokensOut`. */
  readonly tokensThought: number | null;
  readonly latencyMs: number | null;
  /** What the model thought, once recorded and as far as its provider shows it. */
  readonly thinking: string | null;
};

/** A participant's row on a screen: where it is, and what it says now. */
export type ProgressRow = {
  readonly id: string;
  readonly name: string;
  readonly seat: string;
  readonly model: string;
  /** In the order in which they were first seen. */
  readonly steps: readonly StepView[];
};

/** A deliberation while it runs: the journal's events and the frames of this process, folded as they come. */
export type RunProgress = {
  readonly question: string;
  /** In the order of the seats. */
  readonly rows: readonly ProgressRow[];
  readonly spent: Spent;
  /** The phases that ended, and their rosters. */
  readonly phases: readonly { readonly phase: string; readonly in: number; readonly out: number }[];
  readonly closed: string | undefined;
};

type Seen = {
  readonly owner: string | undefined;
  readonly view: StepView;
  /** It is so from this number of events on. */
  readonly since: number;
  /** What it was before. */
  readonly before: Seen | undefined;
};

/** A live view that is fed and read by one owner. */
export function progressView() {
  const spent = spentFold();
  const bill = billing();
  const steps = new Map<StepKey, Seen>();
  const phases: RunProgress["phases"][number][] = [];
  const at = {
    opening: valueByCount<Opening>(),
    closed: valueByCount<string>(),
    phases: valueByCount<number>(),
    spent: valueByCount<Spent>(),
  };
  let count = 0;
  const nothing = spent.read();

  const received = new Map<
    string,
    { step: StepKey; owner: string | undefined; view: StepView; why: string }
  >();
  const see = (step: StepKey, owner: string | undefined, view: StepView): void => {
    const known = steps.get(step);
    // Of what was not recorded, the newest is enough.
    const before = known?.view.state === "calling" || known?.view.state === "writing" ? known.before : known;
    steps.set(step, { owner, view, since: count, before });
  };
  return {
    event(entry: Entry): void {
      count += 1;
      if (entry.type === "deliberation-opened") at.opening.set(count, entry.data);
      if (entry.type === "deliberation-closed") at.closed.set(count, entry.data.outcome);
      if (entry.type === "roster-fixed") {
        const { phase, in: present, out } = entry.data;
        at.phases.set(count, phases.push({ phase, in: present.length, out: out.length }));
      }
      const items = bill(entry);
      if (items.length > 0) {
        items.forEach(spent.add);
        at.spent.set(count, spent.read());
      }
      const call = callOf(entry);
      if (!call || !("step" in entry.origin)) return;
      const { step } = entry.origin;
      // A reply is what was asked for, as a judge's is, unless a repair says that it could not be read.
      const read = step.endsWith(REPAIR) ? received.get(step.slice(0, -REPAIR.length)) : undefined;
      if (read) see(read.step, read.owner, { ...read.view, state: "failed", why: read.why });
      const view = recordedView(entry, { step, call });
      if (entry.type === "reply-received" && !isHidden(entry) && view.state === "done")
        received.set(step, { step, owner: speakerOf(entry), view, why: entry.data.why });
      see(step, speakerOf(entry), view);
    },
    /** `atMs`: when it came. */
    frame({ step, work, ...frame }: Frame, atMs = 0): void {
      const known = steps.get(step);
      if (known !== undefined && known.view.state !== "calling" && known.view.state !== "writing") return;
      const owner = work?.by;
      const doing = doingAfter(frame, atMs, known?.view.doing);
      const fresh = { step, ...subjectOf(step, work), ...NOTHING_TAKEN, doing };
      if (frame.kind !== "text") {
        if (doing === known?.view.doing) return;
        const attempt = "attempt" in frame ? frame.attempt : (known?.view.attempt ?? 1);
        return see(step, owner, { ...fresh, state: "calling", text: "", attempt });
      }
      const { attempt, offset, text } = frame.delta;
      // A later attempt starts the text anew; what an offset skips was lost, and is not made up.
      const kept = attempt === known?.view.attempt ? known.view.text.slice(0, offset) : "";
      see(step, owner, { ...fresh, state: "writing", text: kept + text, attempt });
    },
    /** How far it was after the first `events` of them; by default, how far it is. */
    read(events = count): RunProgress {
      const opening = at.opening.at(events);
      const participants: readonly Participant[] = opening?.participants ?? [];
      const views = new Map<string, StepView[]>(participants.map(({ id }) => [id, []]));
      for (const newest of steps.values()) {
        let seen: Seen | undefined = newest;
        while (seen && seen.since > events) seen = seen.before;
        if (seen) views.get(seen.owner ?? "")?.push(seen.view);
      }
      return {
        question: opening?.question ?? "",
        rows: participants.map(({ id, persona, seat, model }) => ({
          id,
          name: persona.name,
          seat,
          model,
          steps: views.get(id) ?? [],
        })),
        spent: at.spent.at(events) ?? nothing,
        phases: phases.slice(0, at.phases.at(events) ?? 0),
        closed: at.closed.at(events),
      };
    },
  };
}

const NOTHING_TAKEN = { why: null, tokensOut: null, tokensThought: null, latencyMs: null, thinking: null };

/** What the key of a step that repairs another's reply ends with. */
const REPAIR = "/repair";

const subjectOf = (step: StepKey, work: Work | undefined): Pick<StepView, "work" | "again"> => ({
  work: work?.kind ?? step,
  again: (work?.nth ?? 1) > 1,
});

function recordedView(entry: Entry, { step, call }: { step: StepKey; call: Call }): StepView {
  const why = failureOf(entry, call);
  return {
    step,
    ...subjectOf(step, workOf(entry)),
    state: entry.type === "reply-stopped" ? "stopped" : why === null ? "done" : "failed",
    text: call.ok ? call.reply : call.failure.message,
    attempt: call.attempts,
    doing: null,
    why,
    ...tookBy(call),
    thinking: call.thinking?.text || null,
  };
}

export const tookBy = ({
  latencyMs,
  tokens,
}: Pick<Call, "latencyMs" | "tokens">): Pick<StepView, "latencyMs" | "tokensOut" | "tokensThought"> => ({
  ...{ latencyMs, tokensOut: tokens.out, tokensThought: tokens.reasoning },
});

/** What a step failed of, in words; null when it did what it was to do. */
function failureOf(entry: Entry, call: Call): string | null {
  if (isHidden(entry)) return null;
  if (call.ok && (call.toolCalls ?? []).length > 0) return null;
  if (entry.type === "degradation-noted") return entry.data.why;
  if (entry.type === "review-given" && !entry.data.ranking.ok)
    return `unreadable: ${entry.data.ranking.reason}`;
  return call.ok ? null : `${call.failure.code}: ${call.failure.message}`;
}
