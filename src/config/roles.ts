import { nearest } from "./nearest.ts";
import { foldersOf } from "./overrides.ts";
import type { Place } from "./paths.ts";
import { loadPersonas, personasIn, type LoadedPersona } from "./personas.ts";
import { oneLine, refuse, shown } from "./refusal.ts";

/** What an agent argues for, in the form of a persona. */
export type Role = LoadedPersona;

/** Other spellings of a role's name. */
const ALIASES: { readonly [written: string]: string } = { datamodeling: "data-modeling" };

/** A role's name as it is looked up: trimmed, lower case, in its usual spelling. */
export function roleName(written: string): string {
  const name = written.trim().toLowerCase();
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}

/**
 * Every role that is to be had, by name: built in, or a file in a `roles` folder of the project's `.parley` or of the
 * user's settings. A project's hides a user's of the same id, that a persona of that id, and that a built-in one;
 * `enabled: false` hides without taking the place.
 * @throws Fault `configuration` for a file that is no persona, or two of one id in a folder
 */
export function loadRoles(place: Place): ReadonlyMap<string, Role> {
  const folders = foldersOf("roles", place);
  const own = folders.filter(({ from }) => from !== "built-in").map((folder) => personasIn(folder, "role"));
  const shipped = folders
    .filter(({ from }) => from === "built-in")
    .map((folder) => personasIn(folder, "role"));
  const found = new Map<string, Role | null>();
  for (const roles of [...own, loadPersonas(place), ...shipped]) {
    for (const [id, role] of roles) if (!found.has(roleName(id))) found.set(roleName(id), role);
  }
  const shownOnes = [...found].flatMap(([name, role]) => (role ? [[name, role] as const] : []));
  return new Map(shownOnes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** @throws Fault `configuration` as `loadRoles` does, and for a name that is not there, with the nearest */
export function roleOf(place: Place, name: string): Role {
  const roles = loadRoles(place);
  const role = roles.get(roleName(name));
  if (role) return role;
  const names = [...roles.keys()];
  const next = `the nearest is ${nearest(roleName(name), names)}; there are ${names.join(", ")}`;
  throw refuse(`there is no role ${shown(name)}`, oneLine(next, 300));
}
