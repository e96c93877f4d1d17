import type { ModelRequest, ToolCall } from "../kernel/index.ts";
import { createChance, shortHash } from "./chance.ts";
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

const MAX_QUESTION_LENGTH = 8_000;

/** The most specific fact that a question asks for: the one with the longest words in common. */
export function recallFact(
  question: string,
  facts: readonly Fact[],
): { readonly answer: string; readonly wrong: readonly string[] } | null {
  const asked = ` ${normalizeWords(question.slice(0, MAX_QUESTION_LENGTH))} `;
  let best: { fact: Fact; length: number } | null = null;
  for (const fact of facts) {
    const lengths = readEntries(fact).map((alternatives) =>
      Math.max(0, ...alternatives.map((one) => (asked.includes(one) ? one.length : 0))),
    );
    const length = lengths.includes(0) ? 0 : lengths.reduce((sum, one) => sum + one, 0);
    if (length > (best?.length ?? 0)) best = { fact, length };
  }
  if (best === null) return null;
  const { about, answer, wrong } = best.fact;
  const others = facts.filter((one) => one.about[0] === about[0] && one.answer !== answer);
  return { answer, wrong: wrong ?? [...new Set(others.map((one) => one.answer))].slice(0, 12) };
}

const entries = new WeakMap<Fact, readonly (readonly string[])[]>();

/** Every entry of a fact as its alternatives, each between spaces; made once for each fact. */
function readEntries(fact: Fact): readonly (readonly string[])[] {
  const cached = entries.get(fact);
  if (cached) return cached;
  const alternatives = fact.about.map((entry) =>
    entry.split("|").flatMap((one) => (normalizeWords(one) === "" ? [] : [` ${normalizeWords(one)} `])),
  );
  entries.set(fact, alternatives);
  return alternatives;
}

const normalizeWords = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}|['’]s\b/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Rows between semicolons, their cells between colons. */
const readTable = (text: string): string[][] =>
  text.split(";").map((row) => row.split(":").map((cell) => cell.trim()));

/** Country, capital, and the cities that come to mind first where the capital is not one of them. */
const capitals = readTable(`
  France:Paris; Germany:Berlin; Italy:Rome; Spain:Madrid; Portugal:Lisbon; Netherlands:Amsterdam; Belgium:Brussels;
  Austria:Vienna; Switzerland:Bern:Zurich|Geneva; Poland:Warsaw; Czech Republic|Czechia:Prague; Hungary:Budapest;
  Greece:Athens; Sweden:Stockholm; Norway:Oslo; Denmark:Copenhagen; Finland:Helsinki; Iceland:Reykjavik;
  Ireland:Dublin; United Kingdom|UK|Britain|England:London; Scotland:Edinburgh; Ukraine:Kyiv; Russia:Moscow;
  Turkey|Türkiye:Ankara:Istanbul; Egypt:Cairo; Kenya:Nairobi; Nigeria:Abuja:Lagos; Morocco:Rabat:Casablanca|Marrakesh;
  Ethiopia:Addis Ababa; Ghana:Accra; India:New Delhi; China:Beijing; Japan:Tokyo; South Korea:Seoul; Thailand:Bangkok;
  Vietnam:Hanoi; Indonesia:Jakarta; Pakistan:Islamabad:Karachi|Lahore; Australia:Canberra:Sydney|Melbourne;
  New Zealand:Wellington:Auckland; Canada:Ottawa:Toronto|Montreal; United States|USA|US:Washington:New York;
  Mexico:Mexico City; Brazil:Brasilia:Rio de Janeiro|Sao Paulo; Argentina:Buenos Aires; Chile:Santiago; Peru:Lima;
  Colombia:Bogota`);

/** Degrees Celsius at one atmosphere, rounded. */
const boilingPoints = readTable(`
  water:100; ethanol:78; methanol:65; acetone:56; mercury:357; nitrogen:-196; oxygen:-183; hydrogen:-253; helium:-269;
  ammonia:-33; benzene:80; bromine:59`);

/** Work, author, year of publication. */
const works = readTable(`
  Hamlet:William Shakespeare:1603; Macbeth:William Shakespeare:1606; Don Quixote:Miguel de Cervantes:1605;
  Pride and Prejudice:Jane Austen:1813; Emma:Jane Austen:1815; Frankenstein:Mary Shelley:1818;
  Jane Eyre:Charlotte Brontë:1847; Wuthering Heights:Emily Brontë:1847; Moby-Dick:Herman Melville:1851;
  Madame Bovary:Gustave Flaubert:1856; Great Expectations:Charles Dickens:1861; War and Peace:Leo Tolstoy:1869;
  Anna Karenina:Leo Tolstoy:1878; Crime and Punishment:Fyodor Dostoevsky:1866;
  On the Origin of Species:Charles Darwin:1859; The Metamorphosis:Franz Kafka:1915; Ulysses:James Joyce:1922;
  The Great Gatsby:F. Scott Fitzgerald:1925; Mrs Dalloway:Virginia Woolf:1925; Brave New World:Aldous Huxley:1932;
  Animal Farm:George Orwell:1945; Nineteen Eighty-Four|1984:George Orwell:1949;
  One Hundred Years of Solitude:Gabriel García Márquez:1967`);

/** Years of birth, by whole names and by family names that belong to one known person alone. */
const births = readTable(`
  Miguel de Cervantes|Cervantes:1547; William Shakespeare|Shakespeare:1564; Jane Austen|Austen:1775; Mary Shelley:1797;
  Charles Darwin|Darwin:1809; Charles Dickens|Dickens:1812; Charlotte Brontë:1816; Emily Brontë:1818;
  Herman Melville|Melville:1819; Gustave Flaubert|Flaubert:1821; Fyodor Dostoevsky|Dostoevsky:1821;
  Leo Tolstoy|Tolstoy:1828; James Joyce:1882; Virginia Woolf|Woolf:1882; Franz Kafka|Kafka:1883; Aldous Huxley:1894;
  F. Scott Fitzgerald|Scott Fitzgerald:1896; George Orwell|Orwell:1903; Gabriel García Márquez|García Márquez:1927`);

const capitalPhrases = (countries: string): string =>
  countries
    .split("|")
    .flatMap((country) =>
      ["of", "of the", "city of", "city of the"].map((link) => `capital ${link} ${country}`),
    )
    .join("|");

/** What every simulated model knows without a file: capitals, boiling points, works, their authors and dates. */
export const builtInFacts: readonly Fact[] = [
  ...capitals.map(([country = "", answer = "", wrong]): Fact => ({
    about: ["capital", capitalPhrases(country)],
    answer,
    ...(wrong ? { wrong: wrong.split("|") } : {}),
  })),
  ...boilingPoints.map(([substance = "", degrees = ""]): Fact => ({
    about: ["boil|boils|boiling point", substance],
    answer: `${degrees} °C`,
  })),
  ...works.flatMap(([work = "", author = "", year = ""]): Fact[] => [
    { about: ["who wrote|author of|the author|written by", work], answer: author },
    {
      about: ["when was|when did|what year|which year", work, "published|written|appear|come out|printed"],
      answer: year,
    },
  ]),
  ...births.map(([author = "", answer = ""]): Fact => ({
    about: [
      "what year|which year|when was|when is|year of birth|birth year|date of birth|birthday",
      "born|birth|birthday",
      author,
    ],
    answer,
  })),
];
