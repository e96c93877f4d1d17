import { refusal } from "../../../kernel/index.ts";
import { findNearest } from "../../../text/words.ts";
import { hierarchical } from "./hierarchical.ts";
export type { Contribution } from "./passages.ts";
import { lengthBased, type SummaryMethod } from "./method.ts";
import { retrieval, semantic } from "./selection.ts";

export type { SummaryMethod, SummaryTask } from "./method.ts";

export const summaryMethods: readonly SummaryMethod[] = [lengthBased, hierarchical, semantic, retrieval];

/** The method of this name. @throws Fault `configuration` that names the nearest one */
export function findSummaryMethod(
  name: string,
  methods: readonly SummaryMethod[] = summaryMethods,
): SummaryMethod {
  const method = methods.find((one) => one.name === name);
  if (method) return method;
  const known = methods.map((one) => one.name);
  throw refusal(
    `no summary method is called "${name.slice(0, 100)}"`,
    `the nearest is ${findNearest(name, known)}; there are ${known.join(", ")}`,
  );
}
