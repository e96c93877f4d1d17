import type { Draw } from "./draw.ts";

/** A question and what it comes to. */
export type Posed = { readonly question: string; readonly answer: string };

/** One way to ask: `level` 1 to 3, harder as it grows. */
export type Form = {
  /** In the id of a task. */
  readonly name: string;
  readonly pose: (draw: Draw, level: number) => Posed;
};

export const NAMES = [
  "Ada",
  "Ben",
  "Cleo",
  "Dan",
  "Eva",
  "Finn",
  "Gail",
  "Hugo",
  "Iris",
  "Jack",
  "Kim",
  "Leo",
] as const;

/** `a, b and c`. */
export const listed = (items: readonly (number | string)[]): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

export const yesNo = (yes: boolean): string => (yes ? "yes" : "no");
