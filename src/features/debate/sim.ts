import { sameAnswer } from "../../replies/answer.ts";
import { hasCoverage } from "../../replies/coverage.ts";
import { extractRequirements } from "../../text/requirements.ts";
import { agreement, appraise, findLeaning, findOpen } from "../../sim/appraisal.ts";
import { overlooks, type SimModel, type SimScript } from "../../sim/belief.ts";
import { createChance } from "../../sim/chance.ts";
import { draft } from "../../sim/draft.ts";
import { listItems, shownTexts, type Prompt, type ShownText } from "../../sim/prompt.ts";
import { banner, quotable, subjects } from "../../sim/wording.ts";

/** What a simulated model replies as an agent of a debate, and as its judge. */
export const script: SimScript = (prompt) => {
  const { own, pieces } = prompt;
  const brief = readBrief(prompt);
  const [reply] = shownTexts(pieces, "reply");
  const [proposal] = shownTexts(pieces, "proposal");
  const solutions = shownTexts(pieces, "solution");
  if (own.includes('"solutionMarkdown"'))
    return reply ? () => repair(reply.text) : (model) => solve(model, brief, readStanding(prompt));
  if (solutions.length > 0 && own.includes('"confidence"'))
    return (model) => JSON.stringify(judge(model, brief, solutions), null, 1);
  if (proposal)
    return own.includes("\n## Critiques\n")
      ? (model) => refine(model, brief, { proposal, critiques: shownTexts(pieces, "critique") })
      : (model) => criticize(model, brief, proposal);
  if (shownTexts(pieces, "question").length === 0) return null;
  if (own.includes('"questions"')) return (model) => clarify(model, brief, prompt.task);
  const standing = shownTexts(pieces, "history").findLast(({ label }) => !label.endsWith(" critique"));
  return own.includes("\n## Requirements Coverage\n")
    ? (model) => propose(model, brief, standing ?? shownTexts(pieces, "summary").at(-1))
    : null;
};

/** What is to be solved: its requirements as they are listed, else as the problem has them. */
type Brief = ReturnType<typeof readBrief>;

function readBrief({ question, context, pieces }: Prompt) {
  const [major, minor] = ["major", "minor"].map((label) => listItems(pieces, "requirements", label));
  const isListed = shownTexts(pieces, "requirements").length > 0;
  const read = isListed ? { major, minor } : extractRequirements(`${question}\n\n${context}`);
  const texts = shownTexts(pieces, "clarification");
  const answers = texts.filter(({ label }) => label.endsWith(" answer"));
  const asked = texts
    .filter(({ label }) => label.endsWith(" question"))
    .map(({ text }, index) => ({ question: text, answer: answers[index]?.text ?? "NA" }));
  const open = asked.filter(({ answer }) => /^\W*n\/?a\W*$/i.test(answer.slice(0, 20)));
  return { question, major: read.major ?? [], minor: read.minor ?? [], asked, open };
}

/** The last text under each label; the judge's own summary where no round is shown. */
function readStanding({ pieces }: Prompt): ShownText[] {
  const written = pieces.filter(({ kind }) => kind === "proposal" || kind === "refinement");
  const latest = new Map(written.map(({ label, text }) => [label, { label, text }]));
  return latest.size > 0 ? [...latest.values()] : shownTexts(pieces, "summary");
}

/**
 * What a model asks before a debate: as many questions as its reference says; else none where it can work the problem
 * out or requirements are stated, and one or two otherwise. None is asked twice.
 */
