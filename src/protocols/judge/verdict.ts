import type { StepOutcome, ProtocolContext, StepRunner } from "../../engine/index.ts";
import {
  StepKey,
  type Event,
  type Failure,
  type Message,
  type ModelRequest,
  type Participant,
  type Work,
} from "../../kernel/index.ts";
import { judgeSchema, judgeTemplate } from "../phases/judge-prompts.ts";
import { emptyReplyFailure, modelParams } from "../phases/draft.ts";
import { degradation } from "../phases/loss.ts";
import type { JudgeSettings } from "./work.ts";

/** What became of one reply: whether it gave a verdict, and the failure where there was no reply. */
export type VerdictOutcome = { readonly read: boolean; readonly failure?: Failure };

/** What every item is judged at: the judge, and the items' texts. */
export type JudgeBench = {
  readonly context: ProtocolContext<JudgeSettings>;
  readonly judge: Participant;
  /** A text of an item (`item-17/question`); undefined for a reference that there is not. */
  readonly text: (name: string) => string | undefined;
};

export function openBench(context: ProtocolContext<JudgeSettings>): JudgeBench {
  const [judge] = context.seats("judge");
  if (!judge) throw new RangeError("nobody has the seat of the judge");
  const texts = new Map(context.context.map(({ name, text }) => [name, text]));
  return { context, judge, text: (name) => texts.get(name) };
}

/** A text that every item of its kind has. */
export function requireText({ text }: JudgeBench, name: string): string {
  const found = text(name);
  if (found === undefined) throw new RangeError(`the opening has no text ${name}`);
  return found;
}

type JudgeCall = {
  readonly key: string;
  readonly work: Work;
  readonly messages: Message[];
  /** The event that a reply becomes. */
  readonly read: (reply: string) => StepOutcome<"grade-given" | "reply-received">;
};

const judgeRequest = (
  { context: { settings }, judge }: Pick<JudgeBench, "context" | "judge">,
  messages: Message[],
): ModelRequest => {
  const reply = judgeSchema(settings.kind, settings.form);
  return {
    ...modelParams(judge),
    messages,
    maxOutputTokens: settings.maxOutputTokens,
    ...(reply === undefined ? {} : { reply }),
  };
};

/** A request as large as the largest that this bench makes, for a budget to reckon with. */
export function largestRequest(at: JudgeBench): ModelRequest {
  const { context } = at;
  const { kind, form, items, rubric } = context.settings;
  const parts = ["question", "a", "b", "answer", "reference"];
  const texts = items.map(({ name }) => parts.map((part) => at.text(`${name}/${part}`) ?? "").join("\n"));
  const longest = texts.reduce((one, other) => (other.length > one.length ? other : one), "");
  const text = [context.template(judgeTemplate(kind, form).name), JSON.stringify(rubric), longest].join("\n");
  return judgeRequest(at, [{ role: "user", text }]);
}

/** A step in which a judge's reply, or the lack of one, is recorded. */
export type JudgeReply = Event<"grade-given"> | Event<"reply-received"> | Event<"degradation-noted">;

/**
 * The reply to one prompt, or how its call failed for good, under `key`; what failed is asked again under keys of its own
 * as often as the settings say.
 */
export async function askJudge(
  { context, judge }: JudgeBench,
  run: StepRunner,
  { key, work, messages, read }: JudgeCall,
): Promise<JudgeReply> {
  const { settings } = context;
  const request = judgeRequest({ context, judge }, messages);
  for (let again = 0; ; again += 1) {
    const event = await run.call(
      {
        key: again === 0 ? key : `${key}/again-${again}`,
        outcomes: ["grade-given", "reply-received", "degradation-noted"],
        work,
        request,
        timeoutMs: settings.callTimeoutMs,
      },
      (call) => {
        const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
        const weakens = "the judge's figures rest on one verdict less";
        const what = `the verdict ${key}`;
        if (failure) return degradation({ what, failure, participant: judge.id, weakens });
        return read(call.ok ? call.reply : "");
      },
    );
    const over = event.data.call?.ok === false && event.data.call.failure.code === "over-budget";
    if (event.type !== "degradation-noted" || over || again >= settings.again) return event;
  }
}

/** What became of a reply, `read` where it gave a verdict. An empty reply is no failure of the provider's. */
export const verdictOutcome = (asked: JudgeReply, read: boolean): VerdictOutcome =>
  asked.data.call?.ok === false ? { read, failure: asked.data.call.failure } : { read };

/** `item-17/grade`, and `item-17/grade/repeat-2` when it is asked for the second time. */
export const repeatKey = (key: string, repeat: number): StepKey =>
  StepKey.parse(repeat === 1 ? key : `${key}/repeat-${repeat}`);

/** The same as work: an item's part, and which repetition of it. */
export const itemWork = (kind: string, of: string, repeat: number): Work =>
  repeat === 1 ? { kind, of } : { kind, of, nth: repeat };

/** From 1 to as often as every prompt is asked. */
export const listRepeats = ({ context }: JudgeBench): number[] =>
  Array.from({ length: context.settings.repeat }, (_, index) => index + 1);
