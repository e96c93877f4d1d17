import {
  type ProtocolContext,
  type StepRunner,
  failedPart,
  fanOut,
  type FanOutMember,
  type FanOutPart,
} from "../../engine/index.ts";
import {
  StepKey,
  type Message,
  type ModelRequest,
  type Participant,
  type ParticipantId,
  type WebSource,
} from "../../kernel/index.ts";
import { ANSWERS_SLOTS, answersValues, type AnswersPrompt, type Desk } from "../../prompts/material.ts";
import { defineTemplate } from "../../prompts/template.ts";
import { labelReader } from "../../replies/reply-fields.ts";
import { numberAnswers, personaText, type SourcedDraft } from "./draft.ts";
import { markdownLines, MAX_SECTIONED_LENGTH } from "./markdown.ts";
import { modelParams, readFinal, readReply, searchParams, stepOf } from "./reply.ts";
import { findByLabel, othersFrom, type SeatedDraft, type Draft } from "./table.ts";
import { texts } from "./templates/index.ts";
import { speakWithTools, withTools, type ToolUse } from "./tool-turns.ts";
import { searchToolsOf, toolsOf, useTool, type ToolSettings } from "./tools.ts";

// No member is asked in vain: a member that no answer differs from is left out of the round.
// No member is told which answer is its own, who wrote which, or how many hold it.
// An answer that a member does not give again stands: a member that fails or is cut keeps the one before.

