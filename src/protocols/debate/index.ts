import { defineProtocol } from "../../engine/index.ts";
import type { Closing, Participant } from "../../kernel/index.ts";
import { DEBATE_JUDGE_TEMPLATES, DEBATE_TEMPLATES } from "../../prompts/index.ts";
import { central, controlOf } from "../phases/control.ts";
import { labelAt } from "../phases/table.ts";
import { readRequirements, type Brief, type DebateFloor } from "./brief.ts";
import { clarify } from "./clarify.ts";
import { agreementOf, ends } from "./evaluate.ts";
import { summarise } from "./history.ts";
import { holdForJudge, synthesise } from "./judge.ts";
import { EMPTY, withSpoken, withSummaries, type Transcript } from "./perspective.ts";
import { criticise, propose, refine, saidIn, type RoundSpec, type Seated } from "./round.ts";
import { DebateSettings } from "./settings.ts";
import { summaryMethods, type SummaryMethod } from "./summaries/index.ts";

export { requestOf as clarificationRequest } from "./clarify.ts";
export { DebateSettings, ToolName } from "./settings.ts";
export { summaryMethodOf, summaryMethods } from "./summaries/index.ts";

/**
 * Agents propose, criticise each other and refine, in rounds, and a judge writes the solution (seed 5). Seats: `agent`,
 * `judge` (the first, then who steps in for it). `methods`: the ways to summarise that its settings may name.
 */
export const debateWith = (methods: readonly SummaryMethod[]) =>
  defineProtocol({
    name: "debate",
    version: 1,
    settings: DebateSettings,
    templates: [...DEBATE_TEMPLATES, ...DEBATE_JUDGE_TEMPLATES],
    async deliberate(given): Promise<Closing> {
      const floor: DebateFloor = { ...given, methods };
      holdForJudge(floor);
      const agents = floor.seats("agent");
      const requirements = await readRequirements(floor);
      const clarifications = await clarify(floor, agents);
      return conduct(floor, { agents, brief: { material: floor, requirements, clarifications } });
    },
  });

export const debate = debateWith(summaryMethods);

type Debating = { readonly agents: readonly Participant[]; readonly brief: Brief };

async function conduct(floor: DebateFloor, { agents, brief }: Debating): Promise<Closing> {
  const { settings } = floor;
  const order = floor.shuffled(
    "labels",
    agents.map(({ id }) => id),
  );
  const labels = new Map(order.map((id, index) => [id, labelAt(index)]));
  let transcript: Transcript = EMPTY;
  let seated: readonly Seated[] = [];
  let first: readonly Seated[] = [];
  let lost = 0;
  let round = 1;
  let before: readonly Seated[] = [];
  for (; ; round += 1) {
    const active = round === 1 ? agents : seated.map(({ by }) => by);
    transcript = withSummaries(transcript, await summarise(floor, active, { round, transcript }));
    const spec: RoundSpec = { round, brief, transcript, labels };
    const asked = round === 1 || settings.proposals === "fresh";
    const proposed = asked ? await propose(floor, spec, active) : { seated: [], lost: 0 };
    if (round === 1) {
      const quorum = settings.quorum ?? Math.floor(agents.length / 2) + 1;
      if (proposed.seated.length < quorum) return tooFew(proposed.seated, agents, quorum);
      first = proposed.seated;
    }
    before =
      round === 1
        ? proposed.seated
        : seated.map((one) => proposed.seated.find(({ by }) => by.id === one.by.id) ?? one);
    const { critiques, lost: unsaid } = await criticise(floor, spec, before);
    const refined = await refine(floor, spec, { seated: before, critiques });
    lost += proposed.lost + unsaid + refined.lost;
    transcript = withSpoken(
      transcript,
      saidIn(round, {
        proposals: proposed.seated,
        critiques,
        refinements: refined.seated.filter(({ by }) => refined.refined.includes(by.id)),
      }),
    );
    const stood = before;
    seated = refined.seated;
    await closeRound(floor, { round, seated, refined: refined.refined });
    if (round >= settings.rounds) break;
    const [judge] = floor.seats("judge");
    const why = await ends(floor, { round, brief, before: stood, after: seated, judge });
    if (why !== null) break;
  }
  return conclude(floor, { evidence: { brief, transcript, before, after: seated, round }, first, lost });
}

type Concluding = {
  readonly evidence: Parameters<typeof synthesise>[1];
  /** The blind proposals, against which the outcome is compared. */
  readonly first: readonly Seated[];
  readonly lost: number;
};

async function conclude(floor: DebateFloor, { evidence, first, lost }: Concluding): Promise<Closing> {
  const judged = await synthesise(floor, evidence);
  if (judged.ok) {
    return {
      outcome: lost > 0 || judged.degraded ? "answered-degraded" : "answered",
      answer: judged.step,
      control: controlOf(first, undefined, judged.final),
    };
  }
  const best = central(evidence.after);
  const fallback = { answer: best.step, control: controlOf(first, undefined, best.final) };
  return judged.overBudget
    ? { outcome: "stopped-by-budget", why: judged.why, best: fallback }
    : { outcome: "answered-degraded", ...fallback };
}

/** How a round ended: who is in, and who refined. */
const closeRound = (
  { run }: DebateFloor,
  { round, seated, refined }: { round: number; seated: readonly Seated[]; refined: readonly string[] },
) =>
  run.derive(
    {
      key: `round-${round}/closed`,
      ends: ["round-closed"],
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
        agreement: agreementOf(seated),
      },
    }),
  );

/** How it ends when the quorum proposes nothing. */
function tooFew(given: readonly Seated[], agents: readonly Participant[], quorum: number): Closing {
  const missing = agents.filter(({ id }) => !given.some(({ by }) => by.id === id));
  const names = missing.map(({ persona }) => persona.name).join(", ");
  return {
    outcome: "failed",
    why: `${given.length} of ${agents.length} agents proposed, ${quorum} are needed (none from ${names})`,
  };
}
