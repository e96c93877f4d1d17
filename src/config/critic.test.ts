import { describe, expect, it } from "vitest";
import { loadCritic } from "./critic.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

const PROJECT = "project/.parley/critic.yaml";
const USER = ".config/parley/critic.yaml";
const RUBRIC =
  "name: kind\ncriteria: Is it kind?\nanchors: {1: no, 2: hardly, 3: in part, 4: mostly, 5: yes}\n";
const BLOCK =
  "rubric: |\n  [Is it kind?]\n  Score 1: no\n  Score 2: hardly\n  Score 3: in part\n  Score 4: mostly\n  Score 5: yes\n";

describe("the critic that ships", () => {
  it("is one model at temperature 0 with a context, a timeout and a rubric of five anchors", () => {
    using place = scratch();
    const { critic, sources } = loadCritic(place);
    expect(critic).toMatchObject({
      model: "ollama/prometheus:7b",
      temperature: 0,
      contextTokens: 4_096,
      timeoutMs: 30_000,
      form: undefined,
      maxOutputTokens: 1_024,
      kind: "knowledge",
      rubric: { name: "answer-quality" },
    });
    expect(new Set(Object.values(sources).map(({ from, name }) => `${from} ${name}`))).toEqual(
      new Set(["default default"]),
    );
  });

  it("has a rubric of its own for each kind of answer", () => {
    using place = scratch();
    const { rules } = loadCritic(place).critic;
    expect(rules[0]?.rubric).toBe(rules[1]?.rubric);
    expect([...new Set(rules.map(({ kind }) => kind))]).toEqual([
      "confirmation",
      "material",
      "creative",
      "code",
    ]);
    expect(rules.filter(({ kind, rubric }) => rubric.name !== kind)).toEqual([]);
    for (const { rubric } of rules) {
      expect(rubric.criteria).toMatch(/\?$/);
      expect(new Set(Object.values(rubric.anchors)).size).toBe(5);
    }
  });
});

describe("O1: a file of one's own", () => {
  it("counts key by key over the built-in one, the project's before the user's", () => {
    using place = scratch({ [USER]: "temperature: 0.5\ntokens: 300" });
    expect(loadCritic(place).critic).toMatchObject({
      model: "ollama/prometheus:7b",
      temperature: 0.5,
      maxOutputTokens: 300,
    });
    place.write(PROJECT, "\nmodel: sim/judge?skill=0.9\ntimeout: 1.5m\nform: json\n");
    const { critic, sources } = loadCritic(place);
    expect(critic).toMatchObject({
      model: "sim/judge?skill=0.9",
      timeoutMs: 90_000,
      form: "json",
      temperature: 0,
      maxOutputTokens: 1_024,
    });
    expect(critic.rules).toHaveLength(7);
    const found = (key: string) => ({
      ...sources[key],
      name: sources[key]?.name.replace(place.home, "HOME"),
    });
    expect(found("critic.model")).toEqual({
      value: "sim/judge?skill=0.9",
      from: "project file",
      name: `HOME/${PROJECT}:2`,
    });
    expect(found("critic.timeout")).toEqual({
      value: "90s",
      from: "project file",
      name: `HOME/${PROJECT}:3`,
    });
    expect(found("critic.tokens")).toEqual({ value: 1_024, from: "default", name: "default" });
  });

  it("puts its list of rules in the place of the whole built-in one", () => {
    using place = scratch({
      [PROJECT]:
        "rules:\n  - kind: letter\n    when: {question: [write a letter], at-most: 300}\n    rubric: creative\n",
    });
    const { critic, sources } = loadCritic(place);
    expect(critic.rules).toMatchObject([
      {
        kind: "letter",
        when: { question: ["write a letter"], "at-most": 300 },
        rubric: { name: "creative" },
      },
    ]);
    expect(Object.keys(sources).filter((key) => key.startsWith("critic.rules"))).toEqual(["critic.rules.1"]);
    expect(sources["critic.rules.1"]).toMatchObject({
      value: { kind: "letter", rubric: "creative" },
      from: "project file",
      name: `${place.home}/${PROJECT}:2`,
    });
    place.write(PROJECT, "rules: []");
    expect(loadCritic(place).critic.rules).toEqual([]);
    expect(loadCritic(place).sources["critic.rules"]).toMatchObject({ value: [], from: "project file" });
  });

  it("O2: says nothing by an empty file, or a key without a value", () => {
    using place = scratch({ [PROJECT]: "# model:\n" });
    const { critic } = loadCritic(place);
    place.write(PROJECT, "model:\nrules:\nrubric:\n");
    const { sources, says } = loadCritic(scratch());
    expect(loadCritic(place)).toEqual({ critic, says, sources, warnings: [] });
  });

  it("is not blamed for a rubric that it does not name", async () => {
    using place = scratch({
      [PROJECT]: "tokens: 5",
      "project/.parley/rubrics/answer-quality.yaml": RUBRIC.replace("kind\n", "My Kind\n"),
    });
    expect(await refusalOf(() => loadCritic(place), place)).toMatch(
      /^HOME\/project\/\.parley\/rubrics\/answer-quality\.yaml:1:7: name is not valid/,
    );
    place.write(PROJECT, "tokens: 5\nrubric: answer-quality");
    expect(await refusalOf(() => loadCritic(place), place)).toMatch(
      /^HOME\/project\/\.parley\/critic\.yaml:2:9: HOME\/project\/\.parley\/rubrics\/answer-quality/,
    );
  });

  it("names rubrics by name, or by a file that lies where the file says, and reads a block of text", () => {
    using place = scratch({ [PROJECT]: "rubric: kind", "project/.parley/rubrics/kind.yaml": RUBRIC });
    expect(loadCritic(place).critic.rubric).toMatchObject({ name: "kind", criteria: "Is it kind?" });
    place.write("project/.parley/own.yaml", RUBRIC.replace("Is it kind?", "Is it brief?"));
    place.write(PROJECT, "rubric: own.yaml\nrules: [{kind: any, when: {tools: any}, rubric: ./own.yaml}]\n");
    expect(loadCritic(place).critic).toMatchObject({
      rubric: { criteria: "Is it brief?" },
      rules: [{ rubric: { criteria: "Is it brief?" } }],
    });
    place.write(PROJECT, BLOCK);
    expect(loadCritic(place).critic.rubric).toMatchObject({ name: "critic", anchors: { 4: "mostly" } });
    expect(loadCritic(place).sources["critic.rubric"]).toMatchObject({
      value: "critic",
      from: "project file",
    });
  });
});

