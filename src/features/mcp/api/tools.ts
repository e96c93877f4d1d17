import {
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import type * as z from "zod";
import { loadShown } from "../../../app/result.ts";
import type { OpenedRun } from "../../../app/start.ts";
import { printable } from "../../../reports/printable.ts";
import { OfRun } from "../../../server/api/deliberations.ts";
import { Result } from "../../../server/api/schemas.ts";
import { namedRequest } from "../../../server/opening.ts";
import type { Me, Operation, OperationTool } from "../../../server/operation.ts";
import { Refused, refusalOf } from "../../../server/problem.ts";
import { readAll, missing, readingContext } from "../../../server/results.ts";
import { checkScope, type ApiRoute } from "../../../server/route.ts";
import { linkTo } from "./links.ts";
import { inputOf, McpOutcome, readArguments, toolSchema } from "./schemas.ts";
import { registerResources } from "./resources.ts";
import { stateCodec, type McpCall, type McpSession, type McpState } from "./session.ts";
import { answerWords, followRun } from "./waiting.ts";

// Tools take and give what the native API does, by the same schemas; their list has always the same order.

type CalledTool = CallToolResult | InputRequiredResult;
type RowCall = McpCall & { readonly args: Readonly<Record<string, unknown>> };

/** A tool as a server of MCP registers it. */
export type ToolRow = Pick<ApiRoute, "needs"> & {
  readonly name: string;
  readonly title: string;
  readonly place: number;
  readonly when?: string | undefined;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: ReturnType<typeof toolSchema>;
  readonly outputSchema: ReturnType<typeof toolSchema>;
  run(call: RowCall): Promise<CalledTool>;
};

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const OPENS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
const RECORDS: ToolAnnotations = { ...OPENS, openWorldHint: false };

export const toolRows = (operations: readonly Operation[]): readonly ToolRow[] =>
  [...operations.flatMap(({ tools = [] }) => tools.map(rowOf)), SHOW, WAIT].sort(
    (one, other) => one.place - other.place,
  );

function rowOf(tool: OperationTool): ToolRow {
  const { form, operation } = tool;
  const { name, title, place, when, summary = operation.summary, hints } = form;
  const { needs, opens, output } = operation;
  const usual = opens ? OPENS : needs === "read" ? READS : RECORDS;
  return {
    ...{ name, title, place, when, needs },
    description: `${summary}.`,
    annotations: { ...usual, ...hints },
    inputSchema: toolSchema(inputOf(tool), name),
    outputSchema: toolSchema(opens ? McpOutcome : output),
    run: (call) => (opens ? openAnd(call, tool) : giveOf(call, tool)),
  };
}

const meIn = ({ services, caller, ctx, checkDepth, args }: RowCall): Me => ({
  ...services,
  caller,
  checkDepth,
  signal: ctx.mcpReq.signal,
  context: () => readingContext(services.parley, caller.principal),
  named: (body) => {
    const given = args["request"] as string | undefined; // as its schema has read it
    return namedRequest({ caller, world: services.world }, { given, body });
  },
});

async function giveOf(call: RowCall, tool: OperationTool): Promise<CalledTool> {
  const { args } = call;
  const given = await tool.operation.run(meIn(call), readArguments(tool, args) as never); // its own fields
  return reply(given, tool.form.words?.(given as never, args) ?? "Done.");
}

/** Opens a deliberation, or goes on with the one that this call opened before somebody was asked, and waits. */
async function openAnd(call: RowCall, tool: OperationTool): Promise<CalledTool> {
  const onDisconnect = call.args["on_disconnect"] as "continue" | "cancel" | undefined; // as its schema has read it
  const state = call.ctx.mcpReq.requestState<McpState>();
  if (state) return followRun(call, { id: state.id, onDisconnect });
  const begun = await tool.operation.run(meIn(call), readArguments(tool, call.args) as never); // its own fields
  const { opened, notes } = begun as OpenedRun; // it opens one
  return followRun(call, { id: opened.deliberation, notes, onDisconnect });
}

const reply = (value: unknown, text: string, links: CallToolResult["content"] = []): CallToolResult => ({
  content: [{ type: "text", text: printable(text) }, ...links],
  structuredContent: value,
});

/** A tool that is no operation of the native API's: there, a result is read by its address. */
const ofRun = (
  row: Pick<ToolRow, "name" | "title" | "place" | "description" | "annotations">,
  output: z.ZodType,
  run: (call: McpCall, found: Awaited<ReturnType<typeof readAll>>) => Promise<CalledTool>,
): ToolRow => ({
  ...row,
  needs: "read",
  inputSchema: toolSchema(OfRun, row.name),
  outputSchema: toolSchema(output),
  run: async (call) =>
    run(call, await readAll(call.services.parley, call.caller.principal, String(call.args["id"]))),
});

const SHOW = ofRun(
  {
    name: "show",
    title: "Show a deliberation",
    place: 5,
    annotations: READS,
    description:
      "The whole result of a deliberation: answer, participants, baseline and the protocol's own part.",
  },
  Result,
  async ({ services: { parley }, caller: { principal } }, { id, entries }) => {
    const shown = await loadShown(readingContext(parley, principal).protocols, entries);
    if (!shown) throw missing(id);
    return reply(shown.result, answerWords(shown), [linkTo(id, shown.result.question)]);
  },
);
const WAIT = ofRun(
  {
    name: "wait",
    title: "Wait for a deliberation",
    place: 7,
    annotations: { ...RECORDS, idempotentHint: true },
    description:
      "Wait until a deliberation has ended, or asks a person something. Call it again while status is open.",
  },
  McpOutcome,
  (call, { id }) => followRun(call, { id }),
);

function registerTools(server: McpServer, session: McpSession, rows: readonly ToolRow[]): void {
  const codec = stateCodec(session.caller);
  for (const row of rows)
    server.registerTool(row.name, row, (args, ctx) => {
      const declared = server.server.getClientCapabilities();
      const work = carryOut(row, { ...session, ctx, codec, declared, args: args as RowCall["args"] }); // read by the row's input
      session.onCall(work);
      return work;
    });
}

/** A refusal is a result that says so: models read it and mend their call. An unexpected error says nothing of its own. */
async function carryOut(row: ToolRow, call: RowCall): Promise<CalledTool> {
  try {
    checkScope(call.caller, row.needs);
    return await row.run(call);
  } catch (error) {
    const { status, code, detail, next } = refusalOf(error);
    if (status >= 500 && !(error instanceof Refused))
      call.log(
        `tool ${row.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
    const said = detail.replace("this Idempotency-Key", "this request's name");
    const text = next === undefined ? said : `${said}; ${next}`;
    return {
      isError: true,
      content: [{ type: "text", text: printable(text) }],
      _meta: { "parley/code": code },
    };
  }
}

const HOUR_MS = 3_600_000;
const COMMON = { ttlMs: HOUR_MS, cacheScope: "public" } as const;
const OWN = { ttlMs: 0, cacheScope: "private" } as const;

const instructionsOf = (
  tools: readonly ToolRow[],
): string => `Parley puts a question before several models and gives back one answer with a full audit trail.
Use ${tools.flatMap(({ name, when }) => (when === undefined ? [] : `${name} ${when}`)).join(", ")}.
A deliberation takes seconds to minutes and goes on by itself: where a result has the status open, call wait with its id.
Where it is waiting, a person has to say something: ask them, pass their words on with answer, and then wait.
Give a request name when a call may be repeated: the repeat joins what the first one opened.
Costs are real: estimate says what a question would take, maxCostUsd and maxCalls limit it.`;

/** A server of MCP for one caller: of one request over HTTP, of one connection over stdio. */
export function createMcpServer(session: McpSession, tools: readonly ToolRow[]): McpServer {
  const { isNotified, services, caller } = session;
  const server = new McpServer(
    { name: "parley", title: "Parley", version: services.config.version },
    {
      capabilities: {
        tools: { listChanged: false },
        // There are none, and a client that asks for them hears so.
        prompts: { listChanged: false },
        resources: { subscribe: isNotified, listChanged: isNotified },
      },
      instructions: instructionsOf(tools),
      cacheHints: {
        ...{ "server/discover": COMMON, "tools/list": COMMON, "resources/templates/list": COMMON },
        ...{ "prompts/list": COMMON, "resources/list": OWN, "resources/read": OWN },
      },
      requestState: { verify: stateCodec(caller).verify },
      // Persons are asked by our own requests, so that notices go on meanwhile.
      inputRequired: { legacyShim: false },
    },
  );
  registerTools(server, session, tools);
  registerResources(server, session);
  return server;
}
