import { loadShown } from "../../../app/result.ts";
import { resume } from "../../../app/run.ts";
import type { AppContext } from "../../../app/context.ts";
import { faceOf, print, type Io, type Values } from "../../../cli/command.ts";
import { estimateLine, printEstimate } from "../../../cli/estimate-text.ts";
import { withoutKeys } from "../../../app/estimate.ts";
import { EXIT } from "../../../cli/exits.ts";
import { readStandardInput } from "../../../cli/input.ts";
import { wordNote } from "../../../cli/notes.ts";
import { checkOutput, writeInFolders } from "../../../cli/output-file.ts";
import { createScreen } from "../../../cli/screen.ts";
import { interruptible, withParley } from "../../../cli/session.ts";
import { noteInterrupted } from "../../../cli/show.ts";
import { resolveId } from "../../../app/lookup.ts";
import { toAbsolute } from "../../../config/paths.ts";
import { displayPath, MEGABYTE, readTextFile } from "../../../config/text-file.ts";
import { refusal, type DeliberationId, type Entry } from "../../../kernel/index.ts";
import { answerText } from "../../../reports/answer.ts";
import { oneLine } from "../../../reports/printable.ts";
import { isClosed } from "../../../views/result.ts";
import { unpricedModels } from "../../../reports/words.ts";
import { gatherChange, type ChangeRequest, type Gathered } from "../app/change.ts";
import { REVIEW_FORMATS, type WrittenReview } from "../app/formats.ts";
import {
  differencesFrom,
  estimateReview,
  openReview,
  prepareReview,
  seatReviewers,
  type PreparedReview,
} from "../app/review.ts";
import { VERDICT_WORDS } from "../protocol/report.ts";
import { sectionOf, type ReviewSection } from "../protocol/view.ts";
import type { REVIEW } from "./index.ts";

type ReviewOptions = Values<typeof REVIEW>;

const MAX_DIFF_BYTES = 2 * MEGABYTE;

/** Reviews a change, or verifies the verdict on one. Exit 0: it passes; 1: it is blocked, or is another change; 7: nobody can say. */
export function reviewChange(io: Io, options: ReviewOptions, file: string | undefined): Promise<number> {
  const { diff, base, verify, format: _, output: to, json: _json, ...flags } = options;
  return withParley(io, flags, async (context) => {
    const output = to === undefined ? undefined : checkOutput(to, io, { makesFolders: true });
    const handed = await readHanded(io, options, file);
    if (verify !== undefined)
      return verifyVerdict(io, context, { options, id: verify, request: { base, handed, diff } });
    const gathered = await gatherChange({ diff, base, handed }, io);
    if (!gathered.ok) return refuseVerdict(io, options, gathered);
    const { pack, dryRun } = flags;
    const prepared = await prepareReview(dryRun ? withoutKeys(context) : context, gathered.change, { pack });
    if (!options.quiet) for (const note of prepared.notes) io.output.note(wordNote(note));
    if (dryRun) return printPlan(io, options, prepared);
    const review = await runReview(io, prepared, options);
    if (!review) return EXIT.interrupted;
    await writeReview(io, { options, output, review });
    return exitOfVerdict(review.section.verdict);
  });
}

const exitOfVerdict = (verdict: ReviewSection["verdict"]): number =>
  verdict === "pass" ? EXIT.answered : verdict === "block" ? EXIT.refusedByCheck : EXIT.inconclusive;

async function readHanded(
  io: Io,
  { diff }: ReviewOptions,
  file: string | undefined,
): Promise<ChangeRequest["handed"]> {
  if (file === undefined) return undefined;
  if (diff !== undefined)
    throw refusal(
      "there are two changes: --diff, and a file",
      "leave one of them out; --base names the rules' revision",
    );
  if (file === "-") {
    const text = await readStandardInput(io.output, { isWanted: true });
    return { name: "standard input", text: text ?? "" };
  }
  const text = readTextFile({ path: toAbsolute(file, io), kind: "diff", maxBytes: MAX_DIFF_BYTES });
  return { name: displayPath(file), text };
}

/** Says why there is no verdict, before a run. */
async function refuseVerdict(
  io: Io,
  options: Pick<ReviewOptions, "json" | "format">,
  { why, next, run = null }: Omit<Extract<Gathered, { ok: false }>, "ok"> & { readonly run?: string | null },
): Promise<number> {
  const value = { run, verdict: "inconclusive", why };
  if (options.json || options.format === "json") await print(io, { json: true, value }, () => "");
  io.output.note(`The change ${VERDICT_WORDS.inconclusive}: ${why}`);
  io.output.note(`Try: ${next}`);
  return EXIT.inconclusive;
}

async function printPlan(
  io: Io,
  options: Pick<ReviewOptions, "json">,
  prepared: PreparedReview,
): Promise<number> {
  if ("opening" in prepared)
    return printEstimate(io, options, await estimateReview(prepared.context, prepared.opening));
  const { verdict, why } = prepared.section;
  await print(
    io,
    { json: options.json, value: { verdict, why, calls: 0 } },
    () => `Nobody would be asked: ${why ?? ""}\n`,
  );
  return EXIT.answered;
}

