import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { SIMS, testServer, type TestServer } from "../../../../test/support/server.ts";

const WORD = "quetzalcoatl";
const exporter = new InMemorySpanExporter();
const wait = (of: () => unknown) => expect.poll(of, { timeout: 9_000, interval: 20 });
const spans = () => exporter.getFinishedSpans();
const named = (start: string) => spans().filter(({ name }) => name.startsWith(start));
const idOf = (span: ReturnType<typeof spans>[number]) => span.spanContext().spanId;
const msOf = ([seconds, nanos]: readonly [number, number]) => seconds * 1_000 + nanos / 1e6;

const callsOf = async (server: TestServer, id: string): Promise<{ ok: boolean; tokens: { in: number } }[]> =>
  (await server.get(`deliberations/${id}/events`)).json.data.flatMap(
    (event: { data: { call?: object } }) => event.data.call ?? [],
  );

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
        "parley.run": id,
      },
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
  });

  it("nothing is traced unless it was asked for", async () => {
    await using server = await testServer();
    await server.ask();
    expect(spans()).toEqual([]);
  });
});

it("says that nothing takes the traces where no SDK was started", async () => {
  await using server = await testServer({ env: { PARLEY_TRACES: "on" } });
  expect(server.log.join()).toContain("nothing takes them");
});
