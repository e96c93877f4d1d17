import type { PeerVoter, PersonaShares, VoteCell } from "../contract/knowledge.ts";
import { isEvent, isVoice, type Entry, type Event, type Participant } from "../kernel/index.ts";
import { addTally, emptyTally, tallySession, type LeagueSession, type LeagueTally } from "../stats/league.ts";
import { answersIn } from "./answer-event.ts";
import { panelSection } from "./panel.ts";
import { veiled } from "./veil.ts";
import { isCast, kindOfQuestion, voterOf } from "./votes.ts";

// PART-3. What is known over many deliberations is a sum of parts, one for each: it comes to the same in any order.

/** A raised version makes what is kept of all deliberations anew. */
export const PARTS_VERSION = 2;

/** What one deliberation adds to what is known over all of them: plain JSON. People are named by their place in `who`. */
export type RunPart = {
  readonly who: readonly { readonly persona: string; readonly model: string }[];
  /** The rankings that reviewers gave: from best to worst. */
  readonly ballots: readonly { readonly by: number; readonly ranked: readonly number[] }[];
  /** Places in the standing; null where there was none. */
  readonly places: readonly { readonly of: number; readonly place: number | null }[];
  /** What each voice had of the answer; null where no chair wrote it. */
  readonly synthesis: {
    readonly strategy: string;
    readonly shares: readonly {
      readonly of: number;
      /** As the chair reported it, 0 to 1; null where it did not. */
      readonly claimed: number | null;
      /** As it was last measured, by method. */
      readonly measured: { readonly [method: string]: number };
    }[];
  } | null;
};

/** A deliberation's part, and what it is found by. */
export type FiledPart = {
  readonly protocol: string;
  readonly kind: string;
  readonly openedAt: string;
  /** Null for one that adds nothing. */
  readonly part: RunPart | null;
};

/** Files what a deliberation adds; undefined for entries without an opening. */
export function filePart(recorded: readonly Entry[]): FiledPart | undefined {
  const entries = veiled(recorded);
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  if (!opened) return undefined;
  const { protocol, question, participants } = opened.data;
  const part = partOf(entries, participants);
  const isReviewed = entries.some((entry) => isEvent(entry, "review-given") && isCast(entry));
  const isEmpty = !isReviewed && part.synthesis === null;
  return {
    protocol: protocol.name,
    kind: kindOfQuestion(question),
    openedAt: opened.at,
    part: isEmpty ? null : part,
  };
}

function partOf(entries: readonly Entry[], participants: readonly Participant[]): RunPart {
  const voters = participants.map((one) => [one.id as string, voterOf(one)] as const);
  const place = new Map(voters.map(([id], index) => [id, index]));
  const answers = answersIn(entries);
  const seatOf = (id: string): number[] => {
    const index = place.get(id);
    return index === undefined ? [] : [index];
  };
  const reviews = entries.filter((entry): entry is Event<"review-given"> => isEvent(entry, "review-given"));
  const ballots = reviews.filter(isCast).flatMap(({ data: { by, ranking } }) =>
    ranking.ok
      ? seatOf(by).map((voter) => ({
          by: voter,
          ranked: ranking.steps.flatMap((step) => seatOf(answers.get(step)?.data.by ?? "")),
        }))
      : [],
  );
  const standing = entries.findLast((entry) => isEvent(entry, "standing-reached"))?.data.places ?? [];
  return {
    who: voters.map(([, { persona, model }]) => ({ persona, model })),
    ballots,
    places:
      ballots.length === 0
        ? []
        : standing.flatMap(({ id, place: reached }) => seatOf(id).map((of) => ({ of, place: reached }))),
    synthesis: synthesisPart(entries, participants.filter(isVoice), seatOf),
  };
}

function synthesisPart(
  entries: readonly Entry[],
  voices: readonly Participant[],
  seatOf: (id: string) => readonly number[],
): RunPart["synthesis"] {
  const given = entries.findLast((entry) => isEvent(entry, "synthesis-given"));
  if (!given || !isCast(given)) return null;
  const { claimed, measured } = panelSection(entries).contributions;
  const shares = voices.flatMap(({ id }) =>
    seatOf(id).map((of) => ({
      of,
      claimed: claimed.find((one) => one.id === id)?.weight ?? null,
      measured: Object.fromEntries(
        measured.flatMap((one) => (one.id === id ? [[one.method, one.weight] as const] : [])),
      ),
    })),
  );
  return { strategy: given.data.strategy ?? "none", shares };
}

