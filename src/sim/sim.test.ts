import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractAnswer } from "../replies/extract-answer.ts";
import { ModelRef, type ModelRequest } from "../kernel/index.ts";
import { splitIntoPieces } from "./sim.ts";
import { createSim, type LoadFacts } from "./sim.ts";

const request = (ref: string, text = "What is the capital of Freedonia?"): ModelRequest => ({
  model: ModelRef.parse(ref),
  messages: [{ role: "user", text }],
  maxOutputTokens: 1_000,
});

/** A wait that keeps account instead of waiting. */
const ledger =
  (waits: number[], onWait: () => void = () => undefined) =>
  (milliseconds: number, signal: AbortSignal) => {
    waits.push(milliseconds);
    onWait();
    return signal.aborted ? Promise.reject(new Error("aborted")) : Promise.resolve();
  };

const loadFacts: LoadFacts = (file) =>
  file === "good.yaml"
    ? {
        ok: true,
        data: {
          facts: [
            { about: ["capital of Freedonia"], answer: "Fredville" },
            { about: ["Australia"], answer: "Perth" },
          ],
        },
      }
    : file === "bad.yaml"
      ? { ok: true, data: { facts: [{ abuot: ["x"], answer: "y" }] } }
      : { ok: false, reason: `${file} cannot be read` };

describe("the transport", () => {
  it("streams the reply in pieces over its latency", async () => {
    const waits: number[] = [];
    const pieces: string[] = [];
    const sim = createSim({ wait: ledger(waits) });
    const attempted = await sim.send(request("sim/ada?latency=200"), {
      attempt: 1,
      signal: new AbortController().signal,
      onText: (text) => pieces.push(text),
    });
    expect(attempted).toMatchObject({ ok: true, finish: "stop", toolCalls: [], text: pieces.join("") });
    expect(pieces.length).toBeGreaterThan(5);
    expect(waits.reduce((sum, one) => sum + one, 0)).toBeCloseTo(200);
    expect(attempted.usage.tokens).toMatchObject({ in: 9, out: Math.ceil(pieces.join("").length / 4) });
  });

  it("calls the tool that it is told to, or each, with what a schema requires", async () => {
    const tools = ["a__roll", "b__roll", "look"].map((name) => ({
      ...{ name, description: name },
      parameters: { type: "object", required: ["at"], properties: { at: { enum: ["x", "y"] } } },
    }));
    const called = async (calls: string) => {
      const asked = { ...request(`sim/ada?calls=${calls}`), tools };
      const options = { attempt: 1, signal: new AbortController().signal, onText: () => undefined };
      const attempted = await createSim().send(asked, options);
      return attempted.ok ? attempted.toolCalls.map(({ name, arguments: input }) => `${name} ${input}`) : [];
    };
    expect(await called("roll")).toEqual(['a__roll {"at":"x"}']);
    expect(await called("look:{}")).toEqual(["look {}"]);
    expect(await called("%2A")).toEqual(tools.map(({ name }) => `${name} {"at":"x"}`));
    expect(await called("lo")).toEqual([]);
  });

  it("waits for nothing without a latency, and says the same", async () => {
    const waits: number[] = [];
    const texts = await Promise.all(
      ["sim/ada", "sim/ada?latency=300"].map(async (ref) => {
        const attempted = await createSim({ wait: ledger(waits) }).send(request(ref), {
          attempt: 1,
          signal: new AbortController().signal,
          onText: () => undefined,
        });
        return attempted.ok ? attempted.text : "";
      }),
    );
    expect(texts[0]).toBe(texts[1]);
    expect(waits).not.toContain(0);
  });

  it("gives up when it is aborted", async () => {
    const stop = new AbortController();
    let heard = 0;
    const sim = createSim({ wait: ledger([], () => heard === 2 && stop.abort()) });
    const attempted = await sim.send(request("sim/ada?latency=1000"), {
      attempt: 1,
      signal: stop.signal,
      onText: () => void (heard += 1),
    });
    expect(attempted).toMatchObject({ ok: false, failure: { code: "cancelled" }, retry: "never" });
    expect(heard).toBe(2);
  });

  it("says nothing more once it is aborted, also without a latency", async () => {
    const stop = new AbortController();
    let heard = 0;
    const onText = (): void => {
      heard += 1;
      stop.abort();
    };
    const attempted = await createSim().send(request("sim/ada"), { attempt: 1, signal: stop.signal, onText });
    expect(attempted).toMatchObject({ ok: false, failure: { code: "cancelled" } });
    expect(heard).toBe(1);
  });

  it("fails as providers do: with a part of the text, or with a time to wait", async () => {
    const seen = new Map<string, string>();
    for (let attempt = 1; attempt <= 40; attempt += 1) {
      let text = "";
      const attempted = await createSim().send(request("sim/ada?fail=1"), {
        attempt,
        signal: new AbortController().signal,
        onText: (piece) => void (text += piece),
      });
      if (attempted.ok) throw new Error("it should have failed");
      expect(attempted.retry).toBe("later");
      expect(attempted.waitMs !== null).toBe(attempted.failure.code === "rate-limited");
      expect(attempted.failure.message).toContain("simulated");
      seen.set(attempted.failure.code, (seen.get(attempted.failure.code) ?? "") + text);
    }
    expect([...seen.keys()].sort()).toEqual(["network", "overloaded", "rate-limited"]);
    expect(seen.get("network")).not.toBe("");
    expect(seen.get("overloaded")).toBe("");
  });

  it("knows a file of facts before its own, and says what is wrong with one before any call", async () => {
    const sim = createSim({ loadFacts });
    const answerTo = async (text: string): Promise<string> => {
      const { signal } = new AbortController();
      const asked = request("sim/ada?skill=1&facts=good.yaml", text);
      const attempted = await sim.send(asked, { attempt: 1, signal, onText: () => undefined });
      return (attempted.ok && extractAnswer(attempted.text)?.value) || "";
    };
    expect(await answerTo("What is the capital of Freedonia?")).toBe("Fredville");
    expect(await answerTo("What is the capital of Australia?")).toBe("Perth");
    expect(await answerTo("What is the capital of Canada?")).toBe("Ottawa");
    expect(sim.prepare("sim/ada?facts=bad.yaml")).toMatchObject({
      ok: false,
      reason: expect.stringContaining("facts.0.about"),
    });
    expect(sim.prepare("sim/ada?facts=none.yaml")).toEqual({
      ok: false,
      reason: "sim/ada: facts=none.yaml: none.yaml cannot be read",
    });
    expect(createSim().prepare("sim/ada?facts=good.yaml").ok).toBe(false);
    expect(sim.prepare("sim/ada?skil=1").ok).toBe(false);
  });

  it("refuses what cannot be called, for good", async () => {
    const attempted = await createSim().send(request("sim/ada?skil=1"), {
      attempt: 1,
      signal: new AbortController().signal,
      onText: () => undefined,
    });
    expect(attempted).toMatchObject({
      ok: false,
      retry: "never",
      failure: { code: "refused", message: expect.stringContaining("skill") },
    });
  });

  it("cuts a text into pieces that are the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.nat(500), (text, latency) => {
        expect(splitIntoPieces(text, latency).join("")).toBe(text);
      }),
    );
  });
});
