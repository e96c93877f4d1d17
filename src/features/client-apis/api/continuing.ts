import {
  askedCalls,
  ClientTools,
  isToolSeat,
  readResults,
  TOOL_CLIENT,
  turnStep,
  type ToolResults,
} from "../../../protocols/phases/client-tools.ts";
import { CLIENT_TOOLS } from "../../../protocols/phases/reply.ts";
import { textDigest } from "../../../engine/index.ts";
import {
  callOf,
  canonical,
  DeliberationId,
  isEvent,
  parseJson,
  seatRequest,
  UserId,
  type Digest,
  type Entry,
  type Event,
  type Opening,
  type OrganizationStore,
  type StepKey,
  type ToolCall,
} from "../../../kernel/index.ts";
import { toText } from "../../../models/loose.ts";
import { Refused } from "../../../server/problem.ts";
import { isClosed } from "../../../views/result.ts";
import { Content, createParts, fieldsIn } from "./parts.ts";
import type { ApiCall } from "./structured.ts";
import type { SentTools } from "./tools.ts";
import { callsIn, readMessages, toolWords, type SentConversation, type SentMessage } from "./turns.ts";

// CLIENT-1. What a client's tools gave goes to the run that called them, for the credential that opened it and nobody else's: the run goes
//     on, and its drafts are not paid again. Else: a stranger's results become an answer, or every step of an agent pays for a council.
// The run is in the ids of its calls or, where a client writes its own, found by the digest of what was said before them. A history that
// was changed, or whose run has ended, forks that run: what was drafted stands, and who writes is told in words what was called since.

/** A turn of a run in which its client's tools were called. */
export type ClientTurn = {
  /** From 1, in the run. */
  readonly nth: number;
  readonly step: StepKey;
  /** The event that opened its wait. */
  readonly seq: number;
  /** What its client is asked for. */
  readonly calls: readonly ToolCall[];
  /** What was said before them. */
  readonly said: string;
  readonly work: string | undefined;
  readonly answered: { readonly seq: number; readonly results: ToolResults } | undefined;
  /** What its calls are among. */
  readonly offer: Pick<ClientTools, "tools" | "required" | "single">;
};

/** The turns of a run in which its client's tools were called, by its record and what its opening pins. */
export function clientTurns(entries: readonly Entry[], pinned: ClientTools): readonly ClientTurn[] {
  const turns: ClientTurn[] = [];
  const { done: _done, ...first } = pinned;
  let offer: ClientTurn["offer"] = first;
  for (const entry of entries) {
    if (!isToolSeat(entry, "seat-opened")) continue;
    const { step } = entry.data;
    const [, base = "", nth = "1"] = /^(.*)\/client-(\d+)$/.exec(step) ?? [];
    const spoken = entries.find(
      ({ origin, type }) =>
        type === "reply-received" && "step" in origin && origin.step === turnStep(base, Number(nth)),
    );
    const call = spoken && callOf(spoken);
    const answer = entries.find(
      (one): one is Event<"seat-answered"> => isToolSeat(one, "seat-answered") && one.data.step === step,
    );
    const results = answer && readResults(answer.data.text);
    turns.push({
      ...{ nth: turns.length + 1, step, seq: entry.seq, offer },
      calls: call?.ok ? askedCalls(call.toolCalls ?? [], offer) : [],
      said: call?.ok ? call.reply : "",
      work: spoken && "work" in spoken.origin ? spoken.origin.work?.kind : undefined,
      answered: answer && results ? { seq: answer.seq, results } : undefined,
    });
    offer = results?.offer ?? offer;
  }
  return turns;
}

/** How often a run has called its client's tools. */
export const countTurns = (entries: readonly Entry[]): number =>
  entries.filter((entry) => isToolSeat(entry, "seat-opened")).length;

/** How often it was sent what they gave. */
export const countReplied = (entries: readonly Entry[]): number =>
  entries.filter((entry) => isToolSeat(entry, "seat-answered")).length;

/** What a run's opening pins of its client's tools; undefined where it brought none. */
export async function pinnedTools(
  store: Pick<OrganizationStore, "text">,
  opening: Pick<Opening, "templates"> | undefined,
): Promise<ClientTools | undefined> {
  const digest = new Map(Object.entries(opening?.templates ?? {})).get(CLIENT_TOOLS);
  return digest === undefined ? undefined : ClientTools.parse(JSON.parse(await store.text(digest)));
}

/** The id that a call has for its client. */
export const callId = (id: DeliberationId, nth: number, index: number): string => `${id}_${nth}_${index + 1}`;

type CallPlace = { readonly id: DeliberationId; readonly nth: number; readonly index: number };

