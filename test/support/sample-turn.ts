import { parseEvent, type Entry, type NewEvent } from "../../src/kernel/index.ts";

/** For tests: what an event of a sample says; `id` is its place, so that others can name it. */
export type Told = { readonly type: NewEvent["type"]; readonly data: unknown };

const zeros = "0".repeat(64);
const seat = (id: string, name: string) => ({
  id,
  seat: name,
  persona: { name: id, instructions: zeros },
  model: `openai/${id.toLowerCase()}`,
  family: null,
});

/** For tests: an opening of `respond` with both respondents. */
export const asked = (question: string, more: object = {}): Told => ({
  type: "deliberation-opened",
  data: {
    question,
    context: [],
    protocol: { name: "respond", version: 1 },
    settings: { recall: { user: "ada", rules: {} } },
    participants: [seat("A", "respondent"), seat("B", "respondent-b")],
    templates: {},
    seed: "s",
    budget: {},
    organization: "local",
    ...more,
  },
});

export const answered = (by: "A" | "B", text: string, more: object = {}): Told => ({
  type: "answer-given",
  data: { by, kind: "response", round: 1, text, final: null, respondent: by, ...more },
});

export const graded = (of: string, score: number | null, more: object = {}): Told => ({
  type: "grade-given",
  data: { of, score, feedback: "Good.", rubric: "answer-quality", ...more },
});

export const preferred = (of: readonly [string, string], winner: "A" | "B" | "tie"): Told => ({
  type: "preference-given",
  data: { of, winner, orderSensitive: false, reason: "It is shorter.", scores: [4, 5] },
});

export const called = (by: "A" | "B", tool: string, result: unknown = "sunny"): Told => ({
  type: "tool-called",
  data: { by, tool, arguments: { q: "x" }, result },
});

export const closed = (data: object): Told => ({ type: "deliberation-closed", data });

export const recalled = (by: "A" | "B"): Told => ({
  type: "engrams-recalled",
  data: {
    for: by,
    engrams: [
      {
        id: "e1",
        question: "Before?",
        summary: "So.",
        mark: "good-example",
        grade: 5,
        feedback: "Right.",
        similarity: 0.8,
        words: 0.5,
        score: 0.9,
      },
    ],
    facts: ["Ada is left-handed."],
    how: "full text alone",
  },
});

/** For tests: the entries of one deliberation; the `n`th event's id is `<deliberation>/n`, recorded at second `n`. */
export const turnOf = (deliberation: string, told: readonly Told[]): Entry[] =>
  told.map(
    (event, index) =>
      ({
        ...parseEvent(event),
        id: `${deliberation}/${index + 1}`,
        deliberation,
        seq: index + 1,
        cursor: index + 1,
        at: `2026-01-01T00:00:0${(index + 1) % 10}.000Z`,
        origin: { by: "open", request: "r" },
        // Brands hold what the kernel's schemas admit, and these are such.
      }) as unknown as Entry,
  );