/** The names by which a part is found. */
export const namesIn = ({ who }: RunPart): readonly string[] => [
  ...new Set(who.flatMap(({ persona, model }) => [personaName(persona), modelName(model)])),
];
export const personaName = (persona: string): string => `persona ${persona}`;
export const modelName = (model: string): string => `model ${model}`;

/** The rankings of a part, by persona or by model. */
export function sessionOf({ who, ballots, places }: RunPart, by: "persona" | "model"): LeagueSession {
  const playerOf = (index: number): string => who[index]?.[by] ?? "";
  return {
    ballots: ballots.map(({ ranked }) => ranked.map(playerOf)),
    places: places.map(({ of, place }) => ({ player: playerOf(of), place })),
  };
}

type Mean = { n: number; sum: number };
type ShareSums = {
  runs: number;
  readonly claimed: Mean;
  readonly measured: { [method: string]: Mean };
  /** Sessions with a standing, those won, and those that several won. */
  sessions: number;
  wins: number;
  ties: number;
};

/**
 * Sums over parts: plain JSON. `cells` and `shares` are keyed by JSON: `[voter's persona, model, candidate's persona, model]`,
 * `[strategy, persona]`.
 */
export type RunTally = {
  runs: number;
  readonly persona: LeagueTally;
  readonly model: LeagueTally;
  readonly cells: { [key: string]: Mean };
  readonly shares: { [key: string]: ShareSums };
};

export const emptyRunTally = (): RunTally => ({
  runs: 0,
  persona: emptyTally(),
  model: emptyTally(),
  cells: {},
  shares: {},
});

const noShares = (): ShareSums => ({
  ...{ runs: 0, claimed: { n: 0, sum: 0 }, measured: {} },
  ...{ sessions: 0, wins: 0, ties: 0 },
});

/** What rounding may leave of a sum that was taken out again. */
const NOTHING = 1e-9;

function addMean(to: Mean, { n, sum }: Mean, sign: 1 | -1): void {
  to.n += sign * n;
  to.sum = to.n === 0 || Math.abs(to.sum + sign * sum) < NOTHING ? 0 : to.sum + sign * sum;
}

/** The tally of one part (PART-3). */
export function tallyPart(part: RunPart): RunTally {
  const { who, ballots, places, synthesis } = part;
  const tallyBy = (by: "persona" | "model") =>
    ballots.length > 0 ? tallySession(sessionOf(part, by)) : emptyTally();
  const tally: RunTally = {
    ...emptyRunTally(),
    ...{ runs: 1, persona: tallyBy("persona"), model: tallyBy("model") },
  };
  for (const { by, ranked } of ballots)
    for (const [index, of] of ranked.entries()) {
      const [voter, candidate] = [who[by], who[of]];
      if (!voter || !candidate) continue;
      const key = JSON.stringify([voter.persona, voter.model, candidate.persona, candidate.model]);
      const share = ranked.length < 2 ? 0.5 : 1 - index / (ranked.length - 1);
      addMean((tally.cells[key] ??= { n: 0, sum: 0 }), { n: 1, sum: share }, 1);
    }
  const firsts = places.filter(({ place }) => place === 1).map(({ of }) => of);
  for (const { of, claimed, measured } of synthesis?.shares ?? []) {
    const sums = (tally.shares[JSON.stringify([synthesis?.strategy, who[of]?.persona])] ??= noShares());
    const isFirst = firsts.includes(of);
    sums.runs += 1;
    sums.sessions += Number(places.some((one) => one.of === of));
    sums.wins += Number(isFirst && firsts.length === 1);
    sums.ties += Number(isFirst && firsts.length > 1);
    if (claimed !== null) addMean(sums.claimed, { n: 1, sum: claimed }, 1);
    for (const [method, weight] of Object.entries(measured))
      addMean((sums.measured[method] ??= { n: 0, sum: 0 }), { n: 1, sum: weight }, 1);
  }
  return tally;
}

