import * as z from "zod";
import { sameAnswer, type Answer } from "../../replies/answer.ts";
import { extractAnswer } from "../../replies/extract-answer.ts";
import { Mark, type ToolCall } from "../../kernel/index.ts";
import { parseJson } from "../../replies/json-objects.ts";
import { contentWords } from "../../text/words.ts";
import type { SimModel, SimScript } from "../../sim/belief.ts";
import { draft } from "../../sim/draft.ts";
import { shownTexts, type ChatTurn, type Prompt } from "../../sim/prompt.ts";
import { banner, quotable } from "../../sim/wording.ts";

// Pinned facts come first, then what the model knows, what the person said in this conversation and in remembered ones, an earlier answer
// to the same question, and a mistake last.
// An answer that a memory warns of is given only by a model that knows it to be right.

/** What a simulated model replies to a respondent's prompt, and to a plain chat that has come to its second question. */
export const script: SimScript = (prompt) => {
  const { task, pieces, turns, results, wantsJson, question, context } = prompt;
  const isChat = pieces.length === 0 && results.length === 0 && turns.some(({ answer }) => answer !== "");
  if (wantsJson || !(isChat || task.includes("conversation so far"))) return null;
  const conversation = readConversation(prompt);
  return (model) =>
    chooseTool(model, conversation, question) ??
    writeForm(question, context) ??
    respond(model, conversation, question);
};

/** A remembered answer as a prompt shows it. */
type ShownMemory = ChatTurn & { readonly mark: Mark };

type Conversation = ReturnType<typeof readConversation>;

const ToolResult = z.object({
  memories: z.array(z.object({ question: z.string(), answer: z.string(), mark: Mark })).optional(),
  remembered: z.string().optional(),
});

const marks: readonly (readonly [start: string, mark: Mark])[] = [
  ["GOOD EXAMPLE", "good-example"],
  ["AVOID", "avoid"],
  ["not judged", "unjudged"],
];

