import { isEvent, type Entry, type Event, type Participant } from "../kernel/index.ts";
import { resultOf, type Result } from "../views/result.ts";
import { spending } from "../views/spending.ts";
import { BALLOT_METHOD, warningLines } from "./answer.ts";
import { aftermathSections } from "./deliberation-aftermath.ts";
import { journalSection, timelineSection } from "./deliberation-journal.ts";
import { comparisonSection, critiquesSection, ladderSection } from "./deliberation-ladder.ts";
import { reviewsSection } from "./deliberation-reviews.ts";
import { judgeReport } from "../protocols/judge/report.ts";
import { block, bullets, fencedBlock, inline, section, table } from "./markdown.ts";
import { namesOf, type Names } from "./names.ts";
import { unpricedModels } from "./unpriced.ts";
import { formatDuration, formatNumber } from "../text/format.ts";
import { describeAgreement, describeBaseline, formatCost, formatFamily, formatScore } from "./words.ts";

/**
 * One deliberation as a markdown document, from all its entries in order, wherever it stands: the outcome
 * first, with all that is missing above it, then everything that was said and what it took. Events of unknown
 * types are left out and counted. No text of a model, a user or a provider can change the document's
 * structure. Ends in a newline.
 */
export function deliberationMarkdown(entries: readonly Entry[]): string {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const result = resultOf(entries);
  if (!opened || !result) return "# Nothing is recorded\n";
  const { participants, question } = opened.data;
  const names = namesOf(participants);
  const sections = [
    `# ${inline(question.trim().split("\n")[0] ?? "", 100) || "A deliberation"}`,
    block(question),
    statusPart(result, entries),
    clarifications(entries),
    answerSection(entries, result),
    ladderSection(entries, result, names),
    section("## Members and models", participantTable(participants)),
    draftsSection(entries, names),
    critiquesSection(entries, names),
    comparisonSection(result, names),
    reviewsSection(entries, names),
    standingSection(entries, result, names),
    synthesisSection(entries, names),
    section(
      "## Control",
      result.answer === null || (result.control === null && result.members.length === 0)
        ? ""
        : inline(describeBaseline(result.control, result.members)),
    ),
    section("## Dissent", bullets(result.dissent)),
    section("## Unique insights", bullets(result.insights)),
    section("## Vetoed", bullets(result.vetoed.map(({ id, flaw }) => `${names.of(id)}: ${flaw}`))),
    feedback(entries),
    ...aftermathSections(entries, names),
    costSection(entries, result, names),
    timelineSection(entries, names),
    journalSection(entries, opened),
  ];
  return `${sections.filter((part) => part !== "").join("\n\n")}\n`;
}

