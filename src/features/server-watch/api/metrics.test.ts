import parsePrometheus from "parse-prometheus-text-format";
import { describe, expect, it } from "vitest";
import { completeSettings } from "../../../config/settings.ts";
import { createModelLabels } from "./labels.ts";
import { SUM, testServer, type TestServer } from "../../../../test/support/server.ts";

/** The figures of a server, by name, as a program of others reads them; counts of histograms as figures of their own. */
async function figures(server: TestServer): Promise<ReadonlyMap<string, Family>> {
  const { text, headers } = await server.get("/metrics");
  expect(headers["content-type"]).toContain("version=0.0.4");
  const counts = text.replaceAll(/^(?!\w+_count\b).*\n/gm, ""); // whose labels the parser leaves out
  return new Map([...parsePrometheus(text), ...parsePrometheus(counts)].map((one) => [one.name, one]));
}
type ToldCall = {
  readonly ok: boolean;
  readonly failure: { readonly code: string };
  readonly tokens: { readonly out: number | null };
  readonly cost: { readonly usd: number | null };
  readonly latencyMs: number;
};
type Family = ReturnType<typeof parsePrometheus>[number];

/** What a figure of these labels is; 0 where there is none. */
const valueOf = (all: ReadonlyMap<string, Family>, name: string, labels: Readonly<Record<string, string>>) =>
  (all.get(name)?.metrics ?? [])
    .filter((one) => Object.entries(labels).every(([key, value]) => one.labels?.[key] === value))
    .reduce((sum, one) => sum + Number(one.value), 0);

