import { contentWords, sentencesOf } from "../judging/index.ts";
import { kindAskedFor } from "./kinds.ts";
import { isLookup, isYesOrNo } from "./lookup.ts";
import { isPersonal, isTheirs, toThem } from "./statement.ts";
import { stem } from "./stem.ts";

/** Something that a person said is so, and what of it answers a question. */
export type Stated = {
  /** The sentence in the person's own words, without `remember that` and the like. */
  readonly statement: string;
  /** In words to that person; null where the sentence bears on the question without such a value. */
  readonly value: string | null;
};

/** A sentence that says that something is so, with the stems of its words. */
export type Statement = { readonly text: string; readonly stems: ReadonlySet<string> };

/** Statements that can be looked through; of many the last 200. */
export const statementsOf = (texts: readonly string[]): Statement[] =>
  texts.slice(-mostStatements).map((text) => ({ text, stems: stemsOf(text) }));

const mostStatements = 200;

/** Words of a question that ask, and of a statement that hold it together. */
const light = new Set(
  "many tell please remember said say told know remind currently now use using used uses called call named got go going".split(
    " ",
  ),
);

const stemsOf = (text: string): Set<string> =>
  new Set(
    contentWords(text)
      .filter((word) => !light.has(word))
      .map(stem),
  );

const within = (few: ReadonlySet<string>, many: ReadonlySet<string>): boolean =>
  [...few].every((word) => many.has(word));

type Asked = {
  readonly text: string;
  readonly stems: ReadonlySet<string>;
  /** It speaks of the person who asks. */
  readonly personal: boolean;
};

type Fit = {
  readonly value: string | null;
  /** Words of the statement that the question does not have. */ readonly extra: number;
};

/**
 * What statements, oldest first, say to a question: of those that fit the one that says least beside it, of equals
 * the last, as people correct themselves. Null where none fits, and for what is no plain question.
 */
export function stated(asked: string, statements: readonly Statement[]): Stated | null {
  const text = sentencesOf(asked).findLast((sentence) => /[?？]\W*$/.test(sentence)) ?? asked;
  if (!isLookup(text) && !isYesOrNo(text)) return null;
  const read: Asked = { text, stems: stemsOf(text), personal: isPersonal(text) };
  let best: { readonly text: string; readonly fit: Fit } | null = null;
  for (const statement of statements) {
    const fit = fitOf(read, statement);
    if (fit !== null && (best === null || fit.extra <= best.fit.extra)) best = { text: statement.text, fit };
  }
  return best && { statement: best.text, value: best.fit.value };
}

function fitOf(asked: Asked, statement: Statement): Fit | null {
  if (![...asked.stems].some((word) => statement.stems.has(word)) && kindAskedFor(asked.text) === null)
    return null;
  // What belongs to somebody else is not the person's own: `my sister's favourite language`.
  const owner = owned.exec(statement.text)?.[1];
  if (owner !== undefined && !within(stemsOf(owner), asked.stems)) return null;
  const fit = ofCopula(asked, statement.text) ?? ofVerb(asked, statement.text) ?? ofKind(asked, statement);
  if (fit === null || fit.extra > (mayLeave(asked, statement.text, fit) ? mostExtra : 0)) return null;
  const open = denied.test(affirmed(statement.text)) || isYesOrNo(asked.text) || tellsAbout.test(asked.text);
  return open ? { ...fit, value: null } : fit;
}

/** Whether a statement may say more than is asked: of the person who asks, or of somebody of theirs whom the question names. */
const mayLeave = (asked: Asked, statement: string, { value }: Fit): boolean =>
  isPersonal(statement) &&
  (asked.personal ||
    (value !== null &&
      (asked.text.match(/(?<=\s)\p{Lu}\p{L}+/gu) ?? []).some((name) => mentions(statement, name))));

