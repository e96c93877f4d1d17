import type { PeerVoter, PersonaShares, VoteCell } from "../contract/knowledge.ts";
import { isEvent, isVoice, type Entry, type Event, type Participant } from "../kernel/index.ts";
import { addSession, type LeagueSession } from "../stats/league.ts";
import { addTo, sumsUnder, type Sums } from "../stats/numbers.ts";
import { worthOf } from "../stats/rank-correlation.ts";
import { answersIn } from "./answer-event.ts";
import { panelSection } from "./panel.ts";
import { veilEntries } from "./veil.ts";
import { isCast, kindOfQuestion, voterOf } from "./votes.ts";

// What is known over many deliberations is a sum of parts, one for each: it comes to the same in any order.

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
  const entries = veilEntries(recorded);
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
  const ballots = reviews
    .filter(isCast)
    .flatMap(({ data: { by, ranking } }) =>
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

export const namesIn = ({ who }: RunPart): readonly string[] => [
  ...new Set(who.flatMap(({ persona, model }) => [personaName(persona), modelName(model)])),
];
export const personaName = (persona: string): string => `persona ${persona}`;
export const modelName = (model: string): string => `model ${model}`;

export function sessionOf({ who, ballots, places }: RunPart, by: "persona" | "model"): LeagueSession {
  const playerOf = (index: number): string => who[index]?.[by] ?? "";
  return {
    ballots: ballots.map(({ ranked }) => ranked.map(playerOf)),
    places: places.map(({ of, place }) => ({ player: playerOf(of), place })),
  };
}

/**
 * Adds a deliberation to the sums over all of them: `runs`; `persona` and `model`, a league's tally each; `votes` and
 * `shares` by the voter's persona and model and the candidate's; `synthesis` by strategy, as JSON, and persona.
 */
export function addPart(sums: Sums, part: RunPart): void {
  const { who, ballots, places, synthesis } = part;
  const add = (value: number, names: string) => addTo(sums, names, value);
  add(1, "runs");
  if (ballots.length > 0)
    for (const by of ["persona", "model"] as const) addSession(sums, sessionOf(part, by), `${by}\t`);
  for (const { by, ranked } of ballots)
    for (const [index, of] of ranked.entries()) {
      const [voter, candidate] = [who[by], who[of]];
      if (!voter || !candidate) continue;
      const both = `${voter.persona}\t${voter.model}\t${candidate.persona}\t${candidate.model}`;
      add(1, `votes\t${both}`);
      add(worthOf(index, ranked.length), `shares\t${both}`);
    }
  const firsts = places.filter(({ place }) => place === 1).map(({ of }) => of);
  for (const { of, claimed, measured } of synthesis?.shares ?? []) {
    const own = `synthesis\t${JSON.stringify(synthesis?.strategy)}\t${who[of]?.persona}`;
    add(1, `${own}\truns`);
    if (places.some((one) => one.of === of)) add(1, `${own}\tsessions`);
    if (firsts.includes(of)) add(1, `${own}\t${firsts.length === 1 ? "wins" : "ties"}`);
    if (claimed !== null) add(1, `${own}\tclaims`);
    if (claimed !== null) add(claimed, `${own}\tclaimed`);
    for (const [method, weight] of Object.entries(measured)) {
      add(1, `${own}\tmeasurements\t${JSON.stringify(method)}`);
      add(weight, `${own}\tmeasured\t${JSON.stringify(method)}`);
    }
  }
}

/** The matrix of votes, by persona or by model; `only`: of those that name this persona or model as voter or candidate. */
export function voteMatrix(
  sums: Sums,
  by: "persona" | "model",
  only: { readonly [K in keyof Pick<PeerVoter, "persona" | "model">]?: string | undefined } = {},
): readonly VoteCell[] {
  const cells = new Map<string, { voter: string; candidate: string; votes: number; sum: number }>();
  for (const [names, votes] of sumsUnder(sums, "votes")) {
    const [persona = "", model = "", candidatePersona = "", candidateModel = ""] = names.split("\t");
    const [voter, candidate] = [
      { persona, model },
      { persona: candidatePersona, model: candidateModel },
    ];
    const isWanted = (["persona", "model"] as const).every(
      (what) => only[what] === undefined || voter[what] === only[what] || candidate[what] === only[what],
    );
    if (!isWanted) continue;
    const at = `${voter[by]}\t${candidate[by]}`;
    const cell = cells.get(at) ?? { voter: voter[by], candidate: candidate[by], votes: 0, sum: 0 };
    cell.votes += votes;
    cell.sum += sums.get(`shares\t${names}`) ?? 0;
    cells.set(at, cell);
  }
  return [...cells.values()]
    .map(({ sum, ...cell }) => ({ ...cell, share: roundSum(sum / cell.votes) }))
    .toSorted((one, other) => (one.voter + one.candidate < other.voter + other.candidate ? -1 : 1));
}

/** So that a sum does not depend on its order. */
const roundSum = (value: number): number => Number(value.toFixed(9));

/** Shares by persona, or by strategy and persona; the largest claimed mean first within a strategy. */
export function personaShares(sums: Sums, byStrategy: boolean): readonly PersonaShares[] {
  const shares = new Map<string, Sums>();
  for (const [names, value] of sumsUnder(sums, "synthesis")) {
    const [strategy, persona, ...what] = names.split("\t");
    const at = `${byStrategy ? strategy : ""}\t${persona}`;
    const own: Sums = shares.get(at) ?? new Map();
    shares.set(at, own);
    addTo(own, what.join("\t"), value);
  }
  return [...shares]
    .map(([at, own]) => sharesRow(at, own))
    .toSorted(
      (one, other) =>
        (one.strategy ?? "").localeCompare(other.strategy ?? "") ||
        (other.claimed.mean ?? -1) - (one.claimed.mean ?? -1) ||
        (one.persona < other.persona ? -1 : 1),
    );
}

function sharesRow(at: string, sums: Sums): PersonaShares {
  const [strategy = "", persona = ""] = at.split("\t");
  const get = (what: string) => sums.get(what) ?? 0;
  const [claims, claimed, sessions] = [get("claims"), get("claimed"), get("sessions")];
  return {
    ...{ persona, strategy: strategy === "" ? null : parseName(strategy), runs: get("runs"), sessions },
    claimed: { n: claims, mean: claims === 0 ? null : roundSum(claimed / claims), sum: roundSum(claimed) },
    measured: Object.fromEntries(
      [...sumsUnder(sums, "measurements")]
        .map(
          ([method, n]) =>
            [parseName(method), { n, mean: roundSum(get(`measured\t${method}`) / n) }] as const,
        )
        .toSorted(([one], [other]) => (one < other ? -1 : 1)),
    ),
    winRate: sessions === 0 ? null : roundSum((get("wins") + get("ties") / 2) / sessions),
  };
}

/** A name that was made JSON, so that no tab is in it. */
const parseName = (json: string): string => String(JSON.parse(json));
