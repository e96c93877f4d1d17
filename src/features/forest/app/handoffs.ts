import { existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { displayPath, MEGABYTE, readTextFile } from "../../../config/text-file.ts";
import { isEvent, type DeliberationId } from "../../../kernel/index.ts";
import { Alignment, Alternatives } from "../protocol/replies.ts";
import type { AppContext } from "../../../app/context.ts";
import { answerSeat, listOwnSeats, readInbox } from "../../../app/seats.ts";
import type { OwnSeat } from "../../../contract/runs.ts";

/** The user whose seats are handed out as files. */
export const HANDOFF_FILES = "files";

const KINDS = new Map<string, { readonly kind: string; readonly schema: z.ZodType }>([
  ["divergence", { kind: "divergence", schema: Alternatives }],
  ["alignment", { kind: "g7_alignment", schema: Alignment }],
]);

/** What a hand-off asks for, and the JSON Schema of its answer. */
const handoffKind = (work: string): { readonly kind: string; readonly response_schema: unknown } => {
  const known = KINDS.get(work);
  const schema = known ? z.toJSONSchema(known.schema, { io: "input" }) : {};
  return { kind: known?.kind ?? work, response_schema: schema };
};

const asUser = (context: AppContext, user: string): AppContext => ({
  ...context,
  principal: { ...context.principal, user: user as AppContext["principal"]["user"] },
});

/** What became of a run's hand-offs to files. */
export type FileExchange = {
  /** The files that wait for an answer. */
  readonly waiting: readonly string[];
  readonly answered: number;
  /** Answers that could not be used, with why. */
  readonly refused: readonly { readonly file: string; readonly why: string }[];
};

/** Writes the requests of a run's open hand-offs, and takes the answers that are there. */
export async function exchangeFiles(
  context: AppContext,
  { folder, forest }: { readonly folder: string; readonly forest: { readonly cycle_id: string } },
  id: DeliberationId,
): Promise<FileExchange> {
  const files = asUser(context, HANDOFF_FILES);
  const seats = await listOwnSeats(files, id);
  const waiting: string[] = [];
  const refused: { file: string; why: string }[] = [];
  let answered = 0;
  for (const seat of seats) {
    const name = `${forest.cycle_id}-${seat.step.replaceAll("/", ".")}.json`;
    const request = join(folder, "handoffs", "requests", name);
    if (!existsSync(request)) put(request, requestOf(seat));
    const response = join(folder, "handoffs", "responses", name);
    if (!existsSync(response)) {
      mkdirSync(join(folder, "handoffs", "responses"), { recursive: true });
      waiting.push(displayPath(request));
      continue;
    }
    const text = readTextFile({ path: response, kind: "answer of a hand-off", maxBytes: MEGABYTE });
    const outcome = await answerSeat(files, id, { text, step: seat.step });
    if (outcome.status === "refused") {
      refused.push({ file: displayPath(response), why: outcome.why });
      waiting.push(displayPath(request));
    } else answered += 1;
  }
  return { waiting, answered, refused };
}

const requestOf = ({ work, messages, step, id }: OwnSeat): object => ({
  ...handoffKind(work),
  payload: { run: id, step, prompt: messages.map(({ text }) => text).join("\n\n") },
});

/** A file that is there whole or not at all. */
function put(path: string, data: object): void {
  mkdirSync(join(path, ".."), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(data, undefined, 2)}\n`);
  renameSync(draft, path);
}

/** The steps of cycles that wait for answers in files. */
export const openFileHandoffs = async (context: AppContext): Promise<readonly string[]> =>
  (await openHandoffs(asUser(context, HANDOFF_FILES))).map(({ step }) => step);

/** A hand-off that waits for the caller. */
export type OpenHandoff = OwnSeat & { readonly kind: string };

/** The hand-offs of cycles that wait for the caller. */
export async function openHandoffs(context: AppContext): Promise<readonly OpenHandoff[]> {
  const items = await readInbox(context);
  const ids = [...new Set(items.filter(({ kind }) => kind === "seat").map(({ id }) => id))];
  const all: OpenHandoff[] = [];
  for (const id of ids) {
    const entries = await context.store.read(id);
    const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
    if (opened?.data.protocol.name !== "forest") continue;
    for (const seat of await listOwnSeats(context, id))
      all.push({ ...seat, kind: handoffKind(seat.work).kind });
  }
  return all;
}
