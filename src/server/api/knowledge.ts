import * as z from "zod";
import { Reactors } from "../../contract/knowledge.ts";
import type { Parley } from "../../app/parley.ts";
import { watchOnce, type WatchMoment } from "../../app/watch.ts";
import type { OrganizationId } from "../../kernel/index.ts";
import { operation, type HttpOperation, type Me } from "../operation.ts";
import { moment } from "../route.ts";

/** Which runs count. */
export const RUN_FILTER = {
  protocol: z.string().max(60).optional(),
  /** The kind of question: `comparison`, `procedure`, `explanation`, `fact` or `other`. */
  kind: z.string().max(40).optional(),
  since: moment().optional(),
};
export const knowledgeOperations: readonly HttpOperation[] = [
  operation("listReactors", "GET reactors", {
    ...{ tag: "Knowledge", needs: "read", output: Reactors, isSlow: true },
    summary:
      "Show what each reactor does, and what waits for it, over the newest 200 runs or those since a time",
    query: z.strictObject({ since: moment().optional() }),
    async run(me, { since }) {
      const { report, unreadable } = await watchFor(me, since);
      const { at, deliberations } = report;
      const states = report.reactors.map(({ cursor: _cursor, ...state }) => state);
      return { at, deliberations, reactors: states, leftOut: unreadable };
    },
  }),
];

/** For so long what reactors do is told again: many may look at it, and each reading takes 200 journals. */
const TOLD_MS = 1_000;
type Told = { readonly at: number; readonly moment: Promise<WatchMoment> };
const tellings = new WeakMap<Parley, Map<OrganizationId, Told>>();

async function watchFor(me: Me, since: number | undefined): Promise<WatchMoment> {
  const { parley, signal } = me;
  const { process, reactors, world, principal } = me.context();
  const { organization } = principal;
  const watching = { store: process.store, organization, reactors, world };
  if (since !== undefined) return watchOnce(watching, { since, signal });
  const own = tellings.get(parley) ?? new Map<OrganizationId, Told>();
  tellings.set(parley, own);
  const before = own.get(organization);
  const at = world.now();
  if (before && at - before.at < TOLD_MS) return before.moment;
  // It is not only for the client that asks first.
  const moment = watchOnce(watching, { signal: new AbortController().signal });
  own.set(organization, { at, moment });
  return moment;
}
