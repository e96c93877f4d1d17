import * as z from "zod";
import { UserId } from "./engram.ts";
import { OrganizationId } from "./ids.ts";

/**
 * A permission: `read` shows deliberations and memory; `write` starts, answers, rates and cancels; `manage` changes what all
 * share: personas, strategies, packs and prompts; `operate` shows how the server is configured and how it does.
 */
export const Scope = z.enum(["read", "write", "manage", "operate"]);
export type Scope = z.infer<typeof Scope>;

/** The identity behind a call. Every call of the application takes one and sees only data of its organization. */
export const Principal = z.strictObject({
  organization: OrganizationId,
  user: UserId,
  scopes: z.array(Scope).readonly(),
});
export type Principal = z.infer<typeof Principal>;

/** The principal on a laptop: organization and user `local`, with all scopes. */
export const LOCAL_PRINCIPAL: Principal = Principal.parse({
  organization: "local",
  user: "local",
  scopes: Scope.options,
});
