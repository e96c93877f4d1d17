import {
  DeliberationId,
  Fault,
  isEvent,
  type Entry,
  type Event,
  type ListQuery,
  type OrganizationStore,
  type Summary,
} from "../kernel/index.ts";
import { pendingQuestions } from "../views/pending-questions.ts";
import type { AppContext } from "./context.ts";

/** How many of the newest deliberations a prefix search reads. */
const MAX_PREFIX_SEARCH = 1_000;
/** How many matches an error lists. */
const MAX_LISTED = 5;

/** Names the newest deliberation. */
const NEWEST = "last";

/**
 * Resolves an id, a unique prefix of one, or `last` for the newest, within the organization.
 * @throws Fault `deliberation-missing`, `configuration` for an ambiguous prefix and where there is none yet
 */
export async function resolveId({ store }: Pick<AppContext, "store">, id: string): Promise<DeliberationId> {
  if (id === NEWEST) {
    const [newest] = await store.list({ limit: 1 });
    if (newest) return newest.id;
    throw new Fault("configuration", { why: "there is no run yet", next: "ask a question first" });
  }
  const parsed = DeliberationId.safeParse(id);
  if (!parsed.success) throw new Fault("deliberation-missing", { id: id.slice(0, 40) });
  const [opened] = await store.read(parsed.data);
  if (opened) return parsed.data;
  const recent = await store.list({ limit: MAX_PREFIX_SEARCH });
  const matching = recent.filter((one) => one.id.startsWith(id));
  const [only] = matching;
  if (!only) throw new Fault("deliberation-missing", { id });
  if (matching.length === 1) return only.id;
  const ids = matching.slice(0, MAX_LISTED).map((one) => one.id);
  throw new Fault("configuration", {
    why: `${matching.length} deliberations begin with "${id}"`,
    next: `give more of it: ${ids.join(", ")}`,
  });
}

/** @throws Fault `deliberation-missing` */
export function findOpening([opened]: readonly Entry[], id: DeliberationId): Event<"deliberation-opened"> {
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  return opened;
}

/** Lists deliberations, newest first. An open one that asked a person something has the status `waiting`, as in its result. */
export async function listRuns(
  store: Pick<OrganizationStore, "list" | "read">,
  query: ListQuery,
): Promise<readonly Summary[]> {
  const statusOf = async ({ id, status }: Summary) =>
    status === "open" && pendingQuestions(await store.read(id)) ? "waiting" : status;
  const summaries = await store.list(query);
  return Promise.all(summaries.map(async (summary) => ({ ...summary, status: await statusOf(summary) })));
}
