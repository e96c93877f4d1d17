import * as z from "zod";
import { OrganizationId, UserId } from "../kernel/index.ts";
import { ConfigurationStats, MemoryStats } from "../memory/index.ts";
import { Claim, claimsOf } from "../projections/index.ts";
import type { Parley } from "./parley.ts";

/** What `parley memory stats --json` prints. Published as `schemas/memory-stats.schema.json`. */
export const MemoryReport = MemoryStats.extend({
  user: UserId,
  configurations: z.array(
    ConfigurationStats.extend({
      /** What its comparisons show; of fewer than 20 nothing. */
      claim: Claim,
    }),
  ),
});
export type MemoryReport = z.infer<typeof MemoryReport>;

/** What the settings' user remembers, and which configuration has done better for what. @throws Fault `store-unavailable` */
export async function memoryReport({
  memory,
  settings: { organization, user },
}: Pick<Parley, "memory" | "settings">): Promise<MemoryReport> {
  const stats = await memory.stats({ organization: OrganizationId.parse(organization), user });
  const claims = claimsOf(stats.configurations);
  return {
    ...stats,
    user,
    configurations: stats.configurations.map((row, index) => ({ ...row, claim: claims[index] ?? "too-few" })),
  };
}
