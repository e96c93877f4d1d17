import { sameAnswer, type Answer } from "../replies/answer.ts";
import type { ToolCall } from "../kernel/index.ts";
import { contentWords } from "../text/words.ts";
import { extractAnswer } from "../replies/extract-answer.ts";
import type { Conversation, ShownMemory } from "./prompt.ts";
import { draft } from "./draft.ts";
import type { SimModel } from "./belief.ts";
import { banner, quotable } from "./wording.ts";

// Pinned facts come first, then what the model knows, what the person said in this conversation and in remembered ones, an earlier answer
// to the same question, and a mistake last.
// An answer that a memory warns of is given only by a model that knows it to be right.

/**
 * Answers in a conversation, shortly. Recall is exact: a fact told as `My X is Y.` answers `What is my X?`, and an answer
 * that was given before answers the same question again. An open question gets what a draft would be.
 */
export function respond(model: SimModel, shown: Conversation, question: string): string {
  const sign = banner(model);
  const { found, kept } = shown;
  if (kept !== null) return `${sign}\nNoted: ${quotable(kept)}`;
  const conversation = { ...shown, memories: [...shown.memories, ...(found ?? [])] };
  const statement = readStatement(question);
  if (statement !== null && model.belief === null)
    return `${sign}\nNoted: ${statement.subject.replace(/^(?:my|our)\b/, "your")} is ${quotable(statement.value)}.`;
  const recalled = recall(model, conversation, question);
  if (recalled === null) {
    const told = found?.filter(({ mark }) => mark !== "avoid") ?? [];
    const said = told.find((one) => !one.question.includes("?")) ?? told[0];
    if (said) return `${sign}\nYou said before: “${quotable(said.question, 600)}”`;
    if (found) return `${sign}\n${model.wording.pick("unknown", unknown)}`;
    // A belief that memories warn of is not brought up again.
    const isUnknown = /^(?:my|our) /.test(readSubject(question) ?? "") || model.belief !== null;
    return isUnknown ? `${sign}\n${model.wording.pick("unknown", unknown)}` : draft(model, question);
  }
  const { value, source } = recalled;
  if (value === null) return `${sign}\n${source}`;
  const result = quotable(value);
  const sentence = model.wording.pick("giving", giving)(result);
  const lines = [sign, [sentence, source || model.wording.pick("ending", endings)].filter(Boolean).join(" ")];
  if (result.split(" ").length <= MAX_RESULT_WORDS) lines.push("", `Final answer: ${result}`);
  return lines.join("\n");
}

/** The tool that the model calls before it answers: to keep what it is asked to, or to look for what it has not been shown. */
export function chooseTool(model: SimModel, shown: Conversation, question: string): ToolCall | null {
  const { tools } = shown;
  const call = (name: string, input: object): ToolCall => ({
    id: `${name}-1`,
    name,
    arguments: JSON.stringify(input),
  });
  const [, fact] =
    question.length > MAX_STATEMENT_LENGTH
      ? []
      : (/^(?:please )?remember(?: that |: ?)([^?\n]+)$/i.exec(question) ?? []);
  if (fact !== undefined && tools.includes("remember_this")) return call("remember_this", { fact });
  const isAbout = asksOfBefore.test(question) || /^(?:my|our) /.test(readSubject(question) ?? "");
  if (!tools.includes("search_memory") || !isAbout || recall(model, shown, question) !== null) return null;
  const words = contentWords(question).filter((word) => !aboutMemory.has(word));
  return call("search_memory", { query: words.length > 0 ? words.join(" ") : question.slice(0, 400) });
}

/** Of what the person said in another conversation. */
const asksOfBefore =
  /\b(?:did|have|had) (?:I|we)\b|\bI(?:['’]ve)? (?:told|said|mentioned)\b|\bmemory\b|\bdo you remember\b/i;
/** Words of the question that say where to look, not what for. */
const aboutMemory = new Set([
  "check",
  "memory",
  "remember",
  "tell",
  "told",
  "said",
  "mentioned",
  "sure",
  "please",
]);

const MAX_RESULT_WORDS = 8;
/** What was said longer ago is forgotten. */
const MAX_TURNS = 40;

/** An answer and the sentence that says where it comes from: empty for what the model knows by itself. */
type RecalledAnswer = { readonly value: string | null; readonly source: string };

function recall(
  model: SimModel,
  { turns, facts, memories }: Conversation,
  question: string,
): RecalledAnswer | null {
  const { belief, sure } = model;
  const subject = readSubject(question);
  const stated = (texts: readonly string[], source: string): RecalledAnswer | null => {
    const last = texts.findLast((text) => subject !== null && readStatement(text)?.subject === subject);
    const statement = last === undefined ? null : readStatement(last);
    return statement && { value: statement.value, source: `${source}: “${quotable(last ?? "")}”` };
  };
  const trusted = memories.filter(({ mark }) => mark !== "avoid").toReversed();
  const before = turns.slice(-MAX_TURNS).map((turn): ShownMemory => ({ ...turn, mark: "unjudged" }));
  const same = matchQuestion([...memories, ...before.toReversed()], question);
  const isWarnedOf = (result: Answer | null): boolean =>
    same.some((one) => one.mark === "avoid" && one.result && result && sameAnswer(one.result, result));
  // A mistake, unless a memory warns of it; then what a second look comes to, unless one warns of that too.
  const ownBelief = [belief, model.secondLook()].find(
    (one) => one !== null && !isWarnedOf(extractAnswer(`Final answer: ${one.answer}`)),
  );
  const unwarned = ownBelief ? { value: ownBelief.answer, source: "" } : null;
  const [said, remembered] = [before, trusted].map((all) => all.map((one) => one.question));
  return (
    stated(facts, "You have pinned") ??
    (belief !== null && sure ? { value: belief.answer, source: "" } : null) ??
    stated(said ?? [], "You said") ??
    stated(remembered ?? [], "You said before") ??
    recallAnswer(same.filter(({ result }) => !isWarnedOf(result))) ??
    unwarned
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
function readStatement(text: string): { readonly subject: string; readonly value: string } | null {
  if (text.length > MAX_STATEMENT_LENGTH) return null;
  const [, subject, value] =
    /^(?:remember that )?((?:my|our|the) [^?\n]{1,100}?) is ([^?\n]{1,200}?)[.!]*$/i.exec(text.trim()) ?? [];
  return subject === undefined || value === undefined ? null : { subject: normalize(subject), value };
}

/** The `my X` of `What is my X?`; null for every other question. */
const readSubject = (question: string): string | null =>
  /^what is ((?:my|our|the) [^?\n]{1,100})$/.exec(normalize(question.slice(0, MAX_STATEMENT_LENGTH)))?.[1] ??
  null;

const emptyHanded = /\b(?:do|does|did) not know\b|\bdon['’]t know\b|\bplaceholder in place of\b/i;

type SimMemory = ShownMemory & { readonly result: Answer | null };

/** The memories of the same question that hold an answer, with the result that each declares. */
const matchQuestion = (memories: readonly ShownMemory[], question: string): SimMemory[] =>
  memories
    .filter((one) => normalize(one.question) === normalize(question) && !emptyHanded.test(one.answer))
    .map((one) => ({ ...one, result: extractAnswer(one.answer) }));

/** How a question was answered before: by a good example, else by what nobody has judged. */
function recallAnswer(memories: readonly SimMemory[]): RecalledAnswer | null {
  const best =
    memories.find(({ mark }) => mark === "good-example") ?? memories.find(({ mark }) => mark === "unjudged");
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
