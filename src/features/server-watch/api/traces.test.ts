import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { features } from "../../../features.ts";
import { callOf, isEvent, ModelRef } from "../../../kernel/index.ts";
import {
  nativeApi,
  serverPlace,
  SIMS,
  SUM,
  testServer,
  type TestServer,
} from "../../../../test/support/server.ts";
import { openTraces } from "./traces.ts";

const WORD = "quetzalcoatl";
const TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN_ID = "00f067aa0ba902b7";
const PARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;
const exporter = new InMemorySpanExporter();
const wait = (of: () => unknown) => expect.poll(of, { timeout: 9_000, interval: 20 });
const spans = () => exporter.getFinishedSpans();
const named = (start: string) => spans().filter(({ name }) => name.startsWith(start));
const idOf = (span: ReturnType<typeof spans>[number]) => span.spanContext().spanId;
const msOf = ([seconds, nanos]: readonly [number, number]) => seconds * 1_000 + nanos / 1e6;

type TracedCall = { ok: boolean; tokens: { in: number }; cost: { usd: number | null } };
const callsOf = async (server: TestServer, id: string): Promise<TracedCall[]> =>
  (await server.get(`deliberations/${id}/events`)).json.data.flatMap(
    (event: { data: { call?: object } }) => event.data.call ?? [],
  );

const tracesOf = (server: TestServer) => {
  const context = server.parley.context({}, { principal: server.principal });
  const gauges = () => ({ running: 0, waiting: 0, followers: 0, lagSeconds: 0 });
  const { signal } = new AbortController();
  return openTraces({ context, log: () => undefined, gauges, signal });
};

