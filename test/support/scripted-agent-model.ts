import type { ServerResponse } from "node:http";
import { openFakeServer, type FakeServer } from "./fake-server.ts";

// In place of a coding agent's model, over the three APIs that such agents speak: as soon as it is given a tool of the name it calls that
// one, and after its result it says so. Until then it waits, by a tool of the agent's own.

type SentBody = {
  readonly model?: string;
  readonly tools?: readonly SentTool[];
  readonly messages?: readonly object[];
  readonly input?: readonly object[];
};
type SentTool = {
  readonly name?: string;
  readonly function?: { readonly name: string };
  /** Codex has the tools of a server under one name. */
  readonly tools?: readonly { readonly name: string }[];
};
type NamedTool = { readonly name: string; readonly namespace?: string };

export const AFTER_CALL = "The tool has answered.";
const CALL = "call_of_the_tool";
const MAX_WAITS = 30;

export type ScriptedModel = AsyncDisposable & {
  readonly url: string;
  /** The names of the tools of the last request that had any of Parley's. */
  readonly tools: () => readonly string[];
  /** What the tool gave, as the agent passed it on. */
  readonly lastResult: () => string;
  /** All that was sent to it. */
  readonly sent: () => string;
};

export async function scriptedAgentModel(tool: RegExp, given: object): Promise<ScriptedModel> {
  let seen: readonly string[] = [];
  const server: FakeServer = await openFakeServer(async (response, { path, body }) => {
    const api = /\/(messages|responses|chat\/completions)(?:$|\?)/.exec(path)?.[1];
    if (api === undefined) return void response.end('{"data":[],"models":[]}');
    const sent = JSON.parse(body) as SentBody;
    const tools = toolsIn(sent);
    const own = tools.filter(({ name, namespace = "" }) => /parley/.test(name) || /parley/.test(namespace));
    if (own.length > 0) seen = own.map(({ name }) => name.replace(/^.*parley_+/, ""));
    const wanted = own.find(({ name }) => tool.test(name));
    const turns = (sent.messages ?? sent.input ?? []).length;
    const call = { id: CALL, tool: wanted, given };
    const pause = tools.find(({ name }) => /^(?:WaitForMcpServers|exec_command|bash)$/.test(name));
    const waiting = {
      ...{ id: `call_${turns}`, tool: pause },
      given:
        pause?.name === "WaitForMcpServers"
          ? {}
          : { cmd: "sleep 1", command: "sleep 1", description: "wait" },
    };
    const isDone = body.includes(CALL);
    const next = isDone || tools.length === 0 || turns > MAX_WAITS ? undefined : wanted ? call : waiting;
    SAYS[api as keyof typeof SAYS](
      response,
      next?.tool ? { ...next, tool: next.tool } : undefined,
      sent.model,
    );
  });
  return {
    url: server.url,
    tools: () => seen,
    lastResult: () => {
      const last = server.received.findLast(({ body }) => body.includes(CALL))?.body ?? "";
      return last.slice(last.lastIndexOf(CALL) - 200, last.lastIndexOf(CALL) + 2_000);
    },
    sent: () => server.received.map(({ body }) => body).join("\n"),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const toolsIn = ({ tools = [] }: SentBody): readonly NamedTool[] =>
  tools.flatMap(({ name = "", function: own, tools: below }) =>
    below ? below.map((one) => ({ name: one.name, namespace: name })) : [{ name: own?.name ?? name }],
  );

type NextCall = { readonly id: string; readonly tool: NamedTool; readonly given: object };
type Says = (response: ServerResponse, call: NextCall | undefined, model?: string) => void;

function stream(response: ServerResponse, events: readonly (object | string)[]): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) {
    const name = typeof event === "object" && "type" in event ? `event: ${String(event.type)}\n` : "";
    response.write(`${name}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  }
  response.end();
}

const SAYS: { readonly [api in "messages" | "responses" | "chat/completions"]: Says } = {
  messages(response, call, model) {
    const usage = { input_tokens: 1, output_tokens: 1 };
    const begun = {
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    };
    const block = call
      ? { type: "tool_use", id: `toolu_${call.id}`, name: call.tool.name, input: {} }
      : { type: "text", text: "" };
    const delta = call
      ? { type: "input_json_delta", partial_json: JSON.stringify(call.given) }
      : { type: "text_delta", text: AFTER_CALL };
    stream(response, [
      { type: "message_start", message: { id: "msg_1", ...begun, usage } },
      { type: "content_block_start", index: 0, content_block: block },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: call ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ]);
  },
  responses(response, call) {
    const text = [{ type: "output_text", text: AFTER_CALL, annotations: [] }];
    const item = call
      ? {
          ...{ type: "function_call", id: `fc_${call.id}`, call_id: call.id, status: "completed" },
          ...{ ...call.tool, arguments: JSON.stringify(call.given) },
        }
      : { type: "message", id: "msg_1", role: "assistant", status: "completed", content: text };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    stream(response, [
      { type: "response.created", response: { id: "resp_1", status: "in_progress" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: "resp_1", status: "completed", output: [item], usage } },
    ]);
  },
  "chat/completions"(response, call, model) {
    const chunk = { id: "chat_1", object: "chat.completion.chunk", created: 1, model };
    const named = call && { name: call.tool.name, arguments: JSON.stringify(call.given) };
    const delta = call
      ? { role: "assistant", tool_calls: [{ index: 0, id: call.id, type: "function", function: named }] }
      : { role: "assistant", content: AFTER_CALL };
    const finish_reason = call ? "tool_calls" : "stop";
    stream(response, [
      { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      "[DONE]",
    ]);
  },
};
