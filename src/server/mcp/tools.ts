import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ToolAnnotations,
} from "@modelcontextprotocol/server";
import * as z from "zod";
import { ModelList, RunEstimate } from "../../contract/figures.ts";
import { Answered, Cancelled, FeedbackReply, Listed } from "../../contract/runs.ts";
import { listRuns } from "../../app/lookup.ts";
import { searchMemory } from "../../app/memory.ts";
import { modelTable } from "../../app/model-table.ts";
import { loadShown } from "../../app/result.ts";
import type { StartRequest } from "../../app/start.ts";
import type { Scope } from "../../kernel/index.ts";
import { printable } from "../../reports/printable.ts";
import { pluralize } from "../../text/format.ts";
import { MemorySearch } from "../../views/memory-view.ts";
import { ForkBody, NewRequest, Result } from "../api/schemas.ts";
import { namedRequest, openOnce } from "../opening.ts";
import { Refused, refusalOf } from "../problem.ts";
import { readAll } from "../results.ts";
import { missing, readingContext } from "../route.ts";
import { cancelRun, recordAnswer, resumeRun } from "../steering.ts";
import { linkTo } from "./links.ts";
import * as input from "./schemas.ts";
import type { McpCall, McpSession } from "./session.ts";
import { stateCodec, type McpState } from "./state.ts";
import { answerWords, followRun } from "./waiting.ts";

type CalledTool = CallToolResult | InputRequiredResult;
type CallWith<A> = McpCall & { readonly args: A };

type ToolRow = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly needs: Scope;
  readonly hints: ToolAnnotations;
  readonly inputSchema: ReturnType<typeof input.toolSchema>;
  readonly outputSchema: ReturnType<typeof input.toolSchema>;
  run(call: CallWith<never>): Promise<CalledTool>;
};

const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
const OPENS: ToolAnnotations = { readOnlyHint: false, destructiveHint: false, openWorldHint: true };
const RECORDS: ToolAnnotations = { ...OPENS, openWorldHint: false };

type ToolParts<I extends z.ZodObject> = Pick<ToolRow, "title" | "description" | "needs" | "hints"> & {
  readonly input: I;
  readonly output: z.ZodType;
  run(call: CallWith<z.infer<I>>): Promise<CalledTool>;
};

const tool = <I extends z.ZodObject>(
  name: string,
  { input: takes, output, ...parts }: ToolParts<I>,
): ToolRow => ({
  ...{ ...parts, name },
  ...{ inputSchema: input.toolSchema(takes), outputSchema: input.toolSchema(output) },
});

const reply = (value: unknown, text: string, links: CallToolResult["content"] = []): CallToolResult => ({
  content: [{ type: "text", text: printable(text) }, ...links],
  structuredContent: value,
});

/** Opens a deliberation, or goes on with the one that this call opened before somebody was asked, and waits. */
async function openAnd(
  call: CallWith<Pick<input.OpeningArguments, "request" | "on_disconnect">>,
  body: unknown,
  open: Parameters<typeof openOnce>[2],
): Promise<CalledTool> {
  const { args, caller, services, ctx } = call;
  const onDisconnect = args.on_disconnect;
  const state = ctx.mcpReq.requestState<McpState>();
  if (state) return followRun(call, { id: state.id, onDisconnect });
  call.checkDepth();
  const named = namedRequest({ caller, world: services.world }, { given: args.request, body });
  const { opened, notes } = await openOnce({ ...services, caller }, named, open);
  return followRun(call, { id: opened.deliberation, notes, onDisconnect });
}

/** What the library is asked. @throws Refused for what the native API would not take either */
function askedIn(args: object, protocol: string | undefined): StartRequest {
  const { request: _request, on_disconnect: _disconnect, settings, ...rest } = args as input.OpeningArguments;
  const asked = { ...settings, ...rest, ...(protocol === undefined ? {} : { protocol }) };
  input.checkAs(NewRequest, asked);
  return asked;
}

const opener = <I extends z.ZodObject>(
  name: string,
  parts: Pick<ToolRow, "title" | "description"> & { readonly input: I },
) =>
  tool(name, {
    ...{ ...parts, needs: "write", hints: OPENS, output: input.McpOutcome },
    run(call) {
      const asked = askedIn(call.args, name);
      const args = call.args as unknown as input.OpeningArguments; // every one of these inputs has its fields
      return openAnd({ ...call, args }, asked, ({ request, ...more }) =>
        call.services.parley.open({ ...asked, request }, more),
      );
    },
  });

