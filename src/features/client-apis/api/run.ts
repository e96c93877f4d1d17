import { isUnkept } from "../../../app/conversation.ts";
import { loadResult } from "../../../app/result.ts";
import {
  canonical,
  callOf,
  isEvent,
  ModelRef,
  parseJson,
  type DeliberationId,
  type Entry,
  type Json,
  type Opening,
  type ToolCall,
} from "../../../kernel/index.ts";
import { shownOf, writtenLive } from "../../../app/live-answer.ts";
import { isToolSeat, type ClientName, type ClientTools } from "../../../protocols/phases/client-tools.ts";
import { entryWords } from "../../../reports/entry-words.ts";
import { answersIn } from "../../../views/answer-event.ts";
import type { Result } from "../../../views/result.ts";
import { hasPeople, hideText } from "../../../views/veil.ts";
import { REPEAT_MS } from "../../../server/drives.ts";
import { awaitEnd, checkDepth, clientRequest, digestOfBody, openOnce } from "../../../server/opening.ts";
import { Refused } from "../../../server/problem.ts";
import type { Services } from "../../../server/route.ts";
import type { AnswerForm, ReadRequest } from "./fields.ts";
import {
  callId,
  clientTurns,
  countTurns,
  digestOfTalk,
  findContinued,
  pinnedTools,
  type ClientTurn,
} from "./continuing.ts";
import { contextOf, fieldsIn } from "./parts.ts";
import { formForClient, type ApiCall, type Formed } from "./structured.ts";
import { withToolNote } from "./tools.ts";

// REPEAT-1. A client that sends the same body again because it got no answer joins the deliberation of the first. Else: a retry pays again.

/** What a reply repeats of a request, and needs again after a restart: it is pinned by the opening. */
export type Echo = {
  readonly model: string;
  readonly format: AnswerForm;
  readonly stop: readonly string[];
  readonly ignored: readonly string[];
  readonly [field: string]: unknown;
};

/** Whether a text is told while it is written: not one that is cut, or written again as JSON. */
export const isToldLive = ({ format, stop }: Pick<Echo, "format" | "stop">): boolean =>
  format === null && stop.length === 0;

/** Opens a request's deliberation, or joins the one that an earlier try of it opened. @throws Refused, Fault as `openOnce` does */
export async function openRequest(
  call: ApiCall,
  { start, files, model, format, stop, ignored, store, stages, offer, messages, previous }: ReadRequest,
  { body, more = {} }: { readonly body: unknown; readonly more?: Readonly<Record<string, Json>> },
): Promise<ApiTurn> {
  checkDepth(call, call);
  const repeated = await earlierTry(call, body);
  if (repeated !== undefined) return { id: repeated, nth: 1 };
  const going = await findContinued(call, { messages, model, offer, previous });
  if (going && "id" in going) return going;
  const { question, history = [] } = start;
  const talk = offer && previous === undefined && { talk: digestOfTalk({ history, question, files }) };
  // What a body says is JSON.
  const told = stages ? {} : { stages };
  const echo = { model, format, stop, ignored, store, ...told, ...talk, ...more } as unknown as Record<
    string,
    Json
  >;
  const named = clientRequest(call, body);
  const client = { ...named.client, echo };
  const clientTools = (done?: string) => offer && JSON.stringify({ ...offer, done } satisfies ClientTools);
  // What reactions made would be forgotten with it.
  const asked = {
    ...start,
    ...(offer && { system: withToolNote(start.system ?? "", offer) }),
    ...(!store && { reactions: false }),
  };
  const { opened } = await openOnce(call, { ...named, client }, async ({ request, ...rest }) => {
    if (going) {
      const tools = clientTools(going.done) ?? JSON.stringify({ tools: [], done: going.done });
      return call.parley.openFork(going.fork, { request }, { ...rest, clientTools: tools });
    }
    const context = await contextOf(call.parley.context({}, rest), files);
    const given = { ...asked, ...(context.length > 0 && { context }), request };
    return call.parley.open(given, { ...rest, clientTools: clientTools() });
  });
  return { id: opened.deliberation, nth: 1 };
}

/** A run, and which of its replies: each time that its client's tools are called there is one more. */
export type ApiTurn = { readonly id: DeliberationId; readonly nth: number };

