import { yesOrNo, type Solver } from "./solution.ts";

type NamePair = readonly [string, string];

/** Everything that can be reached from `start` over the pairs. */
function reachable(start: string, pairs: readonly NamePair[]): Set<string> {
  const reached = new Set<string>([start]);
  for (const at of reached) for (const [from, to] of pairs) if (from === at) reached.add(to);
  return reached;
}

/** A term in one form, without its article and the ending of its plural. */
const plain = (term: string): string =>
  term
    .toLowerCase()
    .replace(/^(?:an?|the)\s+/, "")
    .replace(/(?<=\w\w)(?:es|s|e)$/, "");

const statement =
  /\b(?:all|every|each) ([^.?!]{1,60}?) (?:are|is) ([^.?!]{1,60}?)(?=[.,;]| and )|(?<=^|[.;]\s)(\S{1,40}) is (an? [^.?!]{1,60}?)\./gi;

/** `All A are B. All B are C. Are all A C?`, also with single things: `Rex is a dog.` */
const syllogism: Solver = (question) => {
  const pairs = [...question.matchAll(statement)].map(([, kind, other, name, sort]): NamePair => [
    plain(kind ?? name ?? ""),
    plain(other ?? sort ?? ""),
  ]);
  const [, from = "", to = ""] =
    /\b(?:are all|is every|is) (\S[^.?!]{0,59}?) (?:necessarily )?(?:an? )?([^\s.?!]+)\?/i.exec(question) ??
    [];
  const start = plain(from);
  if (!pairs.flat().includes(start)) return null;
  const kinds = reachable(start, pairs);
  return yesOrNo(kinds.has(plain(to)), `Following what each of ${start} is: ${[...kinds].join(", ")}.`);
};

type Comparatives = { readonly [W in "more" | "less" | "most" | "least"]: string };

/** The comparatives and superlatives by which people are put in one line. */
export const COMPARISONS: readonly [Comparatives, ...Comparatives[]] = [
  { more: "taller", less: "shorter", most: "tallest", least: "shortest" },
  { more: "older", less: "younger", most: "oldest", least: "youngest" },
  { more: "faster", less: "slower", most: "fastest", least: "slowest" },
  { more: "heavier", less: "lighter", most: "heaviest", least: "lightest" },
];

/** `A is taller than B. B is taller than C. Who is the shortest?` */
const order: Solver = (question) => {
  for (const { more, less, most, least } of COMPARISONS) {
    const statements = new RegExp(String.raw`\b(\w{1,40}) is (${more}|${less}) than (\w{1,40})\b(?!\?)`, "g");
    const pairs = [...question.matchAll(statements)].map(([, first = "", word, second = ""]): NamePair =>
      word === more ? [first, second] : [second, first],
    );
    if (pairs.length === 0) continue;
    const names = [...new Set(pairs.flat())];
    const asked = new RegExp(String.raw`\bis (\w{1,40}) (${more}|${less}) than (\w{1,40})\?`, "i");
    const [, left = "", word, right = ""] = asked.exec(question) ?? [];
    if (names.includes(left) && names.includes(right)) {
      const [high, low] = word === more ? [left, right] : [right, left];
      return yesOrNo(reachable(high, pairs).has(low), "Putting them in one line.");
    }
    const [, end] =
      new RegExp(String.raw`\b(?:who|which)\b[^?.]{0,60}?\b(${most}|${least})\b`, "i").exec(question) ?? [];
    const extreme = names.find((name) =>
      end === most
        ? reachable(name, pairs).size === names.length
        : end === least && names.every((other) => reachable(other, pairs).has(name)),
    );
    if (extreme === undefined) continue;
    return {
      answer: extreme,
      working: (answer) => `Putting them in one line, ${answer} stands at the end that is asked for.`,
      wrong: names.filter((name) => name !== extreme),
    };
  }
  return null;
};

const honestRole = "truth-?teller|knight|telling the truth|honest|truthful";
const lyingRole = "liar|knave|lying|dishonest";
/** `Ann says that Bob is a knave`, `Ann says: "We are both knights"`. */
const claimPattern = new RegExp(
  String.raw`\b([A-Z]\w{0,39}) says:?,?(?: that)? ["“']?(\w{1,40})(?: and (\w{1,40}))? (?:is|am|are)( not)?(?: both)?(?: an?| the)? (?:(${honestRole})|${lyingRole})`,
  "g",
);

/** Knights and knaves: every assignment is tried, and the one that fits is the answer if there is just one. */
const liars: Solver = (question) => {
  const claims = [...question.matchAll(claimPattern)].map(
    ([, speaker = "", one = "", other, not, honest]) => ({
      speaker,
      about: [one, other ?? one].map((name) => (name === "I" ? speaker : name)),
      isHonest: (honest === undefined) === (not !== undefined),
    }),
  );
  const people = claims.flatMap(({ speaker, about }) => [speaker, ...about]);
  const speakers = claims.map(({ speaker }) => speaker);
  const names = [...new Set([...speakers, ...people])].filter((name) => !/^we$/i.test(name));
  const isRead = claims.length === question.match(/\bsays?\b/g)?.length;
  if (claims.length === 0 || !isRead || names.length > 8) return null;
  const fitting: Set<string>[] = [];
  for (let bits = 0; bits < 2 ** names.length; bits += 1) {
    const honest = new Set(names.filter((_, index) => (bits >> index) % 2 === 1));
    const holds = ({ about, isHonest }: (typeof claims)[number]): boolean =>
      about
        .flatMap((name) => (/^we$/i.test(name) ? names : name))
        .every((name) => honest.has(name) === isHonest);
    if (claims.every((claim) => honest.has(claim.speaker) === holds(claim))) fitting.push(honest);
  }
  const [honest, other] = fitting;
  if (honest === undefined || other !== undefined) return null;
  const working = "Trying every way in which they may be honest or not, one is left.";
  const [, asked = "", role] =
    new RegExp(String.raw`\bis (\w{1,40}) (?:an? |the )?(?:(${honestRole})|${lyingRole})\b[^.]*\?`, "i").exec(
      question,
    ) ?? [];
  if (names.includes(asked)) return yesOrNo(honest.has(asked) === (role !== undefined), working);
  const [, sought, truthful] =
    new RegExp(String.raw`\b(?:who|which)\b[^?.]{0,60}?((${honestRole})|${lyingRole})\b[^.]*\?`, "i").exec(
      question,
    ) ?? [];
  if (sought === undefined) return null;
  const named = names.filter((name) => honest.has(name) === (truthful !== undefined));
  const answer = named.length === 0 ? "nobody" : named.join(" and ");
  return {
    answer,
    working: (result) => `${working} What is asked for is ${result}.`,
    wrong: [...names, "nobody"].filter((name) => name !== answer),
  };
};

/** Small logic: truth-tellers and liars, orders, syllogisms. */
export const logicSolvers: readonly Solver[] = [liars, order, syllogism];
