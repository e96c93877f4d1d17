import { defineProtocol, type ProtocolContext, type StepOutcome } from "../../engine/index.ts";
import { StepKey, type Closing, type Event, type Message, type Participant } from "../../kernel/index.ts";
import { readFeedbackSummary } from "../../replies/feedback-summary.ts";
import { readPersonaParts } from "../../replies/persona-parts.ts";
import { modelParams, readReply, repairPrompt, stoppedByBudget } from "../phases/reply.ts";
import { breedingPrompt, personaTemplates, repairTemplate, summaryPrompt } from "./prompts.ts";
import { PersonaSettings } from "./work.ts";

export { PersonaSettings } from "./work.ts";

// PERSONA-1. An entry in the life of a persona makes one call, and one more where the reply cannot be read; a decision makes none.

type PersonaContext<K extends PersonaSettings["kind"]> = ProtocolContext<
  Extract<PersonaSettings, { kind: K }>
>;

/** An entry in the life of a persona: what peers wrote about it, a child of it, or what a person decided. */
export const personaProtocol = defineProtocol<PersonaSettings>({
  name: "persona",
  version: 1,
  summary: "breed a persona from others, or summarize its feedback",
  seats: [{ name: "writer", filledBy: "judge", min: 1, max: 1 }],
  settings: PersonaSettings,
  templates: personaTemplates,
  view: () => import("./view.ts"),
  report: () => import("./report.ts"),
  deliberate(context) {
    const is = <K extends PersonaSettings["kind"]>(
      one: ProtocolContext<PersonaSettings>,
      kind: K,
    ): one is PersonaContext<K> => one.settings.kind === kind;
    if (is(context, "summary")) return summarize(context);
    if (is(context, "breeding")) return breed(context);
    if (is(context, "decision")) return decide(context);
    throw new RangeError("a kind that the settings do not have");
  },
});

const textNamed = ({ context }: Pick<ProtocolContext, "context">, name: string): string =>
  context.find((one) => one.name === name)?.text ?? "";

async function decide(context: PersonaContext<"decision">): Promise<Closing> {
  const { kind: _kind, ...decided } = context.settings;
  const data = { ...decided, file: textNamed(context, "file") };
  await context.run.derive(
    { key: "decision", outcomes: ["persona-decided"], work: { kind: "decision" }, input: data },
    () => ({ type: "persona-decided", data }),
  );
  return { outcome: "answered", answer: StepKey.parse("decision"), control: null };
}

function summarize(context: PersonaContext<"summary">): Promise<Closing> {
  const { persona: about, remarks: count } = context.settings;
  const remarks = Array.from({ length: count }, (_, index) => textNamed(context, `remark/${index + 1}`));
  return askOnce(context, {
    key: "summary",
    messages: summaryPrompt(context, { name: about.name, remarks }),
    read(reply) {
      const read = readFeedbackSummary(reply, count);
      return read.ok
        ? { type: "feedback-summarized", data: { persona: about.id, ...read.summary } }
        : { unreadable: read.reason };
    },
  });
}

function breed(context: PersonaContext<"breeding">): Promise<Closing> {
  const { name, description, parents } = context.settings;
  const shown = parents.map((parent) => ({
    name: parent.name,
    instructions: textNamed(context, `persona/${parent.id}`),
    feedback: textNamed(context, `feedback/${parent.id}`),
  }));
  return askOnce(context, {
    key: "child",
    messages: breedingPrompt(context, { name, parents: shown }),
    read(reply) {
      const read = readPersonaParts(reply);
      return read.ok
        ? { type: "persona-bred", data: { name, description, parts: read.parts } }
        : { unreadable: read.reason };
    },
  });
}

type WriterEvent = "feedback-summarized" | "persona-bred";
type WriterTask = {
  readonly key: string;
  readonly messages: Message[];
  readonly read: (reply: string) => StepOutcome<WriterEvent> | { readonly unreadable: string };
};

/** Asks the writer, and once more where the reply cannot be read (PERSONA-1). */
async function askOnce(
  context: PersonaContext<"summary"> | PersonaContext<"breeding">,
  task: WriterTask,
): Promise<Closing> {
  const [writer] = context.seats("writer");
  if (!writer) throw new RangeError("nobody has the seat of the writer");
  const first = await askWriter(context, writer, task);
  const reply = first.data.call?.ok ? first.data.call.reply : undefined;
  const last =
    first.type === "degradation-noted" && reply !== undefined
      ? await askWriter(context, writer, {
          ...task,
          key: `${task.key}/repair`,
          messages: repairPrompt(repairTemplate, context, {
            reply,
            reason: first.data.why,
            asked: task.messages,
          }),
        })
      : first;
  if (last.type !== "degradation-noted") return { outcome: "answered", answer: stepOf(last), control: null };
  const failure = last.data.call?.ok === false ? last.data.call.failure : undefined;
  if (failure?.code === "over-budget") return stoppedByBudget(failure.message, failure.cap, null);
  return { outcome: "failed", why: last.data.why };
}

const stepOf = ({ origin }: Event): StepKey => StepKey.parse("step" in origin ? origin.step : "");

type WriterReply = Event<WriterEvent> | Event<"degradation-noted">;

async function askWriter(
  { run, settings }: PersonaContext<"summary"> | PersonaContext<"breeding">,
  writer: Participant,
  { key, messages, read }: WriterTask,
): Promise<WriterReply> {
  const request = { ...modelParams(writer), messages, maxOutputTokens: settings.maxOutputTokens };
  const loss = { what: `the ${key}`, participant: writer.id, weakens: "there is none without it" };
  for (let again = 0; ; again += 1) {
    const asked = await run.call(
      {
        key: again === 0 ? key : `${key}/again-${again}`,
        outcomes: ["feedback-summarized", "persona-bred", "degradation-noted"],
        work: { kind: settings.kind, by: writer.id, ...(again === 0 ? {} : { nth: again + 1 }) },
        request,
        timeoutMs: settings.callTimeoutMs,
      },
      readReply<WriterEvent>(loss, read),
    );
    const { call } = asked.data;
    const isLost = call?.ok === false && call.failure.code !== "over-budget";
    if (!isLost || again >= settings.again) return asked;
  }
}
