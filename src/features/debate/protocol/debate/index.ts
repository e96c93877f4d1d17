import { defineProtocol, type Absent } from "../../../../engine/index.ts";
import type { Closing, Participant } from "../../../../kernel/index.ts";
import type { ProblemPrompt } from "../problem.ts";
import { withFittedHistory } from "../../../../protocols/phases/conversation.ts";
import {
  answerWith,
  centralDraft,
  chooseControl,
  closeBelowQuorum,
} from "../../../../protocols/phases/control.ts";
import { closeWithoutClient, stoppedByBudget } from "../../../../protocols/phases/reply.ts";
import { withLostTools } from "../../../../protocols/phases/tools.ts";
import { labelAt, type SeatedDraft } from "../../../../protocols/phases/table.ts";
import { clarify, readRequirements, type DebateContext } from "./brief.ts";
import { EMPTY_TRANSCRIPT, summarizePerspectives, withEntries, withSummaries } from "./history.ts";
import { reserveForJudge, writeSolution, type SolutionEvidence } from "./judge.ts";
import { debateTemplates } from "./prompts.ts";
import { criticize, pairCritics, propose, refine, transcriptEntries, type RoundSpec } from "./round.ts";
import { DebateFields, DebateSettings, requiredProposals } from "./settings.ts";
import { summaryMethods, type SummaryMethod } from "../../../../protocols/phases/summaries/index.ts";
import { decideEnd, measureAgreement, type EndCheck } from "./termination.ts";

export { DebateSettings } from "./settings.ts";
export { findSummaryMethod, summaryMethods } from "../../../../protocols/phases/summaries/index.ts";

/**
 * Agents propose, criticize each other and refine, in rounds, and a judge writes the solution.
 * @param methods the summary methods that its settings may name
 * @example
 * ```ts
 * const protocols = { debate: async () => debateWith([...summaryMethods, myMethod]) };
 * const parley = await openParley({ protocols }); // a configuration may name it now
 * ```
 */
export const debateWith = (methods: readonly SummaryMethod[]) =>
  defineProtocol({
    name: "debate",
    version: 1,
    summary: "Debate a problem in rounds; a judge writes the solution",
    seats: [
      { name: "agent", filledBy: "models", min: 1, person: "member" },
      { name: "judge", filledBy: "synthesizer", min: 1, fallbacks: true, person: "judge" },
    ],
    settings: DebateSettings,
    request: DebateFields,
    templates: debateTemplates,
    view: () => import("./view/index.ts"),
    report: () => import("./report/index.ts"),
    opening: async () => {
      const { openDebate } = await import("./opening.ts");
      return (request, context) => openDebate(request, context, methods);
    },
    async deliberate(protocolContext): Promise<Closing> {
      const losses = { tools: 0 };
      const fitted = await withFittedHistory(protocolContext);
      const context: DebateContext = { ...fitted, methods, losses, sources: [] };
      reserveForJudge(context);
      const agents = context.seats("agent");
      const requirements = await readRequirements(context);
      const clarifications = await clarify(context, agents);
      const brief = { material: context, requirements, clarifications };
      return withLostTools(await runRounds(context, agents, brief).catch(closeWithoutClient), losses.tools);
    },
  });

export const debate = debateWith(summaryMethods);

type Proposals = Awaited<ReturnType<typeof propose>>;

