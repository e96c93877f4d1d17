import { createHash } from "node:crypto";
import { idOfRequest } from "../engine/index.ts";
import {
  isFault,
  Fault,
  type OrganizationStore,
  type Progress,
  type UserId,
  refusal,
} from "../kernel/index.ts";
import { spentIn } from "../views/cost.ts";
import { isClosed } from "../views/result.ts";
import { belongsTo } from "./conversation.ts";
import { findOpening, FORMS, resolveId, type FormPrefix } from "./lookup.ts";

/** What is forgotten by. `leases`: those of the whole store. `user`: whose runs alone; absent for anybody's. */
export type ForgetContext = {
  readonly store: OrganizationStore;
  readonly leases: Progress["leases"];
  readonly now: () => number;
  readonly user?: UserId;
};

/** `at`: when, ISO 8601 in UTC. */
export type Forgotten = { readonly id: string; readonly at: string };

/** The request of a run that writes another run's answer in a form: a part of that one, forgotten with it. */
export const formRequest = (prefix: FormPrefix, id: string, nth: number): string =>
  `${prefix}${createHash("sha256").update(`${id}/${nth}`).digest("hex")}`;

/**
 * Forgets the run that an id, or the beginning of one, names. Nothing is taken from under a driver or a reactor at work.
 * @throws Fault as `resolveId` does, also for another user's, and `configuration` for one that is at work
 */
export async function forgetRun({ user, ...parts }: ForgetContext, given: string): Promise<Forgotten> {
  const { store, leases, now } = parts;
  for (;;) {
    try {
      const id = await resolveId({ store }, given);
      const entries = await store.read(id);
      const { at: openedAt, data } = findOpening(entries, id);
      if (user !== undefined && !belongsTo(data, user)) throw new Fault("deliberation-missing", { id });
      const busy = (why: string, next: string) => refusal(`${id} cannot be forgotten: ${why}`, next);
      if (!isClosed(entries)) throw busy("it has not ended", "cancel it first");
      if ((await leases("")).some(({ name }) => name.endsWith(`/${id}`)))
        throw busy("something is still being made of it", "try again in a moment");
      for (const prefix of FORMS)
        for (let nth = 1, known = true; known; nth += 1)
          known = await forgetRun(parts, idOfRequest(store.organization, formRequest(prefix, id, nth))).then(
            () => true,
            unlessMissing,
          );
      const { at: closedAt = openedAt, seq = 0 } = entries.at(-1) ?? {};
      const forgottenAt = new Date(now()).toISOString();
      const tombstone = {
        ...{ id, protocol: data.protocol.name, openedAt, closedAt, forgottenAt },
        ...{ user: data.user ?? null, key: data.client?.key ?? null, spent: spentIn(entries) },
      };
      const outcome = await store.forget(id, { tombstone, seq });
      if (outcome === "missing") throw new Fault("deliberation-missing", { id });
    } catch (error) {
      if (isFault(error, "deliberation-forgotten")) return error.details; // now, or before
      throw error;
    }
  }
}

const unlessMissing = (error: unknown): false => {
  if (!isFault(error, "deliberation-missing")) throw error;
  return false;
};
