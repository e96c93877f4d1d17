import type { RunEstimate } from "../contract/figures.ts";
import { print, type Io } from "./command.ts";
import { estimateLine, estimateText } from "./estimate-text.ts";
import { EXIT } from "./exits.ts";
import type { Showing } from "./session.ts";

/** Says in one line what a run may take; nothing where progress is not shown or stdout gets JSON. */
export const estimateNote = (
  { output }: Pick<Io, "output">,
  { json, quiet }: Pick<Showing, "json" | "quiet">,
) => (quiet || json ? undefined : (estimate: RunEstimate) => output.note(estimateLine(estimate)));

/** Prints what a run would take, by phase. */
export async function printEstimate(
  io: Pick<Io, "output">,
  options: { readonly json: boolean },
  estimate: RunEstimate,
): Promise<number> {
  await print(io, options, { value: estimate, words: ({ width }) => estimateText(estimate, { width }) });
  return EXIT.answered;
}
