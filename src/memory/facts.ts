import { hash } from "node:crypto";
import { extractEntities } from "../text/entities.ts";
import { normalizeBreaks } from "../text/fences.ts";
import {
  canonical,
  EngramId,
  EventId,
  type Engram,
  type MemoryScope,
  type PinOutcome,
  type ToldFact,
} from "../kernel/index.ts";
import type { EngramStore } from "./engram-store.ts";
import { listEngrams, takeLive } from "./lookup.ts";

const MAX_FACT_LENGTH = 2_000;
/** No more of a text is looked at. */
const MAX_READ_LENGTH = 64 * 1024;
/** As often one fact can be forgotten and pinned again. */
const MAX_RETURNS = 100;

export type PinnedFact = {
  readonly id: EngramId;
  readonly fact: string;
  readonly at: string;
  /** The model that pinned what it was told; null for a person. */
  readonly by: string | null;
};

/** `at`: ISO 8601 in UTC; `by`: who pins it. */
export type NewFact = { readonly fact: string; readonly at: string; readonly by: string };

// FACT-1. A fact that was told in a deliberation is pinned once by it: a repetition finds it, and nothing undoes its forgetting. Else: a
//     fact that its owner had forgotten comes back.

/** A fact as it is kept: one paragraph on one line, 1 to 2,000 UTF-16 units. */
export function parseFact(
  text: string,
): { readonly ok: true; readonly fact: string } | { readonly ok: false; readonly reason: string } {
  const trimmed = normalizeBreaks(text.slice(0, MAX_READ_LENGTH)).toWellFormed().normalize("NFC").trim();
  const fact = trimmed.replaceAll(/\s+/g, " ");
  if (fact === "") return { ok: false, reason: "the fact is empty" };
  if (fact.length > MAX_FACT_LENGTH || text.length > MAX_READ_LENGTH)
    return { ok: false, reason: "the fact has more than 2,000 characters" };
  if (/\n[^\S\n]*\n/.test(trimmed))
    return { ok: false, reason: "the fact has more than one paragraph; pin each by itself" };
  if (/\p{Cc}/u.test(fact)) return { ok: false, reason: "the fact has control characters" };
  return { ok: true, fact };
}

/** The id of a pinned fact; `turn` is 1, and one more for each time that it was forgotten. */
export function pinnedId({ organization, user }: MemoryScope, fact: string, turn = 1): EngramId {
  const named = canonical([organization, user, fact, ...(turn === 1 ? [] : [turn])]);
  return EngramId.parse(`pinned:${hash("sha256", named, "hex").slice(0, 16)}`);
}

function pinnedEngram(
  scope: MemoryScope,
  id: EngramId,
  { fact, at, told }: { readonly fact: string; readonly at: string; readonly told: ToldFact | undefined },
): Engram {
  return {
    id,
    type: "pinned",
    organization: scope.organization,
    user: scope.user,
    question: "",
    summary: fact,
    intent: "fact",
    entities: extractEntities(fact),
    participant: told?.participant ?? null,
    respondent: null,
    models: told ? [told.model] : [],
    temperature: null,
    deliberation: told?.deliberation ?? null,
    conversation: told?.conversation ?? null,
    tools: false,
    at,
  };
}

/**
 * Pins a fact once per scope, and keeps who pinned it as a comment on it. A fact that was forgotten is pinned anew, under
 * another id: what is forgotten stays so. @throws Fault `store-unavailable`
 */
export async function pin(
  store: EngramStore,
  scope: MemoryScope,
  given: NewFact & { readonly told?: ToldFact },
): Promise<PinOutcome> {
  const read = parseFact(given.fact);
  if (!read.ok) return read;
  for (let turn = 1; turn <= MAX_RETURNS; turn += 1) {
    const id = pinnedId(scope, read.fact, turn);
    const { told } = given;
    const engram = pinnedEngram(scope, id, { fact: read.fact, at: given.at, told });
    const put = await store.put(engram, id);
    const [stored] = put ? [] : await store.get(scope, [id]);
    const again = told !== undefined && stored?.engram.deliberation === told.deliberation; // FACT-1
    if (stored && stored.forgotten !== null) {
      if (again) return { ok: false, reason: "the fact has been forgotten since" };
      continue;
    }
    const fresh = put || again;
    await store.annotate(
      { organization: scope.organization, user: scope.user, id },
      {
        event: EventId.parse(`${id}/pinned`),
        by: given.by.slice(0, 1_000).toWellFormed(),
        at: given.at,
        what: { kind: "comment", text: "pinned" },
      },
    );
    return { ok: true, engram: stored?.engram ?? engram, fresh };
  }
  return { ok: false, reason: `the fact was forgotten ${MAX_RETURNS} times; write it in other words` };
}

/** The newest `most` of the pinned facts, in the order in which they were pinned; neither forgotten nor retired ones. */
export async function listFacts(
  store: EngramStore,
  scope: MemoryScope,
  most = Infinity,
): Promise<PinnedFact[]> {
  const live = await takeLive(listEngrams(store, scope, { type: "pinned", retired: false }), most);
  return live
    .map(({ engram: { id, summary, at, models } }) => ({ id, fact: summary, at, by: models[0] ?? null }))
    .toReversed();
}
