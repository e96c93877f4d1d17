import { loadCritic } from "./critic.ts";
import { loadMemory } from "./memory.ts";
import type { FileContext } from "./paths.ts";
import { loadPersonas, findPersona, loadRoles, findRole } from "./personas.ts";
import { findPack, loadPacks } from "./packs.ts";
import { loadRubric } from "./rubrics.ts";
import { loadStrategy } from "./strategies.ts";
import { quoteValue } from "../text/words.ts";
import { looksLikePath, refuse } from "./text-file.ts";
import { loadTemplates, overriddenPrompts, type ShippedTemplate } from "./named-files.ts";
import type { Choice } from "./sources.ts";
import { isFault } from "../kernel/index.ts";
import { once } from "../kernel/once.ts";

export type Resources = ReturnType<typeof fileResources>;

/**
 * What a process knows by name beside its settings: personas, roles, strategies, rubrics, prompts, and how answers are
 * graded and remembered. Shipped ones, with the user's own files over them. A request names them and never reads a file.
 *
 * The resources of a folder and an environment, each read from disk when it is first used, and once. A strategy or a rubric
 * is a file only where it is among `files`, which the configuration or the command line names: anybody else gives names.
 * `strategyFrom`: which setting names the strategy, for an error that names its file and line.
 */
export function fileResources(
  place: FileContext,
  {
    files = [],
    strategyFrom,
  }: { readonly files?: readonly string[]; readonly strategyFrom?: Choice | undefined } = {},
) {
  const nameOf = (kind: string, nameOrFile: string): string => {
    if (!looksLikePath(nameOrFile) || files.includes(nameOrFile)) return nameOrFile;
    throw refuse(
      `${kind} must be a name, not a file (got ${quoteValue(nameOrFile)})`,
      `name a ${kind} that is installed`,
    );
  };
  const personas = once(() => loadPersonas(place));
  const roles = once(() => loadRoles(place));
  const packs = once(() => loadPacks(place));
  return {
    personas,
    /** @throws Fault for an id that does not exist, with the nearest */
    persona: (id: string) => findPersona(personas(), id),
    /** @throws Fault for an id that does not exist, with the nearest */
    pack: (id: string) => findPack(packs(), id),
    /** @throws Fault for a name that does not exist, with the nearest */
    role: (name: string) => findRole(roles(), name),
    /** @throws Fault for a name that does not exist, or a goal that the strategy needs and that is missing */
    strategy(name: string, goal: string | undefined) {
      try {
        return loadStrategy(nameOf("strategy", name), { goal, ...place });
      } catch (error) {
        const isWritten = strategyFrom?.raw === name && strategyFrom.from !== "flag";
        if (!isWritten || !isFault(error, "configuration")) throw error;
        throw refuse(`${strategyFrom.name}: ${error.details.why}`, error.details.next);
      }
    },
    /** @throws Fault for a name that does not exist */
    rubric: (name: string) => loadRubric(nameOf("rubric", name), place),
    /** These prompts, each with the user's own text where there is one. */
    prompts: <T extends ShippedTemplate>(templates: readonly T[]) => loadTemplates(templates, place),
    /** The prompts for which the user has a text of their own. */
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
