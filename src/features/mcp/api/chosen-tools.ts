import { refusal } from "../../../kernel/index.ts";
import { findNearest, quoteValue } from "../../../text/words.ts";

export const splitNames = (text: string): readonly string[] => text.split(",").filter(Boolean);

/**
 * The tools that are offered: `core`, `all`, or by name, in the order of the list.
 * @throws Fault `configuration` for a name that none has, with the nearest
 */
export function chooseTools<T extends { readonly name: string; readonly isCore: boolean }>(
  tools: readonly T[],
  names: readonly string[],
): readonly T[] {
  const known = ["core", "all", ...tools.map(({ name }) => name)];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const next = `the nearest is ${findNearest(unknown, known)}; there are ${known.join(", ")}`;
    throw refusal(`there is no tool ${quoteValue(unknown)}`, next);
  }
  return tools.filter(
    ({ name, isCore }) => names.includes(name) || names.includes("all") || (isCore && names.includes("core")),
  );
}
