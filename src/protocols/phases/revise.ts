import { defineTemplate } from "../../prompts/template.ts";
import { ANSWERS_SLOTS, answersValues, type AnswersPrompt, type Desk } from "../../prompts/material.ts";
import { labelReader } from "../../replies/reply-fields.ts";
import { StepKey, type ModelRequest, type ParticipantId, type Message } from "../../kernel/index.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import type { ProtocolContext, StepRunner } from "../../engine/index.ts";
import { texts } from "./templates/index.ts";
import { othersFrom, type SeatedDraft } from "./table.ts";
import { findByLabel } from "./seats.ts";
import { degradation } from "./loss.ts";
import { failedPart, fanOut, type FanOutMember, type FanOutPart } from "./fan-out.ts";
import { emptyReplyFailure, modelParams, type Draft } from "./draft.ts";

// REVISE-1. Nobody is asked in vain: who is shown, beside the own answer, none that differs is left out of the round.
// REVISE-2. Nobody is told which answer is the own one, who wrote which, or how many hold it.
// REVISE-3. An answer that a member does not give again stands: who fails or is cut keeps the one before.

export type RevisionRound = {
  /** From 2: the drafts were the first. */
  readonly round: number;
  /** The answers that stand, seated. */
  readonly table: readonly SeatedDraft[];
  readonly differ: (one: Draft, other: Draft) => boolean;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  /** How long to wait for stragglers once half of the members are in; null waits for their timeouts. */
  readonly patienceMs: number | null;
};

export type RevisionResult = {
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
export async function revise(context: ProtocolContext, spec: RevisionRound): Promise<RevisionResult> {
  const given = await fanOut<RevisionMember, Draft>(
    context.run,
    { name: nameOf(spec), work: workOf(spec), members: partsOf(context, spec), patienceMs: spec.patienceMs },
    (part, run) => revision(run, spec, part),
  );
  const revised = new Map(given.in.map(({ member, value }) => [member.id, value]));
  return {
    answers: spec.table.map((place) => revised.get(place.by.id) ?? withoutLabel(place)), // REVISE-3
    by: given.in.map(({ value }) => value.by.id),
    cut: given.cut.length > 0,
    lost: given.out.length,
  };
}

/** The least that a round takes: one member's call. */
export function minimumRevisionCalls(
  context: ProtocolContext,
  spec: RevisionRound,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [part] = partsOf(context, spec);
  return part ? [{ step: `${nameOf(spec)}/${part.place.by.id}`, request: part.request }] : [];
}

const workOf = ({ round }: RevisionRound) => ({ kind: "revision", round });

const nameOf = ({ round }: RevisionRound): string => `round-${round}/revision`;

/** Who is asked, with what. */
const partsOf = (context: ProtocolContext, spec: RevisionRound): readonly RevisionMember[] =>
  spec.table.flatMap((place) => {
    const shown = shownTo(spec, place);
    const { by } = place;
    return shown.length > 1
      ? [{ id: by.id, place, shown, request: requestFor(context, spec, { by, shown }) }]
      : []; // REVISE-1
  });

type RevisionMember = FanOutMember & { readonly place: SeatedDraft; readonly shown: readonly SeatedDraft[] };

async function revision(
  run: StepRunner,
  { round, timeoutMs }: RevisionRound,
  { place: { by }, shown, request }: RevisionMember,
): Promise<FanOutPart<Draft>> {
  const step = StepKey.parse(`round-${round}/revision/${by.id}`);
  const labels = shown.map(({ label }) => label);
  const event = await run.call(
    {
      key: step,
      outcomes: ["answer-given", "degradation-noted"],
      work: { kind: "revision", round, by: by.id },
      request,
      timeoutMs,
    },
    (call) => {
      const { text } = readRevision(call.ok ? call.reply : "", labels);
      const failure = call.ok ? emptyReplyFailure(text) : call.failure;
      const weakens = "its answer stands as it was before the round";
      if (failure)
        return degradation({
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
  if (event.type === "degradation-noted") return failedPart(event);
  const reply = event.data.call?.ok ? event.data.call.reply : "";
  await Promise.all(
    readRevision(reply, labels).critiques.map(({ label, text }) => {
      const target = findByLabel(shown, label);
      return run.derive(
        {
          key: `round-${round}/critique/${by.id}/of/${target.by.id}`,
          outcomes: ["critique-given"],
          work: { kind: "critique", round, by: by.id, of: target.by.id },
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
function shownTo({ table, differ }: RevisionRound, place: SeatedDraft): readonly SeatedDraft[] {
  const others = othersFrom(table, place.by.id).filter((other) => differ(place, other));
  const [first] = others;
  const second = first && (others.find((other) => differ(first, other)) ?? others[1]);
  const seen = [first, second].filter((one) => one !== undefined).slice(0, SHOWN);
  // In the table's order, which says nothing of whose is whose.
  return table.filter((one) => one.by.id === place.by.id || seen.includes(one));
}

const requestFor = (
  context: ProtocolContext,
  { maxOutputTokens }: RevisionRound,
  { by, shown }: Pick<SeatedDraft, "by"> & Pick<RevisionMember, "shown">,
): ModelRequest => ({
  ...modelParams(by),
  messages: revisionPrompt(context, { material: context, persona: context.instructions(by), answers: shown }),
  maxOutputTokens,
});

const withoutLabel = ({ by, step, text, final }: SeatedDraft): Draft => ({ by, step, text, final });

export const revisionTemplate = defineTemplate("revision", ANSWERS_SLOTS, texts.revision);

/** What a member is asked in a round of critique and revision. */
export const revisionPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  revisionTemplate.render(desk, answersValues(desk, prompt));

export type Revision = {
  /** The answer after the round: what stands under its heading, or the whole reply where there is no such heading. */
  readonly text: string;
  /** Of the answers that were criticised under a heading of their own, in the order written. */
  readonly critiques: readonly { readonly label: string; readonly text: string }[];
};

/** Reads a reply to `revisionPrompt`. A label that is not known, or that comes again, is no heading. */
export function readRevision(reply: string, labels: readonly string[]): Revision {
  const reader = labelReader(labels);
  const critiques: { label: string; lines: string[] }[] = [];
  let answer: string[] | undefined;
  let current: string[] | undefined;
  let code: string | undefined;
  for (const line of reply.split(/\r?\n/)) {
    const [, fence] = /^\s*(`{3,}|~{3,})/.exec(line) ?? [];
    if (code === undefined) code = fence;
    else if (fence?.startsWith(code)) code = undefined;
    const heading = code === undefined && answer === undefined ? HEADING.exec(line)?.[1] : undefined;
    if (heading !== undefined && /^(?:my|final|revised) answer\W*$/i.test(heading)) {
      current = answer = [];
      continue;
    }
    const label = heading === undefined ? null : (reader?.whole(heading) ?? null);
    if (label !== null && !critiques.some((one) => one.label === label)) {
      current = [];
      critiques.push({ label, lines: current });
    } else current?.push(line);
  }
  const text = answer?.join("\n").trim() ?? "";
  return {
    text: text === "" ? reply.trim() : text,
    critiques: critiques.flatMap(({ label, lines }) => {
      const said = lines.join("\n").trim();
      return said === "" ? [] : [{ label, text: said }];
    }),
  };
}

const HEADING = /^#{1,6}\s+\**([^#*]{1,80}?)\**:?\s*#*$/;
