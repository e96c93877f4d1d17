import { admitted, type Floor } from "../../engine/index.ts";
import type { ModelRequest } from "../../kernel/index.ts";

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

/** Whether the budget reaches for one call in its worst case: recorded where there is a cap. */
export async function reaches(
  { run }: Floor,
  call: { readonly name: string; readonly id: string; readonly request: ModelRequest },
): Promise<boolean> {
  const { name, id, request } = call;
  return (await admitted(run, { name, members: [{ id, request }] })).length > 0;
}
