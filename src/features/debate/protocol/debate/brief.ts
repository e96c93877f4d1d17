import {
  phase,
  type PhaseResult,
  type ProtocolContext,
  type StepRunner,
  findById,
} from "../../../../engine/index.ts";
import { isEvent, type Event, type NumberedSource, type Participant } from "../../../../kernel/index.ts";
import type { Clarification, ProblemPrompt } from "../problem.ts";
import { parseQuestions } from "../../../../replies/questions.ts";
import { extractRequirements } from "../../../../text/requirements.ts";
import { clarificationRequest } from "../../../../views/pending-questions.ts";
import { modelParams, readReply } from "../../../../protocols/phases/reply.ts";
import { clarifyPrompt, questionsSchema } from "./prompts.ts";
import type { DebateSettings } from "./settings.ts";
import type { SummaryMethod } from "../../../../protocols/phases/summaries/index.ts";

// A question without an answer has the answer "NA" in the prompts, so that no agent asks it again.

/** The protocol context, with the summary methods that settings may name, and what came of tools so far. */
export type DebateContext = ProtocolContext<DebateSettings> & {
  readonly methods: readonly SummaryMethod[];
  readonly losses: { tools: number };
  /** What answers so far rest on, by the numbers that the sources have. */
  readonly sources: NumberedSource[];
};

const NO_ANSWER = "NA";

/**
 * A participant's own text of this kind, where the opening pins one: `clarification/<id>`, `summary-prompt/<id>`, and in
 * earlier openings `summary/<id>`, which stands beside the built-in prompt.
 */
export function ownText(
  { opening, template }: DebateContext,
  kind: "summary" | "summary-prompt" | "clarification",
  { id }: Participant,
): string | undefined {
  const name = `${kind}/${id}`;
  return Object.hasOwn(opening.templates, name) ? template(name) : undefined;
}

/** Reads what the problem says must and should be, and records it as `requirements`. */
export async function readRequirements({
  run,
  question,
  context,
}: DebateContext): Promise<ProblemPrompt["requirements"]> {
  const problem = [question, ...context.map(({ text }) => text)].join("\n\n");
  const { major, minor } = extractRequirements(problem);
  await run.derive(
    {
      key: "requirements",
      outcomes: ["requirements-read"],
      work: { kind: "requirements" },
      input: { problem },
    },
    () => ({ type: "requirements-read", data: { major: [...major], minor: [...minor] } }),
  );
  return { major, minor };
}

/**
 * Asks all agents at once what they need to know, then waits for the client's answers under the request
 * `clarification-<round>`; later rounds see the answers so far.
 */
export async function clarify(
  context: DebateContext,
  agents: readonly Participant[],
): Promise<readonly Clarification[]> {
  const { enabled, rounds } = context.settings.clarifications;
  let answered: readonly Clarification[] = [];
  if (!enabled) return answered;
  for (let round = 1; round <= rounds; round += 1) {
    const done = await phase(
      context.run,
      {
        name: `clarify-${round}`,
        work: { kind: "clarification", nth: round },
        members: agents.map(({ id }) => id),
      },
      (id, run) => askAgent(context, run, { round, answered, agent: findById(agents, id) }),
    );
    const questions = done.in.flatMap(({ value }) => value);
    if (questions.length === 0) return answered;
    const event = await context.run.awaits(clarificationRequest(round));
    const answers = isEvent(event, "clarification-answered") ? event.data.answers : [];
    answered = [
      ...answered,
      ...questions.map(({ id, text }) => ({
        question: text,
        answer: answers.find((answer) => answer.id === id)?.text.trim() || NO_ANSWER,
      })),
    ];
  }
  return answered;
}

type ClarificationCall = {
  readonly round: number;
  readonly answered: readonly Clarification[];
  readonly agent: Participant;
};

async function askAgent(
  context: DebateContext,
  run: StepRunner,
  { agent, round, answered }: ClarificationCall,
): Promise<PhaseResult<Event<"clarification-asked">["data"]["questions"]>> {
  const { clarifications, maxOutputTokens, callTimeoutMs } = context.settings;
  const loss = {
    what: `the questions of ${agent.persona.name}`,
    participant: agent.id,
    weakens: "it asks nothing, and takes the problem as it stands",
  };
  const event = await run.call(
    {
      key: `clarify-${round}/${agent.id}`,
      outcomes: ["clarification-asked", "degradation-noted"],
      work: { kind: "clarification", nth: round, by: agent.id },
      request: {
        ...modelParams(agent, maxOutputTokens.clarification, 1_024),
        messages: clarifyPrompt(context, {
          material: context,
          persona: context.instructions(agent),
          focus: ownText(context, "clarification", agent),
          answered,
          most: clarifications.perAgent,
        }),
        reply: questionsSchema,
      },
      timeoutMs: callTimeoutMs,
      dry: {
        phase: `clarification ${round}`,
        reply: ({ course, room, text }) => {
          const most = course === "longest" ? clarifications.perAgent : 0;
          return JSON.stringify({
            questions: Array.from({ length: most }, () => ({ text: text(room / most) })),
          });
        },
      },
    },
    readReply<"clarification-asked">(loss, (reply) => {
      const read = parseQuestions(reply, clarifications.perAgent);
      if (!read.ok) return { unreadable: read.reason };
      const questions = read.questions.map((text, index) => ({
        id: `${round}-${agent.id}-${index + 1}`,
        text,
      }));
      return { type: "clarification-asked", data: { by: agent.id, questions } };
    }),
  );
  return event.type === "clarification-asked"
    ? { in: true, value: event.data.questions }
    : { in: false, why: event.data.why };
}
