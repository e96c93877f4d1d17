import { describe, expect, it } from "vitest";
import { refusalOf, scratch } from "../../test/support/scratch.ts";
import { render, templateProblem } from "../prompts/template.ts";
import { judgeTemplate } from "../protocols/phases/judge-prompts.ts";
import { draftTemplate } from "../protocols/phases/draft.ts";
import { fileResources } from "../config/resources.ts";
import type { FileContext } from "../config/paths.ts";
import { features } from "../features.ts";
import { withProtocols } from "./registry.ts";
import { shippedTemplates, templatesInForce } from "./templates.ts";

const protocols = withProtocols([], features);

const inForce = (place: FileContext) => templatesInForce([draftTemplate], fileResources(place), protocols);

const judged = async (template: keyof typeof forms, text: string) => {
  using place = scratch({ [`project/.parley/prompts/${template}.md`]: text });
  const found = await templatesInForce([forms[template]], fileResources(place), protocols);
  const values = { question: "Q {query} {{second}}", answer: "N", first: "F", second: "S {{rubric}}" };
  const all: Record<string, string> = { ...values, rubric: "R", reference: "E" };
  const given = Object.fromEntries(forms[template].slots.map((slot) => [slot, all[slot] ?? ""]));
  return render({ name: template, text: found[template] ?? "" }, given);
};
const forms = {
  "judge-grade-prometheus": judgeTemplate("grade", "prometheus"),
  "judge-preference-prometheus": judgeTemplate("preference", "prometheus"),
  "judge-preference": judgeTemplate("preference", "json"),
};

describe("a prompt of LoCAL2's judge", () => {
  it.each<[string, keyof typeof forms, string, string]>([
    [
      "a comparison without rubric and reference",
      "judge-preference-prometheus",
      "###Which?\n{query}\n###A:\n{answer_a}\n###B:\n{answer_b}\n###Verdict:\n",
      "###Which?\nQ {query} {{second}}\n###A:\nF\n###B:\nS {{rubric}}\n###Verdict:",
    ],
    [
      "a comparison with a rubric, and the answers the other way round",
      "judge-preference-prometheus",
      "{answer_b}\r\n{answer_a} {rubric} {query}",
      "S {{rubric}}\nF R Q {query} {{second}}",
    ],
    ["a grade", "judge-grade-prometheus", "{query}|{answer}|{rubric}", "Q {query} {{second}}|N|R"],
    [
      "braces that are doubled, as a format has them",
      "judge-grade-prometheus",
      'As {{"score": 3}}, {{{answer}}}: {query}{rubric}',
      'As {"score": 3}, {N}: Q {query} {{second}}R',
    ],
    [
      "braces that are not",
      "judge-grade-prometheus",
      'As {"a": {"b": 3}}: {answer}{query}',
      'As {"a": {"b": 3}}: NQ {query} {{second}}',
    ],
    [
      "one of Parley's own beside it, whose single braces are text",
      "judge-grade-prometheus",
      "=== user ===\n{{question}}{{answer}}{{rubric}}{{reference}} {query}",
      "Q {query} {{second}}NRE {query}",
    ],
  ])("is used as it is: %s", async (...[, template, text, expected]) => {
    expect(await judged(template, text)).toEqual([{ role: "user", text: expected }]);
  });

  it.each<[keyof typeof forms, string]>([
    ["judge-preference-prometheus", "{query} {answer_a}"],
    ["judge-preference-prometheus", "{query} {answer_a} {answer_b} {context}"],
    ["judge-grade-prometheus", "{query} {answer_a} {answer_b}"],
    ["judge-grade-prometheus", "{{query}} {{answer}}"],
    ["judge-preference", "{query} {answer_a} {answer_b}"],
  ])(
    "is refused where it shows less than is judged, or has what nothing fills: %s %s",
    async (name, text) => {
      await expect(judged(name, text)).rejects.toMatchObject({ code: "configuration" });
    },
  );
});

describe("templatesInForce", () => {
  it("gives the text that ships, or the user's own", async () => {
    const own = "=== user ===\n{{material}} {{persona}}";
    using place = scratch();
    expect(await inForce(place)).toEqual({ "council-draft": draftTemplate.text });
    place.write("project/.parley/prompts/council-draft.md", own);
    expect(await inForce(place)).toEqual({ "council-draft": own });
  });

  it.each([
    [
      "counsil-draft.md",
      "x",
      "HOME/project/.parley/prompts/counsil-draft.md overrides no prompt; the nearest is council-draft.md; rename or remove the file",
    ],
    [
      "council-draft.md",
      "=== user ===\n{{material}}",
      "the prompt HOME/project/.parley/prompts/council-draft.md cannot be used: the slot {{persona}} is missing; its slots are {{material}}, {{persona}}",
    ],
  ])("refuses a file that overrides nothing, or has other slots: %s", async (file, text, expected) => {
    using place = scratch({ [`project/.parley/prompts/${file}`]: text });
    expect(await refusalOf(() => inForce(place), place)).toBe(expected);
  });

  it("passes a file over that overrides another protocol's template", async () => {
    using place = scratch({ "project/.parley/prompts/debate-proposal.md": "mine" });
    expect(Object.keys(await inForce(place))).toEqual(["council-draft"]);
    expect((await shippedTemplates(protocols)).length).toBeGreaterThan(15);
  });

  it("ships no template whose text has other slots", async () => {
    const problems = (await shippedTemplates(protocols)).map(({ slots, text }) =>
      templateProblem(text, slots),
    );
    expect(new Set(problems)).toEqual(new Set([undefined]));
  });
});
