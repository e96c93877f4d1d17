import { readSums, type KnownRuns, type Projected, type ProjectionReading } from "../../../app/projection.ts";
import type { PersonaShares } from "../../../contract/knowledge.ts";
import { personaShares } from "../../../views/run-part.ts";

/** What personas had of the answers that chairs wrote, over all deliberations. */
export async function readShares(
  known: Projected,
  { byStrategy, ...filter }: KnownRuns & { readonly byStrategy: boolean },
  reading: ProjectionReading,
): Promise<readonly PersonaShares[]> {
  return personaShares((await readSums(known, filter, reading)).all, byStrategy);
}
