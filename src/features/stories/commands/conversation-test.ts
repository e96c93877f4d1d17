import { openConfigured } from "../../../app/configured.ts";
import { loadSettings } from "../../../config/sources.ts";
import { subjectKnown, SUBJECTS } from "../../../interop/local2/subjects.ts";
import { isFault, refusal, type Fault } from "../../../kernel/index.ts";
import type { StoryReport } from "../app/checks.ts";
import { readStoryFile, storyFiles, type Story } from "../app/file.ts";
import { refuseUnmet, runStory, storyFlags, storyPorts, type StoryPorts } from "../app/story.ts";
import { storiesLine, storyText, type ReportedStory } from "../app/text.ts";
import { jsonText, oneLine } from "../../../reports/printable.ts";
import { pluralize } from "../../../text/format.ts";
import { quoteValue } from "../../../text/words.ts";
import { splitList, type Io, type Values } from "../../../cli/command.ts";
import { noteError } from "../../../cli/errors.ts";
import { EXIT } from "../../../cli/exits.ts";
import { wordNote } from "../../../cli/notes.ts";
import type { TEST } from "./index.ts";
import { interruptible } from "../../../cli/session.ts";

type ConversationTestFlags = Readonly<Record<string, unknown>>;
type TestOptions = Values<Pick<typeof TEST, "json" | "quiet" | "delays">> &
  Partial<Values<Pick<typeof TEST, "reporter">>>;

/** Runs conversations and checks what is expected of them; exit 1 where a check fails. */
export const test = (io: Io, options: Values<typeof TEST>, words: readonly string[]): Promise<number> =>
  runTests(io, options, {
    words,
    flags: options,
    // Each test under its own settings: what it says itself counts where no flag does.
    async open(flags) {
      const { context, parley } = await openConfigured({ ...io, flags, flagPrefix: "--" });
      return { ports: storyPorts(context, wordNote), close: () => parley.close() };
    },
  });

const REPORTERS = ["junit", "github"];

export type TestRun = {
  /** Files, or patterns of their names. */
  readonly words: readonly string[];
  /** Settings that the command line gives. */
  readonly flags: ConversationTestFlags;
  /** Opens what a test under these settings works with. */
  open(flags: ConversationTestFlags): Promise<{ readonly ports: StoryPorts; close(): Promise<void> }>;
};

/**
 * Runs tests one after the other; every file is read before anything is asked. One that cannot be used is named and left
 * out, for exit code 2.
 * @throws Fault `configuration` where there is no other
 */
export const runTests = (
  io: Io,
  { json, quiet, delays, reporter: named }: TestOptions,
  { words, flags, open }: TestRun,
): Promise<number> =>
  interruptible(async (signal) => {
    const subjects = { names: SUBJECTS.map(({ subject }) => subject), known: subjectKnown };
    const refusals: { readonly file: string; readonly fault: Fault }[] = [];
    const reporter = splitList(named ?? "");
    const unknown = reporter.find((name) => !REPORTERS.includes(name));
    if (unknown !== undefined)
      throw refusal(`there is no reporter ${quoteValue(unknown)}`, `--reporter ${REPORTERS.join(",")}`);
    const stories = storyFiles(words, io).flatMap((file) => {
      try {
        const story = readStoryFile(file, subjects, io);
        const own = storyFlags(story, flags);
        refuseUnmet(story, loadSettings({ flags: own, flagPrefix: "--", env: io.env, cwd: io.cwd }).settings);
        return [{ story, own }];
      } catch (error) {
        if (!isFault(error, "configuration")) throw error;
        refusals.push({ file, fault: error });
        return [];
      }
    });
    const [first] = refusals;
    if (first && stories.length === 0 && refusals.length === 1 && reporter.length === 0) throw first.fault;
    for (const { fault } of refusals) noteError(io, fault);
    const note = (line: string) => (quiet ? undefined : io.output.note(line));
    const { color, columns: width } = io.output.stdout;
    const notes = new Set<string>();
    const reports: StoryReport[] = [];
    for (const { story, own } of stories) {
      const { ports, close } = await open(own);
      try {
        const report = await runStory(ports, story, {
          ...{ signal, delays },
          onNote: (line) => {
            if (!notes.has(line)) note(line);
            notes.add(line);
          },
          onTurn: (turn, query) => note(turnLine(story, turn, query)),
          onChecked: ({ checks }) => note(checkedLine(checks)),
        });
        if (!report) {
          const kept = reports.length > 0 ? `; before it: ${storiesLine(summarize(reports))}` : "";
          io.output.note(`Interrupted in ${oneLine(story.file)}${kept}`);
          return EXIT.interrupted;
        }
        reports.push(report);
        const gap = reports.length > 1 ? "\n" : "";
        if (!json && reporter.length === 0)
          await io.output.result(`${gap}${storyText(report, { color, width })}`);
      } finally {
        await close();
      }
    }
    const all = { ...summarize(reports), ...(refusals.length > 0 ? { ok: false } : {}) };
    if (json) await io.output.result(jsonText(all));
    else if (reporter.length > 0) {
      const { githubLines, junitText } = await import("../app/text.ts");
      const told = [...reports, ...refusals.map(unreadReport)];
      if (reporter.includes("junit")) await io.output.result(junitText(told));
      // Where both are asked for, what GitHub reads of either stream leaves the other to the XML.
      if (reporter.includes("github")) for (const line of githubLines(told)) io.output.note(line);
    } else if (reports.length > 1) await io.output.result(`\n${storiesLine(all)}\n`);
    if (refusals.length > 0) return EXIT.usage;
    return all.ok ? EXIT.answered : EXIT.refusedByCheck;
  });

/** A story that cannot be read, as a check of it that failed. */
const unreadReport = ({ file, fault }: { readonly file: string; readonly fault: Fault }): ReportedStory => ({
  ...{ id: file, file, turns: [] },
  checks: [{ what: "the file can be read as a story", ok: false, found: fault.message }],
});

const summarize = (stories: StoryReport[]) => ({ ok: stories.every(({ ok }) => ok), stories });

const turnLine = ({ id, turns }: Story, turn: number, query: string): string =>
  `${oneLine(id, 60)}, turn ${turn} of ${turns.length}: ${oneLine(query, 120)}`;

function checkedLine(checks: StoryReport["checks"]): string {
  const [first, ...more] = checks.filter(({ ok }) => ok === false);
  return first
    ? `  ${1 + more.length} of ${pluralize(checks.length, "check")} failed: ${oneLine(first.what, 160)}`
    : `  ${pluralize(checks.filter(({ ok }) => ok === true).length, "check")} passed`;
}