function clarify({ belief, parameters }: SimModel, brief: Brief, task: string): string {
  const { name, seed, asks } = parameters;
  const chance = createChance(["clarification", name, seed, brief.question]);
  const isClear = belief !== null || brief.major.length + brief.minor.length > 0;
  const wanted = asks ?? (isClear ? 0 : 1 + Math.floor(2 * chance.roll("count")));
  const most = Number(/\bat most (\d{1,4}) questions/.exec(task)?.[1] ?? 5);
  const [subject] = subjects(brief.question);
  const questions = chance
    .shuffled("topics", topics)
    .slice(0, Math.min(wanted, most))
    .map((topic) => topic.replace("%", () => (subject === undefined ? "the solution" : `“${subject}”`)))
    .map((topic) => ({ text: `[simulated] ${topic}` }))
    .filter(({ text }) => brief.asked.every((one) => one.question.trim() !== text));
  return JSON.stringify({ questions }, null, 1);
}

const topics = [
  "Who will use %, and how many of them at the same time?",
  "By when does % have to be in use?",
  "What may % cost, once and in each year after?",
  "How much does % have to carry today, and how much in two years?",
  "Who will keep % running and change it, and what do they know already?",
  "Which systems have to work together with % from the first day?",
  "Which data that not everybody may see does % touch?",
  "For how long may % be out of service, and how much data may be lost?",
  "By which figure will you tell that % was a success?",
  "In which countries and languages is % needed?",
];

/**
 * A draft, a plan for each requirement that the model does not overlook, and the section on their coverage, which it
 * forgets the more often the less its skill. In later rounds it keeps to the result that it held before.
 */
function propose(model: SimModel, brief: Brief, standing: ShownText | undefined): string {
  const held = standing && appraise(model, [standing])[0]?.result?.value;
  const belief =
    held === undefined ? model.belief : { answer: held, working: "What was found before holds." };
  const all = [...brief.major, ...brief.minor];
  const missed = findOpen(standing?.text ?? "", all).filter((one) => overlooks(model, "requirement", one));
  const named = all.filter((one) => !missed.includes(one));
  const body = plan(draft({ ...model, belief }, brief.question), "Plan", named);
  return overlooks(model, "coverage", brief.question) ? body : `${body}\n\n${coverage(body, brief)}`;
}

const MAX_STEPS = 40;
const quote = (requirement: string): string => `“${quotable(requirement, 150)}”`;

/** A text with a section that does something for each of these requirements. */
const plan = (text: string, heading: string, requirements: readonly string[]): string =>
  requirements.length === 0
    ? text
    : `${text}\n\n## ${heading}\n${requirements
        .slice(0, MAX_STEPS)
        .map((one) => `- For ${quote(one)}: one part of its own does it, and a check shows that it does.`)
        .join("\n")}`;

/** The section on what a text takes up, and on what it takes for granted. */
function coverage(body: string, { major, minor, asked, open }: Brief): string {
  const missing = findOpen(body, [...major, ...minor]);
  const rows = (kind: string, items: readonly string[]): string[] =>
    items.flatMap((item, index) =>
      missing.includes(item) ? [] : [`- ${kind} ${index + 1}, “${quotable(item, 60)}”: in the text above.`],
    );
  const assumed = asked.map((one) =>
    open.includes(one)
      ? `“${quotable(one.question, 100)}” stays open, and the usual case is taken.`
      : `from what was asked: “${quotable(one.question, 100)}” “${quotable(one.answer, 100)}”`,
  );
  return [
    "## Requirements Coverage",
    ...rows("Major", major),
    ...rows("Minor", minor),
    ...[...assumed, "nothing that the problem leaves out stands in the way."].map(
      (one) => `- Assumption: ${one}`,
    ),
  ].join("\n");
}

/** What a critic says of a result that is not its own; who refines a proposal looks for it. */
const claim = (answer: string): string => `I come to “${quotable(answer)}”.`;

