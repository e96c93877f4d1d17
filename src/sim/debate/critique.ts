import { hasCoverage } from "../../replies/coverage.ts";
import { appraise } from "../appraisal.ts";
import { findCalculations, type Calculation } from "./calculation.ts";
import { findOpen, readBody } from "./coverage.ts";
import type { TaskOf } from "../prompt.ts";
import { finds, overlooks, type Belief, type SimModel } from "../belief.ts";
import { banner, quotable } from "../wording.ts";

/** What is wrong or missing, and what to do about it. The proposal fails with a grave one. */
type Flaw = { readonly weakness: string; readonly improvement: string; readonly isGrave: boolean };

/**
 * A critique of one proposal: its calculations are done again and its result is compared with the critic's own; the
 * requirements are looked for in it, and the section that covers them. What can be found is found by skill.
 */
export function critique(model: SimModel, { brief, proposal }: TaskOf<"critique">): string {
  const body = readBody(proposal.text);
  const { major } = brief.requirements;
  const calculations = findCalculations(body);
  const wrong = calculations.filter((one) => !one.holds && finds(model, "calculation", one.written));
  const open = findOpen([body], major).filter((one) => !overlooks(model, "gap", one));
  const isCovered = hasCoverage(proposal.text) || overlooks(model, "no coverage", proposal.text);
  const { agrees, result } = appraise(model, [proposal])[0] ?? {};
  const own = agrees === undefined ? null : model.belief;
  const flaws = [
    ...(own && agrees !== true ? [describeWrongResult(own, result?.value)] : []),
    ...wrong.map(describeWrongStep),
    ...open.map((one): Flaw => ({
      weakness: `Nothing in it does “${quotable(one, 300)}”, so that requirement is not fulfilled.`,
      improvement: `Add what does “${quotable(one, 60)}”.`,
      isGrave: true,
    })),
    ...(isCovered ? [] : [noCoverage]),
  ];
  const named = flaws.length > 0 || model.belief ? flaws : [model.wording.pick("gap", gaps)];
  const praise = own && agrees === true && wrong.length === 0;
  const isSound = wrong.length === 0 && calculations.length > 0 && (!own || agrees === true);
  const strengthsFound = [
    ...(praise ? [`The result agrees with my own working: ${quotable(own.answer)}.`] : []),
    ...(isSound ? ["Its calculation can be done again."] : []),
  ];
  const weaknesses = named.map((one) => one.weakness);
  const improvements = named.map((one) => one.improvement);
  const grave = flaws.filter((one) => one.isGrave).map((one) => one.weakness);
  const unfulfilled = open.map((one) => `Major ${major.indexOf(one) + 1} is not fulfilled.`);
  const allThere =
    major.length === 0 ? "The problem states none." : "Every major requirement that I looked for is there.";
  const section = (heading: string, items: readonly string[], none: string): string =>
    [`## ${heading}`, ...(items.length > 0 ? items.map((item) => `- ${item}`) : [none])].join("\n");
  return [
    banner(model),
    section("Requirements", unfulfilled, allThere),
    section("Strengths", strengthsFound, model.wording.pick("strength", strengths)),
    section("Weaknesses", weaknesses, "None found."),
    section("Improvements", improvements, "None."),
    section("Critical issues", grave, "None"),
  ].join("\n\n");
}

const describeWrongResult = (own: Belief, result: string | undefined): Flaw => ({
  weakness:
    result === undefined
      ? "It comes to no result that can be checked."
      : `Wrong result: it comes to “${quotable(result)}”. ${quotable(own.working, 1_000)}`,
  improvement: `Work it out again: I come to “${quotable(own.answer)}”.`,
  isGrave: true,
});

const describeWrongStep = ({ written, left, value }: Calculation): Flaw => ({
  weakness: `Wrong step: “${written}” does not hold, so all that rests on it falls.`,
  improvement: `Put “${left} = ${value}” in its place.`,
  isGrave: true,
});

const noCoverage: Flaw = {
  weakness: "It has no section Requirements Coverage, so it does not show which part does what.",
  improvement: "Add the section Requirements Coverage, with every major requirement.",
  isGrave: false,
};

const strengths = [
  "It says what it rests on.",
  "It can be acted on as it stands.",
  "It is clear about the order of the steps.",
] as const;

const gaps: readonly [Flaw, ...Flaw[]] = [
  { weakness: "It gives no figure for its first point.", improvement: "Name the figure.", isGrave: false },
  { weakness: "It leaves out who has to keep it.", improvement: "Say who keeps it.", isGrave: false },
  { weakness: "It names no point at which to stop.", improvement: "Name that point.", isGrave: false },
];
