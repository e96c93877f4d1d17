import type { Vector } from "../memory/engram-store.ts";
import { direction, drawn } from "./engram-samples.ts";

/** What a writing process says after something was acknowledged to it. */
export const acknowledgement = (what: "put" | "annotated" | "embedded", id: string): string =>
  `${what} ${id}`;

/** The vector that belongs to an id, the same in every process. */
export const vectorFor = (id: string): Vector => {
  const seed = Array.from(id).reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
  return direction(drawn(seed), { dimensions: 64 });
};
