import { isFault, Fault, type OrganizationStore, type Progress } from "../kernel/index.ts";
import { spentIn } from "../views/cost.ts";
import { isClosed } from "../views/result.ts";
import { findOpening, resolveId } from "./lookup.ts";
import { foldParts } from "./projection.ts";

/** What is forgotten by. `leases`: those of the whole store. */
export type ForgetContext = {
  readonly store: OrganizationStore;
  readonly leases: Progress["leases"];
  readonly now: () => number;
};

/** `at`: when, ISO 8601 in UTC. */
export type Forgotten = { readonly id: string; readonly at: string };

/**
 * Forgets the run that an id, or the beginning of one, names. Nothing is taken from under a driver or a reactor at work.
 * @throws Fault as `resolveId` does, and `configuration` for one that is at work
 */
export async function forgetRun({ store, leases, now }: ForgetContext, given: string): Promise<Forgotten> {
  for (;;) {
    try {
      const id = await resolveId({ store }, given);
      const entries = await store.read(id);
      const { at: openedAt, data } = findOpening(entries, id);
      const busy = (why: string, next: string) =>
        new Fault("configuration", { why: `${id} cannot be forgotten: ${why}`, next });
      if (!isClosed(entries)) throw busy("it has not ended", "cancel it first");
      if ((await leases("")).some(({ name }) => name.endsWith(`/${id}`)))
        throw busy("something is still being made of it", "try again in a moment");
      const { at: closedAt = openedAt, seq = 0 } = entries.at(-1) ?? {};
      const forgottenAt = new Date(now()).toISOString();
      const tombstone = {
        ...{ id, protocol: data.protocol.name, openedAt, closedAt, forgottenAt },
        ...{ user: data.user ?? null, key: data.client?.key ?? null, spent: spentIn(entries) },
      };
      const outcome = await store.forget(id, { tombstone, seq, fold: foldParts });
      if (outcome === "missing") throw new Fault("deliberation-missing", { id });
    } catch (error) {
      if (isFault(error, "deliberation-forgotten")) return error.details; // now, or before
      throw error;
    }
  }
}
