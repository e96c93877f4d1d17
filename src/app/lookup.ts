import {
  canonical,
  DeliberationId,
  Fault,
  isEvent,
  isUnreadable,
  type Entry,
  type Event,
  type Labels,
  type ListQuery,
  type OrganizationStore,
  type SeriesId,
  type Summary,
  refusal,
} from "../kernel/index.ts";

const MAX_LISTED = 5;
/** How many summaries one read of a search takes. */
const PAGE = 500;

/** What the names of runs begin with that measurements make: lists hide them, and none is the newest. */
const MEASURED: readonly string[] = ["bench/", "ablate/", "authorship/", "persona/", "trial/"];
/** The same of runs that write another run's answer in a form: for a program here, and for a server's client. */
export const FORMS = ["form/", "api/form/"] as const;
export type FormPrefix = (typeof FORMS)[number];
/** Runs that people asked for, and no measurement. */
export const UNMEASURED = { prefixes: [...MEASURED, ...FORMS], hidden: true };

/** Names the newest deliberation. */
export const NEWEST = "last";

/**
 * Resolves an id, a unique prefix of one, or `last` for the newest, within the organization.
 * @throws Fault `deliberation-missing`, `configuration` for an ambiguous prefix and where there is none yet
 */
export async function resolveId(
  { store }: { readonly store: OrganizationStore },
  id: string,
): Promise<DeliberationId> {
  if (id === NEWEST) {
    const [newest] = await store.list({ limit: 1, requests: UNMEASURED });
    if (newest) return newest.id;
    throw refusal("there is no run yet", "ask a question first");
  }
  const parsed = DeliberationId.safeParse(id);
  if (!parsed.success) throw new Fault("deliberation-missing", { id: id.slice(0, 40) });
  const [opened] = await store.read(parsed.data);
  if (opened) return parsed.data;
  const named = await store.list({ limit: MAX_LISTED + 1, prefix: id });
  const matching = named.length > 0 ? named : await store.list({ limit: 2, prefix: id, status: "forgotten" });
  const [only] = matching;
  if (!only) throw new Fault("deliberation-missing", { id });
  if (matching.length === 1) {
    if (only.status === "forgotten") await store.read(only.id); // says so
    return only.id;
  }
  const ids = matching.slice(0, MAX_LISTED).map((one) => one.id);
  throw refusal(
    `${matching.length > MAX_LISTED ? `more than ${MAX_LISTED}` : matching.length} runs begin with "${id}"`,
    `give more of it: ${ids.join(", ")}`,
  );
}

/** @throws Fault `deliberation-missing` */
export function findOpening([opened]: readonly Entry[], id: DeliberationId): Event<"deliberation-opened"> {
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Fault("deliberation-missing", { id });
  return opened;
}

export type RunFilter = {
  /** The most that are listed. */
  readonly limit: number;
  /** The last id of the previous page. */
  readonly before?: DeliberationId | undefined;
  /** A protocol's name, or `bench` for the runs of measurements, which are hidden otherwise. */
  readonly protocol?: string | undefined;
  /** As in a result, such as `answered`, `failed`, `open` or `waiting`. */
  readonly status?: string | undefined;
  /** Only runs that were opened then or later; in milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Only runs that were opened before; in milliseconds since 1970. */
  readonly until?: number | undefined;
  /** Only the turns of one conversation, with the run that it is named by. */
  readonly series?: SeriesId | undefined;
  /** Only runs for this user. */
  readonly user?: string | undefined;
  readonly labels?: Labels | undefined;
  /** Words that the question's first 200 characters have, in any order. */
  readonly search?: string | undefined;
};