/** A critique by the critic's own result, the requirements, and the section on their coverage. */
function criticize(model: SimModel, { major }: Brief, proposal: ShownText): string {
  const { belief, wording } = model;
  const { agrees, result } = appraise(model, [proposal])[0] ?? {};
  const open = findOpen(proposal.text, major).filter((one) => !overlooks(model, "gap", one));
  const found = result ? `Wrong result: it comes to “${quotable(result.value)}”.` : "It comes to no result.";
  const grave = [
    ...(belief && agrees !== true
      ? [`${found} ${quotable(belief.working, 1_000)} ${claim(belief.answer)}`]
      : []),
    ...open.map((one) => `Nothing in it does ${quote(one)}, so that requirement is not fulfilled.`),
  ];
  const isCovered = hasCoverage(proposal.text) || overlooks(model, "no coverage", proposal.text);
  const weaknesses = isCovered ? grave : [...grave, "It has no section Requirements Coverage."];
  const named = weaknesses.length > 0 || belief ? weaknesses : [wording.pick("gap", gaps)];
  const strength =
    belief && agrees === true
      ? `The result agrees with my own working: ${quotable(belief.answer)}.`
      : wording.pick("strength", strengths);
  const unfulfilled = open.map((one) => `Major ${major.indexOf(one) + 1} is not fulfilled.`);
  const section = (heading: string, items: readonly string[]): string =>
    [`## ${heading}`, ...(items.length > 0 ? items.map((item) => `- ${item}`) : ["None"])].join("\n");
  return [
    banner(model),
    section("Requirements", unfulfilled),
    section("Strengths", [strength]),
    section("Weaknesses", named),
    section("Improvements", named.length > 0 ? ["Mend what is named above."] : []),
    section("Critical issues", grave),
  ].join("\n\n");
}

const strengths = [
  "It says what it rests on.",
  "It can be acted on as it stands.",
  "It is clear about the order of the steps.",
] as const;

const gaps = [
  "It gives no figure for its first point.",
  "It leaves out who has to keep it.",
  "It names no point at which to stop.",
] as const;

