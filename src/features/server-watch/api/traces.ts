import { pathToFileURL } from "node:url";
import type * as otel from "@opentelemetry/api";
import { LRUCache } from "lru-cache";
import { configFolder } from "../../../config/paths.ts";
import { callOf, isEvent, refusal, timeOf, workOf, type Call, type Entry } from "../../../kernel/index.ts";
import { packageFile } from "../../../models/sdk-package.ts";
import type { Run } from "../../../app/run.ts";
import type { ServerWatch, WatchedServer } from "../../../server/operation.ts";
import type { ClientTrace } from "../../../server/route.ts";
import { modelName } from "./labels.ts";
import type { RunListener } from "./hearing.ts";

// Spans have ids, names and figures; what was asked and answered is in them where the operator asked for that (`traces: content`).
//     Else: whoever reads traces reads what people asked.
// The names are those of OpenTelemetry's conventions for generative AI: a run is a workflow, a call of a model a `chat`. Spans are made of
// what was recorded, when a drive has ended: a run's record has the times, and no drive waits for its traces.

const PACKAGE = "@opentelemetry/api";
/** For so many runs it is known which span a later drive belongs to. */
const MAX_RUNS = 10_000;
const MAX_CONTENT = 60_000;
/** Version, trace, span and flags; later versions may have more behind them. What is all zeros names nothing. */
const TRACE_PARENT =
  /^((?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2})(?:$|(?<!^00.*)-[\x21-\x7e]{0,72}$)/;

/** The conventions' names of providers, where they are others than here. */
const PROVIDERS = new Map([
  ["azure", "azure.ai.openai"],
  ["bedrock", "aws.bedrock"],
  ["google", "gcp.gemini"],
  ["mistral", "mistral_ai"],
  ["vertex", "gcp.vertex_ai"],
  ["xai", "x_ai"],
]);

/** How a reply ends; any other word is a provider's own. */
const FINISHES = new Set(["stop", "length", "tool-calls", "filtered"]);

/** What was recorded of one phase of a run, in order. */
type TracedPhase = { readonly name: string; readonly entries: Entry[] };

