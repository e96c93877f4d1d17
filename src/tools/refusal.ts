/** Why a tool gives nothing back: one bounded line, for the model to act on. It names no path outside of the folder. */
export type Refusal = { readonly ok: false; readonly reason: string };

export const refused = (reason: string): Refusal => ({ ok: false, reason: oneLine(reason, 600) });

export const CHANGED = "changed while it was being read; ask for it again";

/** What an error of the file system says about `name`: by its code alone, since its message names whole paths. */
export function troubleWith(name: string, error: unknown): Refusal {
  const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
  const known = typeof code === "string" && /^E[A-Z0-9]{1,20}$/.test(code);
  return refused(`${name} ${(known && TROUBLES.get(code)) || `cannot be read${known ? ` (${code})` : ""}`}`);
}

const TROUBLES: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "does not exist"],
  ["ENOTDIR", "does not exist: a part of its path is a file"],
  ["EACCES", "may not be read"],
  ["EPERM", "may not be read"],
  // Links are followed before anything is opened, so this one came afterwards.
  ["ELOOP", CHANGED],
  ["ENAMETOOLONG", "has a longer name than the system takes"],
  ["EMFILE", "cannot be read now: too many files are open"],
  ["ENFILE", "cannot be read now: too many files are open"],
]);

/** Foreign text as part of one line: control and formatting characters gone, cut at `most` UTF-16 units. */
export function oneLine(text: string, most: number): string {
  const clean = text
    .slice(0, most * 4)
    .replaceAll(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
