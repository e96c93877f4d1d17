import * as z from "zod";
import type { CallSpec, ReadReply, ReplyEventType, StepOutcome } from "../../engine/index.ts";
import {
  callOf,
  isEvent,
  parseJson,
  ParticipantId,
  personModel,
  ToolSpec,
  type Call,
  type Entry,
  type Event,
  type Message,
  type ToolCall,
} from "../../kernel/index.ts";
import { fence } from "../../prompts/material.ts";
import { CLIENT_TOOLS, ClientLeft, type WritingContext } from "./reply.ts";

// The tools of a client of the API are run by that client: the turn that writes the answer calls them, and the run waits, as for a seat,
// until the client has sent what they gave. What follows is a step of its own, `<step>/turn-<n>`, so that nothing before it is paid again.
// Who drafts advises, and calls none.
// A call of a tool that the client does not have is answered here, so that no client is asked for what it cannot do.

/** Who is waited for. */
export const TOOL_CLIENT = "client-tools";

/** What a client calls a tool: `form` where it is no function with an id, `namespace` where several have its name. */
const ClientName = z.strictObject({
  name: z.string(),
  form: z.enum(["custom", "function_call"]).optional(),
  namespace: z.string().optional(),
});
export type ClientName = z.infer<typeof ClientName>;

/** Whether an event is of a seat in which it is waited for what a client's tools give. */
export const isToolSeat = <T extends "seat-opened" | "seat-answered">(
  entry: Entry,
  ...types: readonly T[]
): entry is Event<T> => isEvent(entry, ...types) && entry.data.person === TOOL_CLIENT;

/** A tool of a client. `as`: what its client calls it, where that is not as models do. */
export const ClientTool = ToolSpec.extend({ as: ClientName.optional() });
export type ClientTool = z.infer<typeof ClientTool>;

const OFFER = {
  tools: z.array(ClientTool).max(1_000),
  /** The next turn has to call one. */
  required: z.literal(true).optional(),
  /** One call a turn. */
  single: z.literal(true).optional(),
};

/** What an opening pins of its client's tools. `done`: what the client says was called and given before, in words. */
export const ClientTools = z.strictObject({ ...OFFER, done: z.string().optional() });
export type ClientTools = z.infer<typeof ClientTools>;

/** What a client sent: what each call gave, in their order; `said`: what it said beside; and what may be called from now on, where that changed. */
export const ToolResults = z.strictObject({
  results: z.array(z.string()),
  said: z.string().optional(),
  offer: z.strictObject(OFFER).optional(),
});
export type ToolResults = z.infer<typeof ToolResults>;

/** More turns than any client takes; after them the answer is written without tools. */
const MAX_TURNS = 200;

/** The calls of a reply that a client is asked for; the others are answered at once. */
export function askedCalls(
  calls: readonly ToolCall[],
  { tools, single }: Pick<ClientTools, "tools" | "single">,
): readonly ToolCall[] {
  const known = calls.filter(({ name }) => tools.some((tool) => tool.name === name));
  return single ? known.slice(0, 1) : known;
}

/** The step of a turn, from 1, and the one that waits for what its calls give. */
export const turnStep = (step: string, turn: number): string => (turn === 1 ? step : `${step}/turn-${turn}`);
const clientStep = (step: string, turn: number): string => `${step}/client-${turn}`;

/** Makes the calls of a turn that writes the answer, with its client's tools. @throws ClientLeft where the client sent nothing in time */
export async function writeWithTools<T extends ReplyEventType>(
  context: WritingContext,
  spec: CallSpec<T>,
  read: ReadReply<T>,
): Promise<Event<T>> {
  const { run } = context;
  const { done, ...pinned } = ClientTools.parse(JSON.parse(context.template(CLIENT_TOOLS)));
  const by = ParticipantId.parse(spec.work?.by ?? "client");
  const messages: Message[] = spec.request.messages.map((message, index, { length }) =>
    done === undefined || index < length - 1
      ? message
      : {
          ...message,
          text: `${message.text}\n\n${fence(context, { kind: "tool", label: "so far", text: done })}`,
        },
  );
  let offer: ToolResults["offer"] = pinned;
  for (let turn = 1; ; turn += 1) {
    const tools = turn > MAX_TURNS ? [] : offer.tools.map(({ as: _as, ...tool }) => tool);
    const callsOf = (call: Call): readonly ToolCall[] =>
      call.ok && tools.length > 0 ? (call.toolCalls ?? []) : [];
    const event: Event<T | "reply-received"> = await run.call<T | "reply-received">(
      {
        ...spec,
        key: turnStep(spec.key, turn),
        ...(turn > 1 && spec.work ? { work: { ...spec.work, nth: turn } } : {}),
        outcomes: [...spec.outcomes, "reply-received"],
        request: {
          ...spec.request,
          messages: [...messages],
          ...(tools.length > 0 ? { tools, ...(offer.required ? { mustCall: true } : {}) } : {}),
        },
      },
      // `StepOutcome` distributes over the types that the step declares.
      (call) =>
        (callsOf(call).length > 0
          ? { type: "reply-received", data: { by, why: "it calls its client's tools" } }
          : read(call)) as StepOutcome<NoInfer<T | "reply-received">>,
    );
    const made = callOf(event);
    const calls = made ? callsOf(made) : [];
    if (!made?.ok || calls.length === 0) return event as Event<T>;
    const asked = askedCalls(calls, offer);
    const given = asked.length === 0 ? undefined : await resultsOf(context, { spec, turn, by, asked });
    messages.push({
      ...{ role: "assistant", text: made.reply, toolCalls: [...calls] },
      ...(made.thinking && { thinking: made.thinking }),
    });
    for (const call of calls) {
      const isKnown = tools.some(({ name }) => name === call.name);
      const why = isKnown ? "not called: one call at a time" : "there is no such tool";
      const text = given?.results[asked.indexOf(call)] ?? why;
      const fenced = fence(context, { kind: "tool", label: call.name, text });
      messages.push({ role: "tool", id: call.id, text: fenced });
    }
    if (given?.said !== undefined) messages.push({ role: "user", text: given.said });
    offer = given?.offer ?? { ...offer, required: undefined }; // what was demanded was called
  }
}

type ToolWait = {
  readonly spec: CallSpec<ReplyEventType>;
  readonly turn: number;
  readonly by: ParticipantId;
  readonly asked: readonly ToolCall[];
};

/** Waits for what a client's tools give, as for a person. @throws ClientLeft */
async function resultsOf(
  { run }: WritingContext,
  { spec, turn, by, asked }: ToolWait,
): Promise<ToolResults | undefined> {
  const event = await run.call(
    {
      key: clientStep(spec.key, turn),
      outcomes: ["reply-received"],
      work: { kind: "tool", by, nth: turn },
      request: {
        model: personModel(TOOL_CLIENT),
        messages: [{ role: "assistant", text: "", toolCalls: [...asked] }],
        maxOutputTokens: 1,
      },
    },
    () => ({ type: "reply-received", data: { by, why: "what its client's tools gave" } }),
  );
  const answered = callOf(event);
  if (!answered?.ok) throw new ClientLeft(answered ? answered.failure.message : "its client sent no results");
  return readResults(answered.reply);
}

/** What a client sent, as recorded; nothing where it was recorded by somebody else in another form. */
export const readResults = (text: string): ToolResults | undefined =>
  ToolResults.safeParse(parseJson(text)).data;