const mostExtra = 2;
const owned = /(?<![\p{L}\p{N}])(?!(?:it|that|there|he|she|what|let|who|here)['’])(\p{L}+)['’]s\b/iu;
const denied = /\b(?:not|never|no longer|cannot)\b|n['’]t\b/i;
const tellsAbout = /\babout (?:my|our|me|us|the|that|it)\b/i;

const linked = /^(.{1,200}?)(\s+(?:is|are|was|were|will be)(?:\s+(?:called|named))?\s+|:\s+)(.{1,200})$/is;

/** `My favourite language is Rust`, also turned round. */
function ofCopula({ stems }: Asked, statement: string): Fit | null {
  const [, left = "", link = "", right = ""] = linked.exec(affirmed(statement)) ?? [];
  const [before, after] = [stemsOf(left), stemsOf(right)];
  if (stems.size === 0) return null;
  if (before.size > 0 && within(stems, before))
    return { value: valueOf(right), extra: before.size - stems.size };
  return after.size > 0 && before.size > 0 && !link.startsWith(":") && within(stems, after)
    ? { value: valueOf(left), extra: after.size - stems.size }
    : null;
}

const theyDo = /\b(?:do|did|am|are|was|were|have|will|should)\s+(?:i|we)\b/i;
const figure =
  /(?<![\p{L}\p{N}])\d[\d.,]*(?![\p{L}\p{N}])|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b/iu;

/** `I live in Lyon`: all that is asked stands in it, and what comes behind is the answer. */
function ofVerb({ text, stems }: Asked, statement: string): Fit | null {
  const byThemselves = /^(?:i|we)\b/i.test(statement);
  if (stems.size === 0 || (theyDo.test(text) && !byThemselves)) return null;
  const said = affirmed(statement);
  const words = [...said.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].map((match) => ({
    stems: stemsOf(match[0]),
    end: match.index + match[0].length,
  }));
  const last = words.findLastIndex((word) => word.stems.size > 0 && within(word.stems, stems));
  const upTo = words.slice(0, last + 1).flatMap((word) => [...word.stems]);
  if (last < 0 || !within(stems, new Set(upTo))) return null;
  const extra = new Set(upTo).size - stems.size;
  if (/\bhow (?:many|much|old|long|often|far)\b/i.test(text))
    return { value: figure.exec(said)?.[0] ?? null, extra };
  const tail = said.slice(words[last]?.end ?? said.length);
  // Asked is what a thing of theirs is, and said what they do with it.
  if (byThemselves && !theyDo.test(text)) return { value: null, extra };
  return { value: /[\p{L}\p{N}]/u.test(tail) ? valueOf(tail) : null, extra };
}

/** `I am building my project in Rust`, asked for a language: something of that kind, and half of what else is asked. */
function ofKind({ text, stems, personal }: Asked, statement: Statement): Fit | null {
  const kind = kindAskedFor(text);
  if (kind === null) return null;
  const name = stemsOf(kind.name);
  const about = [...stems].filter((word) => !name.has(word));
  const said = statement.stems;
  const shared = about.filter((word) => said.has(word)).length;
  const members = kind.members.filter((member) => mentions(affirmed(statement.text), member));
  const [value, other] = members.filter(
    (one) => !members.some((longer) => longer !== one && longer.startsWith(one)),
  );
  if (value === undefined || other !== undefined || 2 * shared < about.length) return null;
  if (about.length === 0 && !(personal && isTheirs(statement.text))) return null;
  return { value, extra: about.length - shared };
}

const mentions = (text: string, member: string): boolean => {
  const signs = member.replaceAll(/[.+]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}])${signs}(?![\p{L}\p{N}+#])`, "u").test(text);
};

/** Without what it says is not so beside what is: `Rust, not Go`, `Rust instead of Go`. */
const affirmed = (statement: string): string =>
  statement.replace(
    /(?:,\s*(?:and\s|but\s)?not|\s(?:and|but)\snot|,?\s(?:instead of|rather than))\s.*$/is,
    "",
  );

const clause =
  /[,;]\s|\s(?:and|but|because|so|while|since|as|which|who)\s(?=(?:i|we|my|our|it|he|she|they|the|is|are|was)\b)|\s[–—-]\s/i;

/** The first clause of it, without a preposition before it, in words to the person. */
function valueOf(text: string): string | null {
  const [first = ""] = text.trim().split(clause, 1);
  const value = first.replace(/^(?:on|in|at|to|by|from|with|for|of|as)\s+/i, "").trim();
  return /[\p{L}\p{N}]/u.test(value) ? toThem(value) : null;
}
