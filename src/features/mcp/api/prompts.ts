import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

// A client shows these as commands. Each is said to the client's model, in its user's name: what costs is estimated and agreed on first.

const text = z.string().max(20_000);
const OfQuestion = z.object({ question: text.describe("What to ask.") });

type PromptRow = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tools that it tells the model to call: without them, there is no such prompt. */
  readonly needs: readonly string[];
  readonly takes: z.ZodObject;
  words(given: Readonly<Record<string, string | undefined>>, readsFiles: boolean): string;
};

/** How to go about a tool that costs money. */
const agreeFirst = (tool: string, readsFiles: boolean): string =>
  `${
    readsFiles
      ? "Name the files that matter in files; do not repeat their texts."
      : "Give the texts that matter as context, each with a name."
  } First call estimate with the protocol ${tool} and the same arguments, tell me how many calls it expects and what they cost, and ask me ` +
  `whether to go on. Only when I agree, call ${tool}. Where its result has the status open, call wait with its id.`;

const PROMPTS: readonly PromptRow[] = [
  {
    name: "second-opinion",
    title: "Second opinion",
    description: "Put what we are working on before several models, and compare their answer with yours",
    needs: ["ask", "estimate", "wait"],
    takes: z.object({ question: text.optional().describe("What to ask; what we are deciding, by default.") }),
    words: ({ question }, readsFiles) =>
      `Get a second opinion with Parley on ${question ?? "what we are deciding now"}\n\nAsk it as a question of its own, with what ` +
      `somebody has to know who has not heard us, and without your own answer. ${agreeFirst("ask", readsFiles)} Then say where its ` +
      "answer and yours differ, and which you hold to be right, and why.",
  },
  {
    name: "council",
    title: "Hold a council",
    description: "Members draft and review each other, and a chair writes one answer",
    needs: ["council", "estimate", "wait"],
    takes: OfQuestion,
    words: ({ question = "" }, readsFiles) =>
      `Put this before a council of Parley:\n\n${question}\n\n${agreeFirst("council", readsFiles)} Show me the answer, and what members ` +
      "disagreed about.",
  },
  {
    name: "review-diff",
    title: "Review the diff",
    description: "Have a council look for faults in what has changed",
    needs: ["council", "estimate", "wait"],
    takes: z.object({
      base: z
        .string()
        .max(200)
        .optional()
        .describe("The revision that it is compared with; main by default."),
      focus: text.optional().describe("What to look for."),
    }),
    words: ({ base = "main", focus }, readsFiles) => {
      const given = readsFiles
        ? `diff: ${JSON.stringify(base)}`
        : `what git diff ${JSON.stringify(base)} prints as context`;
      const more = focus === undefined ? "" : ` Look most for this: ${focus}`;
      return (
        `Have a council of Parley review what has changed since ${base}: give it ${given}, and ask for faults, each with its file and line, ` +
        `how it shows, and how sure the member is.${more}\n\n${agreeFirst("council", readsFiles)} Then check each fault in the code ` +
        "before you tell me of it, and change nothing yet."
      );
    },
  },
  {
    name: "show",
    title: "Show a deliberation",
    description: "Show what a deliberation came to; the newest by default",
    needs: ["show", "list"],
    takes: z.object({ id: z.string().max(100).optional().describe("Its id.") }),
    words: ({ id }) =>
      `${id === undefined ? "Find the newest deliberation with list, and call show with its id." : `Call show with {"id": ${JSON.stringify(id)}}.`} ` +
      "Tell me the answer, who took part, what they disagreed about, and what it cost. This calls no model.",
  },
];

/** Gives a server those prompts whose tools it offers. */
export function registerPrompts(
  server: McpServer,
  {
    tools,
    readsFiles,
  }: { readonly tools: readonly { readonly name: string }[]; readonly readsFiles: boolean },
): void {
  const names = tools.map(({ name }) => name);
  for (const { name, title, description, needs, takes, words } of PROMPTS)
    if (needs.every((one) => names.includes(one)))
      server.registerPrompt(name, { title, description, argsSchema: takes }, (given) => ({
        messages: [
          {
            role: "user",
            content: { type: "text", text: words(given as Readonly<Record<string, string>>, readsFiles) }, // its fields are texts
          },
        ],
      }));
}
