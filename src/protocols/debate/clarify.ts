import { phase, type PhaseResult, type StepRunner } from "../../engine/index.ts";
import { isEvent, type Event, type Participant } from "../../kernel/index.ts";
import { clarifyPrompt, questionsSchema, readQuestions } from "./prompts/agents.ts";
import { emptyReplyFailure, modelParams } from "../phases/draft.ts";
import { findById } from "../phases/seats.ts";
import { degradation } from "../phases/loss.ts";
import { ownText, type Clarified, type DebateContext } from "./speak.ts";

// CLARIFY-1. A question's id names its round, its agent and its place, so no two are alike.
// CLARIFY-2. A round without a question is the last; so is the one before which nobody could be asked.
// CLARIFY-3. What is not answered is "NA" in the prompts, so that nobody asks for it again.

const NOT_ANSWERED = "NA";

type ClarificationQuestions = Event<"clarification-asked">["data"]["questions"];

/**
 * Asks all agents at once what they need to know, then waits for the client's answers under the request
 * `clarification-<round>`; follow-up rounds see the answers so far.
 */
export async function clarify(
  context: DebateContext,
  agents: readonly Participant[],
): Promise<readonly Clarified[]> {
  const { enabled, rounds } = context.settings.clarifications;
  let clarified: readonly Clarified[] = [];
  if (!enabled) return clarified;
  for (let round = 1; round <= rounds; round += 1) {
    const questions = await ask(context, agents, { round, clarified });
    if (questions.length === 0) return clarified; // CLARIFY-2
    const given = await context.run.awaits(clarificationRequest(round));
    const answers = isEvent(given, "clarification-answered") ? given.data.answers : [];
    clarified = [
      ...clarified,
      ...questions.map(({ id, text }) => ({
        question: text,
        answer: answers.find((answer) => answer.id === id)?.text.trim() || NOT_ANSWERED, // CLARIFY-3
      })),
    ];
  }
  return clarified;
}

/** The client request under which this round's answers come. */
export const clarificationRequest = (round: number): string => `clarification-${round}`;

type ClarificationRound = { readonly round: number; readonly clarified: readonly Clarified[] };

async function ask(
  context: DebateContext,
  agents: readonly Participant[],
  { round, clarified }: ClarificationRound,
): Promise<ClarificationQuestions> {
  const work = async (id: string, run: StepRunner): Promise<PhaseResult<ClarificationQuestions>> => {
    const event = await askOne(context, { run, agent: findById(agents, id), round, clarified });
    return event.type === "clarification-asked"
      ? { in: true, value: event.data.questions }
      : { in: false, why: event.data.why };
  };
  const done = await phase(
    context.run,
    {
      name: `clarify-${round}`,
      work: { kind: "clarification", nth: round },
      members: agents.map(({ id }) => id),
    },
    work,
  );
  return done.in.flatMap(({ value }) => value);
}

type ClarificationCall = ClarificationRound & { readonly run: StepRunner; readonly agent: Participant };

const askOne = (
  context: DebateContext,
  { run, agent, round, clarified }: ClarificationCall,
): Promise<Event<"clarification-asked"> | Event<"degradation-noted">> => {
  const { clarifications, maxOutputTokens, callTimeoutMs } = context.settings;
  const own = ownText(context, "clarification", agent);
  return run.call(
    {
      key: `clarify-${round}/${agent.id}`,
      outcomes: ["clarification-asked", "degradation-noted"],
      work: { kind: "clarification", nth: round, by: agent.id },
      request: {
        ...modelParams(agent),
        messages: clarifyPrompt(context, {
          material: context,
          persona: context.instructions(agent),
          ...(own === undefined ? {} : { focus: own }),
          answered: clarified,
          most: clarifications.perAgent,
        }),
        maxOutputTokens: maxOutputTokens.clarification,
        reply: questionsSchema,
      },
      timeoutMs: callTimeoutMs,
    },
    (call) => {
      const failure = call.ok ? emptyReplyFailure(call.reply) : call.failure;
      const read = readQuestions(call.ok ? call.reply : "", clarifications.perAgent);
      const unread = read.ok ? undefined : { code: "unreadable" as const, message: read.reason };
      const lost = failure ?? unread;
      if (lost || !read.ok) {
        const weakens = "it asks nothing, and takes the problem as it stands";
        return degradation({
          what: `the questions of ${agent.persona.name}`,
          failure: lost ?? { code: "unreadable", message: "no questions" },
          participant: agent.id,
          weakens,
        });
      }
      const questions = read.questions.map((text, index) => ({
        id: `${round}-${agent.id}-${index + 1}`, // CLARIFY-1
        text,
      }));
      return { type: "clarification-asked", data: { by: agent.id, questions } };
    },
  );
};
