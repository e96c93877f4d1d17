import { leaseHolder, LEASE_POLL_MS, type RecordedTurn } from "../engine/index.ts";
import {
  canonical,
  type DeliberationId,
  Fault,
  unlessForgotten,
  isEvent,
  isIntermediate,
  reactorLease,
  SeriesId,
  type Entry,
  type Opening,
  type Respondent,
  type Digest,
  type OrganizationStore,
  type Principal,
  type Progress,
  type UserId,
  type World,
} from "../kernel/index.ts";
import { answerEvent, answerOfB } from "../views/answer-event.ts";
import { findOpening, NEWEST, resolveId } from "./lookup.ts";

/** Maximum length of the earlier turns in a prompt; the oldest are left out first. */
const MAX_CHARACTERS = 100_000;

type TurnBounds = {
  readonly by: Respondent;
  readonly most: number;
  readonly mostCharacters?: number;
  /** Whether earlier summaries, and the turns that they cover, are wanted too. */
  readonly all?: boolean;
  /** Whether the question of `previous` is asked again, which leaves that turn out. */
  readonly again?: boolean | undefined;
};

/** What a prompt that is fitted to its model's context starts from: all turns since the last summary. */
export const WHOLE_CONVERSATION = { most: 1_000, mostCharacters: 2_000_000 } as const;

/**
 * Returns the conversation's turns up to `previous`, oldest first, without those that respondent `by` did not answer. A's
 * answer is the deliberation's, of any protocol.
 * @throws Fault `deliberation-missing`
 */
export async function turnsBefore(
  store: Pick<OrganizationStore, "read">,
  previous: DeliberationId | undefined,
  { by, most, mostCharacters = MAX_CHARACTERS, all = false, again = false }: TurnBounds,
): Promise<readonly RecordedTurn[]> {
  const turns: RecordedTurn[] = [];
  const summaries: RecordedTurn[] = [];
  let characters = 0;
  let left = Infinity;
  let isReplaced = again;
  for (let id = previous, steps = 0; id !== undefined && steps < most && left > 0; steps += 1) {
    const entries: readonly Entry[] = await store.read(id).catch(unlessForgotten);
    if (entries.length === 0 && steps > 0) break; // it was forgotten, and what came before it is not known
    const opened = findOpening(entries, id);
    const answer = by === "A" ? answerEvent(entries) : answerOfB(entries);
    if (answer && !isReplaced) {
      const { question } = opened.data;
      characters += question.length + answer.data.text.length;
      if (characters > mostCharacters && turns.length > 0) break;
      turns.unshift({ question, answer: answer.data.text, deliberation: id, of: answer.id });
      left -= 1;
    }
    const made = findSummary(entries, by);
    if (made && (all || summaries.length === 0)) {
      summaries.push({ question: "", answer: made.text, covers: made.covers, deliberation: id, of: made.of });
      if (!all) left = made.kept;
    }
    isReplaced = opened.data.again === true;
    id = opened.data.previous;
  }
  return [...summaries, ...turns];
}

/** The last summary of the conversation in a turn: for the second respondent its own, else the one that the answer was made with. */
function findSummary(entries: readonly Entry[], by: Respondent) {
  const made = entries
    .filter((entry) => isEvent(entry, "summary-made"))
    .findLast(({ data, origin }) => data.turns && (origin.by === "reactor") === (by === "B"));
  return made?.data.turns && { ...made.data.turns, text: made.data.text, of: made.id };
}

/** How long a reactor waits for what it does to the turn before. */
const MAX_WAIT_MS = 120_000;

