import { defineProtocol } from "../../engine/index.ts";
import type { Closing, Participant } from "../../kernel/index.ts";
import { debateJudgeTemplates } from "./prompts/judge.ts";
import { debateAgentTemplates } from "./prompts/agents.ts";
import { centralDraft, chooseControl, closeBelowQuorum } from "../phases/control.ts";
import { findById } from "../phases/seats.ts";
import { stoppedByBudget } from "../phases/loss.ts";
import { labelAt } from "../phases/table.ts";
import { readRequirements, type Brief, type DebateContext } from "./speak.ts";
import { clarify } from "./clarify.ts";
import { measureAgreement, decideEnd } from "./evaluate.ts";
import {
  summarizePerspectives,
  EMPTY_TRANSCRIPT,
  withEntries,
  withSummaries,
  type Transcript,
} from "./history.ts";
import { reserveForJudge, writeSolution } from "./judge.ts";
import { criticize, propose, refine, transcriptEntries, type RoundSpec, type Seated } from "./round.ts";
import { DebateSettings, requiredProposals } from "./settings.ts";
import { pairCritics } from "./config.ts";
import { summaryMethods, type SummaryMethod } from "./summaries/index.ts";

export { clarificationRequest } from "./clarify.ts";
export { DebateSettings, ToolName } from "./settings.ts";
export { findSummaryMethod, summaryMethods } from "./summaries/index.ts";

/**
 * Agents propose, criticise each other and refine, in rounds, and a judge writes the solution (seed 5). `methods`: the ways to summarise that its settings may name.
 */
export const debateWith = (methods: readonly SummaryMethod[]) =>
  defineProtocol({
    name: "debate",
    version: 1,
    summary: "agents propose, criticize and refine in rounds, and a judge writes the solution",
    seats: [
      { name: "agent", filledBy: "models", min: 1 },
      { name: "judge", filledBy: "judge", min: 1, fallbacks: true },
    ],
    settings: DebateSettings,
    templates: [...debateAgentTemplates, ...debateJudgeTemplates],
    opening: async () => (await import("./opening.ts")).openDebate,
    async deliberate(given): Promise<Closing> {
      const context: DebateContext = { ...given, methods };
      reserveForJudge(context);
      const agents = context.seats("agent");
      const requirements = await readRequirements(context);
      const clarifications = await clarify(context, agents);
      return runRounds(context, { agents, brief: { material: context, requirements, clarifications } });
    },
  });

export const debate = debateWith(summaryMethods);

type DebateStart = { readonly agents: readonly Participant[]; readonly brief: Brief };

async function runRounds(context: DebateContext, { agents, brief }: DebateStart): Promise<Closing> {
  const { settings } = context;
  const order = context.shuffle(
    "labels",
    agents.map(({ id }) => id),
  );
  const labels = new Map(order.map((id, index) => [id, labelAt(index)]));
  let transcript: Transcript = EMPTY_TRANSCRIPT;
  let seated: readonly Seated[] = [];
  let first: readonly Seated[] = [];
  let lost = 0;
  for (let round = 1; ; round += 1) {
    const last = seated;
    const active = round === 1 ? agents : seated.map(({ by }) => by);
    transcript = withSummaries(
      transcript,
      await summarizePerspectives(context, active, { round, transcript }),
    );
    const spec: RoundSpec = { round, brief, transcript, heard: transcript, labels };
    const asked = round === 1 || settings.proposals === "fresh";
    const proposed = asked ? await propose(context, spec, active) : NO_PROPOSALS;
    if (round === 1) {
      const quorum = requiredProposals(settings, agents.length);
      if (proposed.seated.length < quorum) return tooFewProposals(agents, proposed, quorum);
      first = proposed.seated;
    }
    const before =
      round === 1
        ? proposed.seated
        : last.map((one) => proposed.seated.find(({ by }) => by.id === one.by.id) ?? one);
    const said = { proposals: proposed.seated, critiques: [], refinements: [] };
    const proposing = { ...spec, heard: withEntries(transcript, transcriptEntries(round, said)) };
    const { critiques, absent: unsaid } = await criticize(context, proposing, before);
    const criticised = { ...said, critiques };
    const refining = { ...spec, heard: withEntries(transcript, transcriptEntries(round, criticised)) };
    const { seated: after, refined, absent } = await refine(context, refining, { seated: before, critiques });
    seated = after;
    lost += proposed.absent.length + unsaid.length + absent.length;
    const refinements = after.filter(({ by }) => refined.includes(by.id));
    transcript = withEntries(transcript, transcriptEntries(round, { ...criticised, refinements }));
    await closeRound(context, { round, seated, refined });
    const [judge] = context.seats("judge");
    if (
      round >= settings.rounds ||
      pairCritics(settings.topology, seated).length === 0 || // alone, nobody would say anything new
      (await decideEnd(context, { round, brief, last, after, refined, judge })) !== null
    )
      return conclude(context, { evidence: { brief, transcript, before, after, round }, first, lost });
  }
}

const NO_PROPOSALS: Awaited<ReturnType<typeof propose>> = { seated: [], absent: [] };

type DebateConclusion = {
  readonly evidence: Parameters<typeof writeSolution>[1];
  /** The blind proposals, against which the outcome is compared. */
  readonly first: readonly Seated[];
  readonly lost: number;
};

async function conclude(
  context: DebateContext,
  { evidence, first, lost }: DebateConclusion,
): Promise<Closing> {
  const judged = await writeSolution(context, evidence);
  if (judged.ok) {
    return {
      outcome: lost > 0 || judged.degraded ? "answered-degraded" : "answered",
      answer: judged.step,
      control: chooseControl(first, undefined, judged.final),
    };
  }
  const best = centralDraft(evidence.after);
  const fallback = { answer: best.step, control: chooseControl(first, undefined, best.final) };
  return judged.code === "over-budget"
    ? stoppedByBudget(judged.why, judged.cap, fallback)
    : { outcome: "answered-degraded", ...fallback };
}

/** How a round ended: who is in, and who refined. */
const closeRound = (
  { run }: DebateContext,
  { round, seated, refined }: { round: number; seated: readonly Seated[]; refined: readonly string[] },
) =>
  run.derive(
    {
      key: `round-${round}/closed`,
      outcomes: ["round-closed"],
      work: { kind: "round", round },
      input: { standing: seated.map(({ step }) => step), refined: [...refined] },
    },
    () => ({
      type: "round-closed",
      data: {
        round,
        in: seated.map(({ by }) => by.id),
        culled: [],
        revised: [...refined],
        proceeded: seated.map(({ by }) => by.id).filter((id) => !refined.includes(id)),
        agreement: measureAgreement(seated),
      },
    }),
  );

/** How it ends when fewer agents than the quorum have proposed. */
const tooFewProposals = (
  agents: readonly Participant[],
  { seated, absent }: Awaited<ReturnType<typeof propose>>,
  quorum: number,
): Closing =>
  closeBelowQuorum({
    did: "agents proposed",
    given: seated,
    absent: absent.map(({ id, ...absence }) => ({ name: findById(agents, id).persona.name, ...absence })),
    quorum,
    best: centralDraft,
  });
