import * as z from "zod";
import { defineProtocol, type ProtocolContext, type StepOutcome } from "../../../../engine/index.ts";
import { StepKey, type Closing, type Message } from "../../../../kernel/index.ts";
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
import { jsonObjects, parseJson } from "../../../../replies/json-objects.ts";
import { parseDocument } from "yaml";
import { findNearest } from "../../../../text/words.ts";
import { INSTRUCTION_PARTS, type InstructionPart } from "../../../../text/instruction-parts.ts";

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
      request: { ...modelParams(writer, maxOutputTokens), messages },
    },
    readReply<WriterEvent>(loss, read),
  );
}

/** A sentence, and the numbers of the remarks that it rests on. */
const Sourced = z.strictObject({
  text: z.string().trim().min(1).max(600),
  sources: z.array(z.int().positive()).min(1).max(100),
});
const list = z.array(Sourced).max(12);
const Summary = z.strictObject({ strengths: list, weaknesses: list, unique: list });
export type FeedbackSummary = z.infer<typeof Summary>;

type SummaryReading =
  { readonly ok: true; readonly summary: FeedbackSummary } | { readonly ok: false; readonly reason: string };

/** Reads a summary of `count` numbered remarks: a JSON object in which every sentence names remarks that there are. */
export function readFeedbackSummary(reply: string, count: number): SummaryReading {
  const found = jsonObjects(reply).at(-1);
  if (found === undefined) return { ok: false, reason: "there is no JSON object in it" };
  const read = Summary.safeParse(parseJson(reply.slice(found.start, found.end)));
  if (!read.success) {
    const [issue] = read.error.issues;
    return { ok: false, reason: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "it cannot be read"}` };
  }
  const cited = Object.values(read.data).flatMap((lines) => lines.flatMap(({ sources }) => sources));
  const unknown = cited.find((number) => number > count);
  if (unknown !== undefined) return { ok: false, reason: `there is no remark ${unknown}` };
  return { ok: true, summary: read.data };
}

export type PersonaParts = { readonly [part in InstructionPart]: string };

const MAX_REPLY_LENGTH = 64 * 1024;
const MAX_PART_LENGTH = 4_000;
const FENCED = /^```(?:ya?ml)?[ \t]*\n([^]*?)\n```$/i;

type PartsReading =
  { readonly ok: true; readonly parts: PersonaParts } | { readonly ok: false; readonly reason: string };
const no = (reason: string): PartsReading => ({ ok: false, reason });

/**
 * Reads a persona from a reply: YAML of the six parts, each a text, and of nothing else, alone or in one fence. `_` in a name
 * counts as `-`. Nothing is guessed.
 */
export function readPersonaParts(reply: string): PartsReading {
  const text = reply.replaceAll("\r\n", "\n").trim();
  if (text.length > MAX_REPLY_LENGTH) return no(`the reply is longer than ${MAX_REPLY_LENGTH} characters`);
  const value = parseMapping(FENCED.exec(text)?.[1] ?? text);
  if (typeof value === "string") return no(value);
  const parts: Partial<Record<InstructionPart, string>> = {};
  for (const [written, content] of Object.entries(value)) {
    const name = written.trim().replaceAll("_", "-");
    const part = INSTRUCTION_PARTS.find((one) => one === name);
    if (part === undefined)
      return no(
        `"${written.slice(0, 60)}" is none of the six parts; the nearest is ${findNearest(name, INSTRUCTION_PARTS)}`,
      );
    if (parts[part] !== undefined) return no(`${part} stands there twice`);
    const said = typeof content === "string" ? content.trim() : "";
    if (said === "") return no(`${part} must be a text`);
    if (said.length > MAX_PART_LENGTH) return no(`${part} is longer than ${MAX_PART_LENGTH} characters`);
    parts[part] = said;
  }
  const missing = INSTRUCTION_PARTS.filter((part) => parts[part] === undefined);
  if (missing.length > 0) return no(`${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing`);
  return { ok: true, parts: parts as PersonaParts }; // All of them were found above.
}

/** A mapping of plain data, or why there is none. No tag makes an object, no alias repeats a part. */
function parseMapping(text: string): Readonly<Record<string, unknown>> | string {
  try {
    const document = parseDocument(text, {
      ...{ version: "1.2", schema: "failsafe", merge: false, resolveKnownTags: false, stringKeys: true },
      ...{ prettyErrors: false, logLevel: "error" },
    });
    const [problem] = [...document.errors, ...document.warnings];
    if (problem) return `it is not YAML: ${problem.message.slice(0, 200)}`;
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return "it must be a mapping of the six parts";
    return Object.fromEntries(Object.entries(value));
  } catch (error) {
    if (error instanceof Error) return `it is not YAML: ${error.message.slice(0, 200)}`;
    throw error;
  }
}