/** Resolves when a reactor has answered `previous` or failed, when no process runs it, or after MAX_WAIT_MS. */
export async function waitForReactor(
  { store, progress }: { readonly store: Pick<OrganizationStore, "read">; readonly progress: Progress },
  previous: DeliberationId,
  { reactor, sleep, signal }: Pick<World, "sleep"> & Record<"reactor", string> & { signal: AbortSignal },
): Promise<void> {
  const names = [reactorLease(reactor), reactorLease(reactor, previous)];
  for (let waited = 0; waited < MAX_WAIT_MS && !signal.aborted; waited += LEASE_POLL_MS) {
    const entries = await store.read(previous);
    const [opened] = entries;
    if (!opened || !isEvent(opened, "deliberation-opened")) return;
    const asked = Object.hasOwn(opened.data.reactions ?? {}, reactor);
    const said = entries.some(
      (entry) => entry.origin.by === "reactor" && entry.origin.reactor === reactor && !isIntermediate(entry),
    );
    if (!asked || said) return;
    const holders = await Promise.all(names.map((name) => leaseHolder(progress, name)));
    if (holders.every((holder) => holder === undefined)) return;
    await sleep(LEASE_POLL_MS, signal);
  }
}

/**
 * Returns the position of the turn after `previous`. A conversation is named by its first deliberation and has one turn at
 * each position: of two concurrent turns, the second fails.
 * @throws Fault `deliberation-missing` (also for another user's turn, and one that is not kept), `configuration` for an unfinished turn
 */
export async function nextTurn(
  store: Pick<OrganizationStore, "read">,
  previous: DeliberationId,
  user: UserId,
): Promise<Required<Pick<Opening, "series" | "previous">>> {
  const entries = await store.read(previous);
  const opened = findOpening(entries, previous);
  if (!belongsTo(opened.data, user) || isUnkept(opened.data))
    throw new Fault("deliberation-missing", { id: previous });
  if (!entries.some((entry) => isEvent(entry, "deliberation-closed"))) {
    const why = `${previous} has not come to its end, so nothing can follow it yet`;
    throw new Fault("configuration", { why, next: `resume ${previous} first` });
  }
  const { id, index } = opened.data.series ?? { id: SeriesId.parse(previous), index: 0 };
  return { previous, series: { id, index: index + 1 } };
}

/** How many of the newest runs are searched for one that a question can follow. */
const MAX_NEWEST = 200;

type TurnPlace = {
  readonly store: OrganizationStore;
  readonly principal: Principal;
  readonly askedIn: Digest | undefined;
};

/**
 * Resolves the turn that a question follows: an id, a unique prefix of one, or `last` for the newest finished run with an answer
 * that this user may follow: one of this folder, or else one that names no folder, as those of earlier versions. Runs of
 * benchmarks and other jobs are none, and what is still open may be another terminal's.
 * @throws Fault `deliberation-missing`, `configuration` where there is none yet
 */
export async function resolveTurn(
  { store, principal, askedIn }: TurnPlace,
  id: string,
): Promise<DeliberationId> {
  if (id !== NEWEST) return resolveId({ store }, id);
  for (const folder of askedIn === undefined ? [undefined] : [askedIn, undefined]) {
    const opening = folder === undefined ? {} : { opening: [`"folder":${canonical(folder)}`] };
    for (const one of await store.list({ limit: MAX_NEWEST, ...opening })) {
      const { data, origin } = findOpening(await store.read(one.id, 0, 1), one.id);
      const isHere = askedIn === undefined || data.folder === folder;
      const isOfJob = origin.by === "open" && /\/\d+$/.test(origin.request);
      const isFollowed = isHere && !isOfJob && !isUnkept(data) && belongsTo(data, principal.user);
      if (isFollowed && answerEvent(await store.read(one.id))) return one.id;
    }
  }
  throw new Fault("configuration", {
    why: `there is no finished run${askedIn === undefined ? "" : " of this folder"} to follow up on`,
    next: "ask a question first, or name a run by its id",
  });
}

/** True if a deliberation belongs to this user or to the whole organization. */
export const belongsTo = (opening: Pick<Opening, "user">, user: UserId): boolean =>
  opening.user === undefined || opening.user === user;

/** True of one that its client wants forgotten once it has answered. */
export const isUnkept = ({ client }: Pick<Opening, "client">): boolean => client?.echo?.["store"] === false;
