import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import * as z from "zod";
import { AnswersBody, FeedbackBody, Waiting } from "../../contract/runs.ts";
import { explainIssue } from "../../config/explain.ts";
import { DeliberationId } from "../../kernel/index.ts";
import { refuseForeignFields } from "../api/deliberations.ts";
import { ForkBody, NewRequest, Result } from "../api/schemas.ts";
import { tidy } from "../api/openapi.ts";
import { checkForm } from "../body.ts";
import { Refused } from "../problem.ts";

// Tools take and give what the native API does, by the same schemas; what is unknown is refused with the nearest name.

const MAX_SEARCH = 1_000;

/** A schema as the SDK takes it: our words for what does not fit, and JSON Schema that is made once. */
export function toolSchema<T extends z.ZodType>(schema: T): StandardSchemaWithJSON<z.infer<T>> {
  let made: Record<string, unknown> | undefined;
  const json = () =>
    (made ??= z.toJSONSchema(schema, { io: "output", unrepresentable: "any", override: tidyTool }));
  return {
    "~standard": {
      version: 1,
      vendor: "parley",
      validate(value) {
        checkForm(value);
        const read = schema.safeParse(value, { reportInput: true });
        return read.success ? { value: read.data } : { issues: [{ message: problemIn(schema, read.error) }] };
      },
      jsonSchema: { input: json, output: json },
    },
  };
}

function problemIn(schema: z.ZodType, error: z.ZodError): string {
  const { path, say, next } = explainIssue(schema, error);
  const problem = say(path.length === 0 ? "the arguments" : path.join("."));
  return next === undefined ? problem : `${problem}; ${next}`;
}

/** What the native API would check of the same request. @throws Refused 422 */
export function checkAs(schema: z.ZodType, value: Readonly<Record<string, unknown>>): void {
  refuseForeignFields(value);
  const read = schema.safeParse(value, { reportInput: true });
  if (read.success) return;
  throw new Refused({ status: 422, code: "invalid-request", detail: problemIn(schema, read.error) });
}

/** As the document of the native API has it, and with what clients that map schemas to other dialects ask for. */
function tidyTool(given: Parameters<typeof tidy>[0]): void {
  tidy(given);
  const { jsonSchema } = given;
  const { additionalProperties: more } = jsonSchema;
  if (typeof more === "object" && more !== null && Object.keys(more).length === 0)
    jsonSchema["additionalProperties"] = true;
}

/** A field of the native API's requests, with what a model has to know of it. */
function field(shape: z.ZodObject["shape"], name: string, description: string): z.ZodType {
  const schema = shape[name];
  if (!schema) throw new Error(`the API has no field ${name}`);
  return (schema as z.ZodType).describe(description); // a field of a classic schema
}
const fields = (shape: z.ZodObject["shape"], described: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(described).map(([name, text]) => [name, field(shape, name, text)]));
const asked = (described: Readonly<Record<string, string>>) => fields(NewRequest.shape, described);

const question = NewRequest.shape.question.describe("The question, whole.");
const id = DeliberationId.describe("The deliberation's id.");
const settings = z
  .record(z.string(), z.unknown())
  .optional()
  .describe('Any other setting of a request by its name, such as {"quorum": 2}.');
const CAPS = { maxCostUsd: "A hard limit on cost in US dollars.", maxCalls: "A hard limit on model calls." };
const COMMON = {
  models: "Models as provider/model; by default those that are configured.",
  context: "Texts that the models see beside the question, as untrusted data.",
  previous: "The deliberation that this one follows in a conversation.",
  ...CAPS,
};
const SEATS = {
  seats: "People who take part: name is a user, or me; seat is member, reviewer, judge or tie-break.",
};
const opening = {
  settings,
  request: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .describe("A name for this call: a repeat of it joins the same deliberation, and pays nothing."),
  on_disconnect: z
    .enum(["continue", "cancel"])
    .optional()
    .describe(
      "What becomes of the deliberation when the client goes away while it waits; by default it goes on.",
    ),
};

