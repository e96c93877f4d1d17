import type { CallCount, Plan, PlanContext, PlannedCall, PlannedPhase } from "../../engine/index.ts";
import type { Message, ModelRequest, Participant } from "../../kernel/index.ts";
import type { ProblemPrompt } from "../../prompts/problem.ts";
import { extractRequirements } from "../../text/requirements.ts";
import { planHistory } from "../phases/conversation.ts";
import { ALWAYS, AT_MOST, times, UNREADABLE, UNWRITTEN, USUALLY } from "../phases/plan.ts";
import { modelParams } from "../phases/reply.ts";
import { planToolTurns } from "../phases/tool-turns.ts";
import { toolsOf } from "../phases/tools.ts";
import {
  clarifyPrompt,
  confidencePrompt,
  critiquePrompt,
  judgeSummaryPrompt,
  proposalPrompt,
  refinementPrompt,
  solutionPrompt,
  solutionRepairPrompt,
  summaryPrompt,
  type RoundPrompt,
} from "./prompts.ts";
import { pairCritics } from "./round.ts";
import { summarizationFor, type DebateSettings } from "./settings.ts";

type DebatePlan = PlanContext<DebateSettings>;

/** The calls of one summary, by method; others make an unknown number. */
const SUMMARY_CALLS = new Map(Object.entries({ "length-based": 1, semantic: 1, retrieval: 0 }));

/** Every round as if none were ended early, and every summary as if its text were long enough. */
export function planDebate(context: DebatePlan): Plan {
  const { settings } = context;
  const agents = context.seats("agent");
  const judges = context.seats("judge");
  const summarized = [...agents, ...judges].filter(({ id }) => summarizationFor(settings, id).enabled);
  if (summarized.some(({ id }) => SUMMARY_CALLS.get(summarizationFor(settings, id).method) === undefined))
    return null;
  const brief = briefOf(context);
  const rounds = Array.from({ length: settings.rounds }, (_, index) => index + 1);
  return [
    ...planHistory(context),
    ...clarificationPhases(context, brief),
    ...rounds.flatMap((round) => roundPhases(context, { brief, round })),
    ...solutionPhases(context, brief),
  ].filter(({ calls }) => calls.length > 0);
}

function briefOf(context: DebatePlan): ProblemPrompt {
  const { question, context: files } = context;
  const problem = [question, ...files.map(({ text }) => text)].join("\n\n");
  return { material: context, requirements: extractRequirements(problem), clarifications: [] };
}

/** What a person's answers come to is not known: each counts as a question does. */
function clarificationPhases(context: DebatePlan, { material }: ProblemPrompt): PlannedPhase[] {
  const { clarifications, maxOutputTokens } = context.settings;
  if (!clarifications.enabled) return [];
  const agents = context.seats("agent");
  return Array.from({ length: clarifications.rounds }, (_, index) => ({
    name: `clarification ${index + 1}`,
    calls: agents.map((agent) => ({
      ...(index === 0 ? ALWAYS : AT_MOST),
      request: requestOf(agent, maxOutputTokens.clarification, [
        ...clarifyPrompt(context, {
          material,
          persona: context.instructions(agent),
          answered: [],
          most: clarifications.perAgent,
        }),
      ]),
      shows: clarificationTokens(context, index),
    })),
  }));
}

const clarificationTokens = ({ settings, seats }: DebatePlan, rounds: number): number[] =>
  settings.clarifications.enabled
    ? times(2 * rounds * seats("agent").length, settings.maxOutputTokens.clarification)
    : [];

const requestOf = (by: Participant, maxOutputTokens: number, messages: Message[]): ModelRequest => ({
  ...modelParams(by),
  messages,
  maxOutputTokens,
});

type RoundPlan = { readonly brief: ProblemPrompt; readonly round: number };

/** The rounds after the first are not on the shortest course where a rule may end the debate. */
const countIn = ({ settings }: DebatePlan, round: number): CallCount =>
  round === 1 || settings.termination.type === "fixed" ? ALWAYS : USUALLY;