describe("traces by OpenTelemetry's own SDK", () => {
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  beforeEach(() => exporter.reset());
  afterAll(async () => {
    trace.disable();
    await provider.shutdown();
  });

  it("a run is one trace of a workflow, its phases and its calls, with the record's figures", async () => {
    await using server = await testServer({ env: { PARLEY_TRACES: "on" } });
    const { id } = await server.ask({ models: [SIMS[0], SIMS[1], "sim/cy?fail=1"] });
    const calls = await callsOf(server, id);
    await wait(() => named("chat ").length).toBe(calls.length);
    const [root, ...others] = named("invoke_workflow");
    if (!root) throw new Error("no span of the run");
    expect(others).toEqual([]);
    expect(root).toMatchObject({
      ...{ name: "invoke_workflow council", kind: SpanKind.INTERNAL, parentSpanContext: undefined },
      attributes: {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.workflow.name": "council",
        ...{ "parley.run": id, "parley.organization": "local", "parley.status": "answered-degraded" },
      },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    const phases = spans().filter((span) => span.parentSpanContext?.spanId === idOf(root));
    expect(phases.map(({ name }) => name)).toEqual(expect.arrayContaining(["draft", "synthesis"]));
    for (const call of named("chat ")) {
      const phase = phases.find((one) => idOf(one) === call.parentSpanContext?.spanId);
      if (!phase) throw new Error(`${call.name} is in no phase`);
      expect(call.kind).toBe(SpanKind.CLIENT);
      expect(msOf(call.startTime)).toBeGreaterThanOrEqual(msOf(phase.startTime) - 1);
      expect(msOf(call.endTime)).toBeLessThanOrEqual(msOf(phase.endTime) + 1);
      expect(call.attributes).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "sim",
      });
    }
    const sum = (all: readonly unknown[]) => all.reduce((total: number, one) => total + Number(one ?? 0), 0);
    expect(sum(named("chat ").map(({ attributes }) => attributes["gen_ai.usage.input_tokens"]))).toBe(
      sum(calls.map(({ tokens }) => tokens.in)),
    );
    expect(sum(named("chat ").map(({ attributes }) => attributes["parley.cost_usd"]))).toBeCloseTo(
      sum(calls.map(({ cost }) => cost.usd)),
      9,
    );
    expect(named("chat ").every(({ attributes }) => "parley.cost_usd" in attributes)).toBe(
      calls.every(({ cost }) => cost.usd !== null),
    );
    expect(root.attributes["gen_ai.conversation.id"]).toBe(id);
    const failed = named("chat ").filter(({ status }) => status.code === SpanStatusCode.ERROR);
    expect(failed.length).toBe(calls.filter(({ ok }) => !ok).length);
    for (const { attributes } of failed) expect(attributes["error.type"]).toEqual(expect.any(String));
  });

  it.each([
    ["on", false],
    ["content", true],
  ])("with %s, what was asked and answered is in them: %s", async (traces, isThere) => {
    await using server = await testServer({ env: { PARLEY_TRACES: traces } });
    await server.ask({ question: `Say ${WORD}: what is 17 * 23?` });
    await wait(() => named("invoke_workflow").length).toBe(1);
    const all = JSON.stringify(spans().map(({ name, attributes, events }) => ({ name, attributes, events })));
    expect(all.includes(WORD)).toBe(isThere);
    expect(all.includes("gen_ai.output.messages")).toBe(isThere);
  });

  it("a run that waits for a person and goes on stays in its trace, and no call is told twice", async () => {
    await using server = await testServer({ env: { PARLEY_TRACES: "on" } });
    const seats = [{ name: "me", seat: "reviewer" }];
    const body = { question: "What is 17 * 23?", protocol: "council", models: SIMS, seats, reactions: false };
    const { json } = await server.post("deliberations", body, { headers: { prefer: "wait=9" } });
    await wait(() => named("invoke_workflow").length).toBe(1);
    const { step } = (await server.get(`deliberations/${json.id}/waiting`)).json.seats[0];
    await server.post(`deliberations/${json.id}/answers`, { step, abstain: true });
    await wait(() => named("invoke_workflow").length).toBe(2);
    expect(new Set(spans().map((span) => span.spanContext().traceId)).size).toBe(1);
    expect(named("chat ").length).toBe((await callsOf(server, json.id)).length);
    expect(
      named("invoke_workflow").map(({ attributes, status }) => [attributes["parley.status"], status.code]),
    ).toEqual([
      ["waiting", SpanStatusCode.UNSET],
      [(await server.get(`deliberations/${json.id}`)).json.status, SpanStatusCode.UNSET],
    ]);
    // What a fork took over was told when it was asked, and a replay asks nobody.
    exporter.reset();
    const fork = await server.post(`deliberations/${json.id}/fork`, {}, { headers: { prefer: "wait=9" } });
    await wait(() => named("invoke_workflow").length).toBe(1);
    const entries = await server.parley.read(fork.json.id);
    const asked = entries.filter((entry) => callOf(entry) && entry.origin.by !== "adopted");
    expect(entries.filter((entry) => callOf(entry)).length).toBeGreaterThan(asked.length);
    expect(named("chat ").length).toBe(asked.length);
    expect((await server.post(`deliberations/${json.id}/replay`)).status).toBe(200);
    expect(named("invoke_workflow").length).toBe(1);
  });

  it("a run that failed has an error on its root, and its phases have none", async () => {
    await using server = await testServer({ env: { PARLEY_TRACES: "on" } });
    const { status } = await server.ask({ models: ["sim/ada?fail=1", "sim/bo?fail=1"] });
    expect(status).toBe("failed");
    await wait(() => named("invoke_workflow").length).toBe(1);
    const [root] = named("invoke_workflow");
    expect(root).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { "parley.status": "failed", "error.type": "failed" },
    });
    for (const { name, status: of } of spans())
      expect(of.code, name).toBe(/^(?:chat|invoke)/.test(name) ? SpanStatusCode.ERROR : SpanStatusCode.UNSET);
  });

  it("the turns of a conversation have its id, each in a trace of its own", async () => {
    await using server = await testServer({ env: { PARLEY_TRACES: "on" } });
    const first = await server.ask();
    const second = await server.ask({ question: "And 6 * 7?", previous: first.id });
    await wait(() => named("invoke_workflow").length).toBe(2);
    const roots = named("invoke_workflow");
    expect(roots.map(({ attributes }) => attributes["parley.run"])).toEqual([first.id, second.id]);
    expect(new Set(roots.map(({ attributes }) => attributes["gen_ai.conversation.id"]))).toEqual(
      new Set([first.id]),
    );
    expect(new Set(roots.map((span) => span.spanContext().traceId)).size).toBe(2);
  });

  it.each([
    ["openai/gpt-5?effort=high", "openai", "gpt-5"],
    ["azure/gpt-5", "azure.ai.openai", "gpt-5"],
    ["bedrock/nova", "aws.bedrock", "nova"],
    ["google/gemini-3", "gcp.gemini", "gemini-3"],
    ["mistral/large", "mistral_ai", "large"],
    ["vertex/gemini-3", "gcp.vertex_ai", "gemini-3"],
    ["xai/grok", "x_ai", "grok"],
    ["openrouter/google/gemini-3", "openrouter", "google/gemini-3"],
  ])("a call of %s has the provider %s and the model %s", async (model, provider, name) => {
    await using server = await testServer();
    const run = await server.parley.start({ question: SUM, models: [SIMS[0]], reactions: false });
    await run.outcome();
    const entry = run.recorded().find((one) => isEvent(one, "answer-given"));
    if (!entry?.data.call) throw new Error("nobody answered");
    const tokens = { in: 7, out: 5, cached: 3, reasoning: 2 };
    const call = { ...entry.data.call, model: ModelRef.parse(model), tokens, attempts: 4 };
    const drive = (await tracesOf(server)).begun(run);
    drive.recorded?.({ ...entry, data: { ...entry.data, call } });
    drive.ended?.(undefined);
    drive.over?.();
    const figures = {
      ...{ "gen_ai.usage.input_tokens": 7, "gen_ai.usage.output_tokens": 5, "parley.attempts": 4 },
      ...{ "gen_ai.usage.cache_read.input_tokens": 3, "gen_ai.usage.reasoning.output_tokens": 2 },
      "parley.step": expect.any(String) as string,
    };
    expect(named("chat ").map((span) => [span.name, span.attributes])).toMatchObject([
      [`chat ${name}`, { "gen_ai.provider.name": provider, "gen_ai.request.model": name, ...figures }],
    ]);
    expect(named("invoke_workflow")).toMatchObject([{ status: { code: SpanStatusCode.ERROR } }]);
  });

  it("a caller's trace goes on: in the run, its phases and calls, and after a restart", async () => {
    using place = serverPlace();
    const env = { PARLEY_TRACES: "on" };
    const seats = [{ name: "me", seat: "reviewer" }];
    const body = { question: SUM, protocol: "council", models: SIMS, seats, reactions: false };
    const first = await testServer({ env }, place);
    const { json } = await first.post("deliberations", body, {
      headers: { traceparent: PARENT, tracestate: ["ot=th:8", "acme=a-b"], prefer: "wait=9" },
    });
    await wait(() => named("invoke_workflow").length).toBe(1);
    await first.stop(0);
    await using second = await testServer({ env }, place);
    const { step } = (await second.get(`deliberations/${json.id}/waiting`)).json.seats[0];
    // Who answers has a trace of their own, which is not the run's.
    const other = { traceparent: PARENT.replace("4bf9", "5bf9") };
    await second.post(`deliberations/${json.id}/answers`, { step, abstain: true }, { headers: other });
    await wait(() => named("invoke_workflow").length).toBe(2);
    expect(new Set(spans().map((span) => span.spanContext().traceId))).toEqual(new Set([TRACE_ID]));
    for (const { parentSpanContext } of named("invoke_workflow"))
      expect(parentSpanContext).toMatchObject({ spanId: SPAN_ID, isRemote: true });
    expect(named("chat ")[0]?.spanContext().traceState?.serialize()).toBe("ot=th:8,acme=a-b");
  });

  it("a caller of OpenAI's API and of MCP is heard, one that is not sampled makes no span", async () => {
    const surfaces = [nativeApi];
    for (const { apis } of features) surfaces.push(...((await apis?.(features)) ?? []));
    await using server = await testServer({ env: { PARLEY_TRACES: "on" }, surfaces });
    const chat = { model: "parley/respond", messages: [{ role: "user", content: SUM }] };
    const quiet = { headers: { traceparent: PARENT.replace("00f0", "10f0").replace(/01$/, "00") } };
    expect((await server.post("/v1/chat/completions", chat, quiet)).status).toBe(200);
    const params = {
      name: "respond",
      arguments: { question: "What is 6 * 7?" },
      _meta: { traceparent: PARENT },
    };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const headers = { accept: "application/json, text/event-stream", "mcp-protocol-version": "2025-11-25" };
    expect((await server.post("/mcp", call, { headers })).text).toContain("42");
    await wait(() => named("invoke_workflow").length).toBe(1);
    expect(named("invoke_workflow")[0]?.parentSpanContext?.spanId).toBe(SPAN_ID);
    expect(
      (await server.post("/v1/chat/completions", chat, { headers: { traceparent: PARENT } })).status,
    ).toBe(200);
    await wait(() => named("invoke_workflow").length).toBe(2);
    for (const { parentSpanContext } of named("invoke_workflow"))
      expect(parentSpanContext?.spanId).toBe(SPAN_ID);
  });

  it("nothing is traced unless it was asked for, and no trace is recorded", async () => {
    await using server = await testServer();
    const body = { question: SUM, models: SIMS };
    const sent = { headers: { traceparent: PARENT, prefer: "wait=9" } };
    const { json } = await server.post("deliberations", body, sent);
    const [opened] = (await server.get(`deliberations/${json.id}/events`)).json.data;
    expect(Object.keys(opened.data.client)).toEqual(["key", "body"]);
    expect(spans()).toEqual([]);
  });
});