/** The place of a call in its run; undefined for an id of somebody else's. */
function placeOf(given: unknown): CallPlace | undefined {
  const [, name, nth, index] = /^[a-z]+_(.+)_(\d{1,6})_(\d{1,6})$/.exec(toText(given).slice(0, 200)) ?? [];
  const id = DeliberationId.safeParse(name).data;
  return id === undefined ? undefined : { id, nth: Number(nth), index: Number(index) - 1 };
}

/** The digest of what was said before a run, but for instructions: agents put the time into them. */
export const digestOfTalk = ({
  history,
  question,
  files,
}: Pick<SentConversation, "history" | "question" | "files">): Digest =>
  textDigest(canonical({ history, question, files }));

/** A run that a request goes on with: `nth` counts the turns up to the one that is now awaited. `fork`: what it is asked with instead. */
export type Continued =
  | { readonly id: DeliberationId; readonly nth: number }
  | { readonly fork: DeliberationId; readonly done: string };

export type ToolTalk = {
  /** As the client sent it; of a response that goes on with another, what came since alone. */
  readonly messages: readonly SentMessage[];
  readonly model: string;
  readonly offer: SentTools["offer"];
  /** The response that it goes on with. */
  readonly previous?: DeliberationId | undefined;
};

/** What was called since the last question, a round a turn. */
type ToolRound = {
  readonly at: number;
  readonly called: readonly ReturnType<typeof callsIn>[number][];
  readonly given: readonly { readonly id: unknown; readonly text: string }[];
  readonly said: string;
};

/** Where what a client's tools gave belongs; undefined for a request that brings none, or of which no run is known. */
export async function findContinued(call: ApiCall, talk: ToolTalk): Promise<Continued | undefined> {
  const rounds = roundsSince(talk.messages);
  const last = rounds.at(-1);
  if (last === undefined || last.given.length === 0) return undefined;
  const { store } = call.parley.context({}, { principal: call.caller.principal });
  const named = placeOf(last.given[0]?.id)?.id;
  const first = named === undefined ? 0 : rounds.findIndex((one) => placeOf(one.given[0]?.id)?.id === named);
  const own = rounds.slice(first);
  const before = talk.messages.slice(0, own[0]?.at ?? 0);
  const base = talk.previous === undefined ? digestOfTalk(readMessages(before)) : undefined;
  const id = named ?? (base === undefined ? undefined : await findByTalk(call, base));
  const isOther = talk.previous !== undefined && id !== talk.previous;
  const entries = id === undefined || isOther ? [] : await store.read(id).catch((): readonly Entry[] => []);
  const opening = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data;
  const pinned = await pinnedTools(store, opening);
  if (id === undefined || opening === undefined || pinned === undefined || !isOwn(call, opening)) {
    if (talk.previous === undefined) return undefined;
    const detail = "there is no response of this key that waits for what its tools gave";
    throw new Refused({ status: 404, code: "response_not_found", detail });
  }
  const { echo = {} } = opening.client ?? {};
  if (base !== undefined && (echo["talk"] !== base || echo["model"] !== talk.model)) return undefined;

  const turns = clientTurns(entries, pinned);
  const sent = own.map((round, index) => {
    const nth = named === undefined ? index + 1 : (placeOf(round.given[0]?.id)?.nth ?? 0);
    const turn = turns[nth - 1];
    const results = turn?.calls.map((_, place) => {
      const at = round.given.findIndex(({ id: of }, order) =>
        named === undefined ? order === place : placeOf(of)?.index === place,
      );
      return round.given[at]?.text ?? "(nothing was sent)";
    });
    return { turn, results: results ?? [], round };
  });
  const latest = sent.at(-1);
  const isWhole =
    talk.previous !== undefined ||
    (sent.length === latest?.turn?.nth && sent.every((one) => isAsCalled(one)));
  const isSame = sent
    .slice(0, -1)
    .every(
      ({ turn, results }) =>
        turn?.answered && canonical(turn.answered.results.results) === canonical(results),
    );
  if (latest?.turn && isWhole && isSame && (await takeResults(call, { id, entries, latest, talk })))
    return { id, nth: latest.turn.nth + 1 };
  return { fork: id, done: toolWords(tailOf(talk, { own, turns, latest })) };
}

type SentRound = {
  readonly turn: ClientTurn | undefined;
  readonly results: readonly string[];
  readonly round: ToolRound;
};

/** Whether a client repeats the calls of a turn as they were made. */
const isAsCalled = ({ turn, round }: SentRound): boolean =>
  turn !== undefined &&
  turn.calls.every(({ arguments: made }, index) => {
    const sent = round.called[index];
    const given = { ...sent, ...fieldsIn(sent?.["function"]) }["arguments"];
    // Of a tool of any text the input alone is repeated, and some clients write arguments anew.
    return typeof given !== "string" || given === made || comparable(given) === comparable(made);
  });

