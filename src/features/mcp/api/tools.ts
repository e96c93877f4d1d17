import {
  isInputRequiredResult,
  McpServer,
  type CallToolResult,
  type InputRequiredResult,
  type ToolAnnotations,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { loadShown } from "../../../app/result.ts";
import type { OpenedRun } from "../../../app/start.ts";
import { printable } from "../../../reports/printable.ts";
import { OfRun } from "../../../server/api/deliberations.ts";
import { namedRequest } from "../../../server/opening.ts";
import type { Me, Operation, OperationTool } from "../../../server/operation.ts";
import { Refused, refusalOf } from "../../../server/problem.ts";
import { readAll, missing, readingContext } from "../../../server/results.ts";
import { checkScope, type ApiRoute } from "../../../server/route.ts";
import { linkTo } from "./links.ts";
import { readNamedFiles } from "./named-files.ts";
import { registerPrompts } from "./prompts.ts";
import { inputOf, inputSchema, McpOutcome, OF_RESULT, outputOf, readArguments } from "./schemas.ts";
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
  readonly isCore: boolean;
  readonly when?: string | undefined;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly inputSchema: ReturnType<typeof inputOf>;
  readonly outputSchema: ReturnType<typeof outputOf>;
  run(call: RowCall): Promise<CalledTool>;
};

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const OPENS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
const RECORDS: ToolAnnotations = { ...OPENS, openWorldHint: false };

/** All tools in their order; `readsFiles`: whether a call may name files of its client's. */
export const toolRows = (
  operations: readonly Operation[],
  { readsFiles = false }: { readonly readsFiles?: boolean } = {},
): readonly ToolRow[] =>
  [
    ...operations.flatMap(({ tools = [] }) => tools.map((tool) => rowOf(tool, readsFiles))),
    ...[SHOW, WAIT],
  ].sort((one, other) => one.place - other.place);

function rowOf(tool: OperationTool, readsFiles: boolean): ToolRow {
  const { form, operation } = tool;
  const { name, title, place, when, takes, isCore = false, summary = operation.summary, hints } = form;
  const { needs, opens, output } = operation;
  const usual = opens ? OPENS : needs === "read" ? READS : RECORDS;
  return {
    ...{ name, title, place, isCore, when, needs },
    description: [summary, when && `Use it ${when}`, takes && `Usually ${takes}`]
      .flatMap((one) => (one ? [`${one}.`] : []))
      .join(" "),
    annotations: { ...usual, ...hints },
    inputSchema: inputOf(tool, readsFiles),
    outputSchema: outputOf(opens ? McpOutcome : output),
    async run(call) {
      const state = call.ctx.mcpReq.requestState<McpState>();
      const onDisconnect = call.args["on_disconnect"] as "continue" | "cancel" | undefined; // as its schema has read it
      // It goes on with the one that this call opened before somebody was asked.
      if (opens && state) return followRun(call, { id: state.id, onDisconnect });
      const read = await readNamedFiles(call);
      if (isInputRequiredResult(read)) return read;
      const given = await operation.run(meIn(read), readArguments(tool, read.args) as never); // its own fields
      if (!opens) return reply(given, form.words?.(given as never, read.args) ?? "Done.");
      const { opened, notes } = given as OpenedRun; // it opens one
      return followRun(call, { id: opened.deliberation, notes, onDisconnect });
    },
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
    return namedRequest({ caller, ...services }, { given, body, carrier: ctx.mcpReq._meta });
  },
});

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
  ...{ isCore: true, inputSchema: inputSchema(OfRun), outputSchema: outputOf(output) },
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
      "The whole result of a deliberation: answer, participants, cost, baseline, and the protocol's own part (section) with dissent, " +
      "ranking and reviews. Calls no model.",
  },
  z.looseObject(OF_RESULT),
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
      const work = carryOut(row, { ...session, ctx, codec, declared, args }); // read by the row's input
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

function instructionsOf(tools: readonly ToolRow[], readsFiles: boolean): string {
  const uses = tools.flatMap(({ name, when }) => (when === undefined ? [] : `${name} ${when}`));
  const lines = [
    "Parley puts a question before several models and gives back one answer with a full audit trail.",
    uses.length > 0 && `Use ${uses.join(", ")}.`,
    readsFiles && "Name files and a diff by files and diff rather than to repeat their texts.",
    "A deliberation takes seconds to minutes and goes on by itself: where a result has the status open, call wait with its id.",
    "Where it is waiting, a person has to say something: do what next says, and then wait.",
    "Give a request name when a call may be repeated: the repeat joins what the first one opened.",
    "Costs are real: estimate says what a question would take; tell the user and ask before you spend. maxCostUsd limits it.",
  ];
  return lines.filter(Boolean).join("\n");
}

/** A server of MCP for one caller: of one request over HTTP, of one connection over stdio. */
export function createMcpServer(given: McpSession, tools: readonly ToolRow[]): McpServer {
  const session = { ...given, takesAnswers: tools.some(({ name }) => name === "answer") };
  const { isNotified, services, caller } = session;
  const readsFiles = session.roots !== undefined;
  const server = new McpServer(
    { name: "parley", title: "Parley", version: services.config.version },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { subscribe: isNotified, listChanged: isNotified },
      },
      instructions: instructionsOf(tools, readsFiles),
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
  registerPrompts(server, { tools, readsFiles });
  return server;
}
