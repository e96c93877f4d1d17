import { loadSettings } from "../../config/sources.ts";
import { subjectKnown, SUBJECTS } from "../../interop/local2/subjects.ts";
import type { StoryReport } from "../../lab/story/checks.ts";
import { readStoryFile, type Story, storyFiles } from "../../lab/story/file.ts";
import { refuseUnmet, runStory, storyFlags, type StoryPorts } from "../../lab/story/story.ts";
import { storiesLine, storyText } from "../../lab/story/text.ts";
import { oneLine } from "../../reports/printable.ts";
import type { Io } from "../command.ts";
import { EXIT } from "../exits.ts";
import { interruption } from "../interruption.ts";

type Flags = Readonly<Record<string, unknown>>;

export type StoriesRun = {
  /** Files, or patterns of their names. */
  readonly words: readonly string[];
  readonly flags: Flags;
  /** What a story under these flags works with. */
  open(flags: Flags): Promise<{ readonly ports: StoryPorts; close(): Promise<void> }>;
};

/** Runs stories one after the other and prints what became of them; every file is read, and every need met, before anything is asked. */
export async function runStories(io: Io, { words, flags, open }: StoriesRun): Promise<number> {
  const subjects = { names: SUBJECTS.map(({ subject }) => subject), known: subjectKnown };
  const stories = storyFiles(words, io).map((file) => {
    const story = readStoryFile(file, subjects, io);
    const own = storyFlags(story, flags);
    refuseUnmet(story, loadSettings({ flags: own, flagPrefix: "--", env: io.env, cwd: io.cwd }).settings);
    return { story, own };
  });
  const json = flags["json"] === true;
  const note = (line: string) => (flags["quiet"] === true ? undefined : io.output.note(line));
  const { color, columns: width } = io.output.stdout;
  const notes = new Set<string>();
  const reports: StoryReport[] = [];
  const stop = interruption();
  try {
    for (const { story, own } of stories) {
      const { ports, close } = await open(own);
      try {
        const report = await runStory(ports, story, {
          signal: stop.signal,
          delays: flags["delays"] === true,
          onNote: (line) => {
            if (!notes.has(line)) note(line);
            notes.add(line);
          },
          onTurn: (turn, query) => note(turnLine(story, turn, query)),
          onChecked: ({ checks }) => note(checkedLine(checks)),
        });
        if (!report) {
          const kept = reports.length > 0 ? `; before it: ${storiesLine(summary(reports))}` : "";
          io.output.note(`Interrupted in ${oneLine(story.file)}${kept}`);
          return EXIT.interrupted;
        }
        reports.push(report);
        if (!json)
          await io.output.result(`${reports.length > 1 ? "\n" : ""}${storyText(report, { color, width })}`);
      } finally {
        await close();
      }
    }
  } finally {
    stop.release();
  }
  const all = summary(reports);
  if (json) await io.output.result(`${JSON.stringify(all, undefined, 2)}\n`);
  else if (reports.length > 1) await io.output.result(`\n${storiesLine(all)}\n`);
  return all.ok ? EXIT.answered : EXIT.refusedByCheck;
}

const summary = (stories: StoryReport[]) => ({ ok: stories.every(({ ok }) => ok), stories });

const turnLine = ({ id, turns }: Story, turn: number, query: string): string =>
  `${oneLine(id, 60)}, turn ${turn} of ${turns.length}: ${oneLine(query, 120)}`;

function checkedLine(checks: StoryReport["checks"]): string {
  const failed = checks.filter(({ ok }) => ok === false);
  const [first] = failed;
  const held = checks.filter(({ ok }) => ok === true).length;
  return first
    ? `  ${failed.length} of ${checks.length} checks do not hold: ${oneLine(first.what, 160)}`
    : `  ${held === 1 ? "1 check holds" : `${held} checks hold`}`;
}
