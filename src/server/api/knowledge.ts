import * as z from "zod";
import { Reactors } from "../../contract/knowledge.ts";
import type { Parley } from "../../app/parley.ts";
import { watchOnce, type WatchMoment } from "../../app/watch.ts";
import type { OrganizationId } from "../../kernel/index.ts";
import { withPatience } from "../patience.ts";
import { REFUSALS } from "../problem.ts";
import { readingContext } from "../results.ts";
import { moment, route, type ApiRoute, type RouteCall } from "../route.ts";

const TAG = "Knowledge";
/** Which runs count. */
export const RUN_FILTER = {
  protocol: z.string().max(60).optional(),
  /** The kind of question: `comparison`, `procedure`, `explanation`, `fact` or `other`. */
  kind: z.string().max(40).optional(),
  since: moment().optional(),
};
export const knowledgeRoutes: readonly ApiRoute[] = [
  route("get", "reactors", {
    ...{ name: "listReactors", tag: TAG, needs: "read" },
    summary:
      "Show what each reactor does, and what waits for it, over the newest 200 runs or those since a time",
    query: z.strictObject({ since: moment().optional() }),
    replies: { 200: Reactors, ...REFUSALS },
    handle: (call) =>
      withPatience(call, {}, async () => {
        const { report, unreadable } = await watchFor(call, call.query.since);
        const { at, deliberations } = report;
        const states = report.reactors.map(({ cursor: _cursor, ...state }) => state);
        return { status: 200, body: { at, deliberations, reactors: states, leftOut: unreadable } };
      }),
  }),
];

/** For so long what reactors do is told again: many may look at it, and each reading takes 200 journals. */
const TOLD_MS = 1_000;
type Told = { readonly at: number; readonly moment: Promise<WatchMoment> };
const told = new WeakMap<Parley, Map<OrganizationId, Told>>();

async function watchFor(
  { parley, caller, signal }: RouteCall<unknown, unknown, unknown>,
  since: number | undefined,
): Promise<WatchMoment> {
  const { process, reactors, world, principal } = readingContext(parley, caller.principal);
  const { organization } = principal;
  const watching = { store: process.store, organization, reactors, world };
  if (since !== undefined) return watchOnce(watching, { since, signal });
  const own = told.get(parley) ?? new Map<OrganizationId, Told>();
  told.set(parley, own);
  const before = own.get(organization);
  const at = world.now();
  if (before && at - before.at < TOLD_MS) return before.moment;
  // It is not only for the client that asks first.
  const moment = watchOnce(watching, { signal: new AbortController().signal });
  own.set(organization, { at, moment });
  return moment;
}
