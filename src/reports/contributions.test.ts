import { expect, it } from "vitest";
import { contributionsOf, groundsOf, type Contributions } from "../projections/index.ts";
import { contributionsText } from "./contributions.ts";
import { printable } from "./printable.ts";
import { degradedCouncil, type Said } from "./sample-council.ts";
import { widthOf } from "./text-width.ts";

const plain = { color: false, width: 80 };

function sample(said: Said = {}): Contributions {
  const { entries } = degradedCouncil(said);
  const found = groundsOf(entries);
  if (!found.ok) throw new Error(found.why);
  return contributionsOf(entries, found.grounds, {
    status: "not-asked",
    why: "4 of 4 askings of the chair are missing, and no calls were wanted",
    rewritings: [],
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

    member   claimed  left out  vote   standing  overlap  kept
    Analyst  0.60     0.83      0.58   -0.25     0.00     0 %
    Builder  0.40     0.17      0.58   0.75      0.00     100 %
    Skeptic  -        0.00      -0.17  -         0.00     0 %

    Claimed    by the chair, not measured
    Left out   what the chair's answer loses without the member's draft and review:
               above its own variation (asked once again with all: 10 % of the text
               gone); weights of 1 in all
               Analyst    60 % gone  fork0
               Builder    20 % gone  fork1
               Skeptic    5 % gone   fork2   within noise
               nobody     10 % gone  noise1  noise
    Vote       exact Shapley value of the member's final answers in electing 391
               (the chair decided, not the vote); they sum to 1.00
    Standing   exact Shapley value of a reviewer's ballot in putting Analyst first,
               not of its own draft; they sum to 0.50
    Overlap    part of the answer's content that stands in the member's draft, by
               wording: a paraphrase is missed; 100 % stands in none
    Kept       part of the draft's sentences that the answer holds, by wording
    Spent      nothing: no call was made

    Lost from Analyst's draft
    - 17 * 20 is 340 and 17 * 3 is 51.
    - **Final answer: 391**

    Lost from Skeptic's draft
    - I get 381.
    "
  `);
});

it("says why a column is empty", () => {
  const text = contributionsText(sample(), plain).replaceAll(/\s+/g, " ");
  expect(text).toContain("draft and review: not asked: 4 of 4 askings");
  const { vote, standing, ...rest } = sample();
  const none = { status: "not-applicable", why: "there is no standing" } as const;
  expect(
    contributionsText({ ...rest, vote, standing: { ...standing, ...none, total: null } }, plain),
  ).toContain("Standing   not applicable: there is no standing");
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

it("keeps within the width, whatever is said, and shows at most five lost sentences of a draft", () => {
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
    /- and \d+ more: parley contributions \S+ --json/,
  );
});
