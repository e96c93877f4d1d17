import { loadCritic, type LoadedCritic } from "./critic.ts";
import { loadMemory, type LoadedMemory } from "./memory.ts";
import type { FileContext } from "./paths.ts";
import { loadPersonas, findPersona, type LoadedPersona, loadRoles, findRole } from "./personas.ts";
import { loadRubric } from "./rubrics.ts";
import { loadStrategy, type LoadedStrategy } from "./strategies.ts";
import { quoteValue } from "../text/words.ts";
import { looksLikePath, refuse } from "./text-file.ts";
import { loadTemplates, overriddenPrompts } from "./named-files.ts";
import type { Rubric } from "../kernel/index.ts";
import { once } from "../kernel/once.ts";

/**
 * What a process knows by name beside its settings: personas, roles, strategies, rubrics, prompts, and how answers are
 * graded and remembered. Shipped ones, with the user's own files over them. A request names them and never reads a file.
 */
export interface Resources {
  personas(): ReadonlyMap<string, LoadedPersona>;
  /** @throws Fault for an id that does not exist, with the nearest */
  persona(id: string): LoadedPersona;
  /** @throws Fault for a name that does not exist, with the nearest */
  role(name: string): LoadedPersona;
  /** @throws Fault for a name that does not exist, or a goal that the strategy needs and that is missing */
  strategy(name: string, goal: string | undefined): LoadedStrategy;
  /** @throws Fault for a name that does not exist */
  rubric(name: string): Rubric;
  /** These prompts, each with the user's own text where there is one. */
  prompts<T extends { readonly name: string; readonly text: string }>(
    templates: readonly T[],
  ): readonly (T & { readonly path?: string })[];
  /** The prompts for which the user has a text of their own. */
  overriddenPrompts(): readonly { readonly name: string; readonly path: string }[];
  critic(): LoadedCritic;
  memory(): LoadedMemory;
}

/**
 * The resources of a folder and an environment, each read from disk when it is first used, and once. A strategy or a rubric
 * is a file only where it is among `files`, which the configuration or the command line names: anybody else gives names.
 */
export function fileResources(place: FileContext, files: readonly string[] = []): Resources {
  const nameOf = (kind: string, nameOrFile: string): string => {
    if (!looksLikePath(nameOrFile) || files.includes(nameOrFile)) return nameOrFile;
    throw refuse(
      `${kind} must be a name, not a file (got ${quoteValue(nameOrFile)})`,
      `name a ${kind} that is installed`,
    );
  };
  const personas = once(() => loadPersonas(place));
  const roles = once(() => loadRoles(place));
  return {
    personas,
    persona: (id) => findPersona(personas(), id),
    role: (name) => findRole(roles(), name),
    strategy: (name, goal) => loadStrategy(nameOf("strategy", name), { goal, ...place }),
    rubric: (name) => loadRubric(nameOf("rubric", name), place),
    prompts: (templates) => loadTemplates(templates, place),
    overriddenPrompts: once(() => overriddenPrompts(place)),
    critic: once(() => loadCritic(place)),
    memory: once(() => loadMemory(place)),
  };
}

/** What Parley ships, and nobody's files. */
export function shippedResources(): Resources {
  return fileResources({ cwd: NOWHERE, env: { PARLEY_HOME: NOWHERE, HOME: NOWHERE } });
}

/** A folder that does not exist, by convention (Debian Policy 9.2.3). */
const NOWHERE = "/nonexistent/parley";
