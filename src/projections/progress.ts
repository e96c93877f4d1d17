import {
  callOf,
  type Call,
  type Entry,
  type Frame,
  type Opening,
  type Participant,
  type StepKey,
} from "../kernel/index.ts";
import { spending, speakerOf, type Spent } from "./spending.ts";

/** What one step looks like from outside. */
export type StepView = {
  readonly step: StepKey;
  /** What kind of work it is, as its key says before it names its owner: `draft`, `review`, `synthesis`. */
  readonly work: string;
  /** `calling`: sent, nothing back yet; `writing`: text arrives; `done`, `failed`: recorded. */
  readonly state: "calling" | "writing" | "done" | "failed";
  /** What has arrived of the current attempt; once recorded, the reply. */
  readonly text: string;
  readonly attempt: number;
  /** Why it failed, else null. */
  readonly why: string | null;
  /** Once recorded, where its call reported them; else null. */
  readonly tokensOut: number | null;
  readonly latencyMs: number | null;
};

/** A participant's row on a screen: where it is, and what it says now. */
export type Row = {
  readonly id: string;
  readonly name: string;
  readonly seat: string;
  readonly model: string;
  /** In the order in which they were first seen. */
  readonly steps: readonly StepView[];
};

/** A deliberation while it runs: the journal's events and the frames of this process, folded as they come. */
export type Progress = {
  readonly question: string;
  /** In the order of the seats. */
  readonly rows: readonly Row[];
  readonly spent: Spent;
  /** The phases that ended, and their rosters. */
  readonly phases: readonly { readonly phase: string; readonly in: number; readonly out: number }[];
  readonly closed: string | undefined;
};

/** A live view that is fed and read by one owner: it keeps the entries, because what was spent is a fold over them. */
export interface ProgressView {
  event(entry: Entry): void;
  frame(frame: Frame): void;
  read(): Progress;
}

type Seen = { readonly owner: string | undefined; readonly view: StepView };

export function progressView(): ProgressView {
  const entries: Entry[] = [];
  const steps = new Map<StepKey, Seen>();
  let opening: Opening | undefined;
  let phases: Progress["phases"] = [];
  let closed: string | undefined;

  const participants = (): readonly Participant[] => opening?.participants ?? [];
  return {
    event(entry) {
      entries.push(entry);
      if (entry.type === "deliberation-opened") opening = entry.data;
      if (entry.type === "deliberation-closed") closed = entry.data.outcome;
      if (entry.type === "roster-fixed") {
        phases = [
          ...phases,
          { phase: entry.data.phase, in: entry.data.in.length, out: entry.data.out.length },
        ];
      }
      const call = callOf(entry);
      if (!call || !("step" in entry.origin)) return;
      const { step } = entry.origin;
      steps.set(step, { owner: speakerOf(entry), view: recordedView(entry, { step, call }, participants()) });
    },
    frame({ step, ...frame }) {
      const known = steps.get(step);
      if (known?.view.state === "done" || known?.view.state === "failed") return;
      const { owner, work } = stepParts(step, participants());
      const fresh = { step, work, why: null, tokensOut: null, latencyMs: null };
      if (frame.kind === "started") {
        steps.set(step, { owner, view: { ...fresh, state: "calling", text: "", attempt: 1 } });
        return;
      }
      const { attempt, offset, text } = frame.delta;
      // A later attempt starts the text anew; what an offset skips was lost, and is not made up.
      const kept = attempt === known?.view.attempt ? known.view.text.slice(0, offset) : "";
      steps.set(step, { owner, view: { ...fresh, state: "writing", text: kept + text, attempt } });
    },
    read: () => ({
      question: opening?.question ?? "",
      rows: participants().map(({ id, persona, seat, model }) => ({
        id,
        name: persona.name,
        seat,
        model,
        steps: [...steps.values()].filter(({ owner }) => owner === id).map(({ view }) => view),
      })),
      spent: spending(entries).total,
      phases,
      closed,
    }),
  };
}

/** Whose step it is and what is done in it: `review/bob/repair` is a review and bob's, `round-2/critique/bob/of/alice` a critique and bob's. */
export function stepParts(
  step: StepKey,
  participants: readonly Participant[],
): { readonly owner: string | undefined; readonly work: string } {
  const segments = step.split("/");
  const at = segments.findIndex(
    (segment, index) => index > 0 && participants.some(({ id }) => id === segment),
  );
  return { owner: segments[at], work: segments[at < 1 ? 0 : at - 1] ?? step };
}

function recordedView(
  entry: Entry,
  { step, call }: { readonly step: StepKey; readonly call: Call },
  participants: readonly Participant[],
): StepView {
  const why = failureOf(entry, call);
  return {
    step,
    work: stepParts(step, participants).work,
    state: why === null ? "done" : "failed",
    text: call.ok ? call.reply : call.failure.message,
    attempt: call.attempts,
    why,
    tokensOut: call.tokens.out,
    latencyMs: call.latencyMs,
  };
}

/** What a step failed of, in words; null when it did what it was to do. */
function failureOf(entry: Entry, call: Call): string | null {
  if (call.ok && (call.toolCalls ?? []).length > 0) return null;
  if (entry.type === "degradation-noted" || entry.type === "reply-received") return entry.data.why;
  if (entry.type === "review-given" && !entry.data.ranking.ok)
    return `unreadable: ${entry.data.ranking.reason}`;
  return call.ok ? null : `${call.failure.code}: ${call.failure.message}`;
}
