import type { Floor } from "../../engine/index.ts";
import type { Answer } from "../../kernel/index.ts";

// L1. While the drafts' final answers agree, nothing beyond the drafts is called.
// L2. What a rung came to, and which comes next, is recorded before the next one's first call.
// L3. No rung above `effort`, and none that the budget does not reach for.
// L4. Wherever the climb ends, the best answer so far is the answer, beside the control.

/** A kind of work, as step keys name it. */
export type Rung = "draft" | "comparison" | "revision" | "review" | "synthesis";

export type Outcome = {
  readonly rung: Rung;
  /** Tells the rounds of one rung apart. */
  readonly round?: number;
  /** Null: the climb ends here. */
  readonly next: Rung | null;
  /** What was found, in words for whoever reads the result. */
  readonly reason: string;
};

/** Records what a rung came to, under `ladder/<rung>`. */
export async function came({ run }: Floor, { rung, round, next, reason }: Outcome): Promise<void> {
  const body = { rung, next };
  await run.derive(
    {
      key: `ladder/${rung}${round === undefined ? "" : `-${round}`}`,
      ends: ["note-taken"],
      input: { ...body, reason },
    },
    () => ({ type: "note-taken", data: { topic: "ladder", reason, body } }),
  );
}

/** Words of a text that can stand for a whole answer: more of them are prose, which is compared claim by claim. */
const SHORT = 4;

/** Whether a final answer can be compared by itself. */
export const isShort = (final: Answer | null): boolean =>
  final !== null && (final.kind !== "text" || final.value.split(/\s+/).length <= SHORT);