function comparable(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : canonical(value);
}

type Taking = {
  readonly id: DeliberationId;
  readonly entries: readonly Entry[];
  readonly latest: SentRound;
  readonly talk: ToolTalk;
};

/** Records what a client's tools gave, or finds it recorded; false where something else is, or nothing is awaited any more. */
async function takeResults(
  { parley, caller, drives }: ApiCall,
  { id, entries, latest, talk }: Taking,
): Promise<boolean> {
  const { turn, results, round } = latest;
  if (!turn) return false;
  if (turn.answered) return canonical(turn.answered.results.results) === canonical(results);
  if (isClosed(entries)) return false;
  const { principal } = caller;
  const { store } = parley.context({}, { principal });
  const offer = { ...talk.offer, tools: [...(talk.offer?.tools ?? [])] };
  const { required: _required, ...before } = turn.offer;
  const given: ToolResults = {
    results: [...results],
    ...(round.said === "" ? {} : { said: round.said }),
    ...(canonical(offer) === canonical(before) ? {} : { offer }),
  };
  const { step } = turn;
  const data = { step, person: UserId.parse(TOOL_CLIENT), text: JSON.stringify(given) };
  const origin = { by: "client", request: seatRequest(step) } as const;
  const appended = await store.append(id, [{ type: "seat-answered", data }], origin);
  if (!appended.ok) return false;
  drives.add(id, principal);
  if (appended.fresh) return true;
  const [known] = appended.events;
  const text = known && isEvent(known, "seat-answered") ? known.data.text : "";
  return canonical(readResults(text)?.results ?? []) === canonical(results);
}

/** Whether a run was opened by the credential, and for the person, that asks. (CLIENT-1) */
const isOwn = ({ caller }: Pick<ApiCall, "caller">, { client, user }: Opening): boolean =>
  client?.key === caller.credential.id && (user === undefined || user === caller.principal.user);

/** The latest run of the same credential that was opened after the same words. */
async function findByTalk({ parley, caller }: ApiCall, base: Digest): Promise<DeliberationId | undefined> {
  const { store } = parley.context({}, { principal: caller.principal });
  const opening = [`"key":${canonical(caller.credential.id)}`, `"talk":${canonical(base)}`];
  const [found] = await store.list({ limit: 1, opening });
  return found?.id;
}

/** What a client's tools gave since its last question. */
function roundsSince(messages: readonly SentMessage[]): readonly ToolRound[] {
  const asked = messages.findLastIndex(({ role, beside }) => role === "user" && beside !== true);
  const rounds: {
    at: number;
    called: ToolRound["called"][number][];
    given: ToolRound["given"][number][];
    said: string;
  }[] = [];
  for (const [index, sent] of messages.entries()) {
    if (index <= asked || sent.role === "system" || sent.role === "developer") continue;
    const latest = rounds.at(-1);
    const isResult = sent.role === "tool" || sent.role === "function";
    if (latest === undefined || (sent.role === "assistant" && latest.given.length > 0))
      rounds.push({ at: index, called: [], given: [], said: "" });
    const round = rounds.at(-1);
    if (!round) continue;
    if (sent.role === "assistant") round.called.push(...callsIn(sent));
    else if (isResult) round.given.push({ id: sent["tool_call_id"], text: textIn(sent.content) });
    else round.said = [round.said, textIn(sent.content)].filter(Boolean).join("\n");
  }
  return rounds;
}

/** What a tool gave, in words: who writes cannot be shown a picture any more. */
function textIn(content: unknown): string {
  const read = Content.safeParse(content);
  if (read.success) return createParts(0).wordsOfTool(read.data, "");
  return content === undefined || content === null ? "" : JSON.stringify(content);
}

type Tail = {
  readonly own: readonly ToolRound[];
  readonly turns: readonly ClientTurn[];
  readonly latest: SentRound | undefined;
};

/** The messages that a fork tells in words: those of a response that went on with another are known by its run. */
function tailOf({ messages, previous }: ToolTalk, { own, turns, latest }: Tail): readonly SentMessage[] {
  if (previous === undefined) return messages.slice(own[0]?.at ?? 0);
  return turns.slice(0, latest?.turn?.nth ?? 0).flatMap(({ nth, calls, said, answered }): SentMessage[] => {
    const results = nth === latest?.turn?.nth ? latest.results : (answered?.results.results ?? []);
    return [
      { role: "assistant", content: said, tool_calls: calls },
      ...calls.map(({ id }, index): SentMessage => ({
        ...{ role: "tool", tool_call_id: id },
        content: results[index] ?? "",
      })),
    ];
  });
}