/** What ids of a reply are made from. */
export const turnName = ({ id, nth }: ApiTurn): string => (nth === 1 ? id : `${id}_${nth}`);

/** Tokens are estimated alike for every model. */
const COUNTED = ModelRef.parse("sim/ada");

/** The tokens of a conversation's words, estimated high. */
export function countTokens(
  { parley, caller }: ApiCall,
  { system = "", history = [], question }: ReadRequest["start"],
): number {
  const said = history.flatMap(({ question: asked, answer }) => [asked, answer]);
  const messages = [system, ...said, question].flatMap((text) =>
    text === "" ? [] : [{ role: "user" as const, text }],
  );
  const { models } = parley.context({}, caller);
  return models.quote({ model: COUNTED, maxOutputTokens: 1, messages }).tokensIn;
}

/** What the same client opened with the same body within ten minutes, where this is a repeat by its library. (REPEAT-1) */
async function earlierTry(
  { parley, caller, request, world }: ApiCall,
  body: unknown,
): Promise<DeliberationId | undefined> {
  const count = Number(request.headers["x-stainless-retry-count"] ?? 0);
  if (!(count > 0) || request.headers["idempotency-key"] !== undefined) return undefined;
  const since = new Date(world.now() - REPEAT_MS).toISOString();
  const opening = [`"body":${canonical(digestOfBody(body))}`, `"key":${canonical(caller.credential.id)}`];
  const { store } = parley.context({}, { principal: caller.principal });
  const [found] = await store.list({ limit: 1, since, opening });
  return found?.id;
}

export type ApiOutcome = ApiTurn & {
  readonly text: string;
  /** What stands before the text where something is missing. */
  readonly degraded: string;
  /** What of the text is told while it is written; undefined where it is told when it is whole. */
  readonly written: string | undefined;
  readonly finish: "stop" | "length" | "tool_calls" | "function_call";
  /** The calls of tools that it ends in. */
  readonly calls: readonly ApiToolCall[];
  readonly usage: ApiUsage | undefined;
  /** What happened, a line each. */
  readonly stages: readonly string[];
  readonly parley: Readonly<Record<string, unknown>>;
};

/** A call of a tool, as its client knows that. `arguments`: JSON, or a text of any form where `form` is `custom`. */
export type ApiToolCall = ClientName & { readonly id: string; readonly arguments: string };

/** Tokens of all calls together; `cost` in US dollars is left out where it is unknown. */
export type ApiUsage = {
  readonly in: number;
  readonly out: number;
  readonly cached: number;
  /** All that is not the answer's own. */
  readonly reasoning: number;
  readonly cost?: number;
};

/**
 * A line about what an event changed; undefined where it changed nothing that a reader waits for, or none is wanted. Where people take part
 * nothing that others wrote is in it, also afterwards: it has to stay the same.
 */
export function stageLine(
  entry: Entry,
  opening: Pick<Opening, "participants" | "client"> | undefined,
): string | undefined {
  if (isEvent(entry, "deliberation-closed") || entry.origin.by === "reactor") return undefined;
  // Its client knows that it is waited for.
  if (isToolSeat(entry, "seat-opened", "seat-answered")) return undefined;
  if (opening?.client?.echo?.["stages"] === false) return undefined;
  const [shown] = opening && hasPeople(opening) ? hideText(entry) : [entry];
  return shown && entryWords(shown);
}

/** The stages after a seq, a line each. */
function stageLines(entries: readonly Entry[], after = 0): readonly string[] {
  const opening = openingIn(entries);
  return entries.flatMap((entry) => (entry.seq > after && stageLine(entry, opening)) || []);
}

export const openingIn = (entries: readonly Entry[]): Opening | undefined =>
  entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;

/** It was written by `openRequest`. */
export const echoOf = (entries: readonly Entry[]): Echo | undefined =>
  openingIn(entries)?.client?.echo as Echo | undefined;

/** The turns of a run in which its client's tools were called. */
async function turnsOf(call: ApiCall, entries: readonly Entry[]): Promise<readonly ClientTurn[]> {
  const { store } = call.parley.context({}, { principal: call.caller.principal });
  const pinned = await pinnedTools(store, openingIn(entries));
  return pinned ? clientTurns(entries, pinned) : [];
}

