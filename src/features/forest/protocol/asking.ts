import type * as z from "zod";
import type { DryDesk, StepOutcome } from "../../../engine/index.ts";
import {
  callOf,
  personOf,
  refusal,
  type Event,
  type Failure,
  type Json,
  type Message,
  type Participant,
  type Work,
} from "../../../kernel/index.ts";
import {
  degradation,
  emptyReplyFailure,
  modelParams,
  repairPrompt,
} from "../../../protocols/phases/reply.ts";
import { readStrictly } from "./replies.ts";
import { asJson, type ForestCheck } from "./settings.ts";
import { StepLost, type RoleDesk } from "./table.ts";
import { defineTemplate } from "../../../prompts/template.ts";
import { texts } from "./templates/index.ts";

/** The events that a role's reply can end in. */
type RoleEvent = "answer-given" | "critique-given" | "note-taken";

export type Question<T extends RoleEvent, V> = {
  readonly key: string;
  readonly work: Work;
  readonly by: Participant;
  /** Instead of the participant's own. */
  readonly temperature?: number;
  readonly messages: readonly Message[];
  readonly schema: z.ZodType<V>;
  readonly event: T;
  /** What a dry run lists it under, and a reply to it. */
  readonly dry: { readonly phase: string; readonly reply: (desk: DryDesk) => V };
  /** The event of a reply that could be read. */
  readonly ending: (value: V) => StepOutcome<T>;
};

/**
 * Asks a participant, and asks once more where the reply cannot be read. @throws StepLost where there is no reply
 * then, or none at all: nobody answers in its place
 */
export async function ask<T extends RoleEvent, V>(
  desk: RoleDesk,
  question: Question<T, V>,
): Promise<Event<T>> {
  const { context, run } = desk;
  const { by, messages, work } = question;
  const request = {
    ...modelParams(by, context.settings.maxOutputTokens),
    ...(question.temperature === undefined ? {} : { temperature: question.temperature }),
    messages: [...messages],
  };
  const first = await askOnce(desk, question, { key: question.key, request });
  if ("event" in first) return first.event;
  const { failure, reply } = first;
  if (failure.code !== "unreadable" || reply === undefined || personOf(by.model) !== undefined)
    throw new StepLost(failure);
  const repair = repairPrompt(repairTemplate, context, { reply, reason: failure.message, asked: messages });
  const again = await askOnce({ ...desk, run }, question, {
    key: `${question.key}/repair`,
    request: { ...request, messages: repair },
    work: { ...work, nth: 2 },
  });
  if ("event" in again) return again.event;
  throw new StepLost(again.failure);
}

type Asked = {
  readonly key: string;
  readonly request: Parameters<RoleDesk["run"]["call"]>[0]["request"];
  readonly work?: Work;
};

async function askOnce<T extends RoleEvent, V>(
  { context, run }: RoleDesk,
  { by, dry, schema, event: type, ending, work: usual }: Question<T, V>,
  { key, request, work = usual }: Asked,
): Promise<{ readonly event: Event<T> } | { readonly failure: Failure; readonly reply?: string }> {
  const { again, callTimeoutMs: timeoutMs } = context.settings;
  const times = again[key];
  const outcomes: (T | "degradation-noted")[] = [type, "degradation-noted"];
  const event: Event = await run.call<T | "degradation-noted">(
    {
      key: times === undefined ? key : `${key}/again-${times}`,
      outcomes,
      work,
      request,
      timeoutMs,
      dry: {
        phase: dry.phase,
        reply: (desk) => JSON.stringify(dry.reply(desk)),
        mishap: work === usual ? "unread" : undefined,
      },
    },
    (call) => {
      const lost = (failure: Failure) =>
        degradation({
          what: `${work.kind} of ${work.of ?? "the forest"}`,
          failure,
          participant: by.id,
          weakens: "the cycle cannot go on without it",
        }) as never;
      if (!call.ok) return lost(call.failure);
      const read = readStrictly(call.reply, schema);
      const empty = emptyReplyFailure(call.reply);
      if (empty) return lost(empty);
      return read.ok ? ending(read.value) : lost({ code: "unreadable", message: read.why });
    },
  );
  if (event.type === type) return { event: event as Event<T> };
  return lossOf(event);
}

/** Why a step has no reply, and what was replied where that could not be read. */
function lossOf(event: Event): { readonly failure: Failure; readonly reply?: string } {
  const call = callOf(event);
  if (call?.ok === false) return { failure: call.failure };
  const why = event.type === "degradation-noted" ? event.data.why : "no reply";
  const failure: Failure = { code: "unreadable", message: why.replace(/^unreadable: /, "") };
  return call ? { failure, reply: call.reply } : { failure };
}

/** Asks the process's executor. @throws Fault `configuration` where this process cannot run the forest's gates */
export async function askExecutor(
  { context }: Pick<RoleDesk, "context">,
  check: ForestCheck,
  signal: AbortSignal,
): Promise<Json> {
  const { executor } = context.ports;
  const next = "run its next cycle in the folder of the forest";
  if (!executor) throw refusal("this process has no gates", next);
  const answer = await executor.execute(asJson(check), signal);
  signal.throwIfAborted();
  if (!answer.ok) throw refusal(answer.reason, next);
  return answer.metrics;
}

export const mineTemplate = defineTemplate(
  "forest-mine",
  ["material", "count", "style", "weaknesses"],
  texts["forest-mine"],
);
export const critiqueTemplate = defineTemplate(
  "forest-critique",
  ["material", "kind"],
  texts["forest-critique"],
);
export const inspectTemplate = defineTemplate("forest-inspect", ["material"], texts["forest-inspect"]);
export const divergeTemplate = defineTemplate(
  "forest-diverge",
  ["material", "count"],
  texts["forest-diverge"],
);
export const alignTemplate = defineTemplate("forest-align", ["material", "rubric"], texts["forest-align"]);
const repairTemplate = defineTemplate("forest-repair", ["reply", "reason", "form"], texts["forest-repair"]);

export const forestTemplates = [
  ...[mineTemplate, critiqueTemplate, inspectTemplate],
  ...[divergeTemplate, alignTemplate, repairTemplate],
];

/** How a gardener of this temperature is to search. */
export const styleOf = (temperature: number): string =>
  temperature <= 0.85
    ? "robust, well-established mechanisms"
    : temperature >= 1.15
      ? "novel mechanisms, which nobody would think of first"
      : "a balance of robust and novel mechanisms";
