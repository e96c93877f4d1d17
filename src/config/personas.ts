import { nearest } from "./nearest.ts";
import { filesIn, foldersOf, type Folder } from "./overrides.ts";
import type { Place } from "./paths.ts";
import { readPersona, type Persona } from "./persona-file.ts";
import { refuse, shown } from "./refusal.ts";
import { fileName } from "./text-file.ts";
import { readYaml } from "./yaml.ts";

export type LoadedPersona = Persona & { readonly from: Folder["from"]; readonly path: string };

/**
 * Every persona that is to be had, by id: built in, or in a `personas` folder of the project's `.parley` or of
 * the user's settings, one a file. A project's hides a user's of the same id, that hides a built-in one, and
 * `enabled: false` hides without taking the place.
 * @throws Fault `configuration` for a file that is no persona, or two of one id in a folder
 */
export function loadPersonas(place: Place): ReadonlyMap<string, LoadedPersona> {
  const found = new Map<string, LoadedPersona | null>();
  for (const folder of foldersOf("personas", place)) {
    for (const [id, persona] of personasIn(folder, "persona")) if (!found.has(id)) found.set(id, persona);
  }
  const shownOnes = [...found].flatMap(([id, persona]) => (persona ? [[id, persona] as const] : []));
  return new Map(shownOnes.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * A folder's own, by id, null for those that it only hides. `kind` is what its files are, in the words of an error.
 * @throws Fault `configuration` for a file that is no persona, or two of one id
 */
export function personasIn(
  { from, path: folder }: Folder,
  kind: "persona" | "role",
): ReadonlyMap<string, LoadedPersona | null> {
  const here = new Map<string, { readonly path: string; readonly persona: LoadedPersona | null }>();
  for (const path of filesIn(folder, [".yaml", ".yml"])) {
    const { id, persona } = readPersona(readYaml(path, kind));
    const other = here.get(id);
    if (other) {
      const why = `${fileName(path)}: the ${kind} ${id} is also in ${fileName(other.path)}`;
      throw refuse(why, "rename one of them");
    }
    here.set(id, { path, persona: persona && { ...persona, from, path } });
  }
  return new Map([...here].map(([id, { persona }]) => [id, persona]));
}

/** @throws Fault `configuration` that names the nearest id for one that is not there */
export function personaOf(personas: ReadonlyMap<string, LoadedPersona>, id: string): LoadedPersona {
  const persona = personas.get(id);
  if (persona) return persona;
  const ids = [...personas.keys()];
  throw refuse(
    `there is no persona ${shown(id)}`,
    ids.length > 0 ? `the nearest is ${nearest(id, ids)}; there are ${ids.join(", ")}` : "enable one",
  );
}
