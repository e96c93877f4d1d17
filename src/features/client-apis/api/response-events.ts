import { isEvent, timeOf, type Entry } from "../../../kernel/index.ts";
import { refusalOf, type Refused } from "../../../server/problem.ts";
import { BEGUN_AGAIN, restAfter } from "../../../app/live-answer.ts";
import { apiErrorOf } from "./errors.ts";
import { piecesOf } from "./following.ts";
import { echoOf, turnName, type ApiOutcome, type ApiToolCall, type ApiTurn, type ApiUsage } from "./run.ts";

// An event's number says where it comes from, so that every server gives it the same one after any restart, and a client that comes back
// with `starting_after` misses nothing: four for what each recorded event changed, then one a piece of the text, which is cut at the same
// places whether it is told while it is written or when it is whole, then the end. Where the first attempt to write it did not become the
// answer, the pieces have numbers of their own.

const TEXT = 500_000_000;
const TEXT_AGAIN = 1_000_000_000;
const END = 1_500_000_000;

/** Characters of a piece: some words. */
const PIECE = 16;

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

/** The whole text: what is missing stands first, but behind what was told while it was written. */
const textOf = ({ written = "", text, degraded }: ApiOutcome): string =>
  written + restAfter(written, text, degraded);

const hasText = ({ text, calls }: ApiOutcome): boolean => text !== "" || calls.length === 0;

/** What is answered: a text, calls of tools, or both. */
const outputItems = (outcome: ApiOutcome) => [
  ...(hasText(outcome) ? [messageItem(outcome, textOf(outcome))] : []),
  ...outcome.calls.map(callItem),
];

const callItem = ({ id, form, name, namespace, arguments: input }: ApiToolCall) => ({
  ...{ id: `fc_${id}`, call_id: `call_${id}`, status: "completed", name },
  ...(namespace === undefined ? {} : { namespace }),
  ...(form === "custom" ? { type: "custom_tool_call", input } : { type: "function_call", arguments: input }),
});

const messageItem = (turn: ApiTurn, text: string) => ({
  ...{ id: `msg_${turnName(turn)}`, type: "message", role: "assistant", status: "completed" },
  content: [partOf(text)],
});

type ResponseEvent = { readonly type: string; readonly [field: string]: unknown };

/** Takes events, of which the first has this number. */
export type SendEvents = (first: number, events: readonly ResponseEvent[]) => void;

/** Tells a response event by event; `after`: the number of the last one that its client has. */
export function tellResponse(turn: ApiTurn, { send, after }: { send: SendEvents; after: number }) {
  const stages: string[] = [];
  /** Pieces that were told, and what is left of the text for the next. */
  let told = 0;
  let rest = "";
  let soFar = "";
  let isBegun = false;
  const place = { item_id: `msg_${turnName(turn)}`, output_index: 1, content_index: 0 };
  const delta = (delta: string) => ({ type: "response.output_text.delta", ...place, delta, logprobs: [] });
  const reasoned = () => ({
    ...{ type: "response.output_item.done", output_index: 0, item: reasoningItem(turn, stages) },
  });
  const begin = (): void => {
    if (isBegun) return;
    isBegun = true;
    const item = { ...messageItem(turn, ""), status: "in_progress", content: [] };
    send(TEXT, [
      reasoned(),
      { type: "response.output_item.added", output_index: 1, item },
      { type: "response.content_part.added", ...place, part: partOf("") },
    ]);
  };
  const givePiece = (piece: string): void => {
    send(TEXT + 3 + told, [delta(piece)]);
    told += 1;
    soFar += piece;
  };
  return {
    beginning(entries: readonly Entry[]): void {
      const [opened] = entries;
      const response = responseOf(opened ? [opened] : [], { turn, status: "in_progress", output: [] });
      const item = { id: `rs_${turnName(turn)}`, type: "reasoning", status: "in_progress", summary: [] };
      send(0, [
        { type: "response.created", response },
        { type: "response.in_progress", response },
        { type: "response.output_item.added", output_index: 0, item },
      ]);
    },
    /** What the event `seq` changed. */
    stage(line: string, seq: number): void {
      const summary = { item_id: `rs_${turnName(turn)}`, output_index: 0, summary_index: stages.length };
      const empty = { type: "summary_text", text: "" };
      stages.push(line);
      send(4 * seq, [
        { type: "response.reasoning_summary_part.added", ...summary, part: empty },
        { type: "response.reasoning_summary_text.delta", ...summary, delta: line },
        { type: "response.reasoning_summary_text.done", ...summary, text: line },
        { type: "response.reasoning_summary_part.done", ...summary, part: { ...empty, text: line } },
      ]);
    },
    /** What is written of the text. */
    text(written: string): void {
      begin();
      const pieces = piecesOf(`${rest}${written}`, PIECE);
      // The last one may become longer.
      rest = pieces.at(-1) ?? "";
      for (const piece of pieces.slice(0, -1)) givePiece(piece);
    },
    ending(entries: readonly Entry[], outcome: ApiOutcome): void {
      const response = finishedEvents(entries, outcome);
      const text = hasText(outcome) ? textOf(outcome) : soFar;
      if (hasText(outcome)) {
        begin();
        const isWritten = outcome.written !== undefined && text.startsWith(soFar);
        if (isWritten) for (const piece of piecesOf(text.slice(soFar.length), PIECE)) givePiece(piece);
        else {
          if (told > 0 || after >= TEXT) send(TEXT_AGAIN, [delta(BEGUN_AGAIN)]);
          send(TEXT_AGAIN + 1, piecesOf(text, PIECE).map(delta));
        }
      } else if (!isBegun) send(TEXT, [reasoned()]);
      send(END, [
        ...(isBegun ? textDone(messageItem(outcome, text), place) : []),
        ...outcome.calls.flatMap((one, index) => callEvents(callItem(one), (isBegun ? 2 : 1) + index)),
        { type: `response.${response.status}`, response },
      ]);
    },
    /** The end of one that came to no answer. */
    failing(entries: readonly Entry[], error: Refused): void {
      const response = unfinishedEvents(entries, turn, error);
      if (!isBegun) send(TEXT, [reasoned()]);
      const type = response.status === "cancelled" ? "response.incomplete" : "response.failed";
      send(END, [{ type, response }]);
    },
  };
}

const partOf = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

function textDone(item: ReturnType<typeof messageItem>, place: object): readonly ResponseEvent[] {
  const text = item.content[0]?.text ?? "";
  return [
    { type: "response.output_text.done", ...place, text, logprobs: [] },
    { type: "response.content_part.done", ...place, part: partOf(text) },
    { type: "response.output_item.done", output_index: 1, item },
  ];
}

/** The events in which a call comes whole. */
function callEvents(item: ReturnType<typeof callItem>, index: number): readonly ResponseEvent[] {
  const place = { item_id: item.id, output_index: index };
  const deltas = (type: string, text: string) =>
    piecesOf(text).map((delta): ResponseEvent => ({ type, ...place, delta }));
  const begun = { ...item, ...("input" in item ? { input: "" } : { arguments: "" }), status: "in_progress" };
  return [
    { type: "response.output_item.added", output_index: index, item: begun },
    ...("input" in item
      ? [
          ...deltas("response.custom_tool_call_input.delta", item.input),
          { type: "response.custom_tool_call_input.done", ...place, input: item.input },
        ]
      : [
          ...deltas("response.function_call_arguments.delta", item.arguments),
          {
            ...{ type: "response.function_call_arguments.done", ...place },
            ...{ name: item.name, arguments: item.arguments },
          },
        ]),
    { type: "response.output_item.done", output_index: index, item },
  ];
}