/** A text without its banner, and without the sections in which it speaks of itself. */
const bodyOf = (text: string): string =>
  (text.split(/\n+## (?:Critiques|Requirements Coverage)\n/)[0] ?? "")
    .replace(/^\[simulated [0-9a-f]{6}\]\n/, "")
    .trim();

/**
 * A proposal after its critiques. A result that one claims is adopted where a second look comes to the same; a
 * requirement is added where one names it. All else stays as it was written.
 */
function refine(
  model: SimModel,
  brief: Brief,
  { proposal, critiques }: { readonly proposal: ShownText; readonly critiques: readonly ShownText[] },
): string {
  const before = bodyOf(proposal.text);
  const own = appraise(model, [proposal])[0]?.result ?? null;
  const again = model.secondLook();
  const isClaimed = critiques.map(({ text }) => again !== null && text.includes(claim(again.answer)));
  const correction = isClaimed.includes(true) && agreement(own, again) !== true ? again : null;
  const open = findOpen(before, brief.major);
  const named = critiques.map(({ text }) => open.filter((one) => text.includes(quote(one))));
  const at = before.search(/^## Plan$/m);
  const corrected = correction && bodyOf(draft({ ...model, belief: correction }, brief.question));
  const body = corrected ? [corrected, at < 0 ? "" : before.slice(at)].join("\n\n").trim() : before;
  const improved = plan(
    body,
    "Added",
    open.filter((one) => named.flat().includes(one)),
  );
  const replies = critiques.map((_, index) =>
    (correction && isClaimed[index]) || named[index]?.length
      ? `${index + 1}. Accepted: what it shows was worked out again, and holds.`
      : `${index + 1}. Rejected: it shows nothing wrong that can be checked, so nothing was changed for it.`,
  );
  return [
    `${banner(model)}\n${improved}`,
    ["## Critiques", ...(replies.length > 0 ? replies : ["None was received."])].join("\n"),
    coverage(improved, brief),
  ].join("\n\n");
}

/** Solutions as a judge sees them, best first: by its own result, what most come to, and the requirements taken up. */
function rank(model: SimModel, { major }: Brief, answers: readonly ShownText[]) {
  const appraisals = appraise(model, answers);
  const rows = appraisals.map(({ label, agrees, result }) => {
    const text = answers.find((one) => one.label === label)?.text ?? "";
    const same = appraisals.filter((one) => result && one.result && sameAnswer(one.result, result)).length;
    const fulfilled = major.length === 0 ? 1 : 1 - findOpen(text, major).length / major.length;
    const worth = (agrees === true ? 2 : 0) + same / answers.length + fulfilled;
    return { text, agrees: agrees === true ? 1 : 0, result, same: same / answers.length, fulfilled, worth };
  });
  return rows.toSorted((a, b) => b.worth - a.worth);
}

const findUnfulfilled = ({ major }: Brief, answers: readonly ShownText[]): string[] =>
  findOpen(answers.map(({ text }) => text).join("\n"), major);

/** The most confidence where a requirement is left open. */
const MAX_OPEN_CONFIDENCE = 40;

/** How sure a judge is, 0 to 100. The less its skill, the more it errs, by up to 20. */
function judge(model: SimModel, brief: Brief, answers: readonly ShownText[]) {
  const ranked = rank(model, brief, answers);
  const mean = (name: "agrees" | "fulfilled"): number =>
    ranked.reduce((sum, one) => sum + one[name], 0) / Math.max(1, ranked.length);
  const most = Math.max(0, ...ranked.map(({ same }) => same));
  const open = findUnfulfilled(brief, answers).length;
  const sure =
    model.belief === null
      ? 35 + 40 * mean("fulfilled")
      : 20 + 40 * mean("agrees") + 35 * most * mean("fulfilled");
  const { name, seed, skill } = model.parameters;
  const chance = createChance(["confidence", name, seed, answers.map(({ text }) => text).toSorted()]);
  const error = 40 * (1 - skill) * (chance.roll("error") - 0.5);
  const max = open > 0 || answers.length === 0 ? MAX_OPEN_CONFIDENCE : 100;
  const reason = `No solution takes up ${open} of ${brief.major.length} major requirements.`;
  return {
    reason: `[simulated] ${open > 0 ? reason : "By what the solutions come to, and what they take up."}`,
    confidence: Math.max(0, Math.round(Math.min(max, sure + error))),
  };
}

const empty = { tradeoffs: [], recommendations: [], unfulfilledMajorRequirements: [], openQuestions: [] };

/** The judge's outcome: the text of the best solution. Unfulfilled is what no solution takes up, word for word. */
function solve(model: SimModel, brief: Brief, answers: readonly ShownText[]): string {
  const [best, ...others] = rank(model, brief, answers);
  const text = bodyOf(best?.text ?? "");
  const own = best && findLeaning(best.text);
  const dissent = others.flatMap(({ result }) =>
    result && !(best?.result && sameAnswer(best.result, result))
      ? [`Another solution comes to ${result.value}.`]
      : [],
  );
  const mark = (items: readonly string[]): string[] =>
    [...new Set(items)].map((item) => `[simulated] ${quotable(item)}`);
  const solution = {
    solutionMarkdown: text ? `${banner(model)}\n${text}` : draft(model, brief.question),
    tradeoffs: mark(others.flatMap((one) => findLeaning(one.text) ?? []).filter((one) => one !== own)),
    recommendations: mark(["Begin with the part that is hardest to undo, on a small scale."]),
    unfulfilledMajorRequirements: findUnfulfilled(brief, answers),
    openQuestions: mark([...brief.open.map(({ question }) => question), ...dissent]),
    confidence: judge(model, brief, answers).confidence,
  };
  return JSON.stringify(solution, null, 1);
}

/** A judge's solution written again in the JSON form: its text alone, as far as it goes. */
function repair(reply: string): string {
  const [, written] = /"solutionMarkdown"\s{0,9}:\s{0,9}"([^"\\]*(?:\\.[^"\\]*)*)/s.exec(reply) ?? [];
  const read = written?.replaceAll(/\\(.)/gs, (_, letter: string) => (letter === "n" ? "\n" : letter));
  return JSON.stringify({ solutionMarkdown: read ?? reply.trim(), ...empty, confidence: null }, null, 1);
}
