import type { Closing, FailureCode } from "../kernel/index.ts";
import { controlOf } from "./control.ts";
import type { Draft } from "./draft.ts";

/** The usual quorum: more than half. */
export const moreThanHalf = (of: number): number => Math.floor(of / 2) + 1;

export type Shortfall = {
  /** What the others were to do, in words: `members answered`. */
  readonly did: string;
  readonly given: readonly Draft[];
  readonly absent: readonly {
    readonly name: string;
    readonly why: string;
    readonly code: FailureCode | null | undefined;
  }[];
  readonly quorum: number;
  /** The one to give out of those that there are, at least one. */
  readonly best: (given: readonly Draft[]) => Draft;
};

/** How it ends when a quorum is not met: with the best answer where only the budget is to blame. */
export function tooFew({ did, given, absent, quorum, best }: Shortfall): Closing {
  const reasons = absent.map(({ name, why }) => `${name}: ${why}`).join("; ");
  const why = `${given.length} of ${given.length + absent.length} ${did}, ${quorum} are needed (${reasons})`;
  if (!absent.some(({ code }) => code === "over-budget")) return { outcome: "failed", why };
  const chosen = given.length > 0 ? best(given) : undefined;
  return {
    outcome: "stopped-by-budget",
    why,
    best: chosen ? { answer: chosen.step, control: controlOf(given, undefined, chosen.final) } : null,
  };
}
