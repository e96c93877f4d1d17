import { createInterface } from "node:readline/promises";
import { answerQuestions, pendingQuestions, type PendingQuestions } from "../app/clarification.ts";
import type { Configured } from "../app/configured.ts";
import { Fault, type DeliberationId, type OrganizationStore } from "../kernel/index.ts";
import { printable } from "../reports/printable.ts";
import { conduct, type Conducting } from "./conduct.ts";
import type { Showing } from "./showing.ts";
import type { Io } from "./command.ts";
import { EXIT } from "./exits.ts";

const HOW = "write the answers into a file, as parley answer --help says";

/** As `conduct`; where it waits for answers and there is a terminal, asks there and goes on. */
export async function conductAsking(
  io: Io,
  { context, parley, principal }: Configured,
  { begin, showing }: Pick<Conducting, "begin"> & { readonly showing: Showing },
): Promise<{ readonly exit: number; readonly id: DeliberationId | undefined }> {
  const { store } = context;
  const answersHere = process.stdin.isTTY === true;
  let id: DeliberationId | undefined;
  for (;;) {
    const going = id;
    const exit = await conduct(
      io,
      {
        answersHere,
        async begin(signal) {
          const run = await (going === undefined
            ? begin(signal)
            : parley.resume(going, { principal, signal }));
          id = run.id;
          return run;
        },
      },
      showing,
    );
    if (id === undefined) return { exit, id };
    const pending = pendingQuestions(await store.read(id));
    if (exit !== EXIT.answered || !pending || !answersHere) return { exit, id };
    if (!(await answerOnTerminal(io, { store, id, pending }))) return { exit: EXIT.interrupted, id };
  }
}

export type Answering = {
  readonly store: OrganizationStore;
  readonly id: DeliberationId;
  readonly pending: PendingQuestions;
};

/** Asks what a debate waits for on the terminal, and records the answers; false where nobody wants to answer now. */
export async function answerOnTerminal(io: Io, answering: Answering): Promise<boolean> {
  const answers = await asked(io, answering);
  if (answers) await recordAnswers(io, answering, answers);
  return answers !== undefined;
}

/** Records answers, whoever gives them. */
export async function recordAnswers(
  { output }: Pick<Io, "output">,
  { store, id, pending }: Answering,
  answers: ReadonlyMap<string, string>,
): Promise<void> {
  const fresh = await answerQuestions(store, id, { pending, answers });
  if (!fresh) output.note("These questions were answered meanwhile; the first answers stand");
}

/** One question after the other on the terminal; an empty line leaves one unanswered, the end of input or Ctrl-C all. */
async function asked(
  { output }: Pick<Io, "output">,
  { id, pending: { questions } }: Pick<Answering, "id" | "pending">,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (!process.stdin.isTTY) {
    throw new Fault("configuration", {
      why: "there is no terminal to ask on",
      next: `${HOW}, then: parley answer ${id} FILE`,
    });
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const over = new AbortController();
  terminal.once("close", () => over.abort());
  terminal.once("SIGINT", () => terminal.close());
  const answers = new Map<string, string>();
  try {
    output.note("An empty line leaves a question unanswered");
    for (const [index, { id: question, by, text }] of questions.entries()) {
      output.note(`\n${index + 1} of ${questions.length}, ${printable(by)} asks: ${printable(text)}`);
      const answer = await terminal.question("> ", { signal: over.signal });
      if (answer.trim() !== "") answers.set(question, answer.trim());
    }
    return answers;
  } catch (error) {
    if (!over.signal.aborted) throw error;
    output.note(`\nNothing was answered; the debate waits. Go on with: parley answer ${id}`);
    return undefined;
  } finally {
    terminal.close();
  }
}
