import type { StartRequest } from "../app/start.ts";
import { refusal } from "../kernel/index.ts";

// What follows `--continue` is a run's id only where it has the form of one: else it begins the question, and the newest finished run of
// this folder is continued.

const RUN_ID = /^[a-z0-9]+$/;

/** Where the options of a command line end. */
export const endOfOptions = (argv: readonly string[]): number =>
  argv.includes("--") ? argv.indexOf("--") : argv.length;

/** The command line with `last`, the newest finished run of this folder, behind each `--continue` that names none. */
export function nameContinued(argv: readonly string[]): string[] {
  const end = endOfOptions(argv);
  return argv.map((word, index) =>
    word === "--continue" && index < end && !RUN_ID.test(argv[index + 1] ?? "") ? "--continue=last" : word,
  );
}

/** A question with the turn that it follows, and the member that it is for. */
export type FollowUpQuestion = Pick<StartRequest, "member" | "previous"> & { readonly question: string };

const FOR_MEMBER = /^@([\p{L}\p{N}][\p{L}\p{N}._-]*)[,:]?(?:\s+([^]*))?$/u;

/**
 * Reads `@analyst Why?`: the question is for one member of the continued run, or of the newest.
 * @throws Fault `configuration` for a member without a question
 */
export function readFollowUp(question: string, continued: string | undefined): FollowUpQuestion {
  const [, member, rest = ""] = FOR_MEMBER.exec(question) ?? [];
  if (member === undefined) return continued === undefined ? { question } : { question, previous: continued };
  if (rest.trim() === "")
    throw refusal(`there is no question for @${member}`, `parley ask "@${member} Why?"`);
  return { question: rest.trim(), member, previous: continued ?? "last" };
}
