import { callOf, type Entry, type Frame, type Opening, type StepKey } from "../kernel/index.ts";
import { spending, speakerOf, type Spent } from "./spending.ts";

/** What one step looks like from outside. */
export type StepView = {
  readonly step: StepKey;
  /** `calling`: sent, nothing back yet; `writing`: text arrives; `done`, `failed`: recorded. */
  readonly state: "calling" | "writing" | "done" | "failed";
  /** What has arrived of the current attempt. */
  readonly text: string;
  readonly attempt: number;
};

/** A participant's row on a screen: where it is, and what it says now. */
export type Row = {
  readonly id: string;
  readonly name: string;
  readonly seat: string;
  readonly model: string;
  readonly steps: readonly StepView[];
};

/** A deliberation while it runs: the journal's events and the frames of this process, folded as they come. */
export type Progress = {
  readonly question: string;
  readonly rows: readonly Row[];
  readonly spent: Spent;
  /** The last phase that ended, and its roster. */
  readonly phases: readonly { readonly phase: string; readonly in: number; readonly out: number }[];
  readonly closed: string | undefined;
};

/** A live view that is fed and read by one owner: it keeps the entries, because what was spent is a fold over them. */
export interface ProgressView {
  event(entry: Entry): void;
  frame(frame: Frame): void;
  read(): Progress;
}

export function progressView(): ProgressView {
  const entries: Entry[] = [];
  const steps = new Map<StepKey, StepView>();
  let opening: Opening | undefined;
  let phases: Progress["phases"] = [];
  let closed: string | undefined;

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
      const state = entry.type === "degradation-noted" ? "failed" : "done";
      steps.set(step, {
        step,
        state,
        text: call.ok ? call.reply : call.failure.message,
        attempt: call.attempts,
      });
    },
    frame({ step, ...frame }) {
      const known = steps.get(step);
      if (known?.state === "done" || known?.state === "failed") return;
      if (frame.kind === "started") steps.set(step, { step, state: "calling", text: "", attempt: 1 });
      else {
        const { attempt, offset, text } = frame.delta;
        // A later attempt starts the text anew; what an offset skips was lost, and is not made up.
        const kept = attempt === known?.attempt ? known.text.slice(0, offset) : "";
        steps.set(step, { step, state: "writing", text: kept + text, attempt });
      }
    },
    read: () => ({
      question: opening?.question ?? "",
      rows: (opening?.participants ?? []).map(({ id, persona, seat, model }) => ({
        id,
        name: persona.name,
        seat,
        model,
        steps: [...steps.values()].filter(({ step }) => ownerOf(step, entries) === id),
      })),
      spent: spending(entries).total,
      phases,
      closed,
    }),
  };
}

/** Whose step it is: as its event says, and before that as its key does (`review/bob/repair` is bob's). */
function ownerOf(step: StepKey, entries: readonly Entry[]): string | undefined {
  const event = entries.find(({ origin }) => "step" in origin && origin.step === step);
  return event ? speakerOf(event) : step.split("/")[1];
}
