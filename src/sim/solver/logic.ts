import { yesOrNo } from "./counting.ts";
import { evaluate } from "./expression.ts";
import { compare } from "./rational.ts";
import type { Solution, Solver } from "./solution.ts";

const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.?!])\s+|\n+|;\s*/)
    .map((one) => one.trim())
    .filter(Boolean);
const plain = (term: string): string =>
  term
    .toLowerCase()
    .replace(/^(?:an?|the)\s+/, "")
    .replace(/[.?!,]+$/, "")
    .replace(/(?<=\w\w)(?:es|s|e)$/, "")
    .trim();

/** Everything that can be reached from `start` over the pairs. */
function reachable(start: string, pairs: readonly (readonly [string, string])[]): Set<string> {
  const found = new Set<string>([start]);
  for (const at of found) for (const [from, to] of pairs) if (from === at) found.add(to);
  return found;
}

/** `All A are B. All B are C. Are all A C?`, also with `no` and with single things: `Rex is a dog.` */
const syllogism: Solver = (question) => {
  const are: [string, string][] = [];
  const not: [string, string][] = [];
  let asked: { from: string; to: string; negated: boolean } | null = null;
  for (const sentence of sentencesOf(question)) {
    const [, all, from, to] =
      /^(?:if )?(all|every|each|no) (.{1,60}?) (?:are|is) (.{1,60}?)[.,]?$/i.exec(
        sentence.replace(/^and /i, ""),
      ) ?? [];
    const [, which, one, other] =
      /(?:are|is) (all|every|any|some) (.{1,60}?) (?:necessarily |definitely |also )?(?:an? )?(\S+(?: \S+)?)\?$/i.exec(
        sentence,
      ) ?? [];
    const [, thing, kind] =
      /^(?:is|must) (\S+) (?:necessarily |definitely |be )?((?:an? )?\S+(?: \S+)?)\?$/i.exec(sentence) ?? [];
    const [, name, sort] = /^(\S+) is (an? .{1,60}?)\.$/i.exec(sentence) ?? [];
    if (from !== undefined && to !== undefined)
      (all?.toLowerCase() === "no" ? not : are).push([plain(from), plain(to)]);
    else if (one !== undefined && other !== undefined) {
      if (which?.toLowerCase() === "some") return null;
      asked = { from: plain(one), to: plain(other), negated: which?.toLowerCase() === "any" };
    } else if (thing !== undefined && kind !== undefined)
      asked = { from: thing.toLowerCase(), to: plain(kind), negated: false };
    else if (name !== undefined && sort !== undefined) are.push([name.toLowerCase(), plain(sort)]);
  }
  if (asked === null || are.length + not.length === 0 || ![...are, ...not].flat().includes(asked.from))
    return null;
  const kinds = reachable(asked.from, are);
  return yesOrNo(kinds.has(asked.to), `Following what each of ${asked.from} is: ${[...kinds].join(", ")}.`);
};

const comparatives: {
  readonly [word: string]: readonly [superlative: string, opposite: string, oppositeSuperlative: string];
} = {
  taller: ["tallest", "shorter", "shortest"],
  older: ["oldest", "younger", "youngest"],
  faster: ["fastest", "slower", "slowest"],
  heavier: ["heaviest", "lighter", "lightest"],
  bigger: ["biggest", "smaller", "smallest"],
  larger: ["largest", "smaller", "smallest"],
  richer: ["richest", "poorer", "poorest"],
  stronger: ["strongest", "weaker", "weakest"],
  longer: ["longest", "shorter", "shortest"],
};

