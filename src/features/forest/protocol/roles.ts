import { gardener, skeptic } from "./debate.ts";
import { evolving } from "./evolution.ts";
import { aligner, classifying, examiner } from "./examination.ts";
import { diverger, inspector, sowing } from "./selection.ts";
import { defineRole, type ForestRole } from "./table.ts";

const coordinator = defineRole({
  name: "coordinator",
  responsibility:
    "runs the cycle, decides when debates stop and in which order trees are merged; alone writes the forest",
  works: "rule",
  stages: [...sowing, ...classifying],
});

const meteorologist = defineRole({
  name: "meteorologist",
  responsibility: "routes attention to trees by the weather",
  works: "rule",
  // The weather is the whole forest's, not one tree's: the cycle begins with it.
  stages: [],
});

/** Who takes part in a cycle. To add somebody, add a registration. */
export const FOREST_ROLES: readonly ForestRole[] = [
  ...[coordinator, meteorologist, { ...gardener, stages: [...gardener.stages, ...evolving] }, inspector],
  ...[diverger, examiner, aligner, skeptic],
];