/** Words to whoever reads a prompt, which a remembered answer has no reason to hold. */
const orders = /\b(?:ignore|disregard|override) (?:your|all|the|any|these)\b|\[(?:BEGIN|END|RESULT)\b/i;

function readConversation({ turns, pieces, results, tools }: Prompt) {
  const memories = pieces.flatMap(({ kind, label, text }): ShownMemory[] => {
    const [, question, rest = ""] =
      kind === "memory" ? (/^Question: ([^]*?)\nAnswer: ([^]*)$/.exec(text) ?? []) : [];
    if (question === undefined || orders.test(text)) return [];
    const mark = marks.find(([start]) => label.startsWith(start))?.[1] ?? "mixed";
    return [{ mark, question, answer: rest.slice(0, Math.max(0, rest.lastIndexOf("\nCritic: "))) || rest }];
  });
  const read = results.map((text) => ToolResult.safeParse(parseJson(text)).data);
  const found = read.find((one) => one?.memories)?.memories;
  return {
    turns,
    tools,
    memories,
    facts: shownTexts(pieces, "fact").map(({ text }) => text),
    /** What `search_memory` found; null where it was not called. */
    found: found?.filter(({ question, answer }) => !orders.test(`${question}\n${answer}`)) ?? null,
    /** What `remember_this` kept; null where it kept nothing. */
    kept: read.find((one) => one?.remembered)?.remembered ?? null,
  };
}

/**
 * Answers in a conversation, shortly. Recall is exact: a fact told as `My X is Y.` answers `What is my X?`, and an answer
 * that was given before answers the same question again. An open question gets what a draft would be.
 */
function respond(model: SimModel, asked: Conversation, question: string): string {
  const { belief, wording } = model;
  const { found, kept } = asked;
  const say = (text: string): string => `${banner(model)}\n${text}`;
  if (kept !== null) return say(`Noted: ${quotable(kept)}`);
  const told = belief === null ? readStatement(question) : null;
  if (told) return say(`Noted: ${told.subject.replace(/^(?:my|our)\b/, "your")} is ${quotable(told.value)}.`);
  const recalled = recall(model, { ...asked, memories: [...asked.memories, ...(found ?? [])] }, question);
  if (recalled === null) {
    const harmless = found?.filter(({ mark }) => mark !== "avoid") ?? [];
    const said = harmless.find((one) => !one.question.includes("?")) ?? harmless[0];
    if (said) return say(`You said before: “${quotable(said.question, 600)}”`);
    // A belief that memories warn of is not brought up again.
    const isUnknown = found !== null || belief !== null || isOwn(question);
    return isUnknown ? say(wording.pick("unknown", unknown)) : draft(model, question);
  }
  const { value, source } = recalled;
  if (value === null) return say(source);
  const result = quotable(value);
  const sentence = wording.pick("giving", giving)(result);
  const text = [sentence, source || wording.pick("ending", endings)].filter(Boolean).join(" ");
  return say(result.split(" ").length > MAX_RESULT_WORDS ? text : `${text}\n\nFinal answer: ${result}`);
}

const MAX_RESULT_WORDS = 8;

/** The tool that the model calls before it answers: to keep what it is asked to, or to look for what it has not been shown. */
function chooseTool(model: SimModel, asked: Conversation, question: string): ToolCall | null {
  const call = (name: string, input: object): ToolCall | null =>
    asked.tools.includes(name) ? { id: `${name}-1`, name, arguments: JSON.stringify(input) } : null;
  const [, fact] = /^(?:please )?remember(?: that |: ?)([^?\n]{1,400})$/i.exec(question) ?? [];
  const kept = fact === undefined ? null : call("remember_this", { fact });
  if (kept) return kept;
  if (!(asksOfBefore.test(question) || isOwn(question)) || recall(model, asked, question) !== null)
    return null;
  const words = contentWords(question).filter((word) => !aboutMemory.has(word));
  return call("search_memory", { query: words.join(" ") || question.slice(0, 400) });
}

/** Of what the person said in another conversation. */
const asksOfBefore =
  /\b(?:did|have|had) (?:I|we)\b|\bI(?:['’]ve)? (?:told|said|mentioned)\b|\bmemory\b|\bdo you remember\b/i;
/** Words of the question that say where to look, not what for. */
const aboutMemory = new Set("check memory remember tell told said mentioned sure please".split(" "));

/** An answer and the sentence that says where it comes from: empty for what the model knows by itself. */
type RecalledAnswer = { readonly value: string | null; readonly source: string };

function recall(model: SimModel, asked: Conversation, question: string): RecalledAnswer | null {
  const subject = readSubject(question);
  const stated = (turns: readonly { readonly question: string }[], source: string): RecalledAnswer | null => {
    const told = turns.flatMap((turn) => readStatement(turn.question) ?? []);
    const last = told.findLast((one) => one.subject === subject);
    return last ? { value: last.value, source: `${source}: “${quotable(last.text)}”` } : null;
  };
  const { turns, facts, memories } = asked;
  const before = turns.map((turn): ShownMemory => ({ ...turn, mark: "unjudged" })).toReversed();
  const same = [...memories, ...before]
    .filter((one) => normalize(one.question) === normalize(question) && !emptyHanded.test(one.answer))
    .map((one) => ({ ...one, result: extractAnswer(one.answer) }));
  const isWarnedOf = (result: Answer | null): boolean =>
    same.some((one) => one.mark === "avoid" && one.result && result && sameAnswer(one.result, result));
  // A mistake, unless a memory warns of it; then what a second look comes to, unless one warns of that too.
  const beliefs = [model.belief, model.secondLook()].flatMap((one) => (one ? [one.answer] : []));
  const unwarned = beliefs.find((one) => !isWarnedOf(extractAnswer(`Final answer: ${one}`)));
  const byItself = (value: string | undefined): RecalledAnswer | null =>
    value === undefined ? null : { value, source: "" };
  const pinned = facts.map((text) => ({ question: text }));
  const trusted = memories.filter(({ mark }) => mark !== "avoid").toReversed();
  return (
    stated(pinned, "You have pinned") ??
    byItself(model.sure ? model.belief?.answer : undefined) ??
    stated(turns, "You said") ??
    stated(trusted, "You said before") ??
    recallAnswer(same.filter(({ result }) => !isWarnedOf(result))) ??
    byItself(unwarned)
  );
}

/** A text in one form, however it is capitalized, spaced and ended. */
const normalize = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/\s+/g, " ")
    .replace(/[\s.!?]+$/, "")
    .trim();

const MAX_STATEMENT_LENGTH = 400;

/** Reads `My X is Y.`, also of `our` and `the`; null for every other text. */
function readStatement(text: string) {
  if (text.length > MAX_STATEMENT_LENGTH) return null;
  const [, subject, value] =
    /^(?:remember that )?((?:my|our|the) [^?\n]{1,100}?) is ([^?\n]{1,200}?)[.!]*$/i.exec(text.trim()) ?? [];
  return subject === undefined || value === undefined ? null : { text, subject: normalize(subject), value };
}

/** The `my X` of `What is my X?`; null for every other question. */
const readSubject = (question: string): string | null =>
  /^what is ((?:my|our|the) [^?\n]{1,100})$/.exec(normalize(question.slice(0, MAX_STATEMENT_LENGTH)))?.[1] ??
  null;

/** Whether it asks for what only the person can have said. */
const isOwn = (question: string): boolean => /^(?:my|our) /.test(readSubject(question) ?? "");

const emptyHanded = /\b(?:do|does|did) not know\b|\bdon['’]t know\b|\bplaceholder in place of\b/i;

/** How a question was answered before: by a good example, else by what nobody has judged. */
function recallAnswer(
  memories: readonly (ShownMemory & { readonly result: Answer | null })[],
): RecalledAnswer | null {
  const marked = (mark: Mark) => memories.find((one) => one.mark === mark);
  const best = marked("good-example") ?? marked("unjudged");
  if (best === undefined || best.answer === "") return null;
  if (best.result !== null) return { value: best.result.value, source: "So it was answered before." };
  const text = best.answer.replaceAll(/\[simulated [0-9a-f]{6}\]/g, "");
  return { value: null, source: `As it was answered before: ${quotable(text, 600)}` };
}

// Besides the result these hold stop words alone, so that the text is about its question and nothing else; and they
// hold four words at least, so that a judge has a sentence to weigh.
const giving = [
  (value: string) => `That would have to be ${value}.`,
  (value: string) => `From all there is, it should be ${value}.`,
  (value: string) => `As most would have it, that is ${value}.`,
  (value: string) => `As it is, that must be ${value}.`,
  (value: string) => `What it should be is ${value}.`,
] as const;

const endings = [
  "",
  "That is all there is to it.",
  "There is more to it than just that.",
  "And that is that.",
] as const;

const unknown = [
  "I do not know that: nothing that was said or that I remember states it.",
  "I do not know. Nothing here states it, and I remember nothing that does.",
  "That I do not know, as nobody has told me.",
] as const;

const ASKED = /\nJSON Schema:\n(\{[^]*\})\s*$/;
const MAX_DEPTH = 20;

const list = z.array(z.unknown()).optional().catch(undefined);
/** What is read of a client's schema, which may have anything in any place. */
const Asked = z
  .object({
    type: z
      .union([z.string(), z.array(z.string())])
      .optional()
      .catch(undefined),
    ...{ const: z.unknown().optional(), items: z.unknown().optional() },
    ...{ enum: list, anyOf: list, oneOf: list },
    properties: z.record(z.string(), z.unknown()).catch({}),
    minItems: z.int().min(0).max(100).catch(1),
    minimum: z.number().catch(0),
  })
  .catch({ properties: {}, minItems: 1, minimum: 0 });

/** JSON that fits the schema at the end of a question, with what the shown answer comes to; null where none is asked for. */
export function writeForm(question: string, answer: string): string | null {
  const [, text] = ASKED.exec(question) ?? [];
  const schema = text === undefined ? undefined : parseJson(text);
  if (schema === undefined) return null;
  const final = extractAnswer(answer);
  return JSON.stringify(instanceOf(schema, final ? final.value : quotable(answer), 0));
}

function instanceOf(schema: unknown, said: string, depth: number): unknown {
  const { properties, items, minItems, minimum, ...asked } = Asked.parse(schema);
  const [type = "object"] = [asked.type ?? (items ? "array" : "object")].flat();
  const [first] = asked.enum ?? (asked.const === undefined ? [] : [asked.const]);
  if (first !== undefined) return first;
  const choice = asked.anyOf?.[0] ?? asked.oneOf?.[0];
  if (depth > MAX_DEPTH) return null;
  if (choice !== undefined) return instanceOf(choice, said, depth + 1);
  const number = Number(/-?\d+(?:\.\d+)?/.exec(said)?.[0] ?? minimum);
  switch (type) {
    case "string":
      return said;
    case "number":
      return number;
    case "integer":
      return Math.round(number);
    case "boolean":
      return true;
    case "null":
      return null;
    case "array":
      return Array.from({ length: items ? minItems : 0 }, () => instanceOf(items, said, depth + 1));
    default:
      return Object.fromEntries(
        Object.entries(properties).map(([name, own]) => [name, instanceOf(own, said, depth + 1)]),
      );
  }
}
