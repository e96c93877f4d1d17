import { admitted, phase, type Floor, type Joined, type Run } from "../engine/index.ts";
import { extractAnswer } from "../judging/index.ts";
import { StepKey, type ModelRequest, type ParticipantId } from "../kernel/index.ts";
import { readRevision, revisionPrompt } from "../prompts/index.ts";
import { emptiness, speaking, type Draft } from "./draft.ts";
import { lossOf } from "./loss.ts";
import { moreThanHalf } from "./quorum.ts";
import { othersFrom, type Place } from "./table.ts";

// V1. Nobody is asked in vain: who is shown, beside the own answer, none that differs is left out of the round.
// V2. Nobody is told which answer is the own one, who wrote which, or how many hold it.
// V3. An answer that a member does not give again stands: who fails or is cut keeps the one before.

export type RevisionRound = {
  /** From 2: the drafts were the first. */
  readonly round: number;
  /** The answers that stand, seated. */
  readonly table: readonly Place[];
  readonly differ: (one: Draft, other: Draft) => boolean;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  /** How long to wait for stragglers once half of the members are in; null waits for their timeouts. */
  readonly patienceMs: number | null;
};

export type Revised = {
  /** In the table's order, one for every place: revised, or as it stood. */
  readonly answers: readonly Draft[];
  /** Who gave an answer again. */
  readonly by: readonly ParticipantId[];
  /** Whether the budget left anybody of those who differ out. */
  readonly cut: boolean;
  readonly lost: number;
};

/** A member sees the own answer and at most so many that differ: more voices make for conformity, not for better answers. */
const SHOWN = 2;

/**
 * One anonymous round: everybody who differs from somebody criticises the own answer and those that differ, and answers
 * again, each under `round-<n>/revision/<member>`. A critique is recorded beside it, under
 * `round-<n>/critique/<member>/of/<author>`.
 */
export async function revise(floor: Floor, spec: RevisionRound): Promise<Revised> {
  const name = nameOf(spec);
  const parts = partsOf(floor, spec);
  const may = await admitted(floor.run, {
    name,
    members: parts.map(({ place, request }) => ({ id: place.by.id, request })),
  });
  const work = async (id: string, run: Run): Promise<Joined<Draft>> => {
    const part = parts.find(({ place }) => place.by.id === id);
    if (!part) throw new RangeError(`${id} has no part in the round`);
    return revision(run, spec, part);
  };
  const quorum = moreThanHalf(may.length);
  const { patienceMs } = spec;
  const done = await phase(
    floor.run,
    { name, members: may, ...(patienceMs === null ? {} : { quorum, patienceMs }) },
    work,
  );
  const given = new Map(done.in.map(({ id, value }) => [id, value]));
  return {
    answers: spec.table.map((place) => given.get(place.by.id) ?? withoutLabel(place)), // V3
    by: done.in.map(({ value }) => value.by.id),
    cut: may.length < parts.length,
    lost: done.out.length,
  };
}

/** The least that a round takes: one member's call. */
export function leastRevision(
  floor: Floor,
  spec: RevisionRound,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [part] = partsOf(floor, spec);
  return part ? [{ step: `${nameOf(spec)}/${part.place.by.id}`, request: part.request }] : [];
}

const nameOf = ({ round }: RevisionRound): string => `round-${round}/revision`;

/** Who is asked, with what. */
const partsOf = (floor: Floor, spec: RevisionRound): readonly Part[] =>
  spec.table.flatMap((place) => {
    const shown = shownTo(spec, place);
    const { by } = place;
    return shown.length > 1 ? [{ place, shown, request: requestFor(floor, spec, { by, shown }) }] : []; // V1
  });

type Part = { readonly place: Place; readonly shown: readonly Place[]; readonly request: ModelRequest };

async function revision(
  run: Run,
  { round, timeoutMs }: RevisionRound,
  { place: { by }, shown, request }: Part,
): Promise<Joined<Draft>> {
  const step = StepKey.parse(`round-${round}/revision/${by.id}`);
  const labels = shown.map(({ label }) => label);
  const event = await run.call(
    { key: step, ends: ["answer-given", "degradation-noted"], request, timeoutMs },
    (call) => {
      const { text } = readRevision(call.ok ? call.reply : "", labels);
      const failure = call.ok ? emptiness(text) : call.failure;
      const weakens = "its answer stands as it was before the round";
      if (failure)
        return lossOf({
          what: `the revision by ${by.persona.name}`,
          failure,
          participant: by.id,
          weakens,
        });
      return {
        type: "answer-given",
        data: { by: by.id, kind: "refinement", round, text, final: extractAnswer(text) },
      };
    },
  );
  if (event.type === "degradation-noted") return { in: false, why: event.data.why };
  const reply = event.data.call?.ok ? event.data.call.reply : "";
  await Promise.all(
    readRevision(reply, labels).critiques.map(({ label, text }) => {
      const target = shown.find((one) => one.label === label);
      if (!target) throw new RangeError(`no answer is labelled ${label}`);
      return run.derive(
        {
          key: `round-${round}/critique/${by.id}/of/${target.by.id}`,
          ends: ["critique-given"],
          input: { of: target.step, text },
        },
        () => ({ type: "critique-given", data: { by: by.id, of: target.step, text } }),
      );
    }),
  );
  const { text, final } = event.data;
  return { in: true, value: { by, step, text, final } };
}

/** The own answer and those that differ from it, of which two that differ from each other come first; read round the table. */
function shownTo({ table, differ }: RevisionRound, place: Place): readonly Place[] {
  const others = othersFrom(table, place.by.id).filter((other) => differ(place, other));
  const [first] = others;
  const second = first && (others.find((other) => differ(first, other)) ?? others[1]);
  const seen = [first, second].filter((one) => one !== undefined).slice(0, SHOWN);
  // In the table's order, which says nothing of whose is whose.
  return table.filter((one) => one.by.id === place.by.id || seen.includes(one));
}

const requestFor = (
  floor: Floor,
  { maxOutputTokens }: RevisionRound,
  { by, shown }: Pick<Place, "by"> & Pick<Part, "shown">,
): ModelRequest => ({
  ...speaking(by),
  messages: revisionPrompt(floor, { material: floor, persona: floor.instructions(by), answers: shown }),
  maxOutputTokens,
});

const withoutLabel = ({ by, step, text, final }: Place): Draft => ({ by, step, text, final });