describe("LoCAL2's critic.yaml", () => {
  it("is read as it is", () => {
    using place = scratch({
      [USER]: `model: "prometheus:7b"  # from Ollama\ntemperature: 0.0\nnum_ctx: 32000\ngrade_timeout: 45\ntop_p: 0.95\ntop_k: 64\n${BLOCK}`,
    });
    const { critic, sources } = loadCritic(place);
    expect(critic).toMatchObject({
      model: "ollama/prometheus:7b",
      temperature: 0,
      contextTokens: 32_000,
      timeoutMs: 45_000,
      rubric: { name: "critic", criteria: "Is it kind?", anchors: { 1: "no", 5: "yes" } },
      kind: "knowledge",
    });
    expect(sources["critic.context"]).toEqual({
      value: 32_000,
      from: "user file",
      name: `${place.home}/${USER}:3`,
    });
    expect(sources["critic.timeout"]).toMatchObject({ value: "45s", name: `${place.home}/${USER}:4` });
  });
});

describe("another LoCAL2's critic.yaml", () => {
  const block = (name: string, criteria: string) =>
    `${name}: |\n  [${criteria}]\n  Score 1: no\n  Score 2: hardly\n  Score 3: in part\n  Score 4: mostly\n  Score 5: yes\n`;

  it("has its rubrics for what tools found and for what was done, and names what is skipped", () => {
    using place = scratch({
      [USER]:
        `id: critic\nmodel: "prometheus-7b:latest"\ntemperature: 0.0\ntop_p: 0.95\ntop_k: 64\nnum_ctx: 32000\ngrade_timeout: 30\n${block("rubric", "Is it real?")}${block("style_rubric", "Is it neat?]\n  Do not look at facts [at all")}${block("clarity_rubric", "Is it clear?")}${block("creative_rubric", "Is it new?")}persona_rubric_map: {analytic: realistic}\ngrade_prompt: |\n  ###Task\nfallback: none\n`.replace(
          "[Is it neat?]\n  Do not look at facts [at all]",
          "[Is it neat?]\n  Do not look at facts.",
        ),
    });
    const { critic, sources, warnings } = loadCritic(place);
    expect(critic).toMatchObject({ model: "ollama/prometheus-7b:latest", contextTokens: 32_000 });
    expect(critic.rubric).toMatchObject({ name: "critic", criteria: "Is it real?" });
    const rubrics = new Map(critic.rules.map(({ kind, rubric }) => [kind, rubric]));
    expect(rubrics.get("material")).toMatchObject({
      name: "style",
      criteria: "Is it neat? Do not look at facts.",
    });
    expect(rubrics.get("confirmation")).toMatchObject({ name: "clarity", criteria: "Is it clear?" });
    expect(rubrics.get("creative")?.name).toBe("creative");
    expect(sources["critic.rules.1"]).toMatchObject({ from: "user file" });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /critic\.yaml: skipped id \(.*\), top_p .*, top_k .*, creative_rubric .*, persona_rubric_map .*, grade_prompt \(a prompt of your own is .*\), fallback$/,
    );
  });

  it("leaves the user's own rules as they are", () => {
    using place = scratch({
      [USER]: `num_ctx: 5\nrules: [{kind: material, when: {tools: any}, rubric: code}]\n${block("style_rubric", "Is it neat?")}`,
    });
    const { critic, warnings } = loadCritic(place);
    expect(critic.rules.map(({ rubric }) => rubric.name)).toEqual(["code"]);
    expect(warnings).toEqual([]);
  });
});