/** Waits for a reply, and says what came of it. @throws Refused for what came to no answer, and when the server stops before the end */
export async function outcomeOf(call: ApiCall, { id, nth }: ApiTurn): Promise<ApiOutcome> {
  const { caller, signal } = call;
  const { principal } = caller;
  const isReached = (all: readonly Entry[]) => countTurns(all) >= nth;
  const awaited = { id, principal, ms: Infinity, signal, throughWaiting: true, until: isReached };
  const { entries, isOver } = await awaitEnd(call, awaited);
  if (isReached(entries)) return readOutcome(call, { id, nth }, entries);
  if (!isOver) {
    const next = "send the request again: it joins what is recorded";
    const headers = { "retry-after": "1" };
    throw new Refused({ status: 503, code: "interrupted", detail: "the server is stopping", next, headers });
  }
  if (entries.some((entry) => isEvent(entry, "deliberation-opened") && isUnkept(entry.data)))
    call.response.once("finish", () => void call.drives.forget(id, principal).catch(() => undefined));
  return readOutcome(call, { id, nth }, entries);
}

/** What came of a reply that is whole: its client's tools are called, or the deliberation has ended. @throws Refused for no answer */
export async function readOutcome(
  call: ApiCall,
  { id, nth }: ApiTurn,
  all: readonly Entry[],
): Promise<ApiOutcome> {
  const turns = await turnsOf(call, all);
  const turn = turns[nth - 1];
  // What is recorded later, such as a grade, changes nothing in a reply: it has to be the same every time.
  const end = turn?.seq ?? all.find((entry) => isEvent(entry, "deliberation-closed"))?.seq ?? 0;
  const begun = turns[nth - 2]?.answered?.seq ?? 0;
  const entries = all.filter(({ seq }) => seq <= end);
  const { protocols } = call.parley.context({}, { principal: call.caller.principal });
  const result = await loadResult(protocols, entries);
  if (!result) throw new Error("a deliberation that has ended has a result");
  // What the replies before it took is on their bills.
  const before =
    begun > 0
      ? await loadResult(
          protocols,
          entries.filter(({ seq }) => seq <= begun),
        )
      : undefined;
  const stages = stageLines(entries, begun);
  const { format = null, stop = [], ignored = [] } = echoOf(entries) ?? {};
  const isLive = isToldLive({ format, stop });
  const writtenOf = (text: string) =>
    isLive
      ? writtenLive(
          entries.filter(({ seq }) => seq > begun),
          text,
        )
      : undefined;
  if (turn) {
    const calls = turn.calls.map((one, index) => calledAs(one, { ...turn, id: callId(id, nth, index) }));
    const text = shownOf(turn.said, turn.work === "answer").trimEnd();
    return {
      ...{ id, nth, calls, stages, text, degraded: "", written: writtenOf(text) },
      parley: describe(call, result, { ignored, formed: undefined }),
      finish: calls.some(({ form }) => form === "function_call") ? "function_call" : "tool_calls",
      usage: usageOf(result, entries, { before }),
    };
  }
  const said = textOf(result);
  if (said === undefined) throw withoutAnswer(result);
  const formed = format
    ? await formForClient(call, { id, entries, text: said.text, schema: format.schema })
    : undefined;
  const text = cutAt(formed?.text ?? said.text, stop);
  const { tool } = format ?? {};
  const demanded = tool && {
    ...{ id: `${id}`, name: tool.name, arguments: text },
    ...(tool.isFunction && { form: "function_call" as const }),
  };
  return {
    ...{ id, nth, stages, degraded: formed ? "" : said.degraded, written: writtenOf(text) },
    ...(demanded ? { text: "", calls: [demanded] } : { text, calls: [] }),
    parley: describe(call, result, { ignored, formed }),
    finish: tool ? (tool.isFunction ? "function_call" : "tool_calls") : said.isCut ? "length" : "stop",
    usage: usageOf(result, entries, { before, formed }),
  };
}

