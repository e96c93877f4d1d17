import { leaseHolder, LEASE_POLL_MS, type RecordedTurn } from "../engine/index.ts";
import {
  type DeliberationId,
  Fault,
  isEvent,
  isIntermediate,
  reactorLease,
  SeriesId,
  type Entry,
  type Opening,
  type Respondent,
  type OrganizationStore,
  type Progress,
  type UserId,
  type World,
} from "../kernel/index.ts";
import { answerEvent, answerOfB } from "../views/answer-event.ts";
import { findOpening } from "./lookup.ts";

/** Maximum length of the earlier turns in a prompt; the oldest are left out first. */
const MAX_CHARACTERS = 100_000;

type TurnBounds = {
  readonly by: Respondent;
  readonly most: number;
  readonly mostCharacters?: number;
  /** Whether earlier summaries, and the turns that they cover, are wanted too. */
  readonly all?: boolean;
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
  { by, most, mostCharacters = MAX_CHARACTERS, all = false }: TurnBounds,
): Promise<readonly RecordedTurn[]> {
  const turns: RecordedTurn[] = [];
  const summaries: RecordedTurn[] = [];
  let characters = 0;
  let left = Infinity;
  for (let id = previous, steps = 0; id !== undefined && steps < most && left > 0; steps += 1) {
    const entries: readonly Entry[] = await store.read(id);
    const opened = findOpening(entries, id);
    const answer = by === "A" ? answerEvent(entries) : answerOfB(entries);
    if (answer) {
      const { question } = opened.data;
      characters += question.length + answer.data.text.length;
      if (characters > mostCharacters && turns.length > 0) break;
      turns.unshift({ question, answer: answer.data.text, deliberation: id, of: answer.id });
      left -= 1;
    }
    const made = entries.findLast((entry) => isEvent(entry, "summary-made") && entry.data.for === by);
    if (made && isEvent(made, "summary-made") && made.data.turns && (all || summaries.length === 0)) {
      const { covers, kept } = made.data.turns;
      summaries.push({ question: "", answer: made.data.text, covers, deliberation: id, of: made.id });
      if (!all) left = kept;
    }
    id = opened.data.previous;
  }
  return [...summaries, ...turns];
}

/** How long a second respondent waits for its own previous answer. */
const MAX_WAIT_MS = 120_000;

/** Resolves when the second respondent has answered `previous` or failed, when no process runs it, or after MAX_WAIT_MS. */
export async function waitForSecondAnswer(
  { store, progress }: { readonly store: Pick<OrganizationStore, "read">; readonly progress: Progress },
  previous: DeliberationId | undefined,
  { sleep, signal }: { readonly sleep: World["sleep"]; readonly signal: AbortSignal },
): Promise<void> {
  if (previous === undefined) return;
  const names = [reactorLease("respondent-b"), reactorLease("respondent-b", previous)];
  for (let waited = 0; waited < MAX_WAIT_MS && !signal.aborted; waited += LEASE_POLL_MS) {
    const entries = await store.read(previous);
    const [opened] = entries;
    if (!opened || !isEvent(opened, "deliberation-opened")) return;
    const asked = opened.data.reactions?.["respondent-b"] !== undefined;
    const said = entries.some(
      (entry) =>
        entry.origin.by === "reactor" && entry.origin.reactor === "respondent-b" && !isIntermediate(entry),
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
 * @throws Fault `deliberation-missing` (also for another user's turn), `configuration` for an unfinished turn
 */
export async function nextTurn(
  store: Pick<OrganizationStore, "read">,
  previous: DeliberationId,
  user: UserId,
): Promise<Required<Pick<Opening, "series" | "previous">>> {
  const entries = await store.read(previous);
  const opened = findOpening(entries, previous);
  if (!belongsTo(opened.data, user)) throw new Fault("deliberation-missing", { id: previous });
  if (!entries.some((entry) => isEvent(entry, "deliberation-closed"))) {
    const why = `${previous} has not come to its end, so nothing can follow it yet`;
    throw new Fault("configuration", { why, next: `resume ${previous} first` });
  }
  const { id, index } = opened.data.series ?? { id: SeriesId.parse(previous), index: 0 };
  return { previous, series: { id, index: index + 1 } };
}

/** True if a deliberation belongs to this user or to the whole organization. */
export const belongsTo = (opening: Pick<Opening, "user">, user: UserId): boolean =>
  opening.user === undefined || opening.user === user;
