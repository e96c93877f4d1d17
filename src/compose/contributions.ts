import { digestOf } from "../engine/index.ts";
import { Fault, isEvent, StepKey, type DeliberationId, type Entry } from "../kernel/index.ts";
import {
  contributionsOf,
  groundsOf,
  isClosed,
  measurementsIn,
  withheldIn,
  type Contributions,
  type Grounds,
} from "../projections/index.ts";
import { rewrite, type Rewriting, type RewritingTools } from "./rewritings.ts";

export type Measuring = Rewriting & { readonly id: DeliberationId };

/**
 * Measures who contributed to a closed deliberation's answer, and records it once on that deliberation's own journal.
 * Undefined when it was interrupted: what the chair wrote by then is kept, and found by the next measuring.
 * @throws Fault `configuration` for one that cannot be measured; before any call `authentication`, `budget`
 */
export async function measureContributions(
  tools: RewritingTools,
  { id, ...rewriting }: Measuring,
): Promise<Contributions | undefined> {
  const entries = await tools.store.read(id);
  const grounds = measurable(id, entries);
  const rewritten = await rewrite(tools, { entries, grounds }, rewriting);
  if (!rewritten) return undefined;
  const contributions = contributionsOf(entries, grounds, rewritten);
  await record(tools, grounds, contributions);
  return contributions;
}

/** @throws Fault `configuration`, `deliberation-missing` */
function measurable(id: DeliberationId, entries: readonly Entry[]): Grounds {
  const [opened] = entries;
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  if (!isClosed(entries)) {
    const next = `bring it to its end first: parley resume ${id}`;
    throw new Fault("configuration", { why: `deliberation ${id} is still open`, next });
  }
  const { parent } = opened.data;
  if (parent && withheldIn(opened.data)) {
    const why = `deliberation ${id} was made to measure the contributions to ${parent.id}`;
    throw new Fault("configuration", { why, next: `measure that one: parley contributions ${parent.id}` });
  }
  const found = groundsOf(entries);
  if (found.ok) return found.grounds;
  const why = `nothing contributed to deliberation ${id}: ${found.why}`;
  throw new Fault("configuration", { why, next: "measure one that has an answer; parley list shows them" });
}

/** Under an origin that the measured figures name: measured again to the same, nothing is added. */
async function record(
  { store }: Pick<RewritingTools, "store">,
  { closed, given }: Grounds,
  contributions: Contributions,
): Promise<void> {
  const after = "step" in given.origin ? [given.origin.step] : [];
  // One after the other: in one order, whoever measures.
  for (const data of measurementsIn(contributions)) {
    const digest = digestOf(data);
    const step = StepKey.parse(`${data.method}/${digest.slice(0, 12)}`);
    await store.append(closed.deliberation, [{ type: "contribution-measured", data }], {
      by: "reactor",
      reactor: "contributions",
      event: closed.id,
      step,
      digest,
      after,
    });
  }
}