/** Adds a tally to another, or with −1 takes it out again (PART-3). */
export function addRunTally(to: RunTally, from: RunTally, sign: 1 | -1 = 1): void {
  to.runs += sign * from.runs;
  for (const by of ["persona", "model"] as const) addTally(to[by], from[by], sign);
  for (const [key, mean] of Object.entries(from.cells)) {
    const own = (to.cells[key] ??= { n: 0, sum: 0 });
    addMean(own, mean, sign);
    if (own.n === 0) delete to.cells[key];
  }
  for (const [key, sums] of Object.entries(from.shares)) {
    const own = (to.shares[key] ??= noShares());
    for (const figure of ["runs", "sessions", "wins", "ties"] as const) own[figure] += sign * sums[figure];
    addMean(own.claimed, sums.claimed, sign);
    for (const [method, mean] of Object.entries(sums.measured)) {
      const known = (own.measured[method] ??= { n: 0, sum: 0 });
      addMean(known, mean, sign);
      if (known.n === 0) delete own.measured[method];
    }
    if (own.runs === 0) delete to.shares[key];
  }
}

/** The matrix of votes, by persona or by model; `only`: of those that name this persona or model as voter or candidate. */
export function voteMatrix(
  { cells }: RunTally,
  by: "persona" | "model",
  only: { readonly [K in keyof Pick<PeerVoter, "persona" | "model">]?: string | undefined } = {},
): VoteCell[] {
  const summed = new Map<string, { voter: string; candidate: string; votes: number; sum: number }>();
  for (const [key, { n, sum }] of Object.entries(cells)) {
    const [persona, model, candidatePersona, candidateModel] = JSON.parse(key) as string[]; // `tallyPart` wrote it
    const voter = { persona: persona ?? "", model: model ?? "" };
    const candidate = { persona: candidatePersona ?? "", model: candidateModel ?? "" };
    const isWanted = (["persona", "model"] as const).every(
      (what) => only[what] === undefined || voter[what] === only[what] || candidate[what] === only[what],
    );
    if (!isWanted) continue;
    const at = JSON.stringify([voter[by], candidate[by]]);
    const cell = summed.get(at) ?? { voter: voter[by], candidate: candidate[by], votes: 0, sum: 0 };
    cell.votes += n;
    cell.sum += sum;
    summed.set(at, cell);
  }
  return [...summed.values()]
    .map(({ sum, ...cell }) => ({ ...cell, share: rounded(sum / cell.votes) }))
    .toSorted((one, other) => (one.voter + one.candidate < other.voter + other.candidate ? -1 : 1));
}

/** So that a sum does not depend on its order. */
const rounded = (value: number): number => Number(value.toFixed(9));

/** Shares by persona, or by strategy and persona; the largest claimed mean first within a strategy. */
export function personaShares({ shares }: RunTally, byStrategy: boolean): PersonaShares[] {
  const summed = new Map<string, RunTally>();
  for (const [key, sums] of Object.entries(shares)) {
    const [strategy, persona] = JSON.parse(key) as string[]; // `tallyPart` wrote it
    const at = JSON.stringify([byStrategy ? strategy : null, persona]);
    const one = { ...emptyRunTally(), shares: { [at]: sums } };
    const known = summed.get(at);
    if (known) addRunTally(known, one);
    else {
      const fresh = emptyRunTally();
      addRunTally(fresh, one);
      summed.set(at, fresh);
    }
  }
  const rows = [...summed].flatMap(([at, tally]) => {
    const sums = tally.shares[at];
    return sums === undefined ? [] : [sharesRow(at, sums)];
  });
  return rows.toSorted(
    (one, other) =>
      (one.strategy ?? "").localeCompare(other.strategy ?? "") ||
      (other.claimed.mean ?? -1) - (one.claimed.mean ?? -1) ||
      (one.persona < other.persona ? -1 : 1),
  );
}

function sharesRow(at: string, { runs, claimed, measured, sessions, wins, ties }: ShareSums): PersonaShares {
  const [strategy = null, persona = ""] = JSON.parse(at) as (string | null)[]; // `personaShares` wrote it
  return {
    ...{ persona: persona ?? "", strategy, runs, sessions },
    claimed: {
      n: claimed.n,
      mean: claimed.n === 0 ? null : rounded(claimed.sum / claimed.n),
      sum: rounded(claimed.sum),
    },
    measured: Object.fromEntries(
      Object.entries(measured)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([method, { n, sum }]) => [method, { n, mean: rounded(sum / n) }]),
    ),
    winRate: sessions === 0 ? null : rounded((wins + ties / 2) / sessions),
  };
}
