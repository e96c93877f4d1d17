const MAX_TRIES = 20;
const MAX_LOOK_LENGTH = 2_000;

/** Before a box: another one that is given beside it, `\boxed{5} or x = \boxed{6}`, or above it. */
const beside =
  /\\boxed\{([^{}]{0,40})\}[\s$\\()[\].,;&]{0,20}(?:(?:and|or|y|o|et|ou|und|oder)\s)?[\s$\\()[\]]{0,12}(?:[^.,;:\s]{1,12}\s?[=≈:]\s?)?$/u;

const isOneOfSeveral = (before: string, value: string): boolean => {
  const [, other] = beside.exec(before) ?? [];
  return other !== undefined && other.trim() !== value.trim();
};

/** What stands between the braces of `\boxed{…}`, the last that closes within 2,000 characters, and where it starts. */
export function findBoxed(text: string): { readonly value: string; readonly at: number } | null {
  let from = text.length;
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const at = from < 0 ? -1 : text.lastIndexOf("\\boxed{", from);
    if (at === -1) return null;
    let depth = 0;
    for (let index = at + 6; index < Math.min(text.length, at + MAX_LOOK_LENGTH); index += 1) {
      const character = text.charAt(index);
      if (character === "\\") index += 1;
      else if (character === "{") depth += 1;
      else if (character === "}") depth -= 1;
      if (depth === 0)
        return {
          value: isOneOfSeveral(text.slice(Math.max(0, at - 100), at), text.slice(at + 7, index))
            ? ""
            : text.slice(at + 7, index),
          at,
        };
    }
    from = at - 1;
  }
  return null;
}
