import { isEvent, timeOf, type Entry } from "../../../kernel/index.ts";
import { refusalOf, type Refused } from "../../../server/problem.ts";
import { piecesOf, wholeText } from "./chat.ts";
import { apiErrorOf } from "./errors.ts";
import {
  echoOf,
  stageLines,
  turnName,
  type ApiOutcome,
  type ApiToolCall,
  type ApiTurn,
  type ApiUsage,
} from "./run.ts";

// The events of a response, and their numbers, are made from recorded events alone: every server gives the same after any restart, and a
// client that comes back with `starting_after` misses nothing.

/** What a response's id begins with; the deliberation's follows. */
export const PREFIX = "resp_";

export function finishedEvents(entries: readonly Entry[], outcome: ApiOutcome) {
  const { finish, usage, parley, stages } = outcome;
  const status = finish === "length" ? "incomplete" : "completed";
  const output = [reasoningItem(outcome, stages), ...outputItems(outcome)];
  return responseOf(entries, { turn: outcome, status, output, usage, parley });
}

export function unfinishedEvents(entries: readonly Entry[], turn: ApiTurn, error: Refused) {
  const closing = entries.find((entry) => isEvent(entry, "deliberation-closed"))?.data;
  const { message, code } = apiErrorOf(refusalOf(error));
  const isCancelled = closing?.outcome === "cancelled";
  return responseOf(entries, {
    ...{ turn, status: isCancelled ? "cancelled" : "failed", output: [] },
    ...(isCancelled ? {} : { error: { code, message } }),
  });
}

export function responseOf(
  entries: readonly Entry[],
  {
    turn,
    status,
    output,
    usage,
    parley,
    error = null,
  }: {
    readonly turn: ApiTurn;
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
    ...{ id: `${PREFIX}${turnName(turn)}`, object: "response", status, error, output },
    output_text: textOfOutput(output),
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
    ...{
      tool_choice: of("tool_choice", "auto"),
      tools: of("tools", []),
      max_tool_calls: of("max_tool_calls"),
    },
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

const reasoningItem = (turn: ApiTurn, stages: readonly string[]) => ({
  ...{ id: `rs_${turnName(turn)}`, type: "reasoning", status: "completed" },
  summary: stages.map((text) => ({ type: "summary_text", text })),
});

/** What is answered: a text, calls of tools, or both. */
const outputItems = (outcome: ApiOutcome) => [
  ...(outcome.text === "" && outcome.calls.length > 0 ? [] : [messageItem(outcome, wholeText(outcome))]),
  ...outcome.calls.map(callItem),
];

const callItem = ({ id, form, name, namespace, arguments: input }: ApiToolCall) => ({
  ...{ id: `fc_${id}`, call_id: `call_${id}`, status: "completed", name },
  ...(namespace === undefined ? {} : { namespace }),
  ...(form === "custom" ? { type: "custom_tool_call", input } : { type: "function_call", arguments: input }),
});

const messageItem = (turn: ApiTurn, text: string) => ({
  ...{ id: `msg_${turnName(turn)}`, type: "message", role: "assistant", status: "completed" },
  content: [{ type: "output_text", text, annotations: [], logprobs: [] }],
});

export type ResponseEvent = { readonly type: string; readonly [field: string]: unknown };

/** The events before any stage. */
export function beginning(entries: readonly Entry[], turn: ApiTurn): readonly ResponseEvent[] {
  const [opened] = entries;
  const response = responseOf(opened ? [opened] : [], { turn, status: "in_progress", output: [] });
  const item = { id: `rs_${turnName(turn)}`, type: "reasoning", status: "in_progress", summary: [] };
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    { type: "response.output_item.added", output_index: 0, item },
  ];
}

export function stageEvents(turn: ApiTurn, line: string, index: number): readonly ResponseEvent[] {
  const place = { item_id: `rs_${turnName(turn)}`, output_index: 0, summary_index: index };
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
  const response = finishedEvents(entries, outcome);
  const item = reasoningItem(outcome, outcome.stages);
  return [
    { type: "response.output_item.done", output_index: 0, item },
    ...outputItems(outcome).flatMap((one, index) => itemEvents(one, index + 1)),
    { type: `response.${response.status}`, response },
  ];
}

type OutputItem = ReturnType<typeof outputItems>[number];

/** The events in which an item comes whole. */
function itemEvents(item: OutputItem, index: number): readonly ResponseEvent[] {
  const at = { output_index: index };
  const place = { item_id: item.id, ...at };
  const begun = { ...item, ...emptyOf(item), status: "in_progress" };
  return [
    { type: "response.output_item.added", ...at, item: begun },
    ...("content" in item
      ? textEvents(item.content[0]?.text ?? "", { ...place, content_index: 0 })
      : "input" in item
        ? [
            ...deltas("response.custom_tool_call_input.delta", item.input, place),
            { type: "response.custom_tool_call_input.done", ...place, input: item.input },
          ]
        : [
            ...deltas("response.function_call_arguments.delta", item.arguments ?? "", place),
            {
              ...{ type: "response.function_call_arguments.done", ...place },
              ...{ name: item.name, arguments: item.arguments },
            },
          ]),
    { type: "response.output_item.done", ...at, item },
  ];
}

/** What an item begins with. */
const emptyOf = (item: OutputItem): object =>
  "content" in item ? { content: [] } : "input" in item ? { input: "" } : { arguments: "" };

const deltas = (type: string, text: string, place: object): readonly ResponseEvent[] =>
  piecesOf(text).map((delta) => ({ type, ...place, delta }));

function textEvents(text: string, place: object): readonly ResponseEvent[] {
  const part = { type: "output_text", text: "", annotations: [], logprobs: [] };
  return [
    { type: "response.content_part.added", ...place, part },
    ...deltas("response.output_text.delta", text, { ...place, logprobs: [] }),
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: { ...part, text } },
  ];
}

/** The events of a response that came to no answer. */
export function failing(entries: readonly Entry[], turn: ApiTurn, error: Refused): readonly ResponseEvent[] {
  const response = unfinishedEvents(entries, turn, error);
  const item = reasoningItem(turn, stageLines(entries));
  return [
    { type: "response.output_item.done", output_index: 0, item },
    { type: response.status === "cancelled" ? "response.incomplete" : "response.failed", response },
  ];
}
