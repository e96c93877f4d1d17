import { isAbsolute, relative } from "node:path";
import { estimateOpening, withoutKeys } from "../../../app/estimate.ts";
import type { AppContext } from "../../../app/context.ts";
import { childIn, prepareChild, writeChild } from "../app/breed.ts";
import { acceptPersona, decideOnPersona, recordEdit, readLineage, type LineageNode } from "../app/record.ts";
import { openSummary, readFeedback, uniqueRemarks, type PersonaFeedback } from "../app/feedback.ts";
import { prepareTrial, verdictIn } from "../app/trial.ts";
import { ownFolder } from "../../../config/named-files.ts";
import { displayPath } from "../../../config/text-file.ts";
import type { LoadedPersona } from "../../../config/personas.ts";
import { isEvent, type DataOf, type Entry } from "../../../kernel/index.ts";
import { readBenchTasks } from "../../../app/tasks.ts";
import { DECISIONS, RIVALS } from "../protocol/trial/report.ts";
import { lostCalls, sectionOf, type TrialSection } from "../protocol/trial/view.ts";
import { align } from "../../../reports/labelled-rows.ts";
import { oneLine, printable } from "../../../reports/printable.ts";
import { wrap } from "../../../reports/text-width.ts";
import { pluralize } from "../../../text/format.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { estimateLine, estimateText } from "../../../cli/estimate-text.ts";
import { EXIT } from "../../../cli/exits.ts";
import { noteEarlyEnd, runLab, type LabRun } from "../../../cli/lab-job.ts";
import type { JSON_FLAG } from "../../../cli/options.ts";
import type { BREED, FEEDBACK_OF, TRIAL } from "./index.ts";
import { projecting, withParley } from "../../../cli/session.ts";
import { createProgressLine } from "../../../cli/terminal.ts";

/** A path as it is from here, where it lies below this folder. */
function shownPath({ cwd }: Io, path: string): string {
  const below = relative(cwd, path);
  return displayPath(below.startsWith("..") || isAbsolute(below) ? path : below);
}

const NO_FEEDBACK = "No qualitative feedback available.";

/** Shows what peers wrote about a persona; with `summarize` in short, by one call. */
export const feedback = (
  io: Io,
  { limit, summarize, json, quiet, ...settings }: Values<typeof FEEDBACK_OF>,
  id: string,
): Promise<number> =>
  withParley(io, settings, async (context) => {
    const persona = context.resources.persona(id);
    const found = await readFeedback(context, { persona: persona.id, limit }, projecting(io, quiet));
    if (!summarize || found.remarks.length === 0) {
      await print(
        io,
        { json, value: { ...found, unique: uniqueRemarks(found).map(({ event }) => event) } },
        ({ width }) => feedbackText(persona, found, width),
      );
      return EXIT.answered;
    }
    const opened = await openSummary(context, { persona, feedback: found });
    const run = await runLab(io, context, { ...opened, quiet, done: "Already summarized" });
    const summary = run.entries.findLast((entry) => isEvent(entry, "feedback-summarized"))?.data;
    if (!summary) {
      noteEarlyEnd(io, run);
      return run.exit;
    }
    const { call: _call, ...said } = summary;
    const events = found.remarks.map(({ event }) => event);
    await print(io, { json, value: { ...said, run: opened.id, remarks: events } }, ({ width }) =>
      summaryText(persona, summary, { found, width }),
    );
    return run.exit;
  });

type PointSection = readonly [title: string, mark: string, texts: readonly string[]];

/** Points under titles, each behind its mark; a title without any is left out. */
const sectionLines = (sections: readonly PointSection[], width: number): string[] =>
  sections
    .filter(([, , texts]) => texts.length > 0)
    .flatMap(([title, mark, texts]) => [
      title,
      ...texts
        .map((text) => wrap(oneLine(text, 600), width - 4))
        .flatMap((lines) => lines.map((line, index) => `${index === 0 ? `  ${mark} ` : "    "}${line}`)),
    ]);

/** The same sentence once, with all who wrote it. */
function bySentence(remarks: PersonaFeedback["remarks"]): readonly string[] {
  const said = new Map<string, string[]>();
  for (const { text, by, deliberation } of remarks)
    said.set(text, [...(said.get(text) ?? []), `${by}, ${deliberation}`]);
  return [...said].map(([text, places]) => `${text} (${places.join("; ")})`);
}

function feedbackText({ name }: LoadedPersona, found: PersonaFeedback, width: number): string {
  const { remarks, runs, heldOut } = found;
  const left = `${pluralize(heldOut, "held-out run")} left out`;
  if (remarks.length === 0) return `${NO_FEEDBACK}${heldOut === 0 ? "" : ` (${left})`}\n`;
  const of = (kind: "strength" | "weakness") => bySentence(remarks.filter((one) => one.kind === kind));
  const sections: readonly PointSection[] = [
    ["Strengths", "+", of("strength")],
    ["Weaknesses", "-", of("weakness")],
    ["Said of nobody else", "*", bySentence(uniqueRemarks(found).slice(0, 5))],
  ];
  const from = `${pluralize(remarks.length, "remark")} from ${pluralize(runs, "run")}`;
  const title = `${oneLine(name)}: ${from}${heldOut === 0 ? "" : `; ${left}`}`;
  return `${[title, ...sectionLines(sections, width)].join("\n")}\n`;
}

