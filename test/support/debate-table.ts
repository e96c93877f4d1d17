import { hash } from "node:crypto";
import type { NewDeliberation } from "../../src/engine/index.ts";
import type { Json, ModelRequest } from "../../src/kernel/index.ts";
import { debate } from "../../src/features/debate/protocol/debate/index.ts";
import { shippedTextsOf, toyAsked, toyParticipant } from "../../src/testing/kit.ts";
import type { ScriptedLine, Script } from "../../src/testing/scripted-models.ts";

export type DebateAsked = {
  readonly agents?: readonly string[];
  readonly judges?: readonly string[];
  readonly settings?: Readonly<Record<string, Json>>;
  /** Beside the shipped ones. */
  readonly own?: Readonly<Record<string, string>>;
} & Partial<Omit<NewDeliberation, "settings" | "templates" | "participants">>;

/** A debate on the shipped prompts; a participant's model is `sim/NAME`, its persona `be NAME`. */
export const debateAsked = ({
  agents = ["ada", "bob", "cyd"],
  judges = ["judge"],
  settings = {},
  own = {},
  ...changes
}: DebateAsked = {}): NewDeliberation =>
  toyAsked("debate", {
    question: "Design a queue. It must not lose jobs. It should be cheap to run.",
    ...changes,
    settings: { rounds: 2, ...settings },
    participants: [
      ...agents.map((name) => toyParticipant(name, "agent")),
      ...judges.map((name) => toyParticipant(name, "judge")),
    ],
    templates: { ...shippedTextsOf(debate), ...own },
  });

export type DebateTask =
  | "clarify"
  | "proposal"
  | "critique"
  | "refinement"
  | "summary"
  | "judge-summary"
  | "confidence"
  | "synthesis"
  | "repair";

/** What only one template says outside of the fences. */
const SIGNS: readonly (readonly [sign: string, task: DebateTask])[] = [
  ["Nobody has proposed a solution yet", "clarify"],
  ["Should the debate end here?", "confidence"],
  ["Criticise the proposal above", "critique"],
  ["The proposal above is yours", "refinement"],
  ["You are the judge. Above are the proposals and refinements", "judge-summary"],
  ["Above is your own part in the debate so far", "summary"],
  ["SUMMARIZE IN MY WORDS", "summary"],
  ["It could not be read, for this reason", "repair"],
  ["Write the one solution that the debate comes to", "synthesis"],
  ["Propose a solution to the problem", "proposal"],
];

const FENCED = /^\[BEGIN ([a-z]+)(?: ([^\n]*))? #([0-9a-f]{16})\]\n[\s\S]*?\n\[END [^\n]* #\3\]$/gm;

/** All of a request's turns as one text. */
export const textOf = ({ messages }: ModelRequest): string => messages.map(({ text }) => text).join("\n");

/** What a request is for, as its text outside of the fences says. */
export function debateTaskOf(request: ModelRequest): DebateTask {
  const asked = textOf(request).replaceAll(FENCED, "");
  const task = SIGNS.find(([sign]) => asked.includes(sign))?.[1];
  if (task === undefined) throw new Error(`nobody knows what is asked: ${asked.slice(-300)}`);
  return task;
}

export const solutionOf = (markdown: string, more: Readonly<Record<string, Json>> = {}): string =>
  JSON.stringify({
    solutionMarkdown: markdown,
    tradeoffs: [],
    recommendations: [],
    unfulfilledMajorRequirements: [],
    openQuestions: [],
    confidence: 80,
    ...more,
  });

/** Who says what, by task; a task that is not named is done as `usual` does. */
export type Says = { readonly [T in DebateTask]?: (request: ModelRequest) => ScriptedLine };

const COVERAGE = "## Requirements Coverage\nIt must not lose jobs: a write-ahead log.";

/** What everybody says who says nothing else: a text that names who it is by, what it does, and by a hash what it was asked. */
function usual(name: string, says: Says = {}, latencyMs = 10): Script[string] {
  return (request) => {
    const task = debateTaskOf(request);
    const nth = hash("sha256", textOf(request)).slice(0, 6);
    const own = says[task]?.(request);
    if (own !== undefined) return own;
    const said: Readonly<Record<DebateTask, string>> = {
      clarify: '{"questions": []}',
      proposal: `Proposal ${nth} of ${name}.\n\n${COVERAGE}`,
      critique: `Critique ${nth} by ${name}.`,
      refinement: `Refinement ${nth} of ${name}.\n\n## Critiques\n1. accepted\n\n${COVERAGE}`,
      summary: `Summary ${nth} for ${name}.`,
      "judge-summary": `Summary ${nth} for the judge.`,
      confidence: '{"reason": "enough", "confidence": 50}',
      synthesis: solutionOf(`# The solution\nA log.`),
      repair: solutionOf(`# The solution, again`),
    };
    return { text: said[task], latencyMs };
  };
}

/** Everybody at the usual table. */
export const debaters = (says: Readonly<Record<string, Says>> = {}, latencyMs = 10): Script =>
  Object.fromEntries(
    ["ada", "bob", "cyd", "dee", "judge", "other"].map((name) => [name, usual(name, says[name], latencyMs)]),
  );
