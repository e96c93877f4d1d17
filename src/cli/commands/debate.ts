import { conveneDebate, problemOf } from "../../compose/index.ts";
import { readProblemFile } from "../../config/index.ts";
import { Fault } from "../../kernel/index.ts";
import { conductAsking } from "../clarification.ts";
import type { CommandModule, Io } from "../command.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { showingOf, withParley } from "../session.ts";
import { readStandardInput } from "../standard-input.ts";
import { textFlag } from "./judge-run.ts";

type Flags = Readonly<Record<string, unknown>>;

/** `parley debate "problem"`: opens a debate on the problem, drives it, and writes what was asked for beside it. */
export const run: CommandModule["run"] = (io, args, flags) =>
  withParley(io, flags, async (parley) => {
    const files = debateFiles(flags, io);
    const problem = problemOf(await stated(io, args, flags));
    const { asked, notes } = await conveneDebate(parley, {
      problem,
      config: textFlag(flags, "config"),
      roles: Array.isArray(flags["agents"]) ? flags["agents"].map(String) : undefined,
      mapModels: textFlag(flags, "mapModels"),
      rounds: roundsOf(flags),
      clarify: flags["clarify"] === true ? true : undefined,
      contextFolder: textFlag(flags, "context"),
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
    await writeDebate(io, { store: parley.store, id }, files);
    return exit;
  });

/** The problem as an argument, in a file, or piped in: one of them. */
async function stated(io: Io, args: readonly string[], flags: Flags): Promise<string> {
  const said = args.join(" ").trim();
  const file = textFlag(flags, "problemDescription");
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
  const rounds = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : 0;
  if (rounds >= 1 && rounds <= 20) return rounds;
  throw new Fault("configuration", {
    why: `--rounds ${JSON.stringify(given)} is no number of rounds`,
    next: "give a whole number from 1 to 20",
  });
}

const chosen = <T extends string>(given: unknown, among: readonly T[]): T | undefined =>
  among.find((one) => one === given);
