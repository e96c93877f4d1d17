import type { NewDeliberation } from "../../src/engine/index.ts";
import type { ModelRequest } from "../../src/kernel/index.ts";
import { ask } from "../../src/features/ask/protocol/index.ts";
import { council } from "../../src/features/council/protocol/index.ts";
import { shippedTextsOf, toyAsked, toyParticipant } from "../../src/testing/kit.ts";
import type { Script } from "../../src/testing/scripted-models.ts";

export { ask, council };

export type CouncilAsked = {
  readonly members?: readonly string[];
  readonly chairs?: readonly string[];
  readonly judges?: readonly string[];
  readonly directive?: string;
  readonly protocol?: "ask" | "council";
} & Partial<Omit<NewDeliberation, "protocol">>;

const PROTOCOLS = { ask, council };

/** A council, or an `ask`, on the shipped prompts; a participant's model is `sim/NAME`, its persona `be NAME`. */
export function councilAsked({
  members = ["ada", "bob", "cyd"],
  chairs = ["chair"],
  judges = [],
  directive = "THE-DIRECTIVE {{goal}} FOR {{count}}",
  protocol = "council",
  ...changes
}: CouncilAsked = {}): NewDeliberation {
  const { version, ...declared } = PROTOCOLS[protocol];
  return toyAsked(protocol, {
    question: "What is 17 * 23?",
    participants: [
      ...members.map((name) => toyParticipant(name, "member")),
      ...chairs.map((name) => toyParticipant(name, "chair")),
      ...judges.map((name) => toyParticipant(name, "judge")),
    ],
    templates: { ...shippedTextsOf(declared), strategy: directive },
    protocol: { name: protocol, version },
    ...changes,
  });
}

/** A whole fenced piece, its kind and its label: what stands inside says nothing of the task. */
const PIECE = /^\[BEGIN ([a-z]+)(?: ([^\n]*))? #([0-9a-f]{16})\]\n[\s\S]*?\n\[END [^\n]* #\3\]$/gm;

/** What a request is for, as its text outside of the fences says. */
export const taskOf = (
  request: ModelRequest,
): "draft" | "review" | "repair" | "synthesis" | "comparison" | "revision" => {
  const text = promptOf(request).replaceAll(PIECE, "");
  if (text.includes("# Strategic directive")) return "synthesis";
  if (text.includes("## My answer")) return "revision";
  if (text.includes("# Your task") && text.includes("Compare their claims")) return "comparison";
  if (text.includes("It could not be read")) return "repair";
  return text.includes("Then rank all") ? "review" : "draft";
};

/** All of a request's turns as one text. */
export const promptOf = ({ messages }: ModelRequest): string => messages.map(({ text }) => text).join("\n");

/** The labels of the answers that a request shows, in the order shown; for a repair those that it names. */
export const labelsIn = (request: ModelRequest): string[] => {
  const [, named] = /^Above is a review of answers labelled ([^.\n]+)\./m.exec(promptOf(request)) ?? [];
  if (named !== undefined) return named.split(", ");
  return [...promptOf(request).matchAll(PIECE)].flatMap(([, kind, label = ""]) =>
    kind === "answer" ? [label] : [],
  );
};

/** A review that ranks the labels in alphabetical order. */
export const reviewOf = (request: ModelRequest): string => {
  const labels = labelsIn(request).sort();
  const reviews = labels.map((label) => ({
    label,
    strengths: [`good ${label}`],
    weaknesses: [`bad ${label}`],
  }));
  return JSON.stringify({ reviews, ranking: labels });
};

/** A synthesis that claims all labels alike. */
export const synthesisOf = (request: ModelRequest, text = "It is 391.\n\nFinal answer: 391"): string => {
  const labels = labelsIn(request);
  const contributors = labels.map((id) => ({ id, weight: 1 / labels.length, reason: "some of it" }));
  return `${text}\n\n## Dissent\n- one doubts it\n\n\`\`\`json\n${JSON.stringify({ contributors })}\n\`\`\``;
};

/** Everybody does what is asked: drafts say 391, reviews rank by label. */
export const agreeable = (names: readonly string[], latencyMs = 10): Script =>
  Object.fromEntries(
    names.map((name) => [
      name,
      (request: ModelRequest) => {
        const task = taskOf(request);
        if (task === "draft") return { text: `${name} says so.\nFinal answer: 391`, latencyMs };
        if (task === "revision")
          return { text: `## My answer\n${name} keeps it.\nFinal answer: 391`, latencyMs };
        return { text: task === "synthesis" ? synthesisOf(request) : reviewOf(request), latencyMs };
      },
    ]),
  );
