import { afterAll, describe, expect, it } from "vitest";
import { scratch, type Scratch } from "../../../../test/support/scratch.ts";
import { fileResources } from "../../../config/resources.ts";
import { loadSettings } from "../../../config/sources.ts";
import { ModelRef } from "../../../kernel/index.ts";
import { createModels } from "../../../models/models.ts";
import { findMatchingRule } from "../../../text/answer-kind.ts";
import { CriticSettings } from "../reactor/critic.ts";
import { AnswerJudgeSettings } from "../reactor/request.ts";
import { criticSettings, pairwiseSettings } from "./plan.ts";

const CRITIC = "project/.parley/critic.yaml";
const models = createModels({ env: {} });
afterAll(() => models.close());
const settingsOf = (place: Scratch, flags: Record<string, unknown> = {}) =>
  loadSettings({ ...place, flags }).settings;
const critic = (place: Scratch, flags: Record<string, unknown> = {}) =>
  criticSettings({ models, resources: fileResources(place), settings: settingsOf(place, flags) });

describe("the critic that a deliberation pins", () => {
  it("is nobody by default, and on where a judge is set or given, or where it is turned on", () => {
    using place = scratch();
    const judges = [ModelRef.parse("sim/judge")];
    expect(critic(place)).toBeNull();
    expect(critic(place, { judge: "sim/judge" })?.model).toBe("sim/judge");
    const given = (flags: Record<string, unknown>, judge: readonly ModelRef[]) =>
      criticSettings({
        ...{ models, resources: fileResources(place) },
        settings: { ...settingsOf(place, flags), judge: [...judge] },
      });
    expect(given({}, judges)?.model).toBe("sim/judge");
    expect(given({ judge: "sim/other" }, judges)?.model).toBe("sim/judge");
    expect(critic(place, { critic: "on" })?.model).toBe("ollama/prometheus:7b");
    expect(critic(place, { critic: "off", judge: "sim/judge" })).toBeNull();
    expect(critic(place, { critic: false, judge: "sim/judge" })).toBeNull();
    expect(given({ judge: "sim/judge" }, [])).toBeNull();
  });

  it("is the file's, whole, with its rubrics in it", () => {
    using place = scratch();
    const pinned = critic(place, { critic: "on" });
    expect(pinned).toEqual(CriticSettings.parse(pinned));
    expect(pinned).toMatchObject({
      model: "ollama/prometheus:7b",
      temperature: 0,
      contextTokens: 4_096,
      maxOutputTokens: 1_024,
      timeoutMs: 30_000,
      form: "prometheus",
      kind: "knowledge",
      rubric: { name: "answer-quality" },
    });
    expect(pinned?.rules.at(0)).toMatchObject({ kind: "confirmation", rubric: { name: "confirmation" } });
  });

  it("is asked in the form of its name, unless the file says one", () => {
    using place = scratch();
    expect(critic(place, { judge: "compatible/lab/Prometheus-8x7b" })?.form).toBe("prometheus");
    expect(critic(place, { judge: "openai/gpt-5-mini" })?.form).toBe("json");
    place.write(CRITIC, "form: prometheus");
    expect(critic(place, { judge: "openai/gpt-5-mini" })?.form).toBe("prometheus");
  });

  it("is bounded by the context where its server makes room as it is told, or where the file says one", () => {
    using place = scratch({
      "project/parley.yaml":
        "compatible:\n  lab: {url: 'http://localhost:1', wire: ollama}\n  far: {url: 'http://localhost:2/v1'}\n",
    });
    const context = (judge: string) => critic(place, { judge })?.contextTokens;
    expect(["ollama/gemma3", "compatible/lab/m"].map(context)).toEqual([4_096, 4_096]);
    expect(
      ["openai/gpt-5-mini", "sim/judge", "compatible/far/m", "compatible/toString/m"].map(context),
    ).toEqual([null, null, null, null]);
    place.write(CRITIC, "num_ctx: 9000");
    expect(["ollama/gemma3", "openai/gpt-5-mini"].map(context)).toEqual([9_000, 9_000]);
  });

  it("has room and time for its thinking where it is known to think, unless a file says how much it has", () => {
    using place = scratch();
    const room = (judge: string) => {
      const pinned = critic(place, { judge });
      return [pinned?.maxOutputTokens, pinned?.contextTokens];
    };
    const time = (judge: string) => critic(place, { judge })?.timeoutMs;
    expect(["openai/gpt-4o", "openai/gpt-5-mini"].map(time)).toEqual([30_000, 180_000]);
    expect(room("openai/gpt-4o")).toEqual([1_024, null]);
    expect(room("openai/gpt-5-mini")).toEqual([16_384, null]);
    expect(room("ollama/qwen3?effort=high")).toEqual([16_384, 4_096 + 16_384 - 1_024]);
    place.write(CRITIC, "context: 9000");
    expect(room("ollama/qwen3?effort=high")).toEqual([4_500, 9_000]);
    place.write(CRITIC, "context: 1000000");
    expect(room("openai/gpt-5-mini")).toEqual([16_384, 1_000_000]);
    place.write(CRITIC, "timeout: 40s");
    expect(time("openai/gpt-5-mini")).toBe(40_000);
    place.write(CRITIC, "tokens: 500");
    expect(room("openai/gpt-5-mini")).toEqual([500, null]);
  });

  it("also compares: with all but the rules", () => {
    using place = scratch();
    const pinned = critic(place, { critic: "on" });
    if (!pinned) throw new Error("it is off");
    const { kind, rules, ...judge } = pinned;
    expect([kind, rules.length]).toEqual(["knowledge", 7]);
    expect(pairwiseSettings(pinned)).toEqual(judge);
    expect(AnswerJudgeSettings.parse(pairwiseSettings(pinned))).toEqual(judge);
  });

  it("is on where a file names its model, and else waits for a judge", () => {
    using place = scratch({ [CRITIC]: "model: ollama/other:7b" });
    expect(critic(place)).toMatchObject({ model: "ollama/other:7b" });
    using bare = scratch({ [CRITIC]: "temperature: 0.1" });
    expect(critic(bare)).toBeNull();
  });

  it("is not looked for where it is off", () => {
    using place = scratch({ [CRITIC]: "modle: x" });
    expect(critic(place, { critic: "off" })).toBeNull();
    expect(() => critic(place, { critic: "on" })).toThrow('unknown key "modle"');
  });
});

