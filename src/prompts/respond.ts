import type { Mark, Message, Recalled } from "../kernel/index.ts";
import { fence, materialText, type Desk, type Material } from "./material.ts";
import { render } from "./template.ts";

/** The slots of a respondent's template. */
export const RESPOND_SLOTS = { respond: ["persona", "facts", "memories", "material"] } as const;

export const RESPOND_TEMPLATES: readonly string[] = Object.keys(RESPOND_SLOTS);

export type RespondPrompt = {
  readonly persona: string;
  /** The turns before this one, oldest first, with this respondent's own answers. */
  readonly history: readonly { readonly question: string; readonly answer: string }[];
  readonly material: Material;
  /** Pinned by the person who asks. */
  readonly facts: readonly string[];
  /** Best first. */
  readonly engrams: readonly Recalled[];
};

/**
 * What a respondent is asked: instructions and pinned facts first, then the conversation as turns of its own, then what is
 * remembered and the question. What stays the same from turn to turn stands first, so that providers can cache it.
 */
export function respondPrompt(desk: Desk, prompt: RespondPrompt): Message[] {
  const { persona, history, material, facts, engrams } = prompt;
  const rendered = render(
    { name: "respond", text: desk.template("respond") },
    {
      persona,
      facts: facts
        .map((text, index) => fence(desk, { kind: "fact", label: String(index + 1), text }))
        .join("\n\n"),
      memories: engrams.map((engram) => engramText(desk, engram)).join("\n\n"),
      material: materialText(desk, material),
    },
  );
  const turns = history.flatMap(({ question, answer }): Message[] => [
    { role: "user", text: question },
    { role: "assistant", text: answer },
  ]);
  // What the template says to the system comes before the conversation, what it says to the user after it.
  const first = rendered.findIndex(({ role }) => role === "user");
  return [...rendered.slice(0, first), ...turns, ...rendered.slice(first)];
}

const MARKS: { readonly [mark in Mark]: string } = {
  "good-example": "GOOD EXAMPLE",
  mixed: "MIXED",
  avoid: "AVOID: do not repeat this",
  unjudged: "not judged yet",
};

/** One engram as data: nothing of it, the critic's words included, stands outside of its fence. */
function engramText(desk: Desk, { mark, grade, question, summary, feedback }: Recalled): string {
  const rated = grade === null ? "" : `, rated ${grade}/5`;
  const text = [
    `Question: ${question}`,
    `Answer: ${summary}`,
    ...(feedback === "" ? [] : [`Critic: ${feedback}`]),
  ].join("\n");
  return fence(desk, { kind: "memory", label: `${MARKS[mark]}${rated}`, text });
}
