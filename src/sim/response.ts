import { extractAnswer, sameAnswer } from "../judging/index.ts";
import { leavesOpenWho, type Conversation } from "./conversation.ts";
import { draft } from "./draft.ts";
import { isLookup } from "./lookup.ts";
import type { Belief, Mind } from "./mind.ts";
import { avoided, remembered } from "./recollection.ts";
import { stated, statementsOf, type Stated } from "./stated.ts";
import { acknowledgement, isPersonal, pinnedStatements, statementsIn } from "./statement.ts";
import { banner } from "./wording.ts";

// M1. What is pinned holds before all else; then what the model knows, what was said in the conversation, what the person
//     said in conversations that are remembered, how the same question was answered before, and a mistake last of all.
// M2. An answer that a memory warns of is given only by a model that knows it to be right.

/** What an answer rests on, in the words that say so; empty for what the model has by itself. */
type Held = { readonly value: string | null; readonly from: string };

/**
 * An answer in a conversation: short, and besides the result in words that say so little that the text is about its
 * question and nothing else. What the person only tells is said back; one plain thing that nothing states is said not
 * to be known; an open question gets what a draft would be.
 */
export function response(mind: Mind, conversation: Conversation, question: string): string {
  const sign = banner(mind.simulated);
  const told = mind.belief === null ? acknowledgement(question) : null;
  if (told !== null) return `${sign}\nNoted: ${said(told, 600)}.`;
  const held = heldOf(mind, conversation, question);
  if (held === null) {
    const plain = isLookup(question) && (isPersonal(question) || leavesOpenWho(question));
    // A belief that memories warn of is not brought up again.
    return plain || mind.belief !== null
      ? `${sign}\n${mind.wording.pick("unknown", unknown)}`
      : draft(mind, question);
  }
  const { value, from } = held;
  if (value === null) return `${sign}\n${from}`;
  const result = said(value, 200);
  const first = mind.wording.pick("giving", giving)(result);
  const lines = [sign, [first, from || mind.wording.pick("ending", endings)].filter(Boolean).join(" ")];
  if (result.split(" ").length <= fewWords) lines.push("", `Final answer: ${result}`);
  return lines.join("\n");
}

const fewWords = 8;
/** What was said longer ago is forgotten. */
const mostTurns = 40;

function heldOf(mind: Mind, { turns, facts, memories }: Conversation, question: string): Held | null {
  const { readings, belief, sure } = mind;
  const find = (texts: readonly string[], from: string): Held | null => {
    const statements = statementsOf(texts);
    for (const one of readings) {
      const found = stated(one, statements);
      if (found !== null) return quoted(found, from);
    }
    return null;
  };
  const own: Held | null = belief && { value: belief.answer, from: "" };
  const told = [...turns.slice(-mostTurns).map((turn) => turn.question), question].flatMap(statementsIn);
  const before = memories.filter(({ mark }) => mark !== "avoid").toReversed();
  return (
    find(facts.flatMap(pinnedStatements), "You have pinned") ??
    (sure ? own : null) ??
    find(told, "You said") ??
    find(
      before.flatMap((memory) => statementsIn(memory.question)),
      "You said before",
    ) ??
    recalled(mind, memories) ??
    unwarned(mind, memories)
  );
}

const quoted = ({ statement, value }: Stated, from: string): Held => ({
  value,
  from: `${from}: “${said(statement, 300)}”.`,
});

function recalled({ readings }: Mind, memories: Conversation["memories"]): Held | null {
  const found = remembered(memories, readings);
  if (found === null) return null;
  return found.result === null
    ? { value: null, from: `As it was answered before: ${said(found.text, 600)}` }
    : { value: found.result.value, from: "So it was answered before." };
}

/** A mistake, unless a memory warns of it; then what a second look comes to, unless one warns of that too. */
function unwarned({ belief, secondLook, readings }: Mind, memories: Conversation["memories"]): Held | null {
  const warned = avoided(memories, readings);
  const passes = (one: Belief | null): one is Belief => {
    const result = one && extractAnswer(`Final answer: ${one.answer}`);
    return one !== null && !warned.some((other) => result !== null && sameAnswer(result, other));
  };
  const kept = passes(belief) ? belief : secondLook();
  return passes(kept) ? { value: kept.answer, from: "" } : null;
}

/** Text from elsewhere as a part of one line that opens no fence, list or marker of ours; the `#` of `C#` stays. */
const said = (text: string, most: number): string => {
  const line = text
    .replaceAll(/[`[\]{}]|\*\*|(?<![\p{L}\p{N}])#/gu, "")
    .replaceAll(/[\s\p{C}]+/gu, " ")
    .replaceAll(/final\s+(answer|ranking)/gi, "final-$1")
    .trim();
  return line.length <= most ? line : `${line.slice(0, most).toWellFormed().trimEnd()}…`;
};

// Stop words of `contentWords` beside the result, and four words at least, so that a judge has a sentence to weigh.
const giving = [
  (value: string) => `That would have to be ${value}.`,
  (value: string) => `It can only be ${value}.`,
  (value: string) => `All in all that is ${value}.`,
  (value: string) => `From all there is, it should be ${value}.`,
  (value: string) => `As most would have it, that is ${value}.`,
  (value: string) => `As it is, that must be ${value}.`,
  (value: string) => `Here it is just ${value}.`,
  (value: string) => `What it should be is ${value}.`,
] as const;

const endings = [
  "",
  "That is all there is to it.",
  "There is more to it than just that.",
  "And that is that.",
  "But there may be more to it.",
] as const;

const unknown = [
  "I do not know that: nothing that was said or that I remember states it.",
  "I do not know. Nothing here states it, and I remember nothing that does.",
  "That I do not know, as nobody has told me.",
] as const;