const MCP_TOOLS: readonly ToolRow[] = [
  opener("ask", {
    title: "Ask several models",
    description:
      "Put a question before several models; they deliberate only as far as they disagree. The usual choice.",
    input: input.AskInput,
  }),
  opener("council", {
    title: "Hold a council",
    description: "Members draft, review each other's drafts blindly, and a chair writes one answer.",
    input: input.CouncilInput,
  }),
  opener("debate", {
    title: "Hold a debate",
    description: "Agents with roles propose, criticize and refine over rounds; a judge writes the solution.",
    input: input.DebateInput,
  }),
  opener("respond", {
    title: "Ask one model",
    description: "One model answers, with the conversation so far and what memory recalls.",
    input: input.RespondInput,
  }),
  tool("show", {
    ...{ title: "Show a deliberation", needs: "read", hints: READS, input: input.OfId, output: Result },
    description:
      "The whole result of a deliberation: answer, participants, baseline and the protocol's own part.",
    async run({ services: { parley }, caller: { principal }, args }) {
      const { id, entries } = await readAll(parley, principal, args.id);
      const shown = await loadShown(readingContext(parley, principal).protocols, entries);
      if (!shown) throw missing(id);
      return reply(shown.result, answerWords(shown), [linkTo(id, shown.result.question)]);
    },
  }),
  tool("list", {
    ...{ title: "List deliberations", needs: "read", hints: READS, input: input.ListInput, output: Listed },
    description: "List and search deliberations, newest first.",
    async run({ services: { parley }, caller: { principal }, args }) {
      const { limit = 20, after: before, ...filter } = args;
      const { store } = readingContext(parley, principal);
      const found = await listRuns(store, { ...filter, limit: limit + 1, before });
      const data = found.slice(0, limit).map(({ organization: _organization, ...shown }) => shown);
      const rows = data.map(
        ({ id, status, protocol, question }) => `${id}  ${status}  ${protocol}  ${question}`,
      );
      const next = found.length > limit ? (data.at(-1)?.id ?? null) : null;
      return reply({ data, next }, rows.length === 0 ? "There are none." : rows.join("\n"));
    },
  }),
  tool("wait", {
    ...{ title: "Wait for a deliberation", needs: "read", input: input.OfId, output: input.McpOutcome },
    hints: { ...RECORDS, idempotentHint: true },
    description:
      "Wait until a deliberation has ended, or asks a person something. Call it again while status is open.",
    async run(call) {
      const { id } = await readAll(call.services.parley, call.caller.principal, call.args.id);
      return followRun(call, { id });
    },
  }),
  tool("answer", {
    ...{ title: "Answer for a person", needs: "write", input: input.AnswerInput, output: Answered },
    hints: { ...RECORDS, idempotentHint: true },
    description:
      "Pass on a person's answers to questions (answers), or to the person's own seat (text, abstain). The first answer stands.",
    async run({ services, caller: { principal }, args: { id, answers, text, abstain, step } }) {
      if ([answers, text, abstain].filter((one) => one !== undefined).length !== 1) {
        const detail = "give one of answers, text and abstain";
        throw new Refused({
          status: 422,
          code: "invalid-request",
          detail,
          next: "see what waits with the tool wait",
        });
      }
      const said = abstain ? { abstain } : { text: text ?? "" };
      const body = answers === undefined ? { ...said, step } : { answers };
      const recorded = await recordAnswer(services, principal, { id, body });
      return reply(recorded, `It is recorded. Call wait with {"id": "${id}"}.`);
    },
  }),
  tool("cancel", {
    ...{ title: "Cancel a deliberation", needs: "write", input: input.OfId, output: Cancelled },
    hints: { ...RECORDS, destructiveHint: true, idempotentHint: true },
    description: "Close an open deliberation for good.",
    async run({ services, caller: { principal }, args }) {
      const cancelled = await cancelRun(services, principal, args.id);
      const { id, status } = cancelled;
      return reply(cancelled, cancelled.cancelled ? `${id} is cancelled.` : `${id} had ended: ${status}.`);
    },
  }),
  tool("resume", {
    ...{ title: "Resume a deliberation", needs: "write", input: input.Driven, output: input.McpOutcome },
    hints: { ...OPENS, idempotentHint: true },
    description: "Go on with an open deliberation, whoever opened it, and wait for it.",
    async run(call) {
      const { args, services, caller, ctx } = call;
      const state = ctx.mcpReq.requestState<McpState>();
      if (!state) await resumeRun(services, caller.principal, args.id);
      return followRun(call, { id: args.id, onDisconnect: args.on_disconnect });
    },
  }),
  tool("fork", {
    ...{
      title: "Fork a deliberation",
      needs: "write",
      hints: OPENS,
      input: input.ForkInput,
      output: input.McpOutcome,
    },
    description: "Run a deliberation again with changes; steps that they do not affect are reused.",
    async run(call) {
      const { parley } = call.services;
      const { id: given, request: _request, on_disconnect: _disconnect, settings, ...rest } = call.args;
      const { id } = await readAll(parley, call.caller.principal, given);
      const changes: Readonly<Record<string, unknown>> = { ...settings, ...rest };
      input.checkAs(ForkBody, changes);
      return openAnd(call, { fork: id, ...changes }, ({ request, ...more }) =>
        parley.openFork(id, { ...changes, request }, more),
      );
    },
  }),
  tool("feedback", {
    ...{
      title: "Rate an answer",
      needs: "write",
      hints: RECORDS,
      input: input.FeedbackInput,
      output: FeedbackReply,
    },
    description: "Record what a person thinks of an answer (thumb, text), or how it turned out (outcome).",
    async run({ services: { parley }, caller: { principal }, args: { id: given, ...feedback } }) {
      if (Object.values(feedback).every((value) => value === undefined)) {
        const detail = "the feedback says nothing";
        throw new Refused({
          status: 422,
          code: "invalid-request",
          detail,
          next: "give thumb, text or outcome",
        });
      }
      const { id } = await readAll(parley, principal, given);
      const given_ = await parley.feedback(id, feedback, { principal });
      return reply(given_, `The feedback is ${given_.status}.`);
    },
  }),
  tool("memory_search", {
    ...{
      title: "Search memory",
      needs: "read",
      hints: READS,
      input: input.MemoryInput,
      output: MemorySearch,
    },
    description: "Search what is remembered of earlier answers; without a query, the newest.",
    async run({
      services: { parley },
      caller: { principal },
      args: { query = "", limit = 20, retired = false },
    }) {
      const context = readingContext(parley, principal);
      const found = await searchMemory(context, { words: query, limit, retired });
      return reply(found, `${pluralize(found.engrams.length, "entry")} found.`);
    },
  }),
  tool("estimate", {
    ...{
      title: "Estimate a question",
      needs: "read",
      hints: READS,
      input: input.EstimateInput,
      output: RunEstimate,
    },
    description: "What a question would take in calls, tokens and dollars; no model is called.",
    async run({ services: { parley }, caller: { principal }, args }) {
      const estimate = await parley.estimate(askedIn(args, args.protocol), { principal });
      const { calls, usd } = estimate.total ?? {};
      const cost = usd ? `, about $${usd.expected.toFixed(4)}` : "";
      return reply(
        estimate,
        calls ? `About ${pluralize(Math.round(calls.expected), "call")}${cost}.` : "It cannot be told.",
      );
    },
  }),
  tool("models", {
    ...{ title: "List models", needs: "read", input: z.strictObject({}), output: ModelList },
    hints: { ...READS, openWorldHint: true },
    description: "The models that can be reached, and what would make others reachable.",
    async run({ services: { parley }, caller: { principal } }) {
      const table = await modelTable(readingContext(parley, principal));
      return reply(table, table.models.map(({ ref }) => ref).join("\n"));
    },
  }),
];

/** Gives a server all tools. */
export function registerTools(server: McpServer, session: McpSession): void {
  const codec = stateCodec(session.caller);
  for (const row of MCP_TOOLS) {
    const { name, title, description, hints: annotations, inputSchema, outputSchema } = row;
    server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, (args, ctx) => {
      const declared = server.server.getClientCapabilities();
      const work = carryOut(row, { ...session, ctx, codec, declared, args: args as never }); // checked by the row's input
      session.onCall(work);
      return work;
    });
  }
}

/** A refusal is a result that says so: models read it and mend their call. An unexpected error says nothing of its own. */
async function carryOut(row: ToolRow, call: CallWith<never>): Promise<CalledTool> {
  try {
    const { scopes } = call.caller.principal;
    if (scopes.includes(row.needs)) return await row.run(call);
    const detail = `the credential may not ${row.needs}`;
    throw new Refused({
      status: 403,
      code: "forbidden",
      detail,
      next: `use one with the scope ${row.needs}`,
    });
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
