import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readProblemFile } from "../../config/input-files.ts";
import { debateConfig, readDebateFile, withRoles } from "../../interop/dialectic/debate-file.ts";
import { Fault } from "../../kernel/index.ts";
import type { DebateRequest } from "../../protocols/debate/opening.ts";
import { conductAsking } from "../clarification.ts";
import type { CommandModule, Io } from "../command.ts";
import { debateFiles, writeDebate } from "../debate-files.ts";
import { showingOf, withParley } from "../session.ts";
import { readStandardInput } from "../standard-input.ts";
import { textFlag } from "./judge-run.ts";

type Flags = Readonly<Record<string, unknown>>;

/** Where Dialectic looks for its configuration. */
const USUAL_FILE = "debate-config.json";

/** `parley debate "problem"`: a debate on the problem, and what was asked for written beside it. */
export const run: CommandModule["run"] = (io, args, flags) =>
  withParley(io, flags, async ({ settings, store }, configured) => {
    const files = debateFiles(flags, io);
    const question = (await problem(io, args, flags)).trim();
    if (question === "") {
      throw new Fault("configuration", {
        why: "the problem is empty",
        next: 'state one: parley debate "Design a task queue", or -p FILE',
      });
    }
    const showing = showingOf(flags, settings);
    const { parley, principal, requested } = configured;
    const folder = textFlag(flags, "context");
    const { request, isUsual } = debateRequest(io, flags);
    if (isUsual && !showing.quiet) io.output.note(`Using the debate configuration in ${USUAL_FILE}`);
    const { exit, id } = await conductAsking(io, configured, {
      begin: (signal) =>
        parley.start(
          { ...requested, ...request, protocol: "debate", question },
          { principal, signal, folder: folder === undefined ? undefined : resolve(io.cwd, folder) },
        ),
      showing,
    });
    if (id !== undefined) await writeDebate(io, { store, id }, files);
    return exit;
  });

/** What flags and a configuration file say of the debate. */
function debateRequest(io: Io, flags: Flags): { readonly request: DebateRequest; readonly isUsual: boolean } {
  const written = textFlag(flags, "config");
  const isUsual = written === undefined && existsSync(join(io.cwd, USUAL_FILE));
  const file = isUsual ? USUAL_FILE : written;
  const roles = Array.isArray(flags["agents"]) ? flags["agents"].map(String) : undefined;
  const read = file === undefined ? undefined : readDebateFile(file, io);
  const config = read && debateConfig(roles ? withRoles(read, roles) : read, io);
  return {
    isUsual,
    request: {
      agents: roles,
      config,
      mapModels: textFlag(flags, "mapModels"),
      rounds: roundsOf(flags),
      clarify: flags["clarify"] === true ? true : undefined,
      topology: chosen(flags["topology"], ["full", "ring", "star"]),
      proposals: chosen(flags["proposals"], ["carried", "fresh"]),
      verbose: flags["verbose"] === true,
      until: chosen(flags["until"], ["fixed", "convergence", "quality"]),
    },
  };
}

/** The problem as an argument, in a file, or piped in: one of them. */
async function problem(io: Io, args: readonly string[], flags: Flags): Promise<string> {
  const words = args.join(" ").trim();
  const file = textFlag(flags, "problemDescription");
  if (words !== "" && file !== undefined) {
    throw new Fault("configuration", {
      why: "there are two problems: in words, and in a file",
      next: "give one of them",
    });
  }
  if (file !== undefined) return readProblemFile(file, io);
  return words === "" ? ((await readStandardInput(io.output)) ?? "") : words;
}

function roundsOf(flags: Flags): number | undefined {
  const given = flags["rounds"];
  if (given === undefined) return undefined;
  const rounds = typeof given === "string" && /^\d+$/.test(given) ? Number(given) : 0;
  if (rounds >= 1 && rounds <= 20) return rounds;
  throw new Fault("configuration", {
    why: `--rounds must be an integer from 1 to 20 (got ${JSON.stringify(given)})`,
    next: "correct it",
  });
}

const chosen = <T extends string>(given: unknown, among: readonly T[]): T | undefined =>
  among.find((one) => one === given);
