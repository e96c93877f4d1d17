import * as z from "zod";
import type { Ending, Floor, Turn } from "../engine/index.ts";
import { extractAnswer } from "../judging/index.ts";
import {
  RecallRules,
  StepKey,
  ToolSpec,
  UserId,
  type Call,
  type Event,
  type Participant,
  type Respondent,
} from "../kernel/index.ts";
import { respondPrompt } from "../prompts/index.ts";
import { emptiness, speaking } from "./draft.ts";
import { lossOf } from "./loss.ts";
import { speakWithTools } from "./tool-turns.ts";

/** How a respondent answers, whichever of two it is. */
export const RespondentSettings = z.strictObject({
  maxOutputTokens: z.int().positive().default(4_096),
  /** Bounds every call, retries included. */
  callTimeoutMs: z.int().positive().default(180_000),
  /** What memory may bring, and whose memory; null: without. */
  recall: z.strictObject({ user: UserId, rules: RecallRules }).nullable().default(null),
  /** What it may call; `limit`: in all turns together. */
  tools: z
    .strictObject({ specs: z.array(ToolSpec), limit: z.int().positive().max(100) })
    .prefault({ specs: [], limit: 5 }),
  /** What file tools see: an absolute path. */
  contextFolder: z.string().optional(),
});
export type RespondentSettings = z.infer<typeof RespondentSettings>;

/** A floor as a respondent stands on it, a protocol's or a reaction's. */
export type RespondFloor = Omit<Floor<RespondentSettings>, "history">;

export type Responding = {
  readonly by: Participant;
  readonly respondent: Respondent;
  /** The turns before, with this respondent's own answers. */
  readonly history: readonly Turn[];
};

/** The second respondent's failure is a note: it weakens nobody's answer. */
type Responded = "answer-given" | "degradation-noted" | "note-taken";

/** Answers the question under `answer/<id>`, after `recall/<id>` where it may remember. */
export async function respond(
  floor: RespondFloor,
  { by, respondent, history }: Responding,
): Promise<Event<Responded>> {
  const { run, settings } = floor;
  const { engrams, facts } = await recalled(floor, by);
  return speakWithTools<Responded>(floor, run, {
    by: by.id,
    step: StepKey.parse(`answer/${by.id}`),
    request: {
      ...speaking(by),
      messages: respondPrompt(floor, {
        persona: floor.instructions(by),
        history,
        material: floor,
        facts,
        engrams,
      }),
      maxOutputTokens: settings.maxOutputTokens,
    },
    timeoutMs: settings.callTimeoutMs,
    tools: {
      ...settings.tools,
      seen: [],
      async use(name, given, signal) {
        const tools = await floor.ports.tools?.(floor.opening);
        if (!tools) return { error: "there is no folder to work in" };
        const outcome = await tools.call(name, given, signal);
        return outcome.ok ? outcome.result : { error: outcome.reason };
      },
    },
    ends: ["answer-given", respondent === "A" ? "degradation-noted" : "note-taken"],
    read: (call) => answered(call, { by, respondent }),
  });
}

function answered(call: Call, { by, respondent }: Pick<Responding, "by" | "respondent">): Ending<Responded> {
  const failure = call.ok ? emptiness(call.reply) : call.failure;
  const text = call.ok ? call.reply : "";
  if (!failure)
    return {
      type: "answer-given",
      data: { by: by.id, kind: "response", round: 1, text, final: extractAnswer(text), respondent },
    };
  const what = `the answer of ${by.persona.name}`;
  const loss = lossOf({ what, failure, participant: by.id, weakens: "there is no answer" });
  return respondent === "A"
    ? loss
    : { type: "note-taken", data: { topic: "no-second-answer", reason: loss.data.why, body: { by: by.id } } };
}

/** What memory gives, recorded as it was given; nothing is where it may not be asked. */
async function recalled(
  { conversation, opening, ports, question, run, settings }: RespondFloor,
  by: Participant,
): Promise<Pick<Event<"engrams-recalled">["data"], "engrams" | "facts">> {
  const { recall } = settings;
  if (!recall) return { engrams: [], facts: [] };
  const { data } = await run.effect(
    { key: `recall/${by.id}`, ends: ["engrams-recalled"], input: { question, recall } },
    async (signal) => {
      const { organization } = opening;
      const { user, rules } = recall;
      const found = await ports.memory?.recall({ organization, user, question, rules, conversation }, signal);
      const { engrams, facts, how } = found ?? { engrams: [], facts: [], how: "there is no memory here" };
      return {
        type: "engrams-recalled",
        data: { for: by.id, engrams: [...engrams], facts: [...facts], how },
      };
    },
  );
  return data;
}
