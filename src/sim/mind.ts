import type { ModelRequest } from "../kernel/index.ts";
import { builtInFacts } from "./built-in-facts.ts";
import { chanceOf, shortHash, type Chance } from "./chance.ts";
import { readings, type Turn } from "./conversation.ts";
import type { Fact } from "./fact.ts";
import { recall } from "./facts.ts";
import type { Prompt } from "./prompt.ts";
import type { Simulated } from "./reference.ts";
import { solve, type Solution } from "./solver/index.ts";

/** What a model holds to be the answer; it may be mistaken and does not know it. */
export type Belief = { readonly answer: string; readonly working: string };

/** A simulated model in front of one prompt. */
export type Mind = {
  readonly simulated: Simulated;
  /** Null where there is nothing to work out or to know. */
  readonly belief: Belief | null;
  /** Whether the belief is no mistake. Nobody knows that of oneself; only what is remembered may stand in for a mistake. */
  readonly sure: boolean;
  /** The question as it may be understood in its conversation: the one that the belief is about first; it alone where nothing is left open. */
  readonly readings: readonly [string, ...string[]];
  /** What it comes to when it works the question out once more, as it does when others contradict it. */
  readonly secondLook: () => Belief | null;
  /** For the wording of this reply: depends on the model and all that it was sent. */
  readonly wording: Chance;
  /** For taste, which a model keeps from one prompt to the next. */
  readonly taste: Chance;
};

/**
 * The mind that answers a prompt. A belief depends on who the model is, the question and the temperature alone: a
 * model judges as it answered. Who it is, is its family where one is given, else its name, with its seed: of two
 * models that differ only in skill, or in their names within a family, the better one is right wherever the
 * other is, and both make the same mistake. With `vary`, that share of its beliefs depends on the whole prompt.
 */
export function mindOf(
  {
    simulated,
    facts,
  }: {
    readonly simulated: Simulated;
    /** Known beside the built-in ones, and before them. */ readonly facts: readonly Fact[];
  },
  { question, plain, task }: Prompt,
  request: ModelRequest,
): Mind {
  const { name, seed } = simulated;
  const temperature = request.temperature ?? null;
  const { solution, understood, others } = understand(
    question,
    task.kind === "response" ? task.turns : [],
    facts,
  );
  const anew = chanceOf(["vary", ...originOf(simulated), plain]).roll("vary") < simulated.vary;
  const about = [understood, temperature];
  const held = solution && believed(solution, simulated, [...about, ...(anew ? [plain] : [])]);
  return {
    simulated,
    belief: held && held.belief,
    sure: held !== null && held.sure,
    readings: [understood, ...others],
    secondLook: () => solution && believed(solution, simulated, [...about, "second look"]).belief,
    wording: chanceOf(["wording", name, seed, plain, temperature, request.reply?.schema ?? null]),
    taste: chanceOf(["taste", name, seed]),
  };
}

/** By which a model knows its own texts again; it says nothing about who that is. */
export const signatureOf = ({ name }: Simulated): string => shortHash(`signature ${name}`);

type Understood = {
  readonly solution: Solution | null;
  readonly understood: string;
  /** What else it may mean. */
  readonly others: readonly string[];
};

/** The question as it stands where that can be answered, else the first reading that can. */
function understand(question: string, turns: readonly Turn[], facts: readonly Fact[]): Understood {
  const own = solutionOf(question, facts);
  if (own !== null || turns.length === 0) return { solution: own, understood: question, others: [] };
  const meant = readings(question, turns);
  for (const one of meant) {
    const solution = solutionOf(one, facts);
    if (solution !== null) return { solution, understood: one, others: [question, ...meant] };
  }
  return { solution: null, understood: question, others: meant };
}

const solutionOf = (question: string, facts: readonly Fact[]): Solution | null =>
  solve(question, (text) => {
    const known = recall(text, facts) ?? recall(text, builtInFacts);
    return (
      known && {
        answer: known.answer,
        wrong: known.wrong,
        working: (answer) => `As far as I know it is ${answer}.`,
      }
    );
  });

/** Whose beliefs a model shares. */
export const originOf = ({ name, family, seed }: Simulated): readonly unknown[] =>
  family === null ? ["name", name, seed] : ["family", family, seed];

function believed(
  solution: Solution,
  simulated: Simulated,
  about: readonly unknown[],
): { readonly belief: Belief; readonly sure: boolean } {
  const [mistake, ...others] = solution.wrong;
  const origin = originOf(simulated);
  const right = chanceOf(["right", ...origin, ...about]).roll("right") < simulated.skill;
  if (right || mistake === undefined)
    return { belief: { answer: solution.answer, working: solution.working(solution.answer) }, sure: true };
  const answer = chanceOf(["mistake", ...origin, ...about]).pick("mistake", [mistake, ...others]);
  return { belief: { answer, working: solution.working(answer) }, sure: false };
}