describe("what is wrong is refused with its place", () => {
  it.each([
    ["modle: a/b", '1:1: unknown key "modle"; did you mean model?'],
    ["modle:", '1:1: unknown key "modle"; did you mean model?'],
    [
      "model: [a/b]",
      "1:8: model must be text (got a list of 1); it has keys as model: ollama/prometheus:7b, temperature: 0, context: 4096, timeout: 30s, form:",
    ],
    ["model: 'a b'", "1:8: model is not valid: a model is written provider/model"],
    ["temperature: 3", "1:14: temperature must be at most 2 (got 3)"],
    ["temperature: -1", "1:14: temperature must be at least 0 (got -1)"],
    ["context: lots", '1:10: context must be a number (got "lots")'],
    ["context: 0", "1:10: context must be above 0 (got 0)"],
    ["num_ctx: 1.5", "1:10: num_ctx must be an integer (got 1.5)"],
    [
      "timeout: soon",
      '1:10: timeout must be a duration such as 90 (seconds), 90s, 5m or 1h (got "soon"); it has keys as',
    ],
    ["form: yaml", '1:7: form must be prometheus or json (got "yaml")'],
    ["kind: My Kind", "1:7: kind is not valid: a word of small letters, digits and dashes"],
    ["tokens: 0", "1:9: tokens must be above 0 (got 0)"],
    ["rubric: ''", "1:9: rubric must not be empty"],
    ["rubric: answer-qualty", '1:9: there is no rubric "answer-qualty"; the nearest is answer-quality'],
    ["rubric: gone.yaml", "1:9: the rubric HOME/project/.parley/gone.yaml does not exist"],
    ["rubric: |\n  Score 1: no", "1:9: the rubric cannot be read: it does not begin with its criteria"],
    ["rubric: '[Is it kind?]'", '1:9: the rubric cannot be read: it has no line "Score 1: …"; write a line'],
    ["rules: {kind: a}", "1:8: rules must be a list (got a mapping)"],
    ["rules:\n  - kind: a\n    when: {tools: any}", "2:5: rubric is missing; a rule has a kind"],
    ["rules:\n  - {kind: a, wen: {}, rubric: code}", '2:15: unknown key "wen"; did you mean when?'],
    [
      "rules:\n  - {kind: a, when: {tool: any}, rubric: code}",
      '2:22: unknown key "tool"; did you mean tools?',
    ],
    [
      "rules:\n  - {kind: a, when: {}, rubric: code}",
      "2:21: when is not valid: a rule needs a sign; a rule has",
    ],
    ["rules:\n  - code", '2:5: rules.0 must be a mapping (got "code")'],
    [
      "rules:\n  - {kind: a, when: {tools: any}, rubric: cod}",
      '2:43: there is no rubric "cod"; the nearest is code',
    ],
    ["context: 5\nnum_ctx: 6", "2:1: num_ctx is another name of context, which is given too; remove one"],
    ["timeout: 5\ngrade_timeout: 6", "2:1: grade_timeout is another name of timeout"],
    ["id: critic\nmodle: a/b", '2:1: unknown key "modle"; did you mean model?'],
    ["num_ctx: 5\nrubrics: x", '2:1: unknown key "rubrics"; did you mean rubric?'],
    ["style_rubric: x", '1:15: there is no rubric "x"'],
    ["grading: strict", '1:1: unknown key "grading"'],
    ["reactor: x\nprompt: y", '1:1: unknown key "reactor"'],
    ["api-key: sk-abcdefghijklmnop", "1:1: api-key looks like a secret"],
    ["- a", "the file must be a mapping (got a list of 1)"],
    ["model: [", "Flow sequence in block collection must be sufficiently indented and end with a ]"],
  ])("%j", async (text, expected) => {
    using place = scratch({ [PROJECT]: text });
    const said = await refusalOf(() => loadCritic(place), place);
    expect(said).toContain(`HOME/${PROJECT}:`);
    expect(said).toContain(expected);
    expect(said).toMatch(/^[^\p{Cc}\u2028]{1,900}$/u);
  });
});