export const AskInput = z.strictObject({
  question,
  ...asked({
    ...COMMON,
    ...SEATS,
    effort: "How far it may go where drafts disagree, 1 to 5; 4 by default.",
    pack: "A pack of settings.",
  }),
  ...opening,
});
export const CouncilInput = z.strictObject({
  question,
  ...asked({
    ...{ ...COMMON, ...SEATS, pack: "A pack of settings.", chair: "The model that writes the answer." },
    mode: "consensus: the chair writes one answer; vote: the best-ranked draft is the answer.",
    ...{ strategy: "How the chair weighs the drafts.", goal: "What the strategy goal-seeking works toward." },
  }),
  ...opening,
});
export const DebateInput = z.strictObject({
  question,
  ...asked({
    ...{
      ...COMMON,
      ...SEATS,
      agents: "Roles: architect, security, performance, testing, kiss, … or your own.",
    },
    ...{
      rounds: "At most this many rounds.",
      until: "When it ends early.",
      clarify: "Whether agents may ask questions first.",
    },
  }),
  ...opening,
});
export const RespondInput = z.strictObject({
  question,
  ...asked({ ...COMMON, again: "Whether the previous turn is answered again." }),
  ...opening,
});
export const EstimateInput = z.strictObject({
  question,
  protocol: z.enum(["ask", "council", "debate", "respond"]).optional().describe("By default ask."),
  ...asked({ ...COMMON, ...SEATS, pack: "A pack of settings." }),
  settings,
});
export const ForkInput = z.strictObject({
  id,
  ...fields(ForkBody.shape, {
    ...{
      without: "Members to leave out, by id or name.",
      upToSeq: "Reuse what is recorded up to this event.",
      retry:
        "Ask anew only what was lost by network, rate, overload or credentials; refused where nothing was.",
    },
    ...{
      ...CAPS,
      chair: "Another chair.",
      strategy: "Another strategy.",
      goal: "Another goal.",
      mode: "Another mode.",
      effort: "Another effort.",
    },
  }),
  ...opening,
});
/** What every tool that opens a deliberation takes; the rest is the protocol's, and the library checks it. */
export type OpeningArguments = {
  readonly question: string;
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly request?: string | undefined;
  readonly on_disconnect?: "continue" | "cancel" | undefined;
};
export const OfId = z.strictObject({ id });
export const Driven = z.strictObject({ id, on_disconnect: opening.on_disconnect });
export const ListInput = z.strictObject({
  status: z.string().max(40).optional().describe("Such as answered, failed, open or waiting."),
  protocol: z.string().max(60).optional(),
  search: z.string().max(MAX_SEARCH).optional().describe("Words of the question."),
  limit: z.int().min(1).max(200).optional().describe("20 by default."),
  after: DeliberationId.optional().describe("next of the page before."),
});
const [ToQuestions, ToSeat, ToAbstain] = AnswersBody.options;
export const AnswerInput = z.strictObject({
  id,
  answers: ToQuestions.shape.answers.optional().describe("Answers to the questions that wait, by their ids."),
  text: ToSeat.shape.text.optional().describe("The answer to the caller's own seat that waits."),
  abstain: ToAbstain.shape.abstain.optional().describe("Whether the person abstains from the seat's step."),
  step: ToSeat.shape.step.describe("Which seat, where several wait."),
});
export const FeedbackInput = FeedbackBody.extend({ id });
export const MemoryInput = z.strictObject({
  query: z.string().max(MAX_SEARCH).optional().describe("Without words, the newest entries."),
  limit: z.int().min(1).max(200).optional().describe("20 by default."),
  retired: z.boolean().optional().describe("The retired entries alone."),
});

/** Where a deliberation stands that a call has waited for. What everybody said is in `show`, and in its resources. */
export const McpOutcome = Result.omit({
  ...{ participants: true, control: true, section: true, criticalPathMs: true },
}).extend({
  /** The place in line, from 1; 0 where it is driven or has ended. */
  place: z.int(),
  /** What waits for people: the questions, and the caller's own seats with their prompts. */
  waiting: Waiting.nullable(),
  notes: z.array(z.looseObject({ code: z.string() })),
  /** What to do now; null where it has ended. */
  next: z.string().nullable(),
});
export type McpOutcome = z.infer<typeof McpOutcome>;
