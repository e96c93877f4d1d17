import { existsSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isFault } from "../kernel/index.ts";
import type { Cap, Failure, FailureCode, FaultCode, Needs } from "../kernel/index.ts";
import * as z from "zod";
import { jsonText, oneLine } from "../reports/printable.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exits.ts";

/** What is wrong, and what to do about it. */
export type CommandProblem = { readonly problem: string; readonly next?: string | undefined };

const MAX_PROBLEM_LENGTH = 1_000;

/** What `--json` prints where a command ends without a result. Published as `schemas/error.schema.json`. */
export const CommandError = z.strictObject({
  /** Null where nothing is wrong, and nothing to print either. */
  error: z
    .strictObject({
      /** What the exit code is called: `usage`, `provider`, `authentication`, `interrupted`, … */
      code: z.string(),
      message: z.string(),
      /** What to do about it; null where nothing is known. */
      next: z.string().nullable(),
    })
    .nullable(),
  exit: z.int(),
});

/**
 * The same output for a program that asked for `--json`: what is no JSON goes to stderr, and `end` prints one object where nothing
 * was printed; so does an end of the process before it, by Ctrl-C or otherwise.
 */
export function withJsonError(output: Io["output"]): {
  readonly output: Io["output"];
  /** `exit` is undefined where help was printed. */
  readonly end: (exit: number | undefined) => Promise<number>;
} {
  let isPrinted = false;
  let isProblem = false;
  let [message, next]: [string, string | null] = ["", null];
  const objectOf = (exit: number): string => {
    const name = Object.entries(EXIT).find(([, code]) => code === exit)?.[0] ?? "failed";
    const code = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const error = exit === EXIT.answered ? null : { code, message: message || name, next };
    return jsonText({ error, exit } satisfies z.infer<typeof CommandError>);
  };
  const atExit = (exit: number) => {
    if (!isPrinted) writeSync(1, objectOf(exit));
  };
  // Whoever else listens ends the command in its own way.
  const stop = () => {
    if (process.listenerCount("SIGINT") === 1) process.exit(EXIT.interrupted);
  };
  process.on("SIGINT", stop).on("SIGTERM", stop).on("exit", atExit);
  return {
    async end(exit) {
      process.off("SIGINT", stop).off("SIGTERM", stop).off("exit", atExit);
      if (!isPrinted && exit !== undefined) await output.result(objectOf(exit));
      return exit ?? EXIT.answered;
    },
    output: {
      ...output,
      result(text) {
        if (!isPrinted && !/^\s*[[{]/.test(text)) return Promise.resolve(output.note(text.trimEnd()));
        isPrinted = true;
        return output.result(text);
      },
      note(text) {
        const isOne = text.startsWith(PROBLEM);
        if (text.startsWith(TRY)) next ??= text.slice(TRY.length);
        else if (isOne || !isProblem) [message, next] = [text.replace(PROBLEM, ""), null];
        isProblem ||= isOne;
        output.note(text);
      },
    },
  };
}

const PROBLEM = "parley: ";
const TRY = "Try: ";

/** Writes a problem as a sentence, and what to do on a line of its own. */
export function noteProblem({ output }: Pick<Io, "output">, { problem, next }: CommandProblem): void {
  const line = oneLine(problem, MAX_PROBLEM_LENGTH).trim();
  output.note(`${PROBLEM}${line}${/[.?!)]$/.test(line) ? "" : "."}`);
  if (next === undefined) return;
  // What is to be pasted has lines of its own.
  const lines = next
    .split("\n")
    .map((line) =>
      line.replace(
        /^( *)(.*)$/s,
        (_, indent: string, rest: string) => `${indent}${oneLine(rest, MAX_PROBLEM_LENGTH)}`,
      ),
    );
  output.note(`${TRY}${lines.join("\n")}`);
}

/** Writes an error for people. A bug shows its stack only with `PARLEY_DEBUG`. */
export function noteError(io: Pick<Io, "output" | "env" | "cwd">, error: unknown): void {
  const isDebug = (io.env["PARLEY_DEBUG"] ?? "") !== "";
  if (isDebug && error instanceof Error) io.output.note(`${PROBLEM}${error.stack ?? error.message}`);
  else noteProblem(io, problemIn(error));
  if (isFault(error, "authentication") && existsSync(join(io.cwd, ".env")))
    io.output.note("The .env file in this folder is not read by itself; -e .env reads it");
}

function problemIn(error: unknown): CommandProblem {
  if (!(error instanceof Error)) return { problem: String(error) };
  if (isFault(error, "authentication") && error.details.needsKeyOf !== undefined)
    return { problem: error.details.why, next: `parley keys set ${shellWord(error.details.needsKeyOf)}` };
  if (isFault(error, "configuration") || isFault(error, "authentication") || isFault(error, "budget")) {
    const { why, next } = error.details;
    if ("isUnpriced" in error.details) return { problem: why, next: `parley models update, ${next}` };
    if (next.startsWith("expected ")) {
      const [expected = "", example] = next.split(", e.g. "); // only an example is something to try
      return { problem: `${why}; ${expected}`, next: example };
    }
    return { problem: why, next: next === "correct it" ? undefined : next.replace(/^for example /, "") };
  }
  if (isFault(error, "untrusted"))
    return { problem: error.message, next: `parley trust ${shellWord(error.details.file)}` };
  if (isFault(error)) return { problem: error.message, next: HINTS[error.code] };
  const next = "PARLEY_DEBUG=1 with the same command, which shows where; nothing recorded is lost";
  return { problem: `${error.message} (this is a bug in Parley)`, next };
}

/** A word as a shell takes it for one. */
const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** What to do about a fault that the layers below cannot say: they know no commands. */
const HINTS: { readonly [code in FaultCode]?: string } = {
  "deliberation-missing": "parley list, which shows existing ones",
  "deliberation-closed": "parley fork, which continues from a closed one",
};

/** What a person can do about a failed call. */
const REMEDIES: { readonly [code in FailureCode]?: string } = {
  unauthorised: "check the provider's key in the environment (parley doctor shows which are set)",
  "out-of-credit": "top up at the provider, or choose another model",
  "context-too-long": "shorten the question, or attach less with --context",
  refused: "check the model's name with parley models, or rephrase",
  "rate-limited": "wait a while",
  overloaded: "wait a while, or choose another model",
  network: "check the connection and the provider's URL (parley doctor)",
  "timed-out": "raise call-timeout in parley.yaml, or choose another model",
};

/** What to do about failures that anything can be done about, each once; undefined for none. */
export function remedyOf(failures: readonly Pick<Failure, "code" | "message">[]): string | undefined {
  const remedies = failures.map(({ code, message }) => {
    const [login, setting] = [LOGIN, LOST].map((form) => form.exec(message)?.[1]);
    if (login !== undefined) return login;
    if (setting !== undefined)
      return `raise ${setting} in parley.yaml, or have the model think less (MODEL?effort=low)`;
    return code === "refused" && UNSUPPORTED.test(message)
      ? "choose another model: this one does not take what was sent with the question"
      : code === "refused" && LACKING.test(message)
        ? "start the server with what it lacks, or choose another model"
        : REMEDIES[code];
  });
  return [...new Set(remedies.filter((remedy) => remedy !== undefined))].join("; ") || undefined;
}

/** Ends the words of a program that nobody is logged in to. */
export const LOGIN = /; (log in: [^;]+?)\)?$/;
/** Ends the words of a failure of which the server itself is the cause. */
const LACKING = /use another model or server\b/;
/** Ends the words of a reply that reached its limit before a word of it came. */
const LOST = /; the limit is ([a-z-]+-tokens)$/;
const UNSUPPORTED =
  /\b(unsupported|unrecognized|unknown|invalid)[\w ]{0,20} (parameter|argument|field|value)\b|max_(completion_)?tokens/i;

/** How a cap is given on the command line. */
const FLAGS: { readonly [cap in Cap]: string } = {
  usd: "--max-cost-usd",
  tokens: "--max-total-tokens",
  calls: "max-calls (PARLEY_MAX_CALLS, or a line of parley.yaml)",
  time: "--timeout",
};

/** How to raise these caps; `needs`: what would have done, where that is known. */
export function raiseCaps(caps: readonly Cap[], needs: Partial<Needs> = {}): string {
  const names = caps.map((cap) => {
    const amount = cap === "time" ? undefined : needs[cap];
    return typeof amount === "number" ? `${FLAGS[cap]} to ${amount}` : FLAGS[cap];
  });
  return `raise ${names.length > 0 ? names.join(" or ") : "the limit"}`;
}
