const MAX_TRIES = 20;
const MAX_LOOK_LENGTH = 2_000;

/** Before a box: another one that is given beside it, `\boxed{5} or x = \boxed{6}`. */
const isOneOfSeveral = (before: string): boolean =>
  /\\boxed\{[^{}]{0,40}\}\$?,?\s(?:and|or|&)\s[^.,;\n]{0,15}$/.test(before);

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
          value: isOneOfSeveral(text.slice(Math.max(0, at - 60), at)) ? "" : text.slice(at + 7, index),
          at,
        };
    }
    from = at - 1;
  }
  return null;
}
