import type { CallNews, FailureCode, Frame } from "../kernel/index.ts";

/**
 * What a call does before it writes: it was asked (`sent`), it thinks, or it waits for a place, for its model to be loaded, or
 * for its next attempt. Times are in milliseconds of the clock of whoever feeds the view.
 */
export type Doing = {
  readonly kind: "sent" | "thinking" | "place" | "loading" | "again";
  readonly sinceMs: number;
  /** When its request went out. */
  readonly sentMs: number;
  /** How long such a call usually takes; null where nobody knows. */
  readonly expectedMs: number | null;
  /** Why it is sent again and when, and which of how many attempts that is; null but for `again`. */
  readonly again: {
    readonly code: FailureCode;
    readonly atMs: number;
    readonly attempt: number;
    readonly of: number;
  } | null;
};

/** What a call does after a frame, by what it did before; null once it writes. */
export function doingAfter(
  frame: Pick<Extract<Frame, { kind: "started" }>, "kind" | "expectedMs"> | CallNews | { kind: "text" },
  atMs: number,
  before: Doing | null | undefined,
): Doing | null {
  const same = { sentMs: before?.sentMs ?? atMs, expectedMs: before?.expectedMs ?? null, again: null };
  switch (frame.kind) {
    case "text":
      return null;
    case "started":
      return { ...same, kind: "sent", sinceMs: atMs, sentMs: atMs, expectedMs: frame.expectedMs ?? null };
    case "sent":
      return { ...same, kind: "sent", sinceMs: atMs, sentMs: atMs };
    case "thinking":
      // Between two parts of its text it goes on writing.
      return before === null || before?.kind === "thinking"
        ? before
        : { ...same, kind: "thinking", sinceMs: atMs };
    case "waiting": {
      if (frame.for !== "again") return { ...same, kind: frame.for, sinceMs: atMs };
      const { code, ms, attempt, of } = frame;
      return { ...same, kind: "again", sinceMs: atMs, again: { code, atMs: atMs + ms, attempt, of } };
    }
  }
}
