import { traceSentences } from "../judging/index.ts";
import type { Drafter } from "./contribution-grounds.ts";
import { withoutBanner } from "./simulated.ts";

/** How much of an answer stands in a draft, and of the draft in the answer. */
export type Overlap = {
  readonly id: string;
  /** Its part of the answer's content, 0 to 1; see `traceSentences`. */
  readonly share: number;
  /** The share of its sentences that the answer holds, 0 to 1; null where it has none. */
  readonly kept: number | null;
  /** Its sentences that the answer does not hold, in order. */
  readonly lost: readonly string[];
};

/**
 * By wording, which drafts the answer's sentences stand in, and what of each draft is lost; no calls. The drafts are the
 * texts that were worked with: revised ones where they were revised. A paraphrase counts as lost.
 */
export function overlapsOf(answer: string, drafters: readonly Drafter[]): Overlap[] {
  const drafts = drafters.map(({ id, last }) => ({ id, text: withoutBanner(last.text) }));
  const { share, lost } = traceSentences(withoutBanner(answer), drafts);
  return drafts.map(({ id, text }) => {
    const missing = lost.filter((one) => one.id === id).map((one) => one.text);
    const sentences = traceSentences(text, []).sentences.length;
    const kept = sentences === 0 ? null : 1 - missing.length / sentences;
    return { id, share: share[id] ?? 0, kept, lost: missing };
  });
}
