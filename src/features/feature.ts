import type { CommandFeature } from "../cli/command.ts";

/** What one feature brings, whole: everything behind it is loaded on use. */
export type Feature = CommandFeature;

/**
 * Defines a feature.
 *
 * @example
 * ```ts
 * const parley = await openParley({ features: [defineFeature({ name: "poll", protocols: { poll } })] });
 * ```
 */
export const defineFeature = <const F extends Feature>(feature: F): F => feature;