/** Traces the runs of a server by the operator's own packages. @throws Fault `configuration` where the package is not there */
export async function openTraces({ context, log }: WatchedServer): Promise<RunListener & Traced> {
  const home = configFolder({ env: context.env, cwd: process.cwd() });
  const file = packageFile(PACKAGE, home);
  if (file === null)
    throw refusal(`traces is on, and ${PACKAGE} is not installed`, `cd "${home}" && npm install ${PACKAGE}`);
  // It is the package of this name.
  const loaded = (await import(pathToFileURL(file).href)) as typeof otel;
  const { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = loaded;
  const tracer = trace.getTracer("parley");
  const provider = trace.getTracerProvider();
  if (provider instanceof loaded.ProxyTracerProvider && !provider.getDelegateTracer("parley"))
    log(
      "traces is on, and nothing takes them: start with NODE_OPTIONS=--import and a file that starts an SDK",
    );
  const hasContent = context.settings.traces === "content";
  const contents = (name: string, role: string, text: string): otel.Attributes =>
    hasContent
      ? { [name]: JSON.stringify([{ role, parts: [{ type: "text", content: text.slice(0, MAX_CONTENT) }] }]) }
      : {};
  const roots = new LRUCache<string, otel.Context>({ max: MAX_RUNS });

  type Made = Omit<otel.SpanOptions, "startTime"> & {
    readonly from: number;
    readonly to: number;
    readonly error?: string;
  };
  /** Makes a span of the past, and gives the context of those below it. */
  const span = (name: string, { from, to, error, ...options }: Made, above: otel.Context): otel.Context => {
    const made = tracer.startSpan(name, { ...options, startTime: from }, above);
    if (error !== undefined) {
      made.setAttribute("error.type", error);
      made.setStatus({ code: SpanStatusCode.ERROR });
    }
    made.end(to);
    return trace.setSpan(above, made);
  };
  const callSpan = (entry: Entry, call: Call, above: otel.Context): void => {
    const model = modelName(call.model);
    const slash = model.indexOf("/");
    const provider = model.slice(0, slash);
    const { in: input, out: output, cached, reasoning } = call.tokens;
    const figures = {
      "gen_ai.usage.input_tokens": input,
      "gen_ai.usage.output_tokens": output,
      "gen_ai.usage.cache_read.input_tokens": cached,
      "gen_ai.usage.reasoning.output_tokens": reasoning,
      "parley.cost_usd": call.cost.usd,
    };
    const known = Object.entries(figures).flatMap(([name, value]) =>
      value === null ? [] : [[name, value] as const],
    );
    const to = timeOf(entry);
    const attributes: otel.Attributes = {
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": PROVIDERS.get(provider) ?? provider,
      "gen_ai.request.model": model.slice(slash + 1),
      ...Object.fromEntries(known),
      "parley.attempts": call.attempts,
      ...("step" in entry.origin ? { "parley.step": entry.origin.step } : {}),
      ...(call.ok
        ? { "gen_ai.response.finish_reasons": [FINISHES.has(call.finish) ? call.finish : "other"] }
        : {}),
      ...(call.ok ? contents("gen_ai.output.messages", "assistant", call.reply) : {}),
    };
    const error = call.ok ? {} : { error: call.failure.code };
    const made = { kind: SpanKind.CLIENT, attributes, from: to - call.latencyMs, to, ...error };
    span(`chat ${model.slice(slash + 1)}`, made, above);
  };
  const traceDrive = (run: Run, heard: readonly Entry[], { from, status }: DriveOfRun): void => {
    const { id, opening } = run;
    const protocol = opening.protocol.name;
    const known = roots.get(id);
    const attributes: otel.Attributes = {
      "gen_ai.operation.name": "invoke_workflow",
      "gen_ai.workflow.name": protocol,
      "gen_ai.conversation.id": opening.series?.id ?? id,
      ...{ "parley.run": id, "parley.status": status, "parley.organization": opening.organization },
      ...contents("gen_ai.input.messages", "user", opening.question),
    };
    const error = status === "failed" ? { error: status } : {};
    const to = Math.max(from, ...heard.map(timeOf));
    const made = { kind: SpanKind.INTERNAL, attributes, from, to, ...error };
    const root = span(`invoke_workflow ${protocol}`, made, known ?? callerOf(opening.client?.trace));
    if (!known) roots.set(id, root);
    for (const { name, entries } of phasesOf(heard)) {
      const begun = entries.map((entry) => timeOf(entry) - (callOf(entry)?.latencyMs ?? 0));
      const times = { from: Math.min(...begun), to: Math.max(...entries.map(timeOf)) };
      const phase = span(name, { kind: SpanKind.INTERNAL, ...times }, root);
      for (const entry of entries) {
        const call = callOf(entry);
        if (call) callSpan(entry, call, phase);
        if (isEvent(entry, "tool-called")) toolSpan(entry.data.tool, timeOf(entry), phase);
      }
    }
  };
  const toolSpan = (tool: string, at: number, above: otel.Context): void => {
    const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool };
    span(`execute_tool ${tool}`, { kind: SpanKind.INTERNAL, attributes, from: at, to: at }, above);
  };
  /** The span of whoever asked, on another machine. */
  const callerOf = (given: ClientTrace | undefined): otel.Context => {
    if (!given) return ROOT_CONTEXT;
    const [, traceId = "", spanId = "", flags = ""] = given.parent.split("-");
    const state = given.state === undefined ? {} : { traceState: loaded.createTraceState(given.state) };
    const caller = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true, ...state };
    return trace.setSpanContext(ROOT_CONTEXT, caller);
  };
  return {
    traceOf({ traceparent, tracestate }) {
      const [, parent] = TRACE_PARENT.exec(typeof traceparent === "string" ? traceparent : "") ?? [];
      if (parent === undefined) return undefined; // and its state says nothing, either
      // What is too long, or none, is empty.
      const state = typeof tracestate === "string" ? loaded.createTraceState(tracestate).serialize() : "";
      return { parent, ...(state === "" ? {} : { state }) };
    },
    begun(run) {
      const from = context.world.now();
      const heard: Entry[] = [];
      let status = "interrupted";
      return {
        recorded: (entry) => void heard.push(entry),
        ended: (outcome) => (status = outcome?.status ?? "failed"),
        over() {
          if (heard.length > 0) traceDrive(run, heard, { from, status });
        },
      };
    },
  };
}

type Traced = { readonly traceOf: NonNullable<ServerWatch["traceOf"]> };
type DriveOfRun = { readonly from: number; readonly status: string };

/** The phases of a drive by what kind of work its steps did and in which round, those that called a model or a tool. */
function phasesOf(heard: readonly Entry[]): Iterable<TracedPhase> {
  const phases = new Map<string, TracedPhase>();
  for (const entry of heard) {
    if (entry.origin.by === "adopted" || !(callOf(entry) || isEvent(entry, "tool-called"))) continue;
    const { kind = "step", round } = workOf(entry) ?? {};
    const name = round === undefined ? kind : `${kind} ${round}`;
    const phase = phases.get(name) ?? { name, entries: [] };
    phases.set(name, phase);
    phase.entries.push(entry);
  }
  return phases.values();
}