function statusPart(result: Result, entries: readonly Entry[]): string {
  const weakens = new Map(
    entries
      .filter((entry) => isEvent(entry, "degradation-noted"))
      .map(({ data }) => [data.what, data.weakens]),
  );
  // A judge's verdict is no answer, and none is missed.
  const warnings = warningLines(result.protocol === "judge" ? { ...result, answer: "" } : result);
  const weakened = result.degraded.flatMap(({ what }) => weakens.get(what) ?? []);
  const waiting = openQuestions(entries).length > 0 ? ", waiting for an answer to what was asked back" : "";
  return [
    `**Status: ${inline(result.status)}${waiting}**`,
    bullets([...warnings, ...[...new Set(weakened)].map((what) => `What that weakens: ${what}`)]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

/** The last answers settle whatever was asked before them. */
const answeredUpTo = (entries: readonly Entry[]): number =>
  Math.max(0, ...entries.filter(({ type }) => type === "clarification-answered").map(({ seq }) => seq));

const openQuestions = (entries: readonly Entry[]): Event<"clarification-asked">["data"]["questions"] =>
  entries.flatMap((entry) =>
    isEvent(entry, "clarification-asked") && entry.seq > answeredUpTo(entries) ? entry.data.questions : [],
  );

function clarifications(entries: readonly Entry[]): string {
  const asked = entries.filter((entry) => isEvent(entry, "clarification-asked"));
  const answers = entries
    .filter((entry) => isEvent(entry, "clarification-answered"))
    .flatMap(({ data }) => data.answers);
  const rows = asked.flatMap(({ data, seq }) =>
    data.questions.map(({ id, text }) => [
      id,
      text,
      answers.find((answer) => answer.id === id)?.text ??
        (seq < answeredUpTo(entries) ? "NA" : "not answered yet"),
    ]),
  );
  return section("## NewDeliberation back", table(["id", "question", "answer"], rows));
}

/** In so wide a block a judge's report stands. */
const REPORT_CELLS = 100;

function answerSection(entries: readonly Entry[], result: Result): string {
  const verdict = judgeReport(entries, { color: false, width: REPORT_CELLS });
  return verdict === undefined
    ? section("## Answer", ...answerPart(result))
    : section("## Verdict", fencedBlock(verdict.trimEnd()));
}

const answerPart = ({ answer, finalAnswer, footer }: Result): string[] => [
  answer === null ? "There is none." : block(answer),
  finalAnswer === null ? "" : `In short: ${inline(finalAnswer)}`,
  footer === null ? "" : `*${inline(footer)}*`,
];

const participantTable = (participants: readonly Participant[]): string =>
  table(
    ["seat", "id", "name", "model", "family", "temperature"],
    participants.map(({ seat, id, persona, model, family, temperature }) => [
      seat,
      id,
      persona.name,
      model,
      formatFamily(family),
      temperature === undefined ? "the provider's" : String(temperature),
    ]),
  );

function draftsSection(entries: readonly Entry[], names: Names): string {
  const answers = names.bySeat(entries.filter((entry) => isEvent(entry, "answer-given")));
  const parts = answers.map(({ data, origin }) =>
    section(
      `### ${inline(names.of(data.by))}${data.kind === "draft" ? "" : `, ${data.kind}`}${data.round > 1 ? `, round ${data.round}` : ""}`,
      data.final === null
        ? "No final answer could be extracted."
        : `Final answer: ${inline(data.final.value)} (${data.final.kind})`,
      block(data.text),
      origin.by === "adopted" ? `Taken over from ${inline(origin.from)}.` : "",
    ),
  );
  const heading = answers.every(({ data }) => data.kind === "draft") ? "## Drafts" : "## Answers";
  return section(heading, ...parts);
}

function standingSection(entries: readonly Entry[], result: Result, names: Names): string {
  const reached = entries.findLast((entry) => isEvent(entry, "standing-reached"));
  if (!reached) return "";
  const { places, borda, excluded } = reached.data;
  const rows = places.map(({ id, place, score, low, high, tiedWith, votes }) => [
    score === null ? "-" : String(place),
    names.of(id),
    formatScore(score),
    low === null || high === null ? "not computed" : `${formatScore(low)} to ${formatScore(high)}`,
    tiedWith.map(names.of).join(", "),
    String(votes),
    borda[id] === undefined ? "" : String(borda[id]),
  ]);
  return section(
    result.mode === "vote" ? "## Voting result" : "## Standing",
    table(["place", "member", "score", "interval", "tied with", "votes", "Borda points"], rows),
    `Agreement of the rankings: ${describeAgreement(result)}.`,
    bullets(excluded.map(({ id, why }) => `Not counted: ${names.of(id)}: ${why}`)),
  );
}

function synthesisSection(entries: readonly Entry[], names: Names): string {
  const parts = entries
    .filter((entry) => isEvent(entry, "synthesis-given"))
    .map(({ data, origin }) => {
      const { claims, strategy, by } = data;
      return [
        `By ${inline(names.of(by))}, strategy: ${strategy === null ? "none" : inline(strategy)}${origin.by === "adopted" ? `, taken over from ${inline(origin.from)}` : ""}.`,
        claims?.ok === true
          ? table(
              ["member", "weight (claimed)", "reason (claimed)"],
              claims.contributors.map(({ id, weight, reason }) => [names.of(id), weight.toFixed(2), reason]),
            )
          : claims
            ? `The claim of who contributed could not be read: ${inline(claims.reason)}`
            : "",
        claims?.ok === true ? "Contributions are *claimed* by the chair, not measured." : "",
      ];
    });
  const measured = entries
    .filter((entry) => isEvent(entry, "contribution-measured"))
    .map(({ data }) =>
      table(
        [
          "member",
          `${data.method === BALLOT_METHOD ? "value of the ballot as a reviewer" : "weight"} (measured by ${inline(data.method)})`,
        ],
        data.contributions.map(({ id, weight }) => [names.of(id), weight.toFixed(2)]),
      ),
    );
  return section("## Synthesis", ...parts.flat(), ...measured);
}

function feedback(entries: readonly Entry[]): string {
  const given = entries.filter((entry) => isEvent(entry, "feedback-given"));
  return section(
    "## Feedback",
    bullets(
      given.map(({ data }) => [data.by ?? "somebody", data.thumb, data.text].filter(Boolean).join(": ")),
    ),
  );
}

function costSection(entries: readonly Entry[], result: Result, names: Names): string {
  const { participants, total } = spending(entries);
  const figure = (count: number | null) => (count === null ? "unknown" : formatNumber(count));
  const row = (name: string, { calls, tokens, cost }: typeof total) => [
    name,
    formatNumber(calls),
    figure(tokens.in),
    figure(tokens.out),
    tokens.cached === null ? "" : figure(tokens.cached),
    formatCost(cost),
  ];
  const rows = [...participants.map(({ id, spent }) => row(names.of(id), spent)), row("all", total)];
  const unpriced = unpricedModels(entries);
  return section(
    "## Cost",
    table(["who", "calls", "tokens in", "tokens out", "cached", "cost"], rows),
    unpriced.length > 0 ? `No price is known for ${inline(unpriced.join(", "))}.` : "",
    `${result.wallMs === null ? "Not closed" : `${formatDuration(result.wallMs)} from opening to closing`}; critical path ${formatDuration(result.criticalPathMs)}.`,
  );
}