describe("a caller's trace", () => {
  const read = async (carrier: Readonly<Record<string, unknown>>) => {
    await using server = await testServer();
    return (await tracesOf(server)).traceOf(carrier);
  };

  it.each([
    ["of another form", PARENT.replaceAll("-", "_")],
    ["in capitals", PARENT.toUpperCase()],
    ["all zeros in the trace", `00-${"0".repeat(32)}-${SPAN_ID}-01`],
    ["all zeros in the span", `00-${TRACE_ID}-${"0".repeat(16)}-01`],
    ["longer than its version", `${PARENT}-00`],
    ["longer than any", `01${PARENT.slice(2)}-${"a".repeat(73)}`],
    ["of the version that there is not", `ff${PARENT.slice(2)}`],
    ["too short", PARENT.slice(0, -1)],
    ["twice", `${PARENT}, ${PARENT}`],
    ["a list", [PARENT]],
    ["missing", undefined],
  ])("is ignored with its state where it is %s", async (_, traceparent) => {
    expect(await read({ traceparent, tracestate: "a=b" })).toBeUndefined();
  });

  const LATER = `cc${PARENT.slice(2)}`;
  it.each([
    ["of a later version", [`${LATER}-what-comes`, "a=b"], { parent: LATER, state: "a=b" }],
    ["with a state of two vendors", [PARENT, "a=b, c=d"], { parent: PARENT, state: "a=b,c=d" }],
    ["without what is no state", [PARENT, "what we asked"], { parent: PARENT }],
    [
      "without a state that is too long",
      [PARENT, `a=${"b".repeat(250)},c=${"d".repeat(259)}`],
      { parent: PARENT },
    ],
    ["without a state that is a list", [PARENT, ["a=b"]], { parent: PARENT }],
  ] as const)("is taken %s", async (_, [traceparent, tracestate], expected) => {
    expect(await read({ traceparent, tracestate })).toEqual(expected);
  });
});

it("says that nothing takes the traces where no SDK was started", async () => {
  await using server = await testServer({ env: { PARLEY_TRACES: "on" } });
  expect(server.log.join()).toContain("nothing takes them");
});
