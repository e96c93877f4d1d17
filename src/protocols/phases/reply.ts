import type {
  CallSpec,
  ProtocolContext,
  ReadReply,
  ReplyEventType,
  StepOutcome,
} from "../../engine/index.ts";
import { fence, type Desk } from "../../prompts/material.ts";
import type { Template } from "../../prompts/template.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { THINKING_REPLY_TOKENS } from "../../kernel/index.ts";
import type {
  Answer,
  Call,
  Cap,
  Closing,
  Event,
  Failure,
  Message,
  ModelRequest,
  Participant,
  ParticipantId,
  StepKey,
} from "../../kernel/index.ts";

/** What a reply has room for beside thinking, as far as prompts that will hold it are estimated. */
export const USUAL_REPLY_TOKENS = 4_096;

/** The part of a request that the participant decides: its model, and how long its reply may be. */
export const modelParams = (
  { model, temperature, options, thinks }: Participant,
  limit?: number,
  usual = USUAL_REPLY_TOKENS,
): Pick<ModelRequest, "model" | "temperature" | "options" | "maxOutputTokens"> => ({
  model,
  ...(temperature === undefined ? {} : { temperature }),
  ...(options === undefined ? {} : { options }),
  maxOutputTokens: limit ?? (thinks ? Math.max(usual, THINKING_REPLY_TOKENS) : usual),
});

/** Searches that a provider may make for one reply. */
const MAX_SEARCHES = 3;

/** What a request has of a participant that searches by its provider's own search. */
export const searchParams = ({ search }: Participant): Pick<ModelRequest, "search"> =>
  search === "own" ? { search: MAX_SEARCHES } : {};

/** A reply that shows nothing is a failure, also one of characters without a shape: no answer is never passed on as one. */
export const emptyReplyFailure = (reply: string): Failure | undefined =>
  SHOWN.test(reply) ? undefined : { code: "unreadable", message: "the reply was empty" };

const SHOWN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** What an answer comes down to. Who was not shown a picture has no vote; the last word of a reply at its limit may be half of one. */
export function readFinal(text: string, { finish, without }: Extract<Call, { ok: true }>): Answer | null {
  return without?.includes("pictures") ? null : extractAnswer(text, { cutOff: finish === "length" });
}

/** Why a call gave nothing to read; undefined where it gave a reply. */
export const callFailure = (call: Call): Failure | undefined =>
  call.ok ? emptyReplyFailure(call.reply) : call.failure;

/** The closing of a run that a cap ended. */
export const stoppedByBudget = (
  why: string,
  cap: Cap | undefined,
  best: Extract<Closing, { outcome: "stopped-by-budget" }>["best"],
): Closing => ({ outcome: "stopped-by-budget", why, ...(cap === undefined ? {} : { cap }), best });

export type Loss = {
  /** What is missing: `the draft of Analyst`. */
  readonly what: string;
  readonly failure: Failure;
  readonly participant: ParticipantId;
  /** What the loss weakens; by default one voice is missing. */
  readonly weakens?: string;
};

/** A final failure of a call as the event that its step ends in. */
export const degradation = ({
  what,
  failure,
  participant,
  weakens = "the answer rests on one voice less",
}: Loss): StepOutcome<"degradation-noted"> => ({
  type: "degradation-noted",
  data: {
    what,
    why: failure.message === "" ? failure.code : `${failure.code}: ${failure.message}`,
    weakens,
    participant,
  },
});

/**
 * Makes a step's reader. A failed call, an empty reply, and a reply of which `read` says why it cannot be used become a
 * degradation.
 * @example
 * readReply<"answer-given">({ what: "the draft of Ada", participant }, (text) => ({ type: "answer-given", data: { … } }));
 */
export const readReply =
  <T extends ReplyEventType>(
    loss: Omit<Loss, "failure">,
    read: (
      reply: string,
      call: Extract<Call, { ok: true }>,
    ) => StepOutcome<T> | { readonly unreadable: string },
  ) =>
  (call: Call): StepOutcome<T> | StepOutcome<"degradation-noted"> => {
    if (!call.ok) return degradation({ ...loss, failure: call.failure });
    const failure = emptyReplyFailure(call.reply);
    if (failure) return degradation({ ...loss, failure });
    const outcome = read(call.reply, call);
    return "unreadable" in outcome
      ? degradation({ ...loss, failure: { code: "unreadable", message: outcome.unreadable } })
      : outcome;
  };

/** What could not be read, why, and the messages that asked for it. */
type UnreadReply = { readonly reply: string; readonly reason: string; readonly asked: readonly Message[] };

/** Asks for the same reply in the form that was asked for. */
export const repairPrompt = (
  template: Template,
  desk: Desk,
  { reply, reason, asked }: UnreadReply,
): Message[] =>
  template.render(desk, {
    reply: fence(desk, { kind: "reply", label: "", text: reply }),
    reason,
    form: (asked.at(-1)?.text ?? "").split("# Your task").at(-1)?.trim() ?? "",
  });

/** The step of an answer: one of several turns, where whoever gave it called tools. */
export const stepOf = ({ origin }: Pick<Event, "origin">, asked: StepKey): StepKey =>
  "step" in origin ? origin.step : asked;

/** The name under which an opening pins its client's tools (`ClientTools`). */
export const CLIENT_TOOLS = "client-tools";

export type WritingContext = Pick<ProtocolContext, "mark" | "opening" | "run" | "shorten" | "template">;

/** Whether whoever writes the answer may call tools of a client. */
export const hasClientTools = ({ opening }: Pick<ProtocolContext, "opening">): boolean =>
  Object.hasOwn(opening.templates, CLIENT_TOOLS);

/** Makes the call of a turn that writes the answer, with its client's tools where it brings any. @throws ClientLeft */
export async function writeAnswer<T extends ReplyEventType>(
  context: WritingContext,
  spec: CallSpec<T>,
  read: ReadReply<T>,
): Promise<Event<T>> {
  if (!hasClientTools(context)) return context.run.call(spec, read);
  return (await import("./client-tools.ts")).writeWithTools(context, spec, read);
}

/** A client sent nothing of what its tools gave in time. */
export class ClientLeft extends Error {}

/** The closing of a run whose client has left. @throws anything else */
export function closeWithoutClient(error: unknown): Closing {
  if (!(error instanceof ClientLeft)) throw error;
  return { outcome: "failed", why: error.message };
}
