import { defineProtocol, type ProtocolContext, type StepOutcome } from "../../../../engine/index.ts";
import { StepKey, type Closing, type Message } from "../../../../kernel/index.ts";
import { readFeedbackSummary } from "../../../../replies/feedback-summary.ts";
import { readPersonaParts } from "../../../../replies/persona-parts.ts";
import { ownStepOf } from "../../../../views/answer-event.ts";
import {
  askAgain,
  closeByFailure,
  failureIn,
  seatedAt,
  textNamed,
} from "../../../../protocols/phases/measure.ts";
import { modelParams, readReply, repairPrompt } from "../../../../protocols/phases/reply.ts";
import { PersonaSettings } from "./work.ts";
import { fence, type Desk } from "../../../../prompts/material.ts";
import { defineTemplate } from "../../../../prompts/template.ts";
import { texts } from "./templates/index.ts";

const breedingTemplate = defineTemplate(
  "persona-breeding",
  ["material", "count", "name"],
  texts["persona-breeding"],
);
const summaryTemplate = defineTemplate(
  "persona-summary",
  ["remarks", "count", "name"],
  texts["persona-summary"],
);
const repairTemplate = defineTemplate("persona-repair", ["reply", "reason", "form"], texts["persona-repair"]);

export const personaTemplates = [breedingTemplate, summaryTemplate, repairTemplate];

/** A parent's instructions, and what peers wrote about it; empty where nobody did. */
type ShownParent = { readonly name: string; readonly instructions: string; readonly feedback: string };

/** Asks for a child of these parents; `readPersonaParts` reads what comes back. */
export const breedingPrompt = (
  desk: Desk,
  { name, parents }: { readonly name: string; readonly parents: readonly ShownParent[] },
): Message[] =>
  breedingTemplate.render(desk, {
    name,
    count: String(parents.length),
    material: parents
      .flatMap((parent) => [
        fence(desk, { kind: "persona", label: parent.name, text: parent.instructions }),
        ...(parent.feedback === ""
          ? []
          : [fence(desk, { kind: "feedback", label: `on ${parent.name}`, text: parent.feedback })]),
      ])
      .join("\n\n"),
  });

/** Asks what remarks come to; `readFeedbackSummary` reads what comes back. */
export const summaryPrompt = (
  desk: Desk,
  { name, remarks }: { readonly name: string; readonly remarks: readonly string[] },
): Message[] =>
  summaryTemplate.render(desk, {
    name,
    count: String(remarks.length),
    remarks: remarks
      .map((text, index) => fence(desk, { kind: "remark", label: String(index + 1), text }))
      .join("\n\n"),
  });

export { PersonaSettings } from "./work.ts";

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
    if (is(context, "breeding")) return breedPersona(context);
    if (is(context, "decision")) return decide(context);
    throw new RangeError("a kind that the settings do not have");
  },
});

async function decide(context: PersonaContext<"decision">): Promise<Closing> {
  const { kind: _kind, ...decided } = context.settings;
  const data = { ...decided, file: textNamed(context, "file") ?? "" };
  await context.run.derive(
    { key: "decision", outcomes: ["persona-decided"], work: { kind: "decision" }, input: data },
    () => ({ type: "persona-decided", data }),
  );
  return { outcome: "answered", answer: StepKey.parse("decision"), control: null };
}

function summarize(context: PersonaContext<"summary">): Promise<Closing> {
  const { persona: about, remarks: count } = context.settings;
  const remarks = Array.from(
    { length: count },
    (_, index) => textNamed(context, `remark/${index + 1}`) ?? "",
  );
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

function breedPersona(context: PersonaContext<"breeding">): Promise<Closing> {
  const { name, description, parents } = context.settings;
  const shown = parents.map((parent) => ({
    name: parent.name,
    instructions: textNamed(context, `persona/${parent.id}`) ?? "",
    feedback: textNamed(context, `feedback/${parent.id}`) ?? "",
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

/** Asks the writer, and once more where the reply cannot be read. */
async function askOnce(
  context: PersonaContext<"summary"> | PersonaContext<"breeding">,
  task: WriterTask,
): Promise<Closing> {
  let last = await askWriter(context, task);
  const { call } = last.data;
  if (last.type === "degradation-noted" && call?.ok) {
    const unread = { reply: call.reply, reason: last.data.why, asked: task.messages };
    const messages = repairPrompt(repairTemplate, context, unread);
    last = await askWriter(context, { ...task, key: `${task.key}/repair`, messages });
  }
  if (last.type !== "degradation-noted")
    return { outcome: "answered", answer: StepKey.parse(ownStepOf(last)), control: null };
  const failure = failureIn(last);
  return failure?.code === "over-budget"
    ? closeByFailure(failure)
    : { outcome: "failed", why: last.data.why };
}

function askWriter(
  context: PersonaContext<"summary"> | PersonaContext<"breeding">,
  { key, messages, read }: WriterTask,
) {
  const { kind, maxOutputTokens } = context.settings;
  const writer = seatedAt(context, "writer");
  const loss = { what: `the ${key}`, participant: writer.id, weakens: "there is none without it" };
  return askAgain(
    context,
    {
      ...{ key, work: { kind, by: writer.id } },
      outcomes: ["feedback-summarized", "persona-bred", "degradation-noted"],
      request: { ...modelParams(writer), messages, maxOutputTokens },
    },
    readReply<WriterEvent>(loss, read),
  );
}