function summaryText(
  { name }: LoadedPersona,
  { strengths, weaknesses, unique }: DataOf<"feedback-summarized">,
  { found, width }: { readonly found: PersonaFeedback; readonly width: number },
): string {
  const runsOf = (sources: readonly number[]) =>
    [...new Set(sources.flatMap((number) => found.remarks[number - 1]?.deliberation ?? []))].join(", ");
  const told = (list: typeof strengths) => list.map(({ text, sources }) => `${text} (${runsOf(sources)})`);
  const sections: readonly PointSection[] = [
    ["Strengths", "+", told(strengths)],
    ["Weaknesses", "-", told(weaknesses)],
    ["Unique", "*", told(unique)],
  ];
  const title = `${oneLine(name)}: what ${pluralize(found.remarks.length, "remark")} from ${pluralize(found.runs, "run")} come to`;
  return `${[title, ...sectionLines(sections, width)].join("\n")}\n`;
}

/** Breeds a child and writes its file. */
export const breedCommand = (
  io: Io,
  { name, project, again, json, quiet, ...settings }: Values<typeof BREED>,
  parents: readonly string[],
): Promise<number> =>
  withParley(io, settings, async (context) => {
    const prepared = await prepareChild(context, { parents, name, again }, projecting(io, quiet));
    if (!quiet && !json)
      io.output.note(
        `Feedback on ${prepared.parents.map((one, index) => `${one.name}: ${pluralize(prepared.remarks[index] ?? 0, "remark")}`).join(", ")}`,
      );
    const opened = await prepared.open();
    const run = await runLab(io, context, { ...opened, quiet: quiet || json, done: "Bred before" });
    const child = childIn(run.entries);
    if (!child) {
      noteEarlyEnd(io, run);
      return run.exit;
    }
    const folder = ownFolder("personas", { cwd: io.cwd, env: io.env }, { project });
    const { path, fresh } = writeChild(context, child, { parents: prepared.parents, folder });
    await print(
      io,
      {
        json,
        value: {
          id: child.id,
          name: child.name,
          version: child.version,
          path,
          lineage: child.lineage,
          fresh,
        },
      },
      ({ width }) =>
        `${[
          `${oneLine(child.name)} (${child.id}) ${fresh ? "is written and on trial" : "was written before"}:`,
          shownPath(io, path),
          "",
          ...printable(child.instructions)
            .split("\n")
            .flatMap((line) => wrap(line, width)),
        ].join("\n")}\n`,
    );
    if (!json) io.output.note(`Next: parley personas trial ${child.id}`);
    return run.exit;
  });

/** Draws where a persona comes from, and what became of it. */
export const lineage = (io: Io, { json }: Values<typeof JSON_FLAG>, id: string): Promise<void> =>
  withParley(io, {}, async (context) => {
    const node = await readLineage(context, context.resources.persona(id));
    await print(io, { json, value: node }, ({ width }) => `${lineageLines(node, "", width).join("\n")}\n`);
  });

const STATUSES = {
  own: "",
  "on-trial": "on trial",
  changed: "edited since it was accepted, on trial",
  accepted: "accepted",
  "taken-back": "taken back by its rankings",
  retired: "retired",
  missing: "no file any more",
};

const day = (at: string): string => at.slice(0, 10);

const versionLine = ({ at, how, version, by, why, run }: LineageNode["versions"][number]) => ({
  at,
  line: `${day(at)} ${how} ${version.slice(0, 8)} by ${oneLine(by, 80)}: ${oneLine(why, 300)} (${run})`,
});

const trialLine = ({ at, against, version, verdict, run }: LineageNode["trials"][number]) => ({
  at,
  line: `${day(at)} trial ${version.slice(0, 8)} against ${against}: ${verdict} (${run})`,
});

/** A persona with what is on record of it, and its parents below it. */
function lineageLines(node: LineageNode, indent: string, width: number): string[] {
  const { id, name, status, version, versions, trials, parents, live } = node;
  const said = STATUSES[status];
  const inner = `${indent}│  `;
  const fit = (text: string) =>
    wrap(text, Math.max(20, width - inner.length)).map(
      (line, index) => `${inner}${index === 0 ? "" : "  "}${line}`,
    );
  const ranked =
    live === null || live.wins + live.losses + live.ties === 0
      ? []
      : fit(`ranked since: above ${live.wins}, below ${live.losses}, level ${live.ties}`);
  return [
    `${indent}${oneLine(name)} (${id})${said === "" ? "" : `, ${said}`}${version === null ? "" : `  ${version.slice(0, 8)}`}`,
    ...[...versions.map(versionLine), ...trials.map(trialLine)]
      .toSorted((one, other) => (one.at < other.at ? -1 : 1))
      .flatMap(({ line }) => fit(line)),
    ...ranked,
    ...parents.flatMap((parent) => lineageLines(parent, `${indent}   `, width)),
  ];
}