describe("metrics", () => {
  it("each has a help and a type, and those that were there before are still there", async () => {
    await using server = await testServer();
    await server.ask();
    const all = await figures(server);
    for (const { name, help, type } of all.values()) {
      if (name.endsWith("_count")) continue;
      expect(help, name).toMatch(/^[A-Z].*\.$/);
      expect(["COUNTER", "GAUGE", "HISTOGRAM"], name).toContain(type);
    }
    expect([...all.keys()]).toEqual(
      expect.arrayContaining([
        ...["parley_drives_running", "parley_drives_waiting", "parley_followers"],
        ...["parley_loop_lag_seconds", "parley_replies_total"],
      ]),
    );
    expect(valueOf(all, "parley_replies_total", { status: "200" })).toBeGreaterThanOrEqual(1);
  });

  it("calls, failures, tokens, cost and seconds are those of the record, by model", async () => {
    const models = ["sim/ada", "sim/bo", "sim/cy?fail=1"];
    await using server = await testServer({ env: { PARLEY_MODELS: models.join(",") } });
    const { id } = await server.ask({ models });
    const { data } = (await server.get(`deliberations/${id}/events`)).json;
    const calls = data.flatMap((event: { data: { call?: object } }) => event.data.call ?? []);
    const all = await figures(server);
    const { text } = await server.get("/metrics");
    const sums = new Map(
      [...text.matchAll(/^(\w+_sum\S*) (\S+)$/gm)].map(([, name, n]) => [name, Number(n)]),
    );
    for (const [model, ref] of [
      ["ada", "sim/ada"],
      ["bo", "sim/bo"],
      ["cy", "sim/cy?fail=1"],
    ] as const) {
      const own = calls.filter((call: { model: string }) => call.model === ref);
      const labels = { provider: "sim", model };
      expect(own.length, model).toBeGreaterThan(0);
      expect(valueOf(all, "parley_calls_total", labels), model).toBe(own.length);
      expect(valueOf(all, "parley_call_seconds_count", labels), model).toBe(own.length);
      const failed = own.filter((call: { ok: boolean }) => !call.ok);
      expect(valueOf(all, "parley_call_failures_total", labels), model).toBe(failed.length);
      const tokens = own.reduce(
        (sum: number, call: { tokens: { in: number | null } }) => sum + (call.tokens.in ?? 0),
        0,
      );
      expect(valueOf(all, "parley_tokens_total", { ...labels, direction: "input" }), model).toBe(tokens);
      const out = own.reduce((sum: number, call: ToldCall) => sum + (call.tokens.out ?? 0), 0);
      expect(valueOf(all, "parley_tokens_total", { ...labels, direction: "output" }), model).toBe(out);
      const costs = own.flatMap(({ cost }: ToldCall) => cost.usd ?? []);
      const usd = costs.reduce((sum: number, one: number) => sum + one, 0);
      expect(valueOf(all, "parley_cost_usd_total", labels), model).toBeCloseTo(usd, 9);
      expect(valueOf(all, "parley_calls_unpriced_total", labels), model).toBe(own.length - costs.length);
      for (const { ok, failure } of own as ToldCall[])
        if (!ok)
          expect(valueOf(all, "parley_call_failures_total", { ...labels, code: failure.code })).toBe(
            failed.length,
          );
      const ms = own.reduce((sum: number, call: ToldCall) => sum + call.latencyMs, 0);
      expect(sums.get(`parley_call_seconds_sum{provider="sim",model="${model}"}`)).toBeCloseTo(ms / 1_000, 6);
    }
    expect(sums.get('parley_run_seconds_sum{protocol="council"}')).toBeLessThan(60);
    expect(sums.get('parley_run_seconds_sum{protocol="council"}')).toBeGreaterThan(0);
    expect(valueOf(all, "parley_call_failures_total", { model: "cy" })).toBeGreaterThan(0);
    const status = (await server.get(`deliberations/${id}`)).json.status;
    expect(valueOf(all, "parley_runs_total", { protocol: "council", status })).toBe(1);
    expect(valueOf(all, "parley_run_seconds_count", { protocol: "council" })).toBe(1);
  });

  it("a run that goes on is counted once, and a fork counts what it asked itself", async () => {
    await using server = await testServer();
    const seats = [{ name: "me", seat: "reviewer" }];
    const body = {
      question: SUM,
      protocol: "council",
      models: ["sim/ada", "sim/bo"],
      seats,
      reactions: false,
    };
    const { json } = await server.post("deliberations", body, { headers: { prefer: "wait=9" } });
    expect(json.status).toBe("waiting");
    const waiting = (await server.get(`deliberations/${json.id}/waiting`)).json;
    const before = valueOf(await figures(server), "parley_calls_total", {});
    expect(before).toBeGreaterThan(0);
    const { step } = waiting.seats[0];
    await server.post(`deliberations/${json.id}/answers`, { step, abstain: true });
    await expect
      .poll(async () => valueOf(await figures(server), "parley_runs_total", {}), { timeout: 9_000 })
      .toBe(1);
    const { data } = (await server.get(`deliberations/${json.id}/events`)).json;
    const calls = data.filter((event: { data: { call?: object } }) => event.data.call).length;
    expect(valueOf(await figures(server), "parley_calls_total", {})).toBe(calls);
    const callsIn = async (id: string): Promise<number> => {
      const { data: entries } = (await server.get(`deliberations/${id}/events`)).json;
      return entries.filter(
        (event: { origin: { by: string }; data: { call?: object } }) =>
          event.origin.by !== "adopted" && event.data.call,
      ).length;
    };
    const fork = await server.post(`deliberations/${json.id}/fork`, {}, { headers: { prefer: "wait=9" } });
    expect(fork.status).toBeLessThan(300);
    await expect
      .poll(async () => valueOf(await figures(server), "parley_calls_total", {}), { timeout: 9_000 })
      .toBe(calls + (await callsIn(fork.json.id)));
  });

  it("a model that there is not has no figures of its own, while others have", async () => {
    await using server = await testServer({ env: { PARLEY_MODELS: "sim/ada" } });
    await server.ask({ models: ["sim/gone?fail=1", "sim/ada", "sim/bo"] });
    const all = await figures(server);
    const names = all.get("parley_calls_total")?.metrics.map(({ labels }) => labels?.["model"]);
    expect(new Set(names)).toEqual(new Set(["ada", "bo", "other"]));
  });
});

it("whatever models answer, so many have figures of their own, the configured ones always", () => {
  const settings = {
    ...completeSettings({ models: ["openai/gpt-5"], judge: ["google/g"] }),
    store: ":memory:",
  };
  const labelsOf = createModelLabels(settings);
  const names = Array.from({ length: 10_000 }, (_, nth) => labelsOf(`compatible/lab/m${nth}?x=${nth}`, true));
  expect(new Set(names.map(({ model }) => model)).size).toBeLessThanOrEqual(201);
  expect(names[0]).toEqual({ provider: "compatible", model: "lab/m0" });
  expect(names.at(-1)).toEqual({ provider: "other", model: "other" });
  expect(labelsOf("openai/gpt-5?effort=high", false)).toEqual({ provider: "openai", model: "gpt-5" });
  expect(createModelLabels(settings)(`compatible/${"x".repeat(300)}`, true).model).toHaveLength(200 - 11);
  expect(labelsOf("google/g", false)).toEqual({ provider: "google", model: "g" });
  expect(labelsOf("compatible/lab/m0?x=new", false)).toEqual(names[0]);
});