type Reviewed = WrittenReview & { readonly entries: readonly Entry[]; readonly context: AppContext };

/** Drives a review to its end; undefined where Ctrl-C left it open. */
export async function runReview(
  io: Io,
  prepared: PreparedReview,
  { json, quiet }: Pick<ReviewOptions, "json" | "quiet">,
): Promise<Reviewed | undefined> {
  const { context } = prepared;
  if ("section" in prepared) return { id: null, section: prepared.section, entries: [], context };
  if (!quiet && !json) io.output.note(estimateLine(await estimateReview(context, prepared.opening)));
  const { id } = await openReview(context, prepared.opening);
  return driveReview(io, context, { id, quiet: quiet || json });
}

type ReviewDrive = { readonly id: DeliberationId; readonly quiet: boolean };

async function driveReview(
  io: Io,
  context: AppContext,
  { id, quiet }: ReviewDrive,
): Promise<Reviewed | undefined> {
  return interruptible(async (signal) => {
    const screen = quiet ? undefined : createScreen({ output: process.stderr, ...io.output.stderr });
    try {
      const run = await resume(context, id, { signal });
      const frames = (async () => {
        for await (const frame of run.tokens()) screen?.frame(frame);
      })();
      for await (const entry of run.events({ until: "outcome" })) screen?.event(entry);
      const { status } = await run.outcome();
      await frames;
      screen?.stop();
      const entries = run.recorded();
      const section = sectionOf(entries);
      if (status === "interrupted" || !section) {
        noteInterrupted(io, id, `parley resume ${id}, then parley review --verify ${id}`);
        return undefined;
      }
      const { verdict, why } = section;
      // A run that was cancelled or failed has no verdict, which is none to pass by.
      const ended = {
        verdict: verdict ?? "inconclusive",
        why: why ?? `the review ended as ${status}`,
      } as const;
      return { id, section: { ...section, ...ended }, entries, context };
    } finally {
      screen?.stop();
    }
  });
}

type Writing = {
  readonly options: Pick<ReviewOptions, "format" | "json" | "quiet">;
  readonly output: string | undefined;
  readonly review: Reviewed;
};

/** Prints a review in its format; into a file that, and the text on the screen. */
async function writeReview(io: Io, { options, output, review }: Writing): Promise<void> {
  const { format = "text" } = options;
  const name = options.json ? "json" : format;
  const text = async () => {
    const { entries, section, context, id } = review;
    const shown = await loadShown(context.protocols, entries);
    if (shown) return answerText(shown, { ...(await faceOf(io.output)), unpriced: unpricedModels(entries) });
    return id === null
      ? `The change ${VERDICT_WORDS[section.verdict ?? "inconclusive"]}: ${section.why ?? ""}\n`
      : "";
  };
  const written = name === "text" ? await text() : REVIEW_FORMATS[name](review);
  if (output !== undefined) writeInFolders(output, written, io);
  await io.output.result(output === undefined || name === "text" ? written : await text());
  if (review.id !== null && !options.quiet && !options.json)
    io.output.note(`Try: parley review --verify ${review.id}`);
}

type Verifying = { readonly options: ReviewOptions; readonly id: string; readonly request: ChangeRequest };

/** Proves a verdict from the recorded replies, without a network, and compares what it was bound to with what there is now. */
async function verifyVerdict(
  io: Io,
  context: AppContext,
  { options, id: named, request }: Verifying,
): Promise<number> {
  const id = await resolveId(context, named);
  const entries = await context.store.read(id);
  const section = sectionOf(entries);
  if (!section) throw refusal(`${id} is no review`, "parley list --protocol review");
  if (!isClosed(entries))
    return refuseVerdict(io, options, {
      ...{ run: id, why: `the review ${id} is unfinished`, next: `parley resume ${id}` },
    });
  const { base, verdict, why } = section;
  const asked = { ...request, diff: request.handed ? undefined : (request.diff ?? base?.revision) };
  const gathered = await gatherChange(asked, io);
  if (!gathered.ok) return refuseVerdict(io, options, gathered);
  await context.engine.replay(id); // else a fault, which is exit 1
  const isChosen =
    context.requested.has("models") || options.pack !== undefined || context.settings.models.length > 0;
  const models = isChosen
    ? (await seatReviewers(context, options.pack)).seated.map(({ model }) => model)
    : undefined;
  const differences = differencesFrom(section, gathered.change, models);
  const belongs = differences.length === 0;
  const value = { run: id, belongs, verdict, why, differences };
  const words = belongs
    ? `The verdict of ${id} belongs to this change, which ${VERDICT_WORDS[verdict ?? "inconclusive"]}\n`
    : `The verdict of ${id} is not of this change: ${differences.map((one) => oneLine(one, 300)).join("; ")}\n`;
  await print(io, { json: options.json || options.format === "json", value }, () => words);
  return belongs ? exitOfVerdict(verdict) : EXIT.refusedByCheck;
}
