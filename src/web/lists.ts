/** The names of a list with commas. */
export const namesIn = (text: string): string[] =>
  text
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);

/** A list without this one where it had it, and else with it at its end. */
export const toggle = <T>(all: readonly T[], one: T): readonly T[] =>
  all.includes(one) ? all.filter((other) => other !== one) : [...all, one];