/** A model's call of a tool, as its client knows the tool. */
function calledAs(
  { name, arguments: written }: ToolCall,
  { offer, id }: Pick<ClientTurn, "offer"> & { readonly id: string },
): ApiToolCall {
  const as = offer.tools.find((tool) => tool.name === name)?.as ?? { name };
  if (as.form !== "custom") return { ...as, id, arguments: written };
  const { input } = fieldsIn(parseJson(written));
  return { ...as, id, arguments: typeof input === "string" ? input : written };
}

/** The answer, with what is missing of it; both sides where the participants did not agree. */
function textOf(
  result: Result,
): { readonly text: string; readonly degraded: string; readonly isCut: boolean } | undefined {
  const lacking = result.degraded.map(({ what, why }) => `${what}: ${why}`).join("; ");
  const isDegraded = result.status !== "answered" && lacking !== "";
  const isCut = result.degraded.some(({ why }) => why.startsWith("cut off"));
  if (result.answer !== null)
    return { text: result.answer, degraded: isDegraded ? `Degraded: ${lacking}` : "", isCut };
  if (result.status !== "inconclusive") return undefined;
  const sides = result.participants.flatMap(({ name, answer }) =>
    answer === null ? [] : [`${name}: ${answer}`],
  );
  return { text: ["There is no agreement.", ...sides].join("\n\n"), degraded: "", isCut: false };
}

const STATUS = new Map(Object.entries({ "stopped-by-budget": 402, cancelled: 400, failed: 502 }));

function withoutAnswer({ id, status, degraded, error }: Result): Refused {
  const why = degraded.map((one) => `${one.what}: ${one.why}`).join("; ");
  const detail = `${status}${why === "" ? "" : `: ${why}`}`;
  const next = status === "stopped-by-budget" ? "give it a larger budget" : `see deliberation ${id}`;
  return new Refused({ status: STATUS.get(status) ?? 502, code: error?.code ?? status, detail, next });
}

const cutAt = (text: string, stop: readonly string[]): string => {
  const places = stop.flatMap((one) => (one !== "" && text.includes(one) ? [text.indexOf(one)] : []));
  return places.length === 0 ? text : text.slice(0, Math.min(...places));
};

type Billed = {
  /** What earlier replies of the run took. */
  readonly before: Result | undefined;
  readonly formed?: Formed | undefined;
};

function usageOf(
  result: Result,
  entries: readonly Entry[],
  { before, formed }: Billed,
): ApiUsage | undefined {
  const all = [result, ...(formed ? formed.results : [])];
  if (all.some(({ tokens }) => tokens.in === null || tokens.out === null)) return undefined;
  const sum = (of: (one: Result) => number | null) =>
    all.reduce((total, one) => total + (of(one) ?? 0), 0) - (before ? (of(before) ?? 0) : 0);
  const out = sum(({ tokens }) => tokens.out);
  const written = formed?.results.at(-1)?.tokens.out;
  const own = written ?? ownTokens(entries, result) ?? 0;
  const isPriced = all.every(({ cost }) => cost.usd !== null);
  return {
    ...{ in: sum(({ tokens }) => tokens.in), out, cached: sum(({ tokens }) => tokens.cached) },
    reasoning: Math.max(0, out - own),
    ...(isPriced ? { cost: sum(({ cost }) => cost.usd) } : {}),
  };
}

/** What the call took whose reply is the answer; undefined where there is none. */
function ownTokens(entries: readonly Entry[], { answer }: Result): number | undefined {
  const event = [...answersIn(entries).values()].findLast(({ data }) => data.text === answer);
  return (event && callOf(event)?.tokens.out) ?? undefined;
}

function describe(
  { publicUrl }: Services,
  result: Result,
  { ignored, formed }: { readonly ignored: readonly string[]; readonly formed: Formed | undefined },
): ApiOutcome["parley"] {
  const { id, status, simulated, control, degraded, participants, cost, criticalPathMs } = result;
  return {
    ...{ id, url: `${publicUrl}api/v1/deliberations/${id}`, status, simulated, control, degraded },
    families: [...new Set(participants.flatMap(({ family }) => family ?? []))],
    ...{ cost, criticalPathMs, ignored },
    ...(formed ? { prose: result.answer, formed: formed.results.map((one) => one.id) } : {}),
  };
}
