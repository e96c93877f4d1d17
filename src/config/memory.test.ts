import { describe, expect, it } from "vitest";
import { loadMemory } from "./memory.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

const PROJECT = "project/.parley/memory.yaml";
const USER = ".config/parley/memory.yaml";

const shipped = {
  recall: {
    minimum: 0.75,
    minimumWords: 0.6,
    most: 2,
    extraAt: 0.9,
    weights: { words: 0.05, entities: 0.05, grade: 0.05, preference: 0.05, thumb: 0.05 },
    timeoutMs: 2_000,
  },
  mergeAt: 0.9,
  retireAt: 2,
  write: true,
};

describe("memory.yaml", () => {
  it("ships with what is recalled, merged and retired", () => {
    using place = scratch();
    const { memory, sources } = loadMemory(place);
    expect(memory).toEqual(shipped);
    expect(Object.entries(sources).map(([key, { value, name }]) => [key, value, name])).toEqual([
      ["memory.recall.minimum", 0.75, "default"],
      ["memory.recall.minimum-words", 0.6, "default"],
      ["memory.recall.most", 2, "default"],
      ["memory.recall.extra-at", 0.9, "default"],
      ["memory.recall.timeout", "2s", "default"],
      ["memory.recall.weights.words", 0.05, "default"],
      ["memory.recall.weights.entities", 0.05, "default"],
      ["memory.recall.weights.grade", 0.05, "default"],
      ["memory.recall.weights.preference", 0.05, "default"],
      ["memory.recall.weights.thumb", 0.05, "default"],
      ["memory.merge-at", 0.9, "default"],
      ["memory.retire-at", 2, "default"],
    ]);
  });

  it("ships with weights under which similarity stays the main part", () => {
    using place = scratch();
    const { minimum, weights } = loadMemory(place).memory.recall;
    const verdicts = 2 * weights.grade + weights.preference + weights.thumb;
    // Praise alone never puts the least similar before the same question asked again.
    expect(verdicts).toBeLessThan(1 - minimum);
    expect(verdicts + weights.words + weights.entities).toBeLessThan(minimum / 2);
  });

  it("O1: counts key by key over the built-in one, at any depth, the project's before the user's", () => {
    using place = scratch({ [USER]: "retire-at: 5\nrecall: {minimum: 0.8}" });
    expect(loadMemory(place).memory).toEqual({
      ...shipped,
      retireAt: 5,
      recall: { ...shipped.recall, minimum: 0.8 },
    });
    place.write(PROJECT, "recall:\n  most: 0\n  timeout: 500ms\n  weights:\n    grade: 0.1\n    thumb:\n");
    const { memory, sources } = loadMemory(place);
    expect(memory).toEqual({
      ...shipped,
      recall: {
        ...shipped.recall,
        most: 0,
        timeoutMs: 500,
        weights: { ...shipped.recall.weights, grade: 0.1 },
      },
    });
    const given = Object.entries(sources).filter(([, { from }]) => from !== "default");
    expect(
      given.map(([key, { value, from, name }]) => [key, value, from, name.replace(place.home, "")]),
    ).toEqual([
      ["memory.recall.most", 0, "project file", `/${PROJECT}:2`],
      ["memory.recall.timeout", "500ms", "project file", `/${PROJECT}:3`],
      ["memory.recall.weights.grade", 0.1, "project file", `/${PROJECT}:5`],
    ]);
  });

  it.each([
    ["recal: {}", '1:1: unknown key "recal"; did you mean recall?'],
    ["recall: {minimun: 1}", '1:10: unknown key "minimun"; did you mean minimum?'],
    ["recall:\n  weights:\n    grades: 1", '3:5: unknown key "grades"; did you mean grade?'],
    [
      "recall: 5",
      "1:9: recall must be a mapping (got 5); it has merge-at (0 to 1), retire-at (a whole number above 0) and recall, with minimum, minimum-words, extra-at (0",
    ],
    ["recall: {minimum: 1.1}", "1:19: recall.minimum must be at most 1 (got 1.1)"],
    ["recall: {weights: {thumb: -1}}", "1:27: recall.weights.thumb must be at least 0 (got -1)"],
    ["recall: {most: 1.5}", "1:16: recall.most must be an integer (got 1.5)"],
    ["recall: {most: 21}", "1:16: recall.most must be at most 20 (got 21)"],
    [
      "recall: {timeout: never}",
      '1:19: recall.timeout must be a duration such as 90 (seconds), 90s, 5m or 1h (got "never")',
    ],
    ["merge-at: high", '1:11: merge-at must be a number (got "high")'],
    ["retire-at: 0", "1:12: retire-at must be above 0 (got 0)"],
    ["id: memory_agent\nretrival: {}", '2:1: unknown key "retrival"; did you mean retrieval?'],
    ["retrieval: {min_similarty: 1}", '1:13: unknown key "min_similarty"; did you mean min_similarity?'],
    ["retrieval: {min_similarity: 2}", "retrieval.min_similarity must be at most 1 (got 2)"],
    ["write_enabled: perhaps", "write_enabled must be true or false"],
    ["threshold: 1", '1:1: unknown key "threshold"'],
    ["[]", "the file must be a mapping (got an empty list)"],
  ])("refuses %j with its place", async (text, expected) => {
    using place = scratch({ [PROJECT]: text });
    const said = await refusalOf(() => loadMemory(place), place);
    expect(said).toContain(`HOME/${PROJECT}:`);
    expect(said).toContain(expected);
  });

  it("of LoCAL2's is read as it is, and names what is skipped", () => {
    using place = scratch({
      [USER]:
        'id: memory_agent\ncollection: "local_memory"\nchroma_path: ".chroma"\nembed_model: "nomic-embed-text"\nn_results: 5\nmodel: "gemma4:e4b"\nwrite_enabled: false\nretrieval:\n  min_similarity: 0.85\n  max_results: 7\n  base_cap: 4\nsummarize_prompt: |\n  In 2 sentences.\nclassify_prompt: |\n  As JSON.\ntopics: on\n',
    });
    const { memory, sources, warnings } = loadMemory(place);
    expect(memory).toMatchObject({ write: false, recall: { minimum: 0.85, most: 7, extraAt: 0.9 } });
    expect(sources["memory.recall.minimum"]).toEqual({
      value: 0.85,
      from: "user file",
      name: `${place.home}/${USER}:9`,
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /skipped id \(.*\), collection .*, chroma_path .*, embed_model \(set embedding .*\), n_results .*, model .*, summarize_prompt .*, classify_prompt .*, retrieval\.base_cap, topics$/,
    );
  });
});
