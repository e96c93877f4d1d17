import { describe, expect, it } from "vitest";
import type { Embeddings } from "../kernel/index.ts";
import { simEmbeddings } from "./embeddings.ts";
import type { Wait } from "./sim.ts";
import { textVector } from "./text-vector.ts";

const opened = (ref: string, wait?: Wait): Embeddings => {
  const found = simEmbeddings(ref, wait);
  if (!found.ok) throw new Error(found.reason);
  return found.embeddings;
};
const never = (): AbortSignal => new AbortController().signal;

describe("simulated embeddings", () => {
  it("are the texts' vectors in their order, under every name", async () => {
    const texts = ["Cache the results", "", "Cache the results", "東京"];
    const vectors = await opened("sim/ada").embed(texts, never());
    expect(vectors).toEqual(texts.map(textVector));
    expect(await opened("sim/ben?skill=0.2&seed=7").embed(texts, never())).toEqual(vectors);
    expect(opened("sim/ada").model).toBe("sim/ada");
    expect(await opened("sim/ada?fail=1").embed([], never())).toEqual([]);
  });

  it("refuse a reference that no simulated model has", () => {
    expect(simEmbeddings("sim/ada?skil=1")).toEqual({
      ok: false,
      reason: expect.stringContaining('sim/ada: unknown parameter "skil"'),
    });
    expect(simEmbeddings("sim/")).toMatchObject({ ok: false });
  });

  it("fail as often as the model's rate says, always for the same texts", async () => {
    await expect(opened("sim/ada?fail=1").embed(["a"], never())).rejects.toThrow(
      "no embeddings from sim/ada: simulated: the model is overloaded",
    );
    const half = opened("sim/ada?fail=0.5");
    const fates = () =>
      Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          half.embed([`text ${index}`], never()).then(
            () => true,
            () => false,
          ),
        ),
      );
    const first = await fates();
    expect(await fates()).toEqual(first);
    const successes = first.filter(Boolean).length;
    expect(successes).toBeGreaterThan(70);
    expect(successes).toBeLessThan(130);
  });

  it("take as long as the latency says, and end with an abort", async () => {
    const waits: number[] = [];
    const patient: Wait = async (ms) => void waits.push(ms);
    expect(await opened("sim/ada?latency=200", patient).embed(["a"], never())).toHaveLength(1);
    expect(waits).toEqual([200]);
    const control = new AbortController();
    const aborting: Wait = (_, signal) => {
      control.abort();
      return Promise.reject(signal.reason);
    };
    const cancelled = "no embeddings from sim/ada: cancelled";
    await expect(opened("sim/ada?latency=9", aborting).embed(["a"], control.signal)).rejects.toThrow(
      cancelled,
    );
    await expect(opened("sim/ada?latency=9", patient).embed(["a"], control.signal)).rejects.toThrow(
      cancelled,
    );
    expect(waits).toEqual([200]);
    const broken: Wait = () => Promise.reject(new Error("no timers left"));
    await expect(opened("sim/ada?latency=9", broken).embed(["a"], never())).rejects.toThrow("no timers left");
  });
});