/** `A is taller than B. B is taller than C. Who is the shortest?` */
const order: Solver = (question) => {
  for (const [word, [most, opposite, least]] of Object.entries(comparatives)) {
    const above = [
      ...question.matchAll(
        new RegExp(String.raw`\b(\w{1,40}) is (?:also )?(${word}|${opposite}) than (\w{1,40})\b(?!\?)`, "gi"),
      ),
    ];
    const pairs = above.flatMap(([, first = "", how = "", second = ""]): [string, string][] =>
      /^(?:is|which|who)$/i.test(first)
        ? []
        : how.toLowerCase() === word
          ? [[first, second]]
          : [[second, first]],
    );
    if (pairs.length === 0) continue;
    const names = [...new Set(pairs.flat())];
    const below = (name: string): Set<string> => reachable(name, pairs);
    const [, top, bottom] =
      new RegExp(String.raw`\b(?:who|which|what)\b[^?.]{0,60}?\b(?:(${most})|(${least}))\b`, "i").exec(
        question,
      ) ?? [];
    const [, left, how = "", right] =
      new RegExp(String.raw`\bis (\w{1,40}) (${word}|${opposite}) than (\w{1,40})\?`, "i").exec(question) ??
      [];
    if (left !== undefined && right !== undefined && names.includes(left) && names.includes(right)) {
      return yesOrNo(
        how.toLowerCase() === word ? below(left).has(right) : below(right).has(left),
        "Putting them in one line.",
      );
    }
    const extreme =
      top !== undefined
        ? names.find((name) => below(name).size === names.length)
        : bottom !== undefined
          ? names.find((name) => names.every((other) => below(other).has(name)))
          : undefined;
    if (extreme === undefined) continue;
    return {
      answer: extreme,
      working: (answer) => `Putting them in one line, ${answer} stands at the end that is asked for.`,
      wrong: names.filter((name) => name !== extreme),
    };
  }
  return null;
};

type Claim = { readonly speaker: string; readonly holds: (honest: ReadonlySet<string>) => boolean };

const honestWord = "truth-?teller|knight|telling the truth|honest|truthful";
const lyingWord = "liar|knave|lying|dishonest";

/** Knights and knaves: every assignment is tried, and the one that fits is the answer if there is just one. */
const liars: Solver = (question) => {
  const claims = claimsIn(question);
  const names = [...new Set([...claims.map(({ speaker }) => speaker), ...mentioned(question)])];
  if (
    claims.length === 0 ||
    names.length > 8 ||
    !new RegExp(`${honestWord}|${lyingWord}`, "i").test(question)
  )
    return null;
  const fitting: Set<string>[] = [];
  for (let bits = 0; bits < 2 ** names.length; bits += 1) {
    const honest = new Set(names.filter((_, index) => (bits >> index) % 2 === 1));
    if (claims.every(({ speaker, holds }) => honest.has(speaker) === holds(honest))) fitting.push(honest);
  }
  return liarsAnswer(question, names, fitting);
};

function liarsAnswer(
  question: string,
  names: readonly string[],
  fitting: readonly Set<string>[],
): Solution | null {
  const [honest, other] = fitting;
  if (honest === undefined || other !== undefined) return null;
  const working = "Trying every way in which they may be honest or not, one is left.";
  const [, asked, role = ""] =
    new RegExp(String.raw`\bis (\w{1,40}) (?:an? |the )?(${honestWord}|${lyingWord})\b[^.]*\?`, "i").exec(
      question,
    ) ?? [];
  if (asked !== undefined && names.includes(asked))
    return yesOrNo(honest.has(asked) === new RegExp(honestWord, "i").test(role), working);
  const wantsLiar = new RegExp(String.raw`\b(?:who|which)\b[^?.]{0,60}?(?:${lyingWord}|lies)`, "i").test(
    question,
  );
  if (!/\b(?:who|which)\b[^.]*\?/i.test(question)) return null;
  const named = names.filter((name) => honest.has(name) !== wantsLiar);
  const answer = named.length === 0 ? "nobody" : named.join(" and ");
  const wrong = [...names, "nobody"].filter((name) => name !== answer);
  return { answer, working: (result) => `${working} What is asked for is ${result}.`, wrong };
}

