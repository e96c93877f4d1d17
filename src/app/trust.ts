import { dirname } from "node:path";
import { loadCritic } from "../config/critic.ts";
import { loadMemory } from "../config/memory.ts";
import { toAbsolute, type FileClaim, type FileContext } from "../config/paths.ts";
import { loadPacks } from "../config/packs.ts";
import { loadRoles } from "../config/personas.ts";
import { loadSettings } from "../config/sources.ts";
import { statOf } from "../config/text-file.ts";
import type { AppFeature } from "./registry.ts";

/**
 * What a folder's files name that takes effect only where they are trusted, found by reading them as a run does; or what
 * `files` name, which somebody named.
 * @throws Fault `configuration` for a file that cannot be read or is not valid
 */
export async function listClaims(
  place: FileContext,
  files: readonly string[] = [],
  features: readonly AppFeature[] = [],
): Promise<readonly FileClaim[]> {
  if (files.length === 0) return [...(await claimsAt(place, features)).claims.values()];
  const found: FileClaim[] = [];
  for (const file of files) {
    const path = toAbsolute(file, place);
    if (statOf(path)?.isDirectory()) {
      found.push(...(await claimsAt({ ...place, cwd: path }, features)).claims.values());
      continue;
    }
    const cwd = /^(.*?)[\\/]\.parley[\\/]/.exec(path)?.[1] ?? dirname(path); // whose project it is a file of
    const { claims, reading } = await claimsAt({ ...place, cwd }, features);
    if (!claims.has(path)) for (const { trusts } of features) await trusts?.(reading, path);
    const claim = claims.get(path);
    if (claim) found.push(claim);
  }
  return found;
}

/** What the files of a folder name, by their paths, and the reading that adds more. */
async function claimsAt(place: FileContext, features: readonly AppFeature[]) {
  const claims = new Map<string, FileClaim>();
  const trusts = (claim: FileClaim): boolean => {
    const before = claims.get(claim.path);
    const names = new Set([...(before?.names ?? []), ...claim.names]);
    claims.set(claim.path, { ...claim, programs: claim.programs ?? before?.programs, names: [...names] });
    return true;
  };
  const reading = { ...place, trusts };
  loadSettings(reading);
  loadCritic(reading);
  loadMemory(reading);
  loadRoles(reading);
  loadPacks(reading);
  for (const { trusts: read } of features) await read?.(reading);
  return { claims, reading };
}
