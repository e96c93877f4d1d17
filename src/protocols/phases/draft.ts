import type { ProtocolContext } from "../../engine/index.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import {
  StepKey,
  type Answer,
  type FailureCode,
  type Message,
  type ModelRequest,
  type Participant,
} from "../../kernel/index.ts";
import { materialText, type Desk, type Material } from "../../prompts/material.ts";
import { defineTemplate } from "../../prompts/template.ts";
import { failedPart, fanOut } from "./fan-out.ts";
import { degradation, type Absence } from "./loss.ts";
import { texts } from "./templates/index.ts";

export const draftTemplate = defineTemplate("council-draft", ["material", "persona"], texts["council-draft"]);

/** What a member is asked in the blind first phase. */
export const draftPrompt = (
  desk: Desk,
  { material, persona }: { readonly material: Material; readonly persona: string },
): Message[] => draftTemplate.render(desk, { material: materialText(desk, material), persona });

/** One member's blind answer. */
export type Draft = {
  readonly by: Participant;
  readonly step: StepKey;
  readonly text: string;
  readonly final: Answer | null;
};

/** Who did not answer, and why. */
export type Absent = Absence & { readonly by: Participant };

export type Drafts = { readonly drafts: readonly Draft[]; readonly absent: readonly Absent[] };

export type DraftLimits = {
  readonly quorum: number;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
  readonly patienceMs: number | null;
};

/** Everybody answers alone and at once, under `draft/<member>`; in seat order. */
export async function draft(
  context: ProtocolContext,
  members: readonly Participant[],
  limits: DraftLimits,
): Promise<Drafts> {
  const spec = { name: "draft", work: WORK, quorum: limits.quorum, patienceMs: limits.patienceMs };
  const asked = members.map((by) => ({ id: by.id, by, request: draftRequest(context, by, limits) }));
  const given = await fanOut<(typeof asked)[number], Draft>(
    context.run,
    { ...spec, members: asked },
    async ({ by, request }, run) => {
      const step = StepKey.parse(`draft/${by.id}`);
      const event = await run.call(
        {
          key: step,
          outcomes: ["answer-given", "degradation-noted"],
          work: { ...WORK, by: by.id },
          request,
          timeoutMs: limits.timeoutMs,
        },
        (call) => {
          const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
          if (failure)
            return degradation({ what: `the draft of ${by.persona.name}`, failure, participant: by.id });
          const text = call.ok ? call.reply : "";
          return {
            type: "answer-given",
            data: { by: by.id, kind: "draft", round: 1, text, final: extractAnswer(text) },
          };
        },
      );
      if (event.type === "degradation-noted") return failedPart(event);
      return { in: true, value: { by, step, text: event.data.text, final: event.data.final } };
    },
  );
  return {
    drafts: given.in.map(({ value }) => value),
    absent: [...given.out, ...given.cut].map(({ member: { by }, ...absence }) => ({ by, ...absence })),
  };
}

const WORK = { kind: "draft" };

const draftRequest = (
  context: ProtocolContext,
  member: Participant,
  { maxOutputTokens }: DraftLimits,
): ModelRequest => ({
  ...modelParams(member),
  messages: draftPrompt(context, { material: context, persona: context.instructions(member) }),
  maxOutputTokens,
});

/** The part of a request that the participant decides. */
export const modelParams = ({
  model,
  temperature,
}: Participant): Pick<ModelRequest, "model" | "temperature"> =>
  temperature === undefined ? { model } : { model, temperature };

/** A reply of nothing is a failure: no answer is never passed on as one. */
export const emptyReplyFailure = (
  reply: string,
): { readonly code: FailureCode; readonly message: string } | undefined =>
  reply.trim() === "" ? { code: "unreadable", message: "the reply was empty" } : undefined;