/** Tries a child, and accepts it where the verdict says so. */
export const trial = (
  io: Io,
  { against, tasks: file, again, dryRun, json, quiet, ...settings }: Values<typeof TRIAL>,
  id: string,
): Promise<number> =>
  withParley(io, settings, async (given) => {
    const context = dryRun ? withoutKeys(given) : given;
    const child = context.resources.persona(id);
    const tasks =
      file === undefined ? undefined : readBenchTasks(file, { cwd: io.cwd, env: io.env }, { open: true });
    const prepared = await prepareTrial(context, { child, against, tasks, again });
    const estimate = await estimateOpening(context, { opening: prepared.opening });
    const about = `${pluralize(prepared.questions, "question")} at most, against ${prepared.parent.name} and nobody; ${pluralize(prepared.siblings, "sibling")} tried before`;
    if (dryRun) {
      const { questions, siblings, parent } = prepared;
      await print(
        io,
        { json, value: { child: id, parent: parent.id, questions, siblings, estimate } },
        ({ width }) => `${about}\n\n${estimateText(estimate, { width })}`,
      );
      return EXIT.answered;
    }
    await recordEdit(context, child);
    const opened = await prepared.open();
    if (!quiet && opened.state === "new") io.output.note(`${about}. ${estimateLine(estimate)}`);
    const run = await runLab(io, context, {
      ...opened,
      ...{ quiet, done: "Tried before", lost: lostCalls },
      progress: json ? undefined : () => trialProgress(io),
    });
    return endTrial(io, context, { ...run, child, json });
  });

type TrialEnd = LabRun & { readonly child: LoadedPersona; readonly json: boolean };

/** Prints the verdict, and writes it into the child's file. */
async function endTrial(io: Io, context: AppContext, { child, json, ...ended }: TrialEnd): Promise<number> {
  const { entries } = ended;
  const section = sectionOf(entries);
  const verdict = verdictIn(entries);
  if (!section || !verdict) {
    noteEarlyEnd(io, ended);
    return ended.exit;
  }
  const run = entries[0]?.deliberation;
  const isPresent = child.accepted?.version === verdict.version;
  if (verdict.accepted && !isPresent && run !== undefined)
    await acceptPersona(context, child, { trial: run });
  await print(io, { json, value: { ...section, run } }, ({ width }) =>
    trialText(section, { child, run: run ?? "", width }),
  );
  return verdict.accepted ? EXIT.answered : EXIT.refusedByCheck;
}

function trialText(
  { accepted, why, tests, simulated }: TrialSection,
  { child, run, width }: { readonly child: LoadedPersona; readonly run: string; readonly width: number },
): string {
  const rows = tests.map(({ against, wins, losses, ties, decision }) => [
    RIVALS[against],
    ...[wins, losses, ties].map(String),
    DECISIONS[decision],
  ]);
  const verdict = accepted ? "is accepted and may take part" : "is not accepted";
  return `${[
    ...wrap(`${child.name} ${verdict}: ${why ?? ""}.${simulated ? " Simulated models." : ""}`, width),
    "",
    ...align([["AGAINST", "WON", "LOST", "TIED", "VERDICT"], ...rows], width),
    "",
    `Run ${run}`,
  ].join("\n")}\n`;
}

/** Lines are worth their place after so many pairs, where nothing is drawn in place. */
const PAIRS_A_LINE = 20;

/** One line that says how both tests stand. */
function trialProgress(io: Io) {
  const seen: Entry[] = [];
  let pairs = 0;
  const words = () =>
    (sectionOf(seen)?.tests ?? [])
      .map(
        ({ against, wins, losses, ties }) => `against ${against}: ${wins} won, ${losses} lost, ${ties} tied`,
      )
      .join("; ");
  const line = createProgressLine({ output: process.stderr, terminal: io.output.stderr.terminal, words });
  return {
    event(entry: Entry) {
      seen.push(entry);
      if (!isEvent(entry, "preference-given")) return;
      pairs += 1;
      line.step(pairs % PAIRS_A_LINE === 0);
    },
    stop: () => line.stop(),
  };
}

type PersonDecision = "accepted" | "retired" | "rolled-back";

/** What became of a persona by a person's word. */
const DECIDED: { readonly [decision in PersonDecision]: (version: string) => string } = {
  accepted: () => "is accepted and may take part",
  retired: () => "is retired",
  "rolled-back": (version) => `is back at the version ${version.slice(0, 8)}`,
};

/** Carries out what a person decides about a persona. */
export const decide = (
  io: Io,
  { id, json, ...decided }: { id: string; json: boolean; decision: PersonDecision; why: string },
): Promise<void> =>
  withParley(io, {}, async (context) => {
    const persona = context.resources.persona(id);
    const value = await decideOnPersona(context, persona, decided);
    const words = `${oneLine(persona.name)} ${DECIDED[decided.decision](value.version ?? "")}`;
    await print(io, { json, value }, () => `${words}\n${shownPath(io, value.path)}\n`);
  });