export type RevisionRound = {
  /** From 2: the drafts were the first. */
  readonly round: number;
  /** The answers that stand, seated. */
  readonly table: readonly SeatedDraft[];
  readonly differ: (one: Draft, other: Draft) => boolean;
  readonly maxOutputTokens: number | undefined;
  readonly timeoutMs: number;
  /** How long to wait for stragglers once half of the members are in; null waits for their timeouts. */
  readonly patienceMs: number | null;
  /** What its members may search with. */
  readonly tools: ToolSettings;
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

/** Answers that a member sees beside its own: more voices make for conformity, not for better answers. */
const MAX_OTHERS_SHOWN = 2;

/**
 * One anonymous round. Every member whose answer differs from another's criticizes its own answer and those that differ,
 * and answers again, under `round-<n>/revision/<member>`. Each critique is recorded beside it, under
 * `round-<n>/critique/<member>/of/<author>`.
 */
export async function revise(context: ProtocolContext, spec: RevisionRound): Promise<RevisionResult> {
  const { round, patienceMs } = spec;
  const done = await fanOut<RevisionMember, SourcedDraft>(
    context.run,
    {
      name: `round-${round}/revision`,
      work: { kind: "revision", round },
      members: listMembers(context, spec),
      patienceMs,
    },
    (member, run) => askRevision(context, run, { ...spec, ...member }),
  );
  const known = spec.table.flatMap(({ sources = [] }) => sources);
  const ids = context.seats("member").map(({ id }) => id as string);
  const inSeats = done.in.toSorted((one, other) => ids.indexOf(one.member.id) - ids.indexOf(other.member.id));
  const given = inSeats.map(({ value }) => value);
  const answers = numberAnswers(known, given);
  const revised = new Map(answers.map((answer) => [answer.by.id, answer]));
  return {
    answers: spec.table.map((place) => revised.get(place.by.id) ?? withoutLabel(place)),
    by: done.in.map(({ value }) => value.draft.by.id),
    cut: done.cut.length > 0,
    lost: done.out.length,
  };
}

/** The smallest round: one member's call. */
export function minimumRevisionCalls(
  context: ProtocolContext,
  spec: RevisionRound,
): { readonly step: string; readonly request: ModelRequest }[] {
  const [first] = listMembers(context, spec);
  return first ? [{ step: `round-${spec.round}/revision/${first.id}`, request: first.request }] : [];
}

const listMembers = (
  context: ProtocolContext,
  spec: Pick<RevisionRound, "table" | "differ" | "maxOutputTokens" | "tools">,
): readonly RevisionMember[] =>
  spec.table.flatMap((place) => {
    const { by } = place;
    const answers = chooseShown(spec, place);
    if (answers.length < 2) return [];
    const persona = personaText(context, by);
    const messages = revisionPrompt(context, { material: context, persona, answers });
    const bare = { ...modelParams(by, spec.maxOutputTokens), ...searchParams(by), messages };
    const tools = searchTools(context, spec.tools, by);
    return [{ id: by.id, place, shown: answers, bare, tools, request: withTools(bare, tools.specs) }];
  });

/** A revision may search and calls no other tool: what files and memory say is in the draft. */
function searchTools(
  context: ProtocolContext,
  settings: ToolSettings,
  by: Participant,
): Omit<ToolUse, "onSources"> {
  const searching = searchToolsOf(by);
  const { specs: all, limit } = toolsOf(settings, by.id);
  const specs = all.filter(({ name }) => searching.includes(name));
  const use: ToolUse["use"] = (name, input, signal) => useTool(context, { name, input, specs }, signal);
  return { specs, limit, searching, seen: [], use };
}

type RevisionMember = FanOutMember & {
  readonly place: SeatedDraft;
  readonly shown: readonly SeatedDraft[];
  /** Without its tools. */
  readonly bare: ModelRequest;
  readonly tools: Omit<ToolUse, "onSources">;
};

async function askRevision(
  context: ProtocolContext,
  run: StepRunner,
  spec: Pick<RevisionRound, "round" | "timeoutMs"> & RevisionMember,
): Promise<FanOutPart<SourcedDraft>> {
  const { round, timeoutMs, place, shown, bare: request, tools } = spec;
  const { by, sources: before } = place;
  let sources: readonly WebSource[] = [];
  const step = StepKey.parse(`round-${round}/revision/${by.id}`);
  const labels = shown.map(({ label }) => label);
  const loss = {
    what: `the revision by ${by.persona.name}`,
    participant: by.id,
    weakens: "its answer stands as it was before the round",
  };
  const event = await speakWithTools<"answer-given" | "degradation-noted">(context, run, {
    ...{ by: by.id, step, work: { kind: "revision", round, by: by.id }, request, timeoutMs },
    limitedBy: "draft-tokens",
    dry: { phase: `revision, round ${round}` },
    tools: { ...tools, onSources: (all) => void (sources = all) },
    outcomes: ["answer-given", "degradation-noted"],
    read: readReply<"answer-given">(loss, (reply, call) => {
      const { text } = readRevision(reply, labels);
      return {
        type: "answer-given",
        data: { by: by.id, kind: "refinement", round, text, final: readFinal(text, call) },
      };
    }),
  });
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
  const revised = { by, step: stepOf(event, step), text, final };
  return { in: true, value: { draft: before ? { ...revised, sources: before } : revised, sources } };
}

/** The own answer and those that differ from it, of which two that differ from each other come first. */
function chooseShown(
  { table, differ }: Pick<RevisionRound, "table" | "differ">,
  place: SeatedDraft,
): readonly SeatedDraft[] {
  const others = othersFrom(table, place.by.id).filter((other) => differ(place, other));
  const [first] = others;
  const second = first && (others.find((other) => differ(first, other)) ?? others[1]);
  const chosen = [first, second].filter((one) => one !== undefined).slice(0, MAX_OTHERS_SHOWN);
  // The table's order does not tell which answer is whose.
  return table.filter((one) => one.by.id === place.by.id || chosen.includes(one));
}

const withoutLabel = ({ label: _label, ...draft }: SeatedDraft): Draft => draft;

export const revisionTemplate = defineTemplate("revision", ANSWERS_SLOTS, texts.revision);

export const revisionPrompt = (desk: Desk, prompt: AnswersPrompt): Message[] =>
  revisionTemplate.render(desk, answersValues(desk, prompt));

export type Revision = {
  /** The answer after the round: what stands under its heading, or the whole reply where there is no such heading. */
  readonly text: string;
  /** Of the answers that were criticized under a heading of their own, in the order written. */
  readonly critiques: readonly { readonly label: string; readonly text: string }[];
};

const MAX_HEADING_LENGTH = 80;

/** Reads a reply to `revisionPrompt`. A label that is not known, or that comes again, is no heading. */
export function readRevision(reply: string, labels: readonly string[]): Revision {
  const reader = labelReader(labels);
  const critiques: { label: string; lines: string[] }[] = [];
  let answer: string[] | undefined;
  let current: string[] | undefined;
  for (const { line, heading } of markdownLines(reply.slice(-MAX_SECTIONED_LENGTH))) {
    const title = answer === undefined && (heading ?? "").length <= MAX_HEADING_LENGTH ? heading : undefined;
    if (title !== undefined && /^(?:my|final|revised) answer\W*$/i.test(title)) {
      current = answer = [];
      continue;
    }
    const label = title === undefined ? null : (reader?.whole(title) ?? null);
    if (label !== null && !critiques.some((one) => one.label === label)) {
      current = [];
      critiques.push({ label, lines: current });
    } else current?.push(line);
  }
  const text = answer?.join("\n").trim() ?? "";
  return {
    text: text === "" ? reply.trim() : text,
    critiques: critiques
      .map(({ label, lines }) => ({ label, text: lines.join("\n").trim() }))
      .filter((one) => one.text !== ""),
  };
}
