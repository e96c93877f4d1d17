import { conveneDebate, problemOf, type Parley } from "../../compose/index.ts";
import { readProblemFile } from "../../config/index.ts";
import { Fault, type DeliberationId } from "../../kernel/index.ts";
import { debateRecord, resultOf } from "../../projections/index.ts";
import { conductAsking } from "../clarification.ts";
import type { CommandModule, Io } from "../command.ts";
import { showingOf, withParley } from "../session.ts";
import { readStandardInput } from "../standard-input.ts";
import { checkedOutput, writeText } from "../text-output.ts";
import { reportText } from "./report.ts";

type Flags = Readonly<Record<string, unknown>>;

/** `parley debate "problem"`: opens a debate on the problem, drives it, and writes what was asked for beside it. */
export const run: CommandModule["run"] = (io, args, flags) => {
  return withParley(io, flags, async (parley) => {
    const output = textOf(flags, "output");
    const report = textOf(flags, "report");
    for (const path of [output, report]) if (path !== undefined) checkedOutput(path, io);
    const problem = problemOf(await stated(io, args, flags));
    const { asked, notes } = await conveneDebate(parley, {
      problem,
      config: textOf(flags, "config"),
      roles: Array.isArray(flags["agents"]) ? flags["agents"].map(String) : undefined,
      mapModels: textOf(flags, "mapModels"),
      rounds: roundsOf(flags),
      clarify: flags["clarify"] === true ? true : undefined,
      contextFolder: textOf(flags, "context"),
      topology: chosen(flags["topology"], ["full", "ring", "star"]),
      proposals: chosen(flags["proposals"], ["carried", "fresh"]),
      verbose: flags["verbose"] === true,
      until: chosen(flags["until"], ["fixed", "convergence", "quality"]),
    });
    const showing = showingOf(flags, parley.settings);
    if (!showing.quiet) for (const note of notes) io.output.note(note);
    const { opened } = await parley.engine.open(parley.world.id(), asked);
    const id = opened.deliberation;
    const exit = await conductAsking(io, { parley, id }, showing);
    return await written({ io, parley, id }, { output, report }, exit);
  });
};

type Written = { readonly io: Io; readonly parley: Parley; readonly id: DeliberationId };

async function written(
  { io, parley, id }: Written,
  { output, report }: { readonly output: string | undefined; readonly report: string | undefined },
  exit: number,
): Promise<number> {
  if (output === undefined && report === undefined) return exit;
  const entries = await parley.store.read(id);
  const record = debateRecord(entries);
  if (output !== undefined) {
    const answer = resultOf(entries)?.answer;
    if (output.endsWith(".json")) writeText(output, `${JSON.stringify(record, undefined, 2)}\n`, io);
    else if (answer != null) writeText(output, `${answer}\n`, io);
    else io.output.note(`${output} is not written: there is no solution yet`);
  }
  if (report !== undefined) writeText(report, reportText(record, report), io);
  return exit;
}

/** The problem as an argument, in a file, or piped in: one of them. */
async function stated(io: Io, args: readonly string[], flags: Flags): Promise<string> {
  const said = args.join(" ").trim();
  const file = textOf(flags, "problemDescription");
  if (said !== "" && file !== undefined) {
    throw new Fault("configuration", {
      why: "there are two problems: in words, and in a file",
      next: "give one of them",
    });
  }
  if (file !== undefined) return readProblemFile(file, io);
  return said === "" ? ((await readStandardInput(io.output)) ?? "") : said;
}

function roundsOf(flags: Flags): number | undefined {
  const given = flags["rounds"];
  if (given === undefined) return undefined;
  const rounds = Number(given);
  if (Number.isInteger(rounds) && rounds >= 1 && rounds <= 20) return rounds;
  throw new Fault("configuration", {
    why: `--rounds ${JSON.stringify(given)} is no number of rounds`,
    next: "give a whole number from 1 to 20",
  });
}

const textOf = (flags: Flags, name: string): string | undefined =>
  typeof flags[name] === "string" ? flags[name] : undefined;

const chosen = <T extends string>(given: unknown, among: readonly T[]): T | undefined =>
  among.find((one) => one === given);
