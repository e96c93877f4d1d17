import type { AnyProtocol, AnyReactor } from "../engine/index.ts";
import { council } from "../protocols/council/index.ts";

/** Every protocol that this Parley ships: one line each. */
export const protocols: readonly AnyProtocol[] = [council];

/** Every reactor: one line each. */
export const reactors: readonly AnyReactor[] = [];
