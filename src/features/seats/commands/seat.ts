import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import type { InboxItem, OwnSeat } from "../../../contract/runs.ts";
import { resolveId } from "../../../app/lookup.ts";
import type { Parley } from "../../../app/parley.ts";
import { othersSeat } from "../../../app/seats.ts";
import { refusal } from "../../../kernel/index.ts";
import { oneLine } from "../../../reports/printable.ts";
import { pendingSeats } from "../../../views/pending-seats.ts";
import { isClosed } from "../../../views/result.ts";
import { runWithQuestions } from "../../../cli/clarification.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { runFiles, writeRunFiles } from "../../../cli/run-files.ts";
import { finish } from "../../../cli/ending.ts";
import { EXIT } from "../../../cli/exits.ts";
import { readStandardInput } from "../../../cli/input.ts";
import type { FileSet } from "../../../cli/options.ts";
import type { INBOX, SEAT } from "./index.ts";
import { askSeat, recordSeat, seatText, shortTime } from "../../../cli/seats.ts";
import { showingIn, withParley } from "../../../cli/session.ts";

/** Answers a step that waits for the caller, and continues the run. */
export const seat = (
  io: Io,
  options: Values<typeof SEAT & FileSet>,
  prefix: string | undefined,
): Promise<number> =>
  withParley(io, options, async (context, me) => {
    const { user } = context.principal;
    if (options.abstain && options.answer !== undefined) {
      const why = "--abstain leaves the step unanswered, and --answer answers it: give one of them";
      throw refusal(why, `parley seat ${prefix ?? "ID"} --abstain`);
    }
    const [newest] = prefix === undefined ? (await me.inbox()).filter(isSeat) : [];
    if (prefix === undefined && !newest) {
      io.output.note(`Nothing waits for ${user}`);
      return EXIT.answered;
    }
    const id = await resolveId(context, newest?.id ?? prefix ?? "");
    const showing = await showingIn(io, options, { settings: context.settings, me });
    const files = runFiles(options, io);
    const entries = await context.store.read(id);
    const noteLate = () => {
      if (options.answer !== undefined || options.abstain)
        io.output.note("Not recorded: this was answered before; the first answer stands");
    };
    if (isClosed(entries)) {
      noteLate();
      return finish(io, entries, showing);
    }
    const own = await me.seats(id);
    const one = own.find(({ step }) => options.step === undefined || step === options.step);
    if (one) {
      const { answer, abstain } = options;
      const isAnswered = abstain
        ? await recordSeat(io, me, { seat: one, abstain })
        : await answerOne(io, me, { seat: one, answer });
      if (!isAnswered) return EXIT.waiting;
    } else {
      const [other] = pendingSeats(entries);
      if (other && other.person !== user) throw othersSeat(other, user);
      noteLate();
    }
    if (options.resume === false) return EXIT.answered;
    context.folders.add(io.cwd); // what the run's models may read here
    const begin = (signal: AbortSignal) => me.resume(id, { signal });
    const { exit } = await runWithQuestions(io, { context, me }, { begin, showing });
    await writeRunFiles(io, { store: context.store, id }, files);
    return exit;
  });

/** Records what was given or is typed; false where the step waits on. */
async function answerOne(
  io: Io,
  me: Parley,
  { seat: own, answer }: { readonly seat: OwnSeat; readonly answer: string | undefined },
): Promise<boolean> {
  if (answer !== undefined) return recordSeat(io, me, { seat: own, text: await readAnswer(io, answer) });
  if (process.stdin.isTTY === true) {
    const taken = await askSeat(io, me, own);
    if (taken === "left") io.output.note(`It waits for you\nTry: parley seat ${own.id}`);
    return taken !== "left";
  }
  await io.output.result(`${await seatText(io, own)}\n`);
  io.output.note(`Try: parley seat ${own.id} --answer TEXT, a file, or - for stdin; or --abstain`);
  return false;
}

/** A text as it stands, the file that it names, or standard input for `-`. */
async function readAnswer(io: Io, answer: string): Promise<string> {
  if (answer === "-") return (await readStandardInput(io.output, { isWanted: true })) ?? "";
  const file = resolve(io.cwd, answer);
  const isName = answer.length <= 1_000 && !answer.includes("\n");
  const stat = isName ? statSync(file, { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile() !== true) return answer;
  if (stat.size <= MAX_ANSWER_BYTES) return readFileSync(file, "utf8");
  throw refusal("the answer's file has more than 4 MB", "name a smaller one");
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const isSeat = ({ kind }: InboxItem): boolean => kind === "seat";

/** Everything that waits for the caller. */
export const inbox = (io: Io, options: Values<typeof INBOX>): Promise<void> =>
  withParley(io, options, async ({ principal }, me) => {
    const items = await me.inbox();
    await print(
      io,
      { json: options.json, value: items.map((item) => ({ ...item, next: commandFor(item) })) },
      () => (items.length === 0 ? `Nothing waits for ${principal.user}\n` : items.map(itemText).join("\n")),
    );
  });

const commandFor = ({ kind, id }: InboxItem): string => `parley ${kind === "seat" ? "seat" : "answer"} ${id}`;

function itemText(item: InboxItem): string {
  const { question, asked, since, until } = item;
  const limit = until === null ? "" : `, until ${shortTime(until)}`;
  return [
    oneLine(question, 200),
    `  ${oneLine(asked.join("; "), 300)}, since ${shortTime(since)}${limit}`,
    `  ${commandFor(item)}\n`,
  ].join("\n");
}