/** Lists runs, newest first. An open one that asked a person something has the status `waiting`, as in its result. */
export async function listRuns(
  store: Pick<OrganizationStore, "list" | "read">,
  { limit, before, protocol, status, since, until, series, user, labels = {}, search = "" }: RunFilter,
): Promise<readonly Summary[]> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isBench = protocol === "bench";
  const isOpen = status === "open" || status === "waiting";
  const query: Omit<ListQuery, "limit" | "before"> = {
    requests: isBench ? { prefixes: MEASURED, hidden: false } : UNMEASURED,
    protocol: isBench ? undefined : protocol,
    ...(isOpen ? { open: true } : { status }),
    since: isoOf(since),
    until: isoOf(until),
    series,
    opening: [
      ...(user === undefined ? [] : [`"user":${canonical(user)}`]),
      ...Object.entries(labels).map(([name, value]) => `${canonical(name)}:${canonical(value)}`),
    ],
  };
  // An open run waits where its events say so, and a question's letters are the program's to compare.
  const isOwn = user !== undefined || Object.keys(labels).length > 0;
  const isSifted = isOpen || words.length > 0 || isOwn;
  const found: Summary[] = [];
  const most = isSifted ? PAGE : limit;
  for (let last = before, isEnd = false; !isEnd && found.length < limit;) {
    const page = await store.list({ ...query, limit: most, ...(last === undefined ? {} : { before: last }) });
    isEnd = page.length < most;
    // A conversation is named by its first run, which was none of a conversation when it was opened.
    const isRest = isEnd && series !== undefined && !isNamed(before, series);
    const named = isRest ? await firstOf(store, series, query) : [];
    for (const summary of [...page, ...named].filter(({ question }) => hasWords(question, words))) {
      if (isOwn && !(await isMeant(store, summary, { user, labels }))) continue;
      const now = await statusOf(store, summary);
      if (found.length < limit && (status ?? now) === now) found.push({ ...summary, status: now });
    }
    last = page.at(-1)?.id;
  }
  return found;
}

/** The run that a series is named by; none where it has a name of its own, as a forest's. */
async function firstOf(
  store: Pick<OrganizationStore, "list">,
  series: SeriesId,
  query: Omit<ListQuery, "limit" | "before">,
): Promise<readonly Summary[]> {
  const named = await store.list({ ...query, series: undefined, prefix: series, limit: PAGE });
  return named.filter(({ id }) => isNamed(id, series));
}

/** A series has the name of its first run where that is what it began with. */
const isNamed = (id: DeliberationId | undefined, series: SeriesId): boolean => String(id) === String(series);

/** Whether an opening in which the texts of a filter stand has them where the filter means them. */
async function isMeant(
  store: Pick<OrganizationStore, "read">,
  { id }: Summary,
  { user, labels = {} }: Pick<RunFilter, "user" | "labels">,
): Promise<boolean> {
  const { data } = findOpening(await store.read(id), id);
  return (
    (user === undefined || data.user === user) &&
    Object.entries(labels).every(([name, value]) => data.labels?.[name] === value)
  );
}

const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();

const hasWords = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

async function statusOf(store: Pick<OrganizationStore, "read">, { id, status }: Summary): Promise<string> {
  if (status !== "open") return status;
  const { isWaiting } = await import("../views/waiting.ts");
  return isWaiting(await store.read(id)) ? "waiting" : status;
}

/** The journals of all runs since then, newest first; one that cannot be read is named and passed over. */
export async function* listJournals(
  store: Pick<OrganizationStore, "list" | "read">,
  {
    since = 0,
    onUnreadable,
  }: { readonly since?: number | undefined; readonly onUnreadable: (id: string) => void },
): AsyncGenerator<readonly Entry[]> {
  for await (const { id, openedAt } of summariesIn(store, {})) {
    if (Date.parse(openedAt) < since) return;
    try {
      yield await store.read(id);
    } catch (fault) {
      if (!isUnreadable(fault)) throw fault;
      onUnreadable(id);
    }
  }
}

/** All runs that a query finds, newest first, read page by page. */
export async function* summariesIn(
  store: Pick<OrganizationStore, "list">,
  query: Omit<ListQuery, "limit" | "before">,
): AsyncGenerator<Summary> {
  for (let before: DeliberationId | undefined, isEnd = false; !isEnd;) {
    const page = await store.list({ limit: PAGE, ...query, before });
    yield* page;
    before = page.at(-1)?.id;
    isEnd = page.length < PAGE;
  }
}
