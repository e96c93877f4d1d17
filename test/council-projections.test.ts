import { describe, expect, it } from "vitest";
import { isEvent, type Entry } from "../src/kernel/index.ts";
import { criticalPathMs } from "../src/views/critical-path.ts";
import { panelSection } from "../src/views/panel.ts";
import { council } from "../src/features/council/protocol/index.ts";
import { agreeable, councilAsked, labelsIn, taskOf } from "./support/council-table.ts";
import type { Script } from "../src/testing/scripted-models.ts";
import { LOCAL } from "../src/testing/store-samples.ts";
import { stage, type StageOptions } from "../src/testing/stage.ts";

const names = ["ada", "bob", "cyd", "chair"];
const latencyMs = 10;

/** A chair that credits the labels unevenly, the least of them first. */
const uneven: Script = {
  ...agreeable(names, latencyMs),
  chair: (request) => {
    const [a = "", b = "", c = ""] = labelsIn(request);
    const weights = [
      { id: a, weight: 0.2, reason: "a" },
      { id: b, weight: 0, reason: "b" },
      { id: c, weight: 0.8, reason: "c" },
    ];
    const block = JSON.stringify({ contributors: weights });
    return { text: `It is 391.\n\nFinal answer: 391\n\n\`\`\`json\n${block}\n\`\`\``, latencyMs };
  },
};

async function held(options: Partial<StageOptions> = {}, asked = councilAsked()) {
  const on = stage({ protocols: [council], script: uneven, ...options });
  return { on, ...(await on.play(asked)) };
}

async function forked(settings: Record<string, never> | { mode: string }) {
  const { on, id } = await held();
  const [opened] = await on.store.for(LOCAL).read(id);
  if (!opened || !isEvent(opened, "deliberation-opened")) throw new Error("no opening");
  const changes = { settings: { ...opened.data.settings, ...settings } };
  const fork = await on.engine.fork(id, { request: "fork", changes });
  await on.drive(fork.opened.deliberation);
  return on.store.for(LOCAL).read(fork.opened.deliberation);
}

const claimed = (entries: readonly Entry[]) => {
  const synthesis = entries.find((entry) => isEvent(entry, "synthesis-given"));
  return synthesis && isEvent(synthesis, "synthesis-given") && synthesis.data.claims?.ok
    ? synthesis.data.claims.contributors
    : [];
};

describe("claims", () => {
  it("are named in the footer by weight, those without any left out", async () => {
    const { entries } = await held();
    const [least, , most] = claimed(entries).map(({ id }) => id);
    expect(panelSection(entries).footer).toBe(`Synthesized from inputs by: ${most}, ${least}`);
  });
});

describe("the critical path", () => {
  it("is a draft, a review and the synthesis, however many there were of each", async () => {
    const { entries } = await held();
    expect(criticalPathMs(entries)).toBe(3 * latencyMs);
  });

  it("counts a repair after its review, and the slowest of those that went side by side", async () => {
    const slow: Script = {
      ...uneven,
      bob: (request) => ({ text: taskOf(request) === "draft" ? "Final answer: 391" : "hm", latencyMs: 50 }),
    };
    const { entries } = await held({ script: slow });
    expect(criticalPathMs(entries)).toBe(50 + 50 + 50 + latencyMs);
  });

  it("takes no time for what a fork adopts", async () => {
    expect(criticalPathMs(await forked({ mode: "vote" }))).toBe(0);
  });
});
