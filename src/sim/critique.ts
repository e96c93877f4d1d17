import { hasCoverage } from "../judging/index.ts";
import { appraise } from "./appraisal.ts";
import { finds, overlooks } from "./attention.ts";
import { calculationsIn, type Calculation } from "./calculation.ts";
import { bodyOf, leftOpen } from "./coverage.ts";
import type { DebateTask } from "./debate-prompt.ts";
import type { Mind } from "./mind.ts";
import { banner, quotable } from "./wording.ts";

type CritiqueTask = Extract<DebateTask, { kind: "critique" }>;

/** What is wrong or missing, and what to do about it; `grave`: the proposal fails with it. */
type Flaw = { readonly weakness: string; readonly improvement: string; readonly grave: boolean };

/**
 * A critique of one proposal: its calculations are done again and its result is compared with the critic's own; the
 * requirements are looked for in it, and the section that covers them. What can be found is found by skill.
 */
export function critique(mind: Mind, { brief, proposal }: CritiqueTask): string {
  const body = bodyOf(proposal.text);
  const { major } = brief.requirements;
  const calculations = calculationsIn(body);
  const wrong = calculations.filter((one) => !one.holds && finds(mind, "calculation", one.written));
  const open = leftOpen([body], major).filter((one) => !overlooks(mind, "gap", one));
  const covered = hasCoverage(proposal.text) || overlooks(mind, "no coverage", proposal.text);
  const result = resultFlaw(mind, proposal);
  const flaws = [
    ...result.flaws,
    ...wrong.map(calculationFlaw),
    ...open.map((one): Flaw => ({
      weakness: `Nothing in it does “${quotable(one, 300)}”, so that requirement is not fulfilled.`,
      improvement: `Add what does “${quotable(one, 60)}”.`,
      grave: true,
    })),
    ...(covered ? [] : [noCoverage]),
  ];
  const minor = flaws.length > 0 || mind.belief !== null ? [] : [mind.wording.pick("gap", gaps)];
  const section = (heading: string, items: readonly string[], none: string): string =>
    [`## ${heading}`, ...(items.length > 0 ? items.map((item) => `- ${item}`) : [none])].join("\n");
  const sound = wrong.length === 0 && calculations.length > 0 && result.flaws.length === 0;
  return [
    banner(mind.simulated),
    section(
      "Requirements",
      open.map((one) => `Major ${major.indexOf(one) + 1} is not fulfilled.`),
      major.length === 0 ? "The problem states none." : "Every major requirement that I looked for is there.",
    ),
    section(
      "Strengths",
      [
        ...(wrong.length === 0 ? result.strengths : []),
        ...(sound ? ["Its calculation can be done again."] : []),
      ],
      mind.wording.pick("strength", strengths),
    ),
    section(
      "Weaknesses",
      [...flaws.map(({ weakness }) => weakness), ...minor.map(({ weakness }) => weakness)],
      "None found.",
    ),
    section(
      "Improvements",
      [...flaws, ...minor].map(({ improvement }) => improvement),
      "None.",
    ),
    section(
      "Critical issues",
      flaws.flatMap(({ weakness, grave }) => (grave ? [weakness] : [])),
      "None",
    ),
  ].join("\n\n");
}

/** What the critic makes of the proposal's result. */
function resultFlaw(
  mind: Mind,
  proposal: CritiqueTask["proposal"],
): { readonly flaws: readonly Flaw[]; readonly strengths: readonly string[] } {
  const { belief } = mind;
  const [appraisal] = appraise(mind, [proposal]);
  if (belief === null || appraisal === undefined) return { flaws: [], strengths: [] };
  const { agrees, result } = appraisal;
  if (agrees === true)
    return { flaws: [], strengths: [`The result agrees with my own working: ${quotable(belief.answer)}.`] };
  const improvement = `Work it out again: I come to “${quotable(belief.answer)}”.`;
  if (result === null)
    return {
      flaws: [{ weakness: "It comes to no result that can be checked.", improvement, grave: true }],
      strengths: [],
    };
  const weakness = `Wrong result: it comes to “${quotable(result.value)}”. ${quotable(belief.working, 1_000)}`;
  return { flaws: [{ weakness, improvement, grave: true }], strengths: [] };
}

const calculationFlaw = ({ written, left, value }: Calculation): Flaw => ({
  weakness: `Wrong step: “${written}” does not hold, so all that rests on it falls.`,
  improvement: `Put “${left} = ${value}” in its place.`,
  grave: true,
});

const noCoverage: Flaw = {
  weakness: "It has no section Requirements Coverage, so nobody can see which part does what.",
  improvement: "Add the section Requirements Coverage, with every major requirement.",
  grave: false,
};

const strengths = [
  "It says what it rests on.",
  "It can be acted on as it stands.",
  "It is clear about the order of the steps.",
  "It separates what is known from what is guessed.",
] as const;

type Gap = Pick<Flaw, "weakness" | "improvement">;

const gaps: readonly [Gap, ...Gap[]] = [
  {
    weakness: "It gives no figure for its first point, so nobody can tell when it is reached.",
    improvement: "Name the figure.",
  },
  {
    weakness: "It leaves out the people concerned, who have to keep it.",
    improvement: "Say who keeps it, and what they have to learn.",
  },
  {
    weakness: "It does not say when it would no longer hold.",
    improvement: "Name the sign by which one would stop.",
  },
  {
    weakness: "It passes over what happens when its first step fails.",
    improvement: "Say how the first step is undone.",
  },
];