function roundPhases(context: DebatePlan, { brief, round }: RoundPlan): PlannedPhase[] {
  const { settings, seats } = context;
  const agents = seats("agent");
  const { maxOutputTokens: limits } = settings;
  const pairs = pairCritics(
    settings.topology,
    agents.map((agent) => ({ agent })),
  );
  const criticsOf = ({ id }: Participant) => pairs.filter(({ target }) => target.agent.id === id).length;
  const targetsOf = ({ id }: Participant) => pairs.filter(({ critic }) => critic.agent.id === id).length;
  const said = clarificationTokens(context, settings.clarifications.rounds);
  /** An agent's perspective on these rounds, whole: what a failed summary leaves in its prompts. */
  const perspective = (agent: Participant, rounds: number): number[] => [
    ...times(rounds, limits.proposal),
    ...times(rounds * criticsOf(agent), limits.critique),
    ...times(rounds, limits.refinement),
  ];
  const count = countIn(context, round);
  const speak = (
    agent: Participant,
    kind: "proposal" | "critique" | "refinement",
    {
      prompt,
      shows,
      number = 1,
    }: {
      readonly prompt: (round: RoundPrompt) => Message[];
      readonly shows: readonly number[];
      readonly number?: number;
    },
  ): PlannedCall[] => {
    if (number === 0) return [];
    const values = { ...brief, history: UNWRITTEN, persona: context.instructions(agent) };
    const request = requestOf(agent, limits[kind], prompt(values));
    const shown = [...said, ...perspective(agent, round - 1), ...shows];
    return planToolTurns({ ...count, request, shows: shown }, toolsOf(settings, agent.id)).map((call) => ({
      ...call,
      ...{ low: number * call.low, expected: number * call.expected, high: number * call.high },
    }));
  };
  const answer = { label: "A", text: UNWRITTEN };
  const isFresh = round === 1 || settings.proposals === "fresh";
  const stands = Math.max(limits.proposal, limits.refinement);
  const phase = (name: string, calls: readonly PlannedCall[]) => ({ name: `round ${round} ${name}`, calls });
  const proposing = { prompt: (values: RoundPrompt) => proposalPrompt(context, values), shows: [] };
  return [
    phase(
      "summary",
      round === 1
        ? []
        : agents.flatMap((agent) => summaryCalls(context, agent, { shows: perspective(agent, round - 1) })),
    ),
    phase("proposal", isFresh ? agents.flatMap((agent) => speak(agent, "proposal", proposing)) : []),
    phase(
      "critique",
      agents.flatMap((agent) =>
        speak(agent, "critique", {
          prompt: (values) => critiquePrompt(context, { ...values, proposal: answer }),
          shows: [stands],
          number: targetsOf(agent),
        }),
      ),
    ),
    phase(
      "refinement",
      agents.flatMap((agent) => {
        const critiques = times(criticsOf(agent), limits.critique);
        return critiques.length === 0
          ? []
          : speak(agent, "refinement", {
              prompt: (values) =>
                refinementPrompt(context, {
                  ...values,
                  proposal: answer,
                  critiques: critiques.map(() => UNWRITTEN),
                }),
              shows: [stands, ...critiques],
            });
      }),
    ),
    phase("confidence", confidenceCalls(context, { brief, round, shows: times(agents.length, stands) })),
  ];
}

/** The one summary of a participant's perspective at the start of a round. */
function summaryCalls(
  context: DebatePlan,
  by: Participant,
  {
    shows,
    prompt = summaryPrompt,
  }: { readonly shows: readonly number[]; readonly prompt?: typeof summaryPrompt },
): PlannedCall[] {
  const { enabled, method, maxLength } = summarizationFor(context.settings, by.id);
  if (!enabled || SUMMARY_CALLS.get(method) !== 1) return [];
  const messages = prompt(context, { text: UNWRITTEN, maxLength, persona: context.instructions(by) });
  return [{ ...USUALLY, request: requestOf(by, context.settings.maxOutputTokens.summary, messages), shows }];
}

function confidenceCalls(
  context: DebatePlan,
  { brief, round, shows }: RoundPlan & { readonly shows: readonly number[] },
): PlannedCall[] {
  const { settings, seats } = context;
  const [judge] = seats("judge");
  if (!judge || settings.termination.type !== "quality" || round === settings.rounds) return [];
  const answers = seats("agent").map(() => ({ label: "A", text: UNWRITTEN }));
  const messages = confidencePrompt(context, { ...brief, answers, persona: context.instructions(judge) });
  return [
    {
      ...countIn(context, round),
      request: requestOf(judge, settings.maxOutputTokens.confidence, messages),
      shows,
    },
  ];
}

/** The judge and its fallbacks, each with its own summary and a repair. */
function solutionPhases(context: DebatePlan, brief: ProblemPrompt): PlannedPhase[] {
  const { settings, seats } = context;
  const { critiquesForJudge, maxOutputTokens: limits, rounds, topology } = settings;
  const agents = seats("agent");
  const judges = seats("judge");
  const pairs = pairCritics(topology, agents).length;
  const last = [
    ...times(agents.length, Math.max(limits.proposal, limits.refinement)),
    ...times(agents.length, limits.refinement),
  ];
  const all = [
    ...times(agents.length * rounds, limits.proposal),
    ...times(agents.length * rounds, limits.refinement),
    ...(critiquesForJudge ? times(pairs * rounds, limits.critique) : []),
    ...clarificationTokens(context, settings.clarifications.rounds),
  ];
  const summaries = judges.flatMap((judge) =>
    summaryCalls(context, judge, {
      shows: critiquesForJudge ? [...last, ...times(pairs, limits.critique)] : last,
      prompt: judgeSummaryPrompt,
    }),
  );
  const solutions = judges.flatMap((judge, index): PlannedCall[] => {
    const persona = context.instructions(judge);
    const request = (messages: Message[]) => requestOf(judge, limits.synthesis, messages);
    return [
      {
        ...(index === 0 ? ALWAYS : AT_MOST),
        request: request(
          solutionPrompt(context, { ...brief, rounds: UNWRITTEN, summary: UNWRITTEN, persona }),
        ),
        shows: all,
      },
      {
        ...AT_MOST,
        request: request(solutionRepairPrompt(context, { reply: UNWRITTEN, reason: UNREADABLE })),
        shows: [limits.synthesis],
      },
    ];
  });
  return [
    {
      name: "judge's summary",
      calls: summaries.map((call, index) => (index === 0 ? call : { ...call, ...AT_MOST })),
    },
    { name: "synthesis", answers: true, calls: solutions },
  ];
}
