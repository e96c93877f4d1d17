import { describe, expect, it } from "vitest";
import * as z from "zod";
import { isFault, ModelRef, OrganizationId } from "../kernel/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { open, type DeliberationInput, type OpeningChecks } from "./opening.ts";
import { defineProtocol } from "./protocol.ts";

const sums = defineProtocol({
  name: "sums",
  version: 3,
  settings: z.strictObject({ rounds: z.int().positive().default(1) }),
  summary: "add",
  seats: [],
  templates: [{ name: "sum", slots: [], text: "Add." }],
  deliberate: () => Promise.resolve({ outcome: "failed", why: "nobody" }),
});

const asked: DeliberationInput = {
  question: "What is 2 + 2?",
  protocol: sums,
  participants: [
    { id: "ada", seat: "member", persona: { name: "Ada", instructions: "Be brief." }, model: "sim/ada" },
  ],
  templates: { sum: "Add." },
  seed: "7",
};

const opening = (): OpeningChecks => ({
  store: memoryStore().for(OrganizationId.parse("local")),
  protocols: [sums],
  models: {
    check: (model) =>
      model === ModelRef.parse("simm/bo")
        ? { code: "refused", message: "there is no provider simm" }
        : model === ModelRef.parse("far/bo")
          ? { code: "unauthorised", message: "no key" }
          : undefined,
  },
});

describe("OPEN-1", () => {
  it.each([
    ["settings", { settings: { rouds: 2 } }, "invalid-request", /sums.*rouds/],
    ["a setting", { settings: { rounds: 0 } }, "invalid-request", /rounds/],
    ["a template", { templates: {} }, "invalid-request", /needs the templates sum/],
    ["a protocol", { protocol: { name: "sums", version: 2 } }, "protocol-unknown", /sums@2.*sums@3/],
    ["an id", { organization: "a b" }, "invalid-request", /letters, digits/],
    [
      "a model",
      { participants: asked.participants.map((one) => ({ ...one, model: "simm/bo" })) },
      "invalid-request",
      /ada: there is no provider simm/,
    ],
  ] as const)("refuses what could never run, and records nothing: %s", async (...[, wrong, code, words]) => {
    const context = opening();
    const error: unknown = await open(context, "r1", { ...asked, ...wrong }).catch(
      (thrown: unknown) => thrown,
    );
    expect(isFault(error, code)).toBe(true);
    expect(String(error)).toMatch(words);
    expect(await context.store.end()).toBe(0);
  });

  it("takes a model whose key is missing yet", async () => {
    const participants = asked.participants.map((one) => ({ ...one, model: "far/bo" }));
    expect(await open(opening(), "r1", { ...asked, participants })).toMatchObject({ fresh: true });
  });
});

it("OPEN-2: finds what the request opened, and says where that is something else", async () => {
  const context = opening();
  const first = await open(context, "r1", asked);
  expect(first).toMatchObject({ fresh: true, differing: [], opened: { data: { organization: "local" } } });
  const again = await open(context, "r1", asked);
  expect(again).toEqual({ fresh: false, differing: [], opened: first.opened });
  const other = await open(context, "r1", { ...asked, settings: { rounds: 2 } });
  expect(other).toEqual({ fresh: false, differing: ["settings"], opened: first.opened });
  expect(await open(context, "r2", asked)).toMatchObject({ fresh: true, differing: [] });
});