describe("the built-in rules take", () => {
  it.each([
    ["What is the capital of France?", "Paris.", [], "knowledge"],
    ["Who wrote the poem The Raven?", "Edgar Allan Poe.", [], "knowledge"],
    ["What is the zip code of Springfield?", "62701.", [], "knowledge"],
    ["Do you remember my name?", "Your name is Ada.", [], "knowledge"],
    ["Who wrote of Britain?", "Tacitus noted its rain.", [], "knowledge"],
    ["Remember that our deploy day is Tuesday.", "Noted: your deploy day is Tuesday.", [], "confirmation"],
    ["Don’t forget the milk", "Got it, I won’t forget it.", ["remember"], "confirmation"],
    ["I am building my project in Rust.", "I’ll remember that.", [], "confirmation"],
    ["I am building it in Rust.", `Noted: ${"a longer talk of it ".repeat(20)}`, [], "knowledge"],
    ["How large is the file?", "It has 12 lines.", ["read_file"], "material"],
    ["What is the weather in Oslo?", "I cannot look it up.", [], "material"],
    ["Who founded Fox News?", "Rupert Murdoch.", [], "knowledge"],
    ["Write a haiku on rain", "Rain again", [], "creative"],
    ["Write a function that adds", "…", [], "code"],
    ["How do I list files?", "```sh\nls\n```", [], "code"],
  ])("%j as what it is: %j", (question, answer, ...[tools, kind]) => {
    using place = scratch();
    const pinned = critic(place, { critic: "on" });
    const rule = findMatchingRule(pinned?.rules ?? [], { question, answer, tools });
    expect(rule?.kind ?? pinned?.kind).toBe(kind);
  });
});