async function runRounds(
  context: DebateContext,
  agents: readonly Participant[],
  brief: ProblemPrompt,
): Promise<Closing> {
  const { settings } = context;
  const ids = agents.map(({ id }) => id);
  const labels = new Map(context.shuffle("labels", ids).map((id, index) => [id, labelAt(index)]));
  let transcript = EMPTY_TRANSCRIPT;
  let seated: readonly SeatedDraft[] = [];
  let first: readonly SeatedDraft[] = [];
  let lost = 0;
  let evidence: SolutionEvidence | undefined;
  for (let round = 1; ; round += 1) {
    const last = seated;
    const active = round === 1 ? agents : seated.map(({ by }) => by);
    const summaries = await summarizePerspectives(context, active, { round, transcript });
    transcript = withSummaries(transcript, summaries);
    const spec: RoundSpec = { round, brief, transcript, heard: transcript, labels };
    const isFresh = round === 1 || settings.proposals === "fresh";
    const proposed = isFresh ? await propose(context, spec, active) : NO_PROPOSALS;
    if (round === 1) {
      const quorum = requiredProposals(settings, agents.length);
      if (proposed.seated.length < quorum) return closeBelowProposalQuorum(proposed, quorum);
      first = proposed.seated;
    }
    const before =
      round === 1
        ? proposed.seated
        : last.map((one) => proposed.seated.find(({ by }) => by.id === one.by.id) ?? one);
    const proposals = proposed.seated;
    const withTexts = (texts: Omit<Parameters<typeof transcriptEntries>[1], "proposals">) =>
      withEntries(transcript, transcriptEntries(round, { proposals, ...texts }));
    const criticized = await criticize(context, { ...spec, heard: withTexts({}) }, before);
    const { critiques } = criticized;
    const heard = withTexts({ critiques });
    const refining = await refine(context, { ...spec, heard }, { seated: before, critiques });
    const { refined } = refining;
    seated = refining.seated;
    lost += proposed.absent.length + criticized.absent.length + refining.absent.length;
    const isCut = settings.endsEarly && [...criticized.absent, ...refining.absent].some(isOverBudget);
    if (isCut && evidence && proposals.length + critiques.length === 0)
      return conclude(context, evidence, { first, lost }); // nothing was said in this round
    transcript = withTexts({ critiques, refinements: seated.filter(({ by }) => refined.includes(by.id)) });
    await closeRound(context, { round, after: seated, refined });
    evidence = { brief, transcript, before, after: seated, round };
    if (
      isCut ||
      round >= settings.rounds ||
      pairCritics(settings.topology, seated).length === 0 || // an agent alone would say nothing new
      (await decideEnd(context, { round, brief, last, after: seated, refined }))
    )
      return conclude(context, evidence, { first, lost });
  }
}

const isOverBudget = ({ code }: Absent): boolean => code === "over-budget";

const NO_PROPOSALS: Proposals = { seated: [], absent: [] };

/** Closes the debate; `first` are the independent proposals, with which the outcome is compared. */
async function conclude(
  context: DebateContext,
  evidence: SolutionEvidence,
  { first, lost }: { readonly first: readonly SeatedDraft[]; readonly lost: number },
): Promise<Closing> {
  const solution = await writeSolution(context, evidence);
  if (solution.ok)
    return {
      outcome: lost > 0 || solution.degraded ? "answered-degraded" : "answered",
      answer: solution.step,
      control: chooseControl(first, undefined, solution.final),
    };
  const fallback = answerWith(centralDraft(evidence.after), first);
  return solution.code === "over-budget"
    ? stoppedByBudget(solution.why, solution.cap, fallback)
    : { outcome: "answered-degraded", ...fallback };
}

/** Records who is in after a round, and who refined. */
const closeRound = (
  { run }: DebateContext,
  { round, after, refined }: Pick<EndCheck, "round" | "after" | "refined">,
) =>
  run.derive(
    {
      key: `round-${round}/closed`,
      outcomes: ["round-closed"],
      work: { kind: "round", round },
      input: { standing: after.map(({ step }) => step), refined: [...refined] },
    },
    () => ({
      type: "round-closed",
      data: {
        round,
        in: after.map(({ by }) => by.id),
        culled: [],
        revised: [...refined],
        proceeded: after.map(({ by }) => by.id).filter((id) => !refined.includes(id)),
        agreement: measureAgreement(after),
      },
    }),
  );

/** The closing where fewer agents than the quorum have proposed. */
const closeBelowProposalQuorum = ({ seated, absent }: Proposals, quorum: number): Closing =>
  closeBelowQuorum({
    did: "agents proposed",
    given: seated,
    absent: absent.map(({ by, ...absence }) => ({ name: by.persona.name, ...absence })),
    quorum,
    best: centralDraft,
  });
