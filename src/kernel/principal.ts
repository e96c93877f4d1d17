import * as z from "zod";
import { UserId } from "./engram.ts";
import { OrganizationId } from "./ids.ts";

/** What a principal may do: `read` looks at deliberations and memory, `write` starts, answers, rates and cancels. */
export const Scope = z.enum(["read", "write"]);
export type Scope = z.infer<typeof Scope>;

/** On whose behalf a call is made. Every call of the application takes one; nothing of another organization is visible to it. */
export const Principal = z.strictObject({
  organization: OrganizationId,
  user: UserId,
  scopes: z.array(Scope).readonly(),
});
export type Principal = z.infer<typeof Principal>;

/** The owner of a laptop: everything of the organization and the user `local`. */
export const LOCAL_PRINCIPAL: Principal = Principal.parse({
  organization: "local",
  user: "local",
  scopes: Scope.options,
});
