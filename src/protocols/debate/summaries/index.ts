import { Fault } from "../../../kernel/index.ts";
import { hierarchical } from "./hierarchical.ts";
import { lengthBased, type SummaryMethod } from "./method.ts";
import { retrieval } from "./retrieval.ts";
import { semantic } from "./semantic.ts";

export type { Contribution, SummaryMethod, SummaryTask } from "./method.ts";

/** Every way to summarise: one line each. */
export const summaryMethods: readonly SummaryMethod[] = [lengthBased, hierarchical, semantic, retrieval];

/** The method of this name. @throws Fault `configuration` that names the nearest one */
export function findSummaryMethod(
  name: string,
  methods: readonly SummaryMethod[] = summaryMethods,
): SummaryMethod {
  const found = methods.find((method) => method.name === name);
  if (found) return found;
  const known = methods.map((method) => method.name);
  throw new Fault("configuration", {
    why: `there is no way to summarise called "${name.slice(0, 100)}"`,
    next: `the nearest is ${nearest(name, known)}; there are ${known.join(", ")}`,
  });
}

/** By letter pairs in common over those of both (Dice 1945, Ecology 26:297), of equals the first. */
function nearest(name: string, known: readonly string[]): string {
  const own = pairsOf(name);
  const alike = (other: ReadonlySet<string>) =>
    [...own].filter((pair) => other.has(pair)).length / (own.size + other.size);
  let best = { one: "none", share: -1 };
  for (const one of known) {
    const share = alike(pairsOf(one));
    if (share > best.share) best = { one, share };
  }
  return best.one;
}

const pairsOf = (name: string): ReadonlySet<string> => {
  const letters = name.slice(0, 100).toLowerCase();
  return new Set(Array.from({ length: letters.length }, (_, at) => letters.slice(at, at + 2)));
};
