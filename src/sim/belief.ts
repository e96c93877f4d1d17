import type { ModelRequest, ToolCall } from "../kernel/index.ts";
import { createChance, shortHash } from "./chance.ts";
import { builtInFacts, recallFact } from "./facts.ts";
import type { Prompt } from "./prompt.ts";
import type { Fact, SimParameters } from "./reference.ts";
import { solve, type WorkedSolution } from "./solver/index.ts";

/** What a simulated model that has `care` heeds: an instruction to work a result out again. */
export const SECOND_WAY = "in a second way";

/** What a model takes for the answer; it may be mistaken and does not know it. */
export type Belief = { readonly answer: string; readonly working: string };

export type SimModel = ReturnType<typeof createSimModel>;

/**
 * What a simulated model says to the prompts of one feature, which it knows by what they show and by the forms that they
 * ask for; null for any other prompt. What stands inside a fence has no say in that.
 */
export type SimScript = (prompt: Prompt) => ((model: SimModel) => string | ToolCall) | null;

type Knowledge = {
  readonly parameters: SimParameters;
  /** Known beside the built-in facts, and before them. */
  readonly facts: readonly Fact[];
};

/**
 * A simulated model in front of one prompt. A belief depends on the model's identity, the question and the temperature alone: a
 * model judges as it answered. The identity is its family where it has one, else its name, with its seed: of two models
 * that differ only in skill, or in their names within a family, the better one is right wherever the other is, and both
 * make the same mistake. With `vary`, that share of its beliefs depends on the whole prompt.
 */
export function createSimModel(
  { parameters, facts }: Knowledge,
  { question, plain }: Prompt,
  request: ModelRequest,
) {
  const { name, seed, vary } = parameters;
  const isCareful = plain.includes(SECOND_WAY);
  const skilled = isCareful
    ? { ...parameters, skill: Math.min(1, parameters.skill + parameters.care) }
    : parameters;
  const temperature = request.temperature ?? null;
  const solution = solveOrRecall(question, facts);
  const isVaried = createChance(["vary", ...identity(parameters), plain]).roll("vary") < vary;
  const about = [question, temperature];
  const opinion = solution && believe(solution, skilled, [...about, ...(isVaried ? [plain] : [])]);
  return {
    parameters,
    /** Null where there is nothing to work out or to know. */
    belief: opinion && opinion.belief,
    /** Whether the belief is right. A model does not know that of itself: only what is remembered may replace a mistake. */
    sure: opinion !== null && opinion.sure,
    /** What it comes to when it works the question out once more, as it does when others contradict it. */
    secondLook: () => solution && believe(solution, parameters, [...about, "second look"]).belief,
    /** For the wording of this reply: depends on the model and on all that it was sent. */
    wording: createChance(["wording", name, seed, plain, temperature, request.reply?.schema ?? null]),
    /** For taste, which a model keeps from one prompt to the next. */
    taste: createChance(["taste", name, seed]),
  };
}

/** By this a model recognizes its own texts; it does not tell anybody who the model is. */
export const signature = ({ name }: SimParameters): string => shortHash(`signature ${name}`);

const solveOrRecall = (question: string, facts: readonly Fact[]): WorkedSolution | null =>
  solve(question, (text) => {
    const fact = recallFact(text, facts) ?? recallFact(text, builtInFacts);
    return fact && { ...fact, working: (answer) => `As far as I know it is ${answer}.` };
  });

/** Whether simulated models can work a question out, or know its answer. */
export const isSolvable = (question: string): boolean => solveOrRecall(question, []) !== null;

/** Models of one identity share their beliefs and their attention. */
const identity = ({ name, family, seed }: SimParameters): readonly unknown[] =>
  family === null ? ["name", name, seed] : ["family", family, seed];

function believe(
  solution: WorkedSolution,
  parameters: SimParameters,
  about: readonly unknown[],
): { readonly belief: Belief; readonly sure: boolean } {
  const [mistake, ...others] = solution.wrong;
  const origin = identity(parameters);
  const isRight = createChance(["right", ...origin, ...about]).roll("right") < parameters.skill;
  const answer =
    isRight || mistake === undefined
      ? solution.answer
      : createChance(["mistake", ...origin, ...about]).pick("mistake", [mistake, ...others]);
  return { belief: { answer, working: solution.working(answer) }, sure: isRight || mistake === undefined };
}

/** Whether a model misses what it reads: never with skill 1, every second time with skill 0. */
export const overlooks = ({ parameters }: SimModel, what: string, about: string): boolean =>
  createChance(["attention", ...identity(parameters), what, about]).roll("attention") >=
  (1 + parameters.skill) / 2;
