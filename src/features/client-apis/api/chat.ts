import * as z from "zod";
import { beginStream, withPatience } from "../../../server/patience.ts";
import { route, type ApiRoute } from "../../../server/route.ts";
import { apiErrorOf } from "./errors.ts";
import {
  CHAT_REFUSED,
  COMMON_FIELDS,
  EffortName,
  formOf,
  FormSchema,
  Limit,
  readFields,
  settingsOf,
  USUAL_FORMS,
  type AnswerForm,
  type ReadRequest,
} from "./fields.ts";
import { tellReply } from "./following.ts";
import { chooseModel } from "./models.ts";
import {
  isToldLive,
  openRequest,
  outcomeOf,
  turnName,
  type ApiOutcome,
  type ApiToolCall,
  type ApiTurn,
  type ApiUsage,
} from "./run.ts";
import type { ApiCall } from "./structured.ts";
import { readTools, withoutUsed } from "./tools.ts";
import { Message, readMessages } from "./turns.ts";

// A stream has no event names: most clients end at one that they do not know.

const ResponseFormat = z.discriminatedUnion("type", [
  ...USUAL_FORMS,
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.looseObject({ name: z.string().optional(), schema: FormSchema.optional() }).optional(),
    // As other servers have it.
    schema: FormSchema.optional(),
  }),
]);

const Honoured = z.strictObject({
  ...COMMON_FIELDS,
  messages: z.array(Message).min(1).max(10_000),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).optional(),
  stop: z.union([z.string(), z.array(z.string()).max(16)]).optional(),
  max_tokens: Limit.optional(),
  max_completion_tokens: Limit.optional(),
  reasoning_effort: EffortName.optional(),
  seed: z.int().optional(),
  response_format: ResponseFormat.optional(),
});
const TABLE = { honoured: Honoured, refused: CHAT_REFUSED };

type ReadChat = ReadRequest & { readonly stream: boolean; readonly wantsUsage: boolean };

async function readChat(call: ApiCall, body: unknown): Promise<ReadChat> {
  const { given, ignored } = readFields(body, TABLE);
  const tools = readTools(body);
  const chosen = await chooseModel(call, given.model);
  const { system, history, question, files } = readMessages(given.messages);
  const { settings, ignored: unused } = settingsOf(chosen, given, {
    ...{ system, seed: given.seed, effort: given.reasoning_effort },
    maxTokens: given.max_completion_tokens ?? given.max_tokens,
  });
  return {
    model: chosen.id,
    start: { ...settings, question, ...(history.length > 0 ? { history } : {}) },
    files,
    stop: [given.stop ?? []].flat(),
    format: formOf(tools.forced, given.response_format),
    ...{ offer: tools.offer, messages: given.messages },
    ...{ store: given.store !== false, stages: given.parley?.stages !== false },
    ignored: [...withoutUsed(ignored, tools), ...unused],
    stream: given.stream === true,
    wantsUsage: given.stream_options?.include_usage === true,
  };
}

export const chatRoutes: readonly ApiRoute[] = [
  route("post", "chat/completions", {
    ...{ name: "createChatCompletion", tag: "OpenAI", needs: "write", body: z.unknown(), attaches: true },
    summary: "Put a chat's last message before models",
    replies: { 200: z.unknown() },
    async handle(call) {
      const read = await readChat(call, call.body);
      const turn = await openRequest(call, read, { body: call.body });
      const headers = {
        "x-parley-deliberation": turn.id,
        location: `${call.publicUrl}api/v1/deliberations/${turn.id}`,
      };
      if (read.stream) {
        await streamChat(call, turn, { ...read, headers });
        return undefined;
      }
      return withPatience(call, headers, async () => {
        const outcome = await outcomeOf(call, turn);
        return { status: 200, headers, body: completionOf(call, read.model, outcome) };
      });
    },
  }),
];

const head = ({ world }: ApiCall, turn: ApiTurn, model: string) => ({
  ...{ id: `chatcmpl-${turnName(turn)}`, created: Math.floor(world.now() / 1_000), model },
});

/** The whole text: what is missing stands first. */
export const wholeText = ({ degraded, text }: ApiOutcome): string =>
  degraded === "" ? text : `${degraded}\n\n${text}`;

function completionOf(call: ApiCall, model: string, outcome: ApiOutcome) {
  const { finish, usage, parley, stages, calls, text } = outcome;
  const message = {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : wholeText(outcome),
    ...callFields(calls),
    reasoning_content: stages.join("\n"),
    refusal: null,
  };
  return {
    ...{ ...head(call, outcome, model), object: "chat.completion", parley },
    choices: [{ index: 0, message, finish_reason: finish, logprobs: null }],
    ...(usage ? { usage: chatUsage(usage) } : {}),
  };
}

/** Calls of tools in the form that their client knows. */
function callFields(calls: readonly ApiToolCall[]) {
  const [first] = calls;
  if (first === undefined) return {};
  if (first.form === "function_call")
    return { function_call: { name: first.name, arguments: first.arguments } };
  return {
    tool_calls: calls.map(({ id, form, name, arguments: input }, index) => ({
      ...{ index, id: `call_${id}` },
      ...(form === "custom"
        ? { type: "custom", custom: { name, input } }
        : { type: "function", function: { name, arguments: input } }),
    })),
  };
}

const chatUsage = ({ in: input, out, cached, reasoning, cost }: ApiUsage) => ({
  ...{ prompt_tokens: input, completion_tokens: out, total_tokens: input + out },
  prompt_tokens_details: { cached_tokens: cached },
  completion_tokens_details: { reasoning_tokens: reasoning },
  ...(cost === undefined ? {} : { cost }),
});

type StreamPlan = {
  readonly model: string;
  readonly stop: readonly string[];
  readonly format: AnswerForm;
  readonly wantsUsage: boolean;
  readonly headers: Readonly<Record<string, string>>;
};

async function streamChat(call: ApiCall, turn: ApiTurn, plan: StreamPlan): Promise<void> {
  const base = { ...head(call, turn, plan.model), object: "chat.completion.chunk" };
  const stream = beginStream(call, plan.headers);
  const chunk = (delta: object, finish: string | null = null): void =>
    stream.data({ ...base, choices: [{ index: 0, delta, finish_reason: finish, logprobs: null }] });
  chunk({ role: "assistant", content: "" });
  await tellReply(call, {
    ...{ turn, stream },
    stage: (line) => chunk({ reasoning_content: `${line}\n` }),
    text: isToldLive(plan) ? (text) => chunk({ content: text }) : undefined,
    outcome({ calls, finish, usage, parley }, rest) {
      for (const piece of rest) chunk({ content: piece });
      if (calls.length > 0) chunk(callFields(calls));
      chunk({}, finish);
      const told = plan.wantsUsage && usage ? { usage: chatUsage(usage) } : {};
      stream.data({ ...base, choices: [], ...told, parley });
      stream.text("[DONE]");
    },
    failed: (refusal) => stream.data({ error: apiErrorOf(refusal) }),
  });
}
