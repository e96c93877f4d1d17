import { isEvent, timeOf, type DeliberationId, type Entry } from "../../../kernel/index.ts";
import { refusalOf, type Refused } from "../../../server/problem.ts";
import { piecesOf, wholeText } from "./chat.ts";
import { apiErrorOf } from "./errors.ts";
import { echoOf, stageLines, type ApiOutcome, type ApiUsage } from "./run.ts";

// The events of a response, and their numbers, are made from recorded events alone: every server gives the same after any restart, and a
// client that comes back with `starting_after` misses nothing.

/** What a response's id begins with; the deliberation's follows. */
export const PREFIX = "resp_";

export function finishedEvents(entries: readonly Entry[], outcome: ApiOutcome) {
  const { id, finish, usage, parley, stages } = outcome;
  const status = finish === "length" ? "incomplete" : "completed";
  const output = [reasoningItem(id, stages), answerItem(outcome)];
  return responseOf(entries, { id, status, output, usage, parley });
}

export function unfinishedEvents(entries: readonly Entry[], id: DeliberationId, error: Refused) {
  const closing = entries.find((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const { message, code } = apiErrorOf(refusalOf(error));
  const isCancelled = closing?.outcome === "cancelled";
  return responseOf(entries, {
    ...{ id, status: isCancelled ? "cancelled" : "failed", output: [] },
    ...(isCancelled ? {} : { error: { code, message } }),
  });
}

export function responseOf(
  entries: readonly Entry[],
  {
    id,
    status,
    output,
    usage,
    parley,
    error = null,
  }: {
    readonly id: DeliberationId;
    readonly status: "queued" | "in_progress" | "completed" | "failed" | "cancelled" | "incomplete";
    readonly output: readonly unknown[];
    readonly usage?: ApiUsage | undefined;
    readonly parley?: ApiOutcome["parley"];
    readonly error?: object | null;
  },
) {
  const [opened] = entries;
  const closed = entries.find((entry) => isEvent(entry, "deliberation-closed"));
  const echo: Readonly<Record<string, unknown>> = echoOf(entries) ?? {};
  const of = (name: string, usual: unknown = null): unknown => echo[name] ?? usual;
  const seconds = (entry: Entry) => Math.floor(timeOf(entry) / 1_000);
  return {
    ...{ id: `${PREFIX}${id}`, object: "response", status, error, output, output_text: textOfOutput(output) },
    created_at: opened ? seconds(opened) : 0,
    completed_at: closed && status === "completed" ? seconds(closed) : null,
    ...{ background: of("background", false), store: of("store") !== false },
    incomplete_details: status === "incomplete" ? { reason: "max_output_tokens" } : null,
    ...{ instructions: of("instructions"), max_output_tokens: of("max_output_tokens"), model: of("model") },
    ...{ metadata: of("metadata") ?? {}, previous_response_id: of("previous_response_id") },
    reasoning: { effort: of("effort"), summary: "detailed" },
    ...{ temperature: of("temperature", 1), text: { format: of("text", { type: "text" }) } },
    ...{ top_p: of("top_p", 1), top_logprobs: 0, service_tier: of("service_tier", "default") },
    ...{ presence_penalty: of("presence_penalty", 0), frequency_penalty: of("frequency_penalty", 0) },
    ...{ safety_identifier: of("safety_identifier"), prompt_cache_key: of("prompt_cache_key") },
    ...{ tool_choice: "auto", tools: [], max_tool_calls: of("max_tool_calls") },
    ...{ parallel_tool_calls: of("parallel_tool_calls", false), truncation: of("truncation", "disabled") },
    usage: usage ? responseUsage(usage) : null,
    ...(parley === undefined ? {} : { parley }),
  };
}

const textOfOutput = (output: readonly unknown[]): string =>
  output
    .flatMap((item) => (item as { content?: readonly { text?: string }[] }).content ?? [])
    .map(({ text = "" }) => text)
    .join("");

const responseUsage = ({ in: input, out, cached, reasoning, cost }: ApiUsage) => ({
  ...{ input_tokens: input, output_tokens: out, total_tokens: input + out },
  input_tokens_details: { cached_tokens: cached },
  output_tokens_details: { reasoning_tokens: reasoning },
  ...(cost === undefined ? {} : { cost }),
});

const reasoningItem = (id: string, stages: readonly string[]) => ({
  ...{ id: `rs_${id}`, type: "reasoning", status: "completed" },
  summary: stages.map((text) => ({ type: "summary_text", text })),
});

/** The answer, or the call that it is of a tool. */
const answerItem = (outcome: ApiOutcome) =>
  outcome.tool
    ? callItem(outcome.id, outcome.tool.name, outcome.text)
    : messageItem(outcome.id, wholeText(outcome));

const callItem = (id: string, name: string, args: string) => ({
  ...{ id: `fc_${id}`, type: "function_call", status: "completed" },
  ...{ call_id: `call_${id}`, name, arguments: args },
});

const messageItem = (id: string, text: string) => ({
  ...{ id: `msg_${id}`, type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

export type ResponseEvent = { readonly type: string; readonly [field: string]: unknown };

/** The events before any stage. */
export function beginning(entries: readonly Entry[], id: DeliberationId): readonly ResponseEvent[] {
  const [opened] = entries;
  const response = responseOf(opened ? [opened] : [], { id, status: "in_progress", output: [] });
  const item = { id: `rs_${id}`, type: "reasoning", status: "in_progress", summary: [] };
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "response.output_item.added", output_index: 0, item },
  ];
}

export function stageEvents(id: DeliberationId, line: string, index: number): readonly ResponseEvent[] {
  const place = { item_id: `rs_${id}`, output_index: 0, summary_index: index };
  const empty = { type: "summary_text", text: "" };
  return [
    { type: "response.reasoning_summary_part.added", ...place, part: empty },
    { type: "response.reasoning_summary_text.delta", ...place, delta: line },
    { type: "response.reasoning_summary_text.done", ...place, text: line },
    { type: "response.reasoning_summary_part.done", ...place, part: { ...empty, text: line } },
  ];
}

/** The events after the last stage. */
export function ending(entries: readonly Entry[], outcome: ApiOutcome): readonly ResponseEvent[] {
  const { id, stages, tool } = outcome;
  const text = wholeText(outcome);
  const response = finishedEvents(entries, outcome);
  const place = { item_id: `msg_${id}`, output_index: 1, content_index: 0 };
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  const item = { ...messageItem(id, ""), status: "in_progress", content: [] };
  return [
    { type: "response.output_item.done", output_index: 0, item: reasoningItem(id, stages) },
    ...(tool
      ? callEvents(id, tool.name, outcome.text)
      : [
          { type: "response.output_item.added", output_index: 1, item },
          { type: "response.content_part.added", ...place, part },
          ...piecesOf(text).map((delta) => ({
            type: "response.output_text.delta",
            ...place,
            delta,
            logprobs: [],
          })),
          { type: "response.output_text.done", ...place, text, logprobs: [] },
          { type: "response.content_part.done", ...place, part: { ...part, text } },
        ]),
    { type: "response.output_item.done", output_index: 1, item: answerItem(outcome) },
    { type: `response.${response.status}`, response },
  ];
}

function callEvents(id: string, name: string, args: string): readonly ResponseEvent[] {
  const place = { item_id: `fc_${id}`, output_index: 1 };
  const item = { ...callItem(id, name, ""), status: "in_progress" };
  return [
    { type: "response.output_item.added", output_index: 1, item },
    ...piecesOf(args).map((delta) => ({ type: "response.function_call_arguments.delta", ...place, delta })),
    { type: "response.function_call_arguments.done", ...place, name, arguments: args },
  ];
}

/** The events of a response that came to no answer. */
export function failing(
  entries: readonly Entry[],
  id: DeliberationId,
  error: Refused,
): readonly ResponseEvent[] {
  const response = unfinishedEvents(entries, id, error);
  const item = reasoningItem(id, stageLines(entries));
  return [
    { type: "response.output_item.done", output_index: 0, item },
    { type: response.status === "cancelled" ? "response.incomplete" : "response.failed", response },
  ];
}
