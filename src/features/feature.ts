import type { Feature } from "../cli/command.ts";

export type { Feature };

/**
 * Defines a feature.
 * @example
 * ```ts
 * const parley = await openParley({ features: [defineFeature({ name: "poll", protocols: { poll } })] });
 * ```
 */
export const defineFeature = <const F extends Feature>(feature: F): F => feature;