const mentioned = (question: string): string[] =>
  [...question.matchAll(new RegExp(String.raw`\b([A-Z]\w{0,39}) (?:is|and)\b|\band ([A-Z]\w{0,39})\b`, "g"))]
    .flatMap(([, one, other]) => one ?? other ?? [])
    .filter((name) => !/^(?:Who|Which|One|Each|Everyone|Exactly|If|There|On|Is|I|We)$/.test(name));

function claimsIn(question: string): Claim[] {
  const claims: Claim[] = [];
  for (const [, speaker = "", said = ""] of question.matchAll(
    /\b([A-Z]\w{0,39}) says?:?,?\s+(?:that )?["“'‘]?([^."”?!]{1,200})/g,
  )) {
    const [, about = "", negated, role = ""] =
      new RegExp(
        String.raw`^(\w{1,40}) (?:is|am)( not)? (?:an? |the )?(${honestWord}|${lyingWord})`,
        "i",
      ).exec(said) ?? [];
    const [, pair = "", which = ""] =
      new RegExp(
        String.raw`^(both(?: of us)?|we are both|we both|at least one of us|exactly one of us|one of us|neither of us|\w+ and \w+)\b.{0,20}?(${honestWord}|${lyingWord})s?`,
        "i",
      ).exec(said) ?? [];
    const [, other] = /^(\w{1,40}) (?:always )?lies\b/i.exec(said) ?? [];
    const [, truthful] = /^(\w{1,40}) (?:always )?tells the truth\b/i.exec(said) ?? [];
    const honestRole = new RegExp(honestWord, "i").test(role || which);
    const one = about || other || truthful || "";
    if (pair !== "")
      claims.push({ speaker, holds: (honest) => together({ pair, speaker, question, honestRole }, honest) });
    else if (one !== "") {
      const expected = role === "" ? truthful !== undefined : honestRole === (negated === undefined);
      claims.push({ speaker, holds: (honest) => honest.has(/^I$/i.test(one) ? speaker : one) === expected });
    } else return [];
  }
  return claims;
}

type Together = {
  readonly pair: string;
  readonly speaker: string;
  readonly question: string;
  readonly honestRole: boolean;
};

function together({ pair, speaker, question, honestRole }: Together, honest: ReadonlySet<string>): boolean {
  const speakers = [...question.matchAll(/\b([A-Z]\w{0,39}) says?\b/g)].map(([, name = ""]) => name);
  const [, one, other] = /^(\w+) and (\w+)$/i.exec(pair) ?? [];
  const named = [one, other].flatMap((name) => (name === undefined ? [] : name === "I" ? speaker : name));
  const group = named.length > 0 ? named : [...new Set([speaker, ...speakers, ...mentioned(question)])];
  const count = group.filter((name) => honest.has(name) === honestRole).length;
  if (/at least/i.test(pair)) return count >= 1;
  if (/exactly|^one/i.test(pair)) return count === 1;
  return /neither/i.test(pair) ? count === 0 : count === group.length;
}

/** `Is 7 in the set {1, 3, 7}?` */
const membership: Solver = (question) => {
  const [, item = "", list = ""] =
    /\b(?:is|does) ["'“]?([^?"'”{]{1,60}?)["'”]? (?:in|an? (?:element|member) of|belong to|part of|contained in) (?:the )?(?:set|list)?\s*:?\s*[{[(]([^}\])]{0,2000})[}\])]/is.exec(
      question,
    ) ?? [];
  if (item === "") return null;
  const number = evaluate(item);
  const members = list.split(/\s*,\s*/).map((one) => one.trim().replaceAll(/^["'“]|["'”]$/g, ""));
  const found = members.some((member) => {
    const other = evaluate(member);
    return (
      member.toLowerCase() === item.toLowerCase() ||
      (number !== null && other !== null && compare(number, other) === 0)
    );
  });
  return yesOrNo(found, `Looking for ${item} among the ${members.length} members.`);
};

/** Small logic: syllogisms, orders, truth-tellers and liars, membership in a set. */
export const logicSolvers: readonly Solver[] = [membership, liars, order, syllogism];
