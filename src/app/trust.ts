import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadCritic } from "../config/critic.ts";
import { loadMemory } from "../config/memory.ts";
import { toAbsolute, type FileClaim, type FileContext } from "../config/paths.ts";
import { loadRoles } from "../config/personas.ts";
import { loadSettings } from "../config/sources.ts";
import { FOREST_FILE, readForestFile } from "./forest/file.ts";
import { DEBATE_CONFIG, readDebateFile } from "../interop/dialectic/debate-file.ts";
import { requireTrustInAgents } from "../interop/dialectic/agent-file.ts";
import { readYaml } from "../config/yaml.ts";

/**
 * What a folder's files name that takes effect only where they are trusted, found by reading them as a run does; or what
 * `files` name, which somebody named.
 * @throws Fault `configuration` for a file that cannot be read or is not valid
 */
export function listClaims(place: FileContext, files: readonly string[] = []): readonly FileClaim[] {
  const claims = new Map<string, FileClaim>();
  const trusts = (claim: FileClaim): boolean => {
    const names = new Set([...(claims.get(claim.path)?.names ?? []), ...claim.names]);
    claims.set(claim.path, { ...claim, names: [...names] });
    return true;
  };
  const reading = { ...place, trusts };
  loadSettings(reading);
  loadCritic(reading);
  loadMemory(reading);
  loadRoles(reading);
  const usual = toAbsolute(DEBATE_CONFIG, place);
  if (existsSync(usual)) readDebateFile(usual, reading, { isFound: true });
  if (existsSync(join(place.cwd, FOREST_FILE))) readForestFile(place.cwd, reading);
  if (files.length === 0) return [...claims.values()];
  return files.flatMap((file) => {
    const path = toAbsolute(file, place);
    if (!claims.has(path)) requireTrustInAgents(readYaml(path, "configuration"), reading, { isFound: true });
    return claims.get(path) ?? [];
  });
}
