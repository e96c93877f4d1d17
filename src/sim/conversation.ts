import { extractAnswer } from "../judging/index.ts";
import type { Message } from "../kernel/index.ts";
import { readFenced } from "../prompts/index.ts";
import { outside } from "./own-words.ts";
import { memoriesOf, type Memory } from "./recollection.ts";

export type Turn = { readonly question: string; /** Empty where none came. */ readonly answer: string };

/** What a respondent has before it beside the question. */
export type Conversation = {
  /** The turns before this one, oldest first. */
  readonly turns: readonly Turn[];
  /** Pinned by the person, oldest first. */
  readonly facts: readonly string[];
  /** In the order in which the prompt has them. */
  readonly memories: readonly Memory[];
};

/** A conversation with the messages in which its question and its material stand; those of earlier turns are none of them. */
export type Conversing = { readonly conversation: Conversation; readonly own: readonly Message[] };

// C1. What is pinned and remembered is read from the system's messages and the last user turn alone: what an earlier turn
//     says, fences included, is that turn's text.

/**
 * The conversation that a prompt continues; null where it continues none. It does where its last user turn says so under
 * `# Your task`, outside of all fences, or where a plain chat without any fence has come to its second question.
 */
export function conversationOf(messages: readonly Message[]): Conversing | null {
  const last = messages.findLastIndex(({ role }) => role === "user");
  const asking = messages[last];
  if (asking === undefined) return null;
  const before = messages.slice(0, last);
  const own = [...before.filter(({ role }) => role === "system"), asking];
  const pieces = own.flatMap(({ text }) => readFenced(text));
  const chat =
    pieces.length === 0 && last === messages.length - 1 && before.some(({ role }) => role === "assistant");
  if (!chat && !continues.test(outside(asking.text, readFenced(asking.text)))) return null;
  const facts = pieces.filter(({ kind }) => kind === "fact").map(({ text }) => text);
  return { conversation: { turns: turnsOf(before), facts, memories: memoriesOf(pieces) }, own };
}

const continues = /^# Your task\n(?:(?!^#)[^])*?\bconversation so far\b/m;

function turnsOf(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = [];
  for (const { role, text } of messages) {
    const open = turns.at(-1);
    if (role === "user") turns.push({ question: text, answer: "" });
    else if (role === "assistant" && open !== undefined) turns[turns.length - 1] = { ...open, answer: text };
  }
  return turns;
}

const mostTurns = 8;
const mostNames = 24;
const longestQuestion = 1_000;
/** Of a longer text its end is read: what was named last is meant first. */
const longestText = 4_000;

const subject = /\b(?:he|she|it|they|him|them|this|that)\b/gi;
const possessive = /\b(?:his|its|their|her(?=\s+\p{L}))\b/giu;
const refers = /\b(?:he|she|it|they|him|them|his|hers?|its|theirs?|this|that)\b/i;
/** Pronouns that stand for somebody, and never for a clause. */
const personal = /\b(?:he|she|him|his|hers?)\b/i;

/** Whether a question speaks of somebody whom it does not name. */
export const leavesOpenWho = (question: string): boolean => personal.test(question);

/**
 * What a question may mean where a pronoun in it stands for something that was named before: what was named last comes
 * first, of one turn its answer's own result first of all. Empty for a question without a pronoun or of more than 1,000 characters. Which of them makes
 * sense is not looked at.
 */
export function readings(question: string, turns: readonly Turn[]): string[] {
  if (question.length > longestQuestion || !refers.test(question)) return [];
  const names = new Set<string>();
  for (const { question: asked, answer } of turns.slice(-mostTurns).toReversed()) {
    const said = answer.replaceAll(/^\[simulated [0-9a-f]{6}\]/gm, "");
    const result = extractAnswer(said)?.value;
    if (result !== undefined) names.add(result);
    for (const name of [...namesIn(said), ...namesIn(asked)]) names.add(name);
  }
  const meant = [...names].slice(0, mostNames).flatMap((name) => variants(question, name));
  return [...new Set(meant)].filter((one) => one !== question);
}

/** A question with a name in place of its pronouns, in the ways in which English would write it. */
function variants(question: string, name: string): string[] {
  // Functions, as `$` in a replacement has a meaning.
  const plain = (text: string): string =>
    text.replaceAll(subject, () => name).replaceAll(/\bhers?\b/gi, () => name);
  const owned = (words: number): string =>
    question.replace(
      new RegExp(String.raw`\b(?:his|her|its|their)((?:\s+\p{Ll}+){${words}})`, "iu"),
      (_, things: string) => `the${things} of ${name}`,
    );
  return [
    plain(question.replaceAll(possessive, () => `${name}'s`)),
    ...[1, 2, 3].map((words) => plain(owned(words))),
    plain(question.replace(/\b(?:this|that)\s+\p{Ll}+\b/iu, () => name)),
  ];
}

const capital = String.raw`\p{Lu}[\p{L}\p{M}\p{N}.'’-]{0,40}`;
const joint = String.raw`(?:of|and|the|in|on|to|de|da|di|del|der|van|von|la|le)`;
const mention = new RegExp(
  [
    String.raw`[“"]([^”"\n]{2,80})[”"]`,
    String.raw`(${capital}(?:\s(?:${joint}\s){0,2}${capital}){0,6})`,
    String.raw`\b(?:of|about|does|do)\s(?:an?\s|the\s)?(\p{Ll}{3,30})\b`,
    String.raw`(?<![\p{L}\p{N}.])(\d{2,4})(?![\p{L}\p{N}])`,
  ].join("|"),
  "gu",
);

/** Capitals that name nothing. */
const nobody = /^(?:I|We|You|He|She|It|They|My|Our|Your|His|Her|Its|Their|The|This|That)(?:['’]\p{L}+)?$/u;

/** What a text names, the last first: quoted, in capitals, figures, and what a preposition before it makes a thing. */
function namesIn(text: string): string[] {
  const found = [...text.slice(-longestText).matchAll(mention)].flatMap((match): string[] => {
    const words = match.slice(1).find((group) => group !== undefined) ?? "";
    const name = words.replace(/['’]s$|[.'’-]+$/u, "");
    // A word that only begins its sentence may stand before the name.
    const [, behind] = match[2] === undefined ? [] : (/^\S+\s(\p{Lu}.*)$/u.exec(name) ?? []);
    return behind === undefined ? [name] : [behind, name];
  });
  return found.filter((name) => name !== "" && !nobody.test(name)).toReversed();
}
