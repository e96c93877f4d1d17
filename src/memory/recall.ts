import type { MemoryScope, Recall, RecallQuery, RecallRules, Respondent } from "../kernel/index.ts";
import type { StoredEngram } from "./engram-store.ts";
import { listFacts, type PinnedFact } from "./facts.ts";
import { compareEngrams, findCandidates, type MemoryBackend } from "./candidates.ts";
import { listEngrams, takeLive, judgedEngram, type JudgedEngram } from "./lookup.ts";
import { parseQuery } from "./query.ts";
import { rankCandidates, selectRecalled, type RecallCandidate } from "./rank.ts";

/** Candidates by meaning, and as many by words. */
const CANDIDATES = 50;
/** Pinned facts that are recalled: the newest. */
const MAX_FACTS = 50;
/** Among so many of the newest, those that a person pinned come before those that a model was told. */
const MAX_COUNTED_FACTS = 500;
/** Maximum retired engrams compared, the newest first; no index has them. */
const MAX_RETIRED = 1_000;

/** What a model pins, at the word of whatever it has read, takes no person's fact its place. */
function selectFacts(pinned: readonly PinnedFact[]): readonly PinnedFact[] {
  const own = pinned.filter(({ by }) => by === null).slice(-MAX_FACTS);
  const room = MAX_FACTS - own.length;
  const told = room > 0 ? pinned.filter(({ by }) => by !== null).slice(-room) : [];
  const chosen = new Set([...own, ...told]);
  return pinned.filter((one) => chosen.has(one));
}

export type EngramSearch = {
  /** Without one, the newest. */
  readonly query?: string | undefined;
  readonly limit: number;
  readonly respondent?: Respondent | undefined;
  /** true: those that are retired, instead of those that are not. */
  readonly retired?: boolean | undefined;
  readonly rules: Pick<RecallRules, "weights" | "timeoutMs">;
};

/** One engram that was found; the figures are null where nothing was asked. */
export type FoundEngram = JudgedEngram & {
  readonly similarity: number | null;
  readonly words: number | null;
  readonly score: number | null;
};

export type FoundEngrams = {
  /** Best first, or newest first. */
  readonly engrams: readonly FoundEngram[];
  readonly how: string;
};

/** @throws Fault `store-unavailable` */
export async function recall(parts: MemoryBackend, asked: RecallQuery, signal: AbortSignal): Promise<Recall> {
  const { organization, user, rules, conversation } = asked;
  const scope = { organization, user };
  const [pinned, [newest]] = await Promise.all([
    listFacts(parts.store, scope, MAX_COUNTED_FACTS),
    parts.store.list(scope, { type: "episodic", retired: false, limit: 1 }),
  ]);
  const known = { facts: selectFacts(pinned).map(({ fact }) => fact) };
  const and = pinned.length > MAX_FACTS ? `; of the pinned facts the newest ${MAX_FACTS}` : "";
  if (rules.most === 0) return { ...known, engrams: [], how: `no engrams are asked for${and}` };
  // Nothing to find: the question need not be embedded.
  if (!newest) return { ...known, engrams: [], how: `nothing is remembered yet${and}` };
  const search = { scope, query: parseQuery(asked.question), limit: CANDIDATES, timeoutMs: rules.timeoutMs };
  const { candidates, how } = await findCandidates(parts, { ...search, without: conversation }, signal);
  // A store has left them out; what is put into a prompt is looked at twice.
  const fit = candidates.filter(({ stored: { engram } }) => isFit(engram, asked));
  return { ...known, engrams: selectRecalled(fit, rules), how: how + and };
}

/** All that has anything in common with the query: whoever asks again in words of its own judges what fits. @throws Fault `store-unavailable` */
export async function find(
  parts: MemoryBackend,
  asked: RecallQuery,
  signal: AbortSignal,
): Promise<Pick<Recall, "engrams" | "how">> {
  const { organization, user, rules, conversation } = asked;
  const { timeoutMs } = rules;
  const wanted = {
    ...{ scope: { organization, user }, query: parseQuery(asked.question), limit: CANDIDATES, timeoutMs },
    without: conversation,
  };
  const { candidates, how } = await findCandidates(parts, wanted, signal);
  const fit = candidates.filter(
    (candidate) => isFit(candidate.stored.engram, asked) && isFound(candidate, undefined),
  );
  const anything = { ...rules, minimum: -1, minimumWords: 0, extraAt: Infinity };
  return { engrams: selectRecalled(fit, anything), how };
}

function isFit(engram: StoredEngram["engram"], { organization, user, conversation }: RecallQuery): boolean {
  return (
    engram.type === "episodic" &&
    engram.organization === organization &&
    engram.user === user &&
    engram.conversation !== conversation
  );
}

/** @throws Fault `store-unavailable` */
export async function search(
  parts: MemoryBackend,
  scope: MemoryScope,
  { asked, signal }: { readonly asked: EngramSearch; readonly signal: AbortSignal },
): Promise<FoundEngrams> {
  const { respondent, retired = false, limit, rules } = asked;
  const query = parseQuery(asked.query ?? "");
  const newest = listEngrams(parts.store, scope, { type: "episodic", retired, respondent });
  if (query.text.trim() === "") {
    const engrams = (await takeLive(newest, limit)).map((stored) => ({
      ...judgedEngram(stored),
      similarity: null,
      words: null,
      score: null,
    }));
    return { engrams, how: "newest first" };
  }
  const wanted = { scope, query, limit: Math.max(CANDIDATES, 4 * limit), timeoutMs: rules.timeoutMs };
  const { candidates, how } = retired
    ? await compareEngrams(parts, { ...wanted, engrams: await takeLive(newest, MAX_RETIRED) }, signal)
    : await findCandidates(parts, wanted, signal);
  const fit = candidates.filter((candidate) => isFound(candidate, respondent));
  const engrams = rankCandidates(fit, rules)
    .slice(0, limit)
    .map(({ stored, similarity, words, score }) => ({ ...judgedEngram(stored), similarity, words, score }));
  return { engrams, how };
}

/** What has nothing in common with the query is no find. */
function isFound(
  { stored, similarity, words }: RecallCandidate,
  respondent: Respondent | undefined,
): boolean {
  return (
    stored.forgotten === null &&
    (respondent === undefined || stored.engram.respondent === respondent) &&
    (words > 0 || (similarity !== null && similarity > 0))
  );
}
