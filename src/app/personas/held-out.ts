import { createHmac } from "node:crypto";
import { textDigest } from "../../engine/index.ts";
import {
  isEvent,
  type DeliberationId,
  type Entry,
  type ListQuery,
  type Opening,
  type OrganizationStore,
} from "../../kernel/index.ts";
import { summariesIn } from "../lookup.ts";

// A fifth of all questions is held out: an organization's keyed hash of the question says which, so that it is the same fifth in every
// process, and the same question is on one side wherever it is asked again.
// What is held out feeds no prompt that breeds a persona, summarizes its feedback or advises it: neither the runs on such questions nor a
// text in which one of them, its id or its digest stands.

/** One question in so many is held out. */
export const HELD_OUT_EVERY = 5;
/** As much of a question as lists have of it. */
const HASHED_LENGTH = 150;
/** A shorter question has to stand between spaces or signs to be found in a text. */
const DISTINCT_LENGTH = 12;

/** A question without what may differ between two spellings of it. */
const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();

export function isHeldOut(organization: string, question: string): boolean {
  const asked = plain(question.slice(0, HASHED_LENGTH));
  const hash = createHmac("sha256", `parley/held-out/${organization}`).update(asked).digest();
  return hash.readUInt32BE(0) < 2 ** 32 / HELD_OUT_EVERY;
}

/** Whether a run is on a held-out question, or follows one in its conversation. */
export async function isHeldOutRun(
  store: Pick<OrganizationStore, "organization" | "text">,
  entries: readonly Entry[],
): Promise<boolean> {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  if (!opened) return false;
  if (isHeldOut(store.organization, opened.question)) return true;
  for (const question of await earlierQuestions(store, opened))
    if (isHeldOut(store.organization, question)) return true;
  return false;
}

const earlierQuestions = (
  store: Pick<OrganizationStore, "text">,
  { history = [] }: Pick<Opening, "history">,
): Promise<readonly string[]> => Promise.all(history.map(({ question }) => store.text(question)));

/** A run on a held-out question, by as much of the question as lists have. */
export type HeldOutRun = { readonly id: DeliberationId; readonly question: string };

/** All runs on held-out questions, the newest first; `requests` chooses among them. */
export async function* heldOutRuns(
  store: Pick<OrganizationStore, "organization" | "list">,
  requests?: ListQuery["requests"],
): AsyncGenerator<HeldOutRun> {
  for await (const { id, question } of summariesIn(store, { requests }))
    if (isHeldOut(store.organization, question)) yield { id, question };
}

/** Whether a text may feed a prompt: neither a held-out question nor its id or digest stands in it. */
export async function heldOutFilter(
  store: Pick<OrganizationStore, "organization" | "list">,
): Promise<(text: string) => boolean> {
  const ids = new Set<string>();
  const short = new Set<string>();
  const long = new Map<string, Set<string>>();
  for await (const { id, question } of heldOutRuns(store)) {
    ids.add(id);
    ids.add(textDigest(question));
    const asked = plain(question.slice(0, HASHED_LENGTH));
    if (asked === "") continue;
    if (asked.length < DISTINCT_LENGTH) {
      short.add(asked);
      continue;
    }
    const start = asked.slice(0, DISTINCT_LENGTH);
    const own = long.get(start) ?? new Set();
    own.add(asked);
    long.set(start, own);
  }
  return (text) => {
    const said = plain(text);
    for (const [token] of said.matchAll(/[a-z0-9]{12,64}/g)) if (ids.has(token)) return false;
    for (const asked of short) if (standsIn(said, asked)) return false;
    for (let at = 0; at + DISTINCT_LENGTH <= said.length; at += 1) {
      const own = long.get(said.slice(at, at + DISTINCT_LENGTH));
      if (own && [...own].some((asked) => said.startsWith(asked, at))) return false;
    }
    return true;
  };
}

/** Whether words stand in a text as whole words. */
function standsIn(text: string, words: string): boolean {
  const isInner = (character: string) => /[\p{L}\p{N}]/u.test(character);
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1))
    if (!isInner(text.charAt(at - 1)) && !isInner(text.charAt(at + words.length))) return true;
  return false;
}
