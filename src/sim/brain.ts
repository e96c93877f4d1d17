import type { ModelRequest } from "../kernel/index.ts";
import { brokenOutcome, brokenResult, brokenReview, brokenSynthesis, cut } from "./breakage.ts";
import { chanceOf, type Chance } from "./chance.ts";
import { clarification } from "./clarification.ts";
import { comparison } from "./comparison.ts";
import { confidence } from "./confidence.ts";
import { critique } from "./critique.ts";
import { draft } from "./draft.ts";
import { evaluation } from "./evaluation.ts";
import type { Fact } from "./fact.ts";
import { filled } from "./form.ts";
import { gradeText, preferenceText } from "./grading.ts";
import { mindOf, type Mind } from "./mind.ts";
import { readPrompt, type Prompt } from "./prompt.ts";
import { proposal } from "./proposal.ts";
import type { Simulated } from "./reference.ts";
import { refinement } from "./refinement.ts";
import { asJson, asText, repaired, reviewContent } from "./review.ts";
import { response } from "./response.ts";
import { revision } from "./revision.ts";
import { repairedOutcome } from "./solution-repair.ts";
import { outcomeText, solution } from "./solution.ts";
import { summary } from "./summary.ts";
import { synthesis } from "./synthesis.ts";

export type Asked = {
  readonly simulated: Simulated;
  readonly facts: readonly Fact[];
  readonly request: ModelRequest;
  /** Counts from 1. */
  readonly attempt: number;
};

/** What one attempt comes to. `at` is the share of the reply's text that came before it failed. */
export type Thought =
  | {
      readonly ok: true;
      readonly text: string;
      readonly finish: "stop" | "length";
      readonly tokensIn: number;
      readonly tokensOut: number;
    }
  | { readonly ok: false; readonly trouble: Trouble; readonly text: string; readonly tokensIn: number };

/** How a provider fails: it is overloaded, asks to wait, or the connection breaks within the reply. */
export type Trouble =
  | { readonly code: "overloaded" }
  | { readonly code: "rate-limited"; readonly waitMs: number }
  | { readonly code: "network" };

// B1. A thought is a function of the model's parameters, its facts, the request and the attempt; nothing else enters.
// B2. The marks of fences do not enter: they come from a deliberation's seed, and what is asked does not change with it.
// B3. Only faults depend on the attempt: an attempt that succeeds says what any other would have said.

/** Answers a request as the simulated model does. */
export function think({ simulated, facts, request, attempt }: Asked): Thought {
  const prompt = readPrompt(request);
  const mind = mindOf({ simulated, facts }, prompt, request);
  const fate = chanceOf([
    "fate",
    simulated.name,
    simulated.seed,
    prompt.plain,
    request.temperature ?? null,
    attempt,
  ]);
  const whole =
    fate.roll("malformed") < simulated.malformed
      ? broken({ mind, prompt, request, fate })
      : reply({ mind, prompt, request });
  const longest = request.maxOutputTokens * charactersPerToken;
  const text = whole.slice(0, longest).toWellFormed();
  const tokensIn = tokens(request.messages.reduce((sum, message) => sum + message.text.length, 0));
  if (fate.roll("fail") < simulated.fail) {
    const trouble = fate.pick("trouble", troubles);
    return {
      ok: false,
      trouble,
      text:
        trouble.code === "network"
          ? text.slice(0, Math.floor(text.length * fate.roll("break"))).toWellFormed()
          : "",
      tokensIn,
    };
  }
  return {
    ok: true,
    text,
    finish: whole.length > longest ? "length" : "stop",
    tokensIn,
    tokensOut: tokens(text.length),
  };
}

const charactersPerToken = 4;
const tokens = (characters: number): number => Math.ceil(characters / charactersPerToken);

const troubles: readonly [Trouble, ...Trouble[]] = [
  { code: "overloaded" },
  { code: "rate-limited", waitMs: 250 },
  { code: "rate-limited", waitMs: 1_000 },
  { code: "network" },
];

type Replying = { readonly mind: Mind; readonly prompt: Prompt; readonly request: ModelRequest };

function reply({ mind, prompt, request }: Replying): string {
  const { task, question } = prompt;
  switch (task.kind) {
    case "draft":
      return draft(mind, question);
    case "response":
      return response(mind, task, question);
    case "review":
      return (request.reply ? asJson : (content: ReturnType<typeof reviewContent>) => asText(mind, content))(
        reviewContent(mind, task.answers),
      );
    case "repair":
      return asJson(repaired(task.review, task.labels));
    case "synthesis":
      return synthesis(mind, task, question);
    case "revision":
      return revision(mind, task.answers, question);
    case "comparison":
      return comparison(mind, task.answers);
    case "grade":
      return request.reply ? filled(mind, request.reply.schema, prompt) : gradeText(mind, task.answer);
    case "pairwise":
      return request.reply
        ? filled(mind, request.reply.schema, prompt)
        : preferenceText(mind, task.first, task.second);
    case "form":
      return filled(mind, request.reply?.schema ?? {}, prompt);
    case "clarification":
      return clarification(mind, task, prompt);
    case "proposal":
      return proposal(mind, task, question);
    case "critique":
      return critique(mind, task);
    case "refinement":
      return refinement(mind, task, question);
    case "summary":
      return summary(mind, task);
    case "confidence":
      return confidence(mind, task);
    case "solution":
      return outcomeText(solution(mind, task, question));
    case "solution-repair":
      return outcomeText(repairedOutcome(task.reply));
    case "evaluation":
      return evaluation(mind, task);
  }
}

function broken({ fate, ...replying }: Replying & { readonly fate: Chance }): string {
  const { mind, prompt, request } = replying;
  const { task } = prompt;
  switch (task.kind) {
    case "review":
      return brokenReview(
        reviewContent(mind, task.answers),
        (content) => (request.reply ? asJson(content) : asText(mind, content)),
        fate,
      );
    case "synthesis":
      return brokenSynthesis(reply(replying), fate);
    case "grade":
    case "pairwise":
      return request.reply ? cut(reply(replying), fate) : brokenResult(reply(replying), fate);
    case "solution":
      return brokenOutcome(solution(mind, task, prompt.question), fate);
    case "summary":
      return summary(mind, { ...task, most: 3 * task.most });
    case "draft":
    case "response":
    case "revision":
    case "comparison":
    case "repair":
    case "form":
    case "clarification":
    case "proposal":
    case "critique":
    case "refinement":
    case "confidence":
    case "solution-repair":
    case "evaluation":
      return cut(reply(replying), fate);
  }
}
