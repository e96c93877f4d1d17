import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadCritic } from "../config/critic.ts";
import { loadMemory } from "../config/memory.ts";
import { toAbsolute, type FileClaim, type FileContext } from "../config/paths.ts";
import { loadPacks } from "../config/packs.ts";
import { loadRoles } from "../config/personas.ts";
import { loadSettings } from "../config/sources.ts";
import { FOREST_FILE, readForestFile } from "./forest/file.ts";
import { DEBATE_CONFIG, readDebateFile } from "../interop/dialectic/debate-file.ts";
import { requireTrustInAgents } from "../interop/dialectic/agent-file.ts";
import { readYaml } from "../config/yaml.ts";

// TRUST-4. The advice of every refusal can be followed: whatever file requires trust, naming it lists what it names.

/**
 * What a folder's files name that takes effect only where they are trusted, found by reading them as a run does; or what
 * `files` name, which somebody named.
 * @throws Fault `configuration` for a file that cannot be read or is not valid
 */
export function listClaims(place: FileContext, files: readonly string[] = []): readonly FileClaim[] {
  if (files.length === 0) return [...claimsAt(place).claims.values()];
  return files.flatMap((file) => {
    const path = toAbsolute(file, place);
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
      return [...claimsAt({ ...place, cwd: path }).claims.values()];
    const cwd = /^(.*?)[\\/]\.parley[\\/]/.exec(path)?.[1] ?? dirname(path); // whose project it is a file of
    const { claims, reading } = claimsAt({ ...place, cwd });
    if (!claims.has(path)) requireTrustInAgents(readYaml(path, "configuration"), reading, { isFound: true });
    return claims.get(path) ?? [];
  });
}

/** What the files of a folder name, by their paths, and the reading that adds more. */
function claimsAt(place: FileContext) {
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
  const usual = toAbsolute(DEBATE_CONFIG, place);
  if (existsSync(usual)) readDebateFile(usual, reading, { isFound: true });
  if (existsSync(join(place.cwd, FOREST_FILE))) readForestFile(place.cwd, reading);
  return { claims, reading };
}
