import type { Feature } from "./features/feature.ts";
import { evolution } from "./features/evolution/index.ts";
import { forest } from "./features/forest/index.ts";
import { judging } from "./features/judging/index.ts";

/** The features that ship. */
export const features: readonly Feature[] = [evolution, judging, forest];
