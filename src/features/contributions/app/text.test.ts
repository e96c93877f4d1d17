import { expect, it } from "vitest";
import type { Contributions } from "../contract.ts";
import { groundsOf } from "../../../views/contribution-grounds.ts";
import { computeContributions } from "./contributions.ts";
import { contributionsText } from "./text.ts";
import { printable } from "../../../reports/printable.ts";
import { degradedCouncil, type Said } from "../../../../test/support/sample-council.ts";
import { widthOf } from "../../../reports/text-width.ts";

const plain = { color: false, width: 80 };

function sample(said: Said = {}): Contributions {
  const { entries } = degradedCouncil(said);
  const found = groundsOf(entries);
  if (!found.ok) throw new Error(found.why);
  return computeContributions(entries, found.grounds, {
    status: "not-asked",
    why: "4 of 4 re-runs of the chair are missing, and no calls were allowed",
    reruns: [],
    recorded: [],
  });
}

/** The sample with the chair asked anew, made up. */
function measured(): Contributions {
  const { members, leaveOneOut, ...rest } = sample();
  const gone = [0.6, 0.2, 0.05];
  return {
    ...rest,
    leaveOneOut: {
      ...leaveOneOut,
      status: "measured",
      why: null,
      noise: 0.1,
      again: [{ fork: "noise1", changed: null, gone: 0.1, effect: 0.1 }],
    },
    members: members.map((member, index) => {
      const effect = gone[index] ?? 0;
      const withinNoise = effect <= 0.1;
      const weight = withinNoise ? 0 : (effect - 0.1) / 0.6;
      return {
        ...member,
        leaveOneOut: { fork: `fork${index}`, changed: null, gone: effect, effect, withinNoise, weight },
      };
    }),
  };
}

it("prints a row a member, what each column means, and what was lost", () => {
  expect(contributionsText(measured(), plain)).toMatchInlineSnapshot(`
    "Contributions to Kx7sampleCouncil0001: 391

    member   reported  effect  vote   ranking  overlap  retained
    Analyst  0.60      0.83    0.58   -0.25    0.00     0 %
    Builder  0.40      0.17    0.58   0.75     0.00     100 %
    Skeptic  -         0.00    -0.17  -        0.00     0 %

    Reported      self-reported by the chair, not measured
    Effect        leave-one-out effect, how much the chair's answer changes without
                  the member's draft and review: above the noise floor (re-run once
                  with all drafts: 10 % of the text removed); a member without
                  effect exceeds it in one draw in 2, so none is claimed below 19
                  re-runs; the weights sum to 1
                  Analyst       60 % removed  fork0
                  Builder       20 % removed  fork1
                  Skeptic       5 % removed   fork2   within noise
                  all drafts    10 % removed  noise1  noise floor
    Vote          exact Shapley value of the member's final answers in electing 391
                  (the chair decided, not the vote); the values sum to 1.00
    Ranking       exact Shapley value of a reviewer's ballot in ranking Analyst
                  first, not of the reviewer's own draft; the values sum to 0.50
    Overlap       share of the answer's content that is in the member's draft, by
                  wording (paraphrases are missed); 100 % is in no draft
    Retained      share of the draft's sentences that the answer retains, by wording
    Usage         no calls

    Dropped from Analyst's draft
    - 17 * 20 is 340 and 17 * 3 is 51.
    - **Final answer: 391**

    Dropped from Skeptic's draft
    - I get 381.
    "
  `);
});

it("says why a column is empty", () => {
  const text = contributionsText(sample(), plain).replaceAll(/\s+/g, " ");
  expect(text).toContain("draft and review: not run: 4 of 4 re-runs");
  const { vote, standing, ...rest } = sample();
  const none = { status: "not-applicable", why: "there is no standing" } as const;
  expect(
    contributionsText({ ...rest, vote, standing: { ...standing, ...none, total: null } }, plain),
  ).toContain("Ranking       not applicable: there is no standing");
});

it("says that models are simulated, above all else, and names who has no draft", () => {
  const { members, ...rest } = sample();
  const [first, ...others] = members;
  if (!first) throw new Error("the sample has members");
  const missing = { ...first, drafted: false, overlap: null, kept: null, vote: null };
  const text = contributionsText({ ...rest, simulated: true, members: [missing, ...others] }, plain);
  expect(text).toMatch(/^simulated models\n/);
  expect(text).toMatch(/^Analyst \(no draft\) /m);
});

it("keeps within the width, whatever is said, and shows at most five dropped sentences of a draft", () => {
  const long = Array.from(
    { length: 9 },
    (_, index) => `Reason ${index} is ${"very ".repeat(30)}odd${index}.`,
  );
  const hostile = `\u001b[31mRed\u0007 words${"x".repeat(300)}. ${long.join(" ")}`;
  for (const width of [20, 40, 80, 200]) {
    const text = contributionsText(sample({ draft: hostile, answer: "Nothing of it." }), {
      color: false,
      width,
    });
    expect(printable(text)).toBe(text);
    for (const line of text.split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(text.match(/^- .*Reason \d|^- Reason \d/gm)?.length ?? 0).toBeLessThanOrEqual(5);
  }
  expect(contributionsText(sample({ draft: hostile, answer: "Nothing of it." }), plain)).toMatch(
    /- and \d+ more, which the JSON output has/,
  );
});
