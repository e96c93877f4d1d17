import { resolve } from "node:path";
import { openGatePool } from "../../../gates/pool.ts";
import type { AppContext } from "../../../app/context.ts";
import { decideAmendment, readAmendments, openFileHandoffs, openHandoffs } from "../app/handoffs.ts";
import { openForest } from "../app/cycle.ts";
import { answerSeat } from "../../../app/seats.ts";
import { refuse } from "../../../config/text-file.ts";
import { jsonLine, oneLine, printable } from "../../../reports/printable.ts";
import { splitFenced } from "../../../prompts/material.ts";
import { wrap } from "../../../reports/text-width.ts";
import { pluralize } from "../../../text/format.ts";
import { print, type Io, type Values } from "../../../cli/command.ts";
import { EXIT } from "../../../cli/exits.ts";
import type { ANSWER, HANDOFFS } from "./index.ts";
import { readStandardInput } from "../../../cli/input.ts";
import { withParley } from "../../../cli/session.ts";

/** Lists what waits for a person: hand-offs of cycles, and amendments of gates. */
export const handoffs = (
  io: Io,
  { json, ...settings }: Values<typeof HANDOFFS>,
  path: string,
): Promise<void> =>
  withParley(io, settings, async (context) => {
    const folder = resolve(io.cwd, path);
    const open = await openHandoffs(context);
    const files = await openFileHandoffs(context);
    const amendments = readAmendments(resolve(folder, "archive")).filter(({ decision }) => decision === null);
    await print(
      io,
      {
        json,
        value: {
          handoffs: open.map(({ id, step, kind, since, until, messages }) => ({
            ...{ run: id, step, kind, since, until },
            prompt: messages.map(({ text }) => text).join("\n\n"),
          })),
          files,
          amendments,
        },
      },
      ({ width }) => filesText(files) + handoffText(open, amendments, width),
    );
  });

const filesText = (steps: readonly string[]): string =>
  steps.length === 0
    ? ""
    : `${pluralize(steps.length, "hand-off")} without an answer in handoffs/responses: ${steps.join(", ")}\n`;

function handoffText(
  open: Awaited<ReturnType<typeof openHandoffs>>,
  amendments: ReturnType<typeof readAmendments>,
  width: number,
): string {
  if (open.length === 0 && amendments.length === 0) return "Nothing waits for you.\n";
  const seats = open.flatMap(({ step, kind, messages }) => [
    `${step} (${kind})`,
    printable(personText(messages.at(-1)?.text ?? "")).trim(),
    `Try: parley forest answer ${step} ${EXAMPLES.get(kind) ?? "'{…}'"}`,
    "",
  ]);
  const changes = amendments.flatMap(({ id, gate, threshold, value, why, by }) => [
    ...wrap(oneLine(`${id}: ${by} would set ${threshold} of ${gate} to ${value}: ${why}`, 2_000), width),
    `Try: parley forest answer ${id} yes, or no`,
    "",
  ]);
  return `${[...seats, ...changes].join("\n")}`;
}

/** What a person needs of a prompt to a role: its material without marks and without what only models need, and the task. */
function personText(prompt: string): string {
  const { pieces, outside } = splitFenced(prompt);
  const shown = pieces
    .filter(({ kind }) => kind !== "explored" && kind !== "language")
    .map(({ kind, text }) => `${kind}: ${kind === "evidence" ? evidenceText(text) : text}`);
  return [...shown, outside.replaceAll(/\n{3,}/g, "\n\n").trim()].join("\n\n");
}

/** The evidence, a line for each gate. */
function evidenceText(json: string): string {
  const gates = JSON.parse(json) as Record<string, { passed?: unknown; detail?: unknown }>;
  return Object.entries(gates)
    .map(
      ([gate, { passed, detail }]) =>
        `\n  ${gate} ${passed === true ? "passed" : "failed"}: ${typeof detail === "string" ? detail : ""}`,
    )
    .join("");
}

const MAX_ANSWER = 1_000_000;

/** Answers a hand-off by its step, or decides about an amendment. */
export const answer = (
  io: Io,
  { forest: path = ".", json, ...settings }: Values<typeof ANSWER>,
  [id = "", ...words]: readonly string[],
): Promise<number> =>
  withParley(io, settings, async (context) => {
    const folder = resolve(io.cwd, path);
    const given = words.join(" ").trim();
    if (/^amendment-\d/.test(id)) return decide(io, context, { folder, id, given, json });
    const text =
      given === "" || given === "-"
        ? ((await readStandardInput(io.output, { isWanted: true })) ?? "")
        : given;
    if (text.trim() === "")
      throw refuse("the answer is empty", `parley forest answer ${id} '{…}', or pipe it in`);
    if (text.length > MAX_ANSWER) throw refuse("the answer has more than 1 MB", "give a shorter one");
    const open = await openHandoffs(context);
    const seat = open.find(({ step }) => step === id);
    if (!seat) {
      const steps = open.map(({ step }) => step);
      throw refuse(
        `nothing waits under ${oneLine(id, 200)}`,
        steps.length === 0 ? "list what does: parley forest handoffs" : `there is ${steps.join(", ")}`,
      );
    }
    const outcome = await answerSeat(context, seat.id, { text: inForm(seat.kind, text), step: seat.step });
    await print(
      io,
      { json, value: outcome },
      () =>
        `${outcome.status === "recorded" ? `Recorded: ${seat.step}` : `Not recorded: ${oneLine("why" in outcome ? outcome.why : "", 600)}`}\n`,
    );
    if (outcome.status === "refused") return EXIT.usage;
    io.output.note("Try: parley forest cycle");
    return EXIT.answered;
  });

/** A person's short answer in the form that the step reads: `2 because …`, or `none`; anything else as it stands. */
function inForm(kind: string, text: string): string {
  const said = text.trim();
  if (kind === "divergence") {
    if (/^none$/i.test(said)) return jsonLine({ candidates: [] });
    return /^[{`]/.test(said) ? text : jsonLine({ candidates: [{ formula: said }] });
  }
  if (kind !== "g7_alignment" || !/^-?\d/.test(said)) return text;
  const [, score, reason = ""] = /^([0-3])\b[\s:.,]*([^]*)$/.exec(said) ?? [];
  if (score !== undefined) return jsonLine({ score: Number(score), reason });
  throw refuse(`an alignment is judged from 0 to 3 (got ${oneLine(text, 60)})`, "answer 2 and why");
}

/** What a short answer looks like. */
const EXAMPLES = new Map(Object.entries({ g7_alignment: "2 'because …'", divergence: "none" }));

async function decide(
  io: Io,
  context: AppContext,
  { folder, id, given, json }: Record<"folder" | "id" | "given", string> & { readonly json: boolean },
): Promise<number> {
  const decision = /^y(es)?$/i.test(given) ? "yes" : /^no?$/i.test(given) ? "no" : undefined;
  if (decision === undefined)
    throw refuse(
      `an amendment is answered yes or no (got ${oneLine(given, 60)})`,
      `parley forest answer ${id} yes`,
    );
  const pool = openGatePool();
  try {
    const place = { folder, signal: new AbortController().signal, env: io.env, cwd: io.cwd };
    const { gates, archive } = await openForest(context, place, pool);
    const decided = decideAmendment(archive, { id, decision, gates, by: context.principal.user });
    await print(io, { json, value: decided }, () =>
      decision === "yes"
        ? `Recorded: from the next cycle on, ${decided.threshold} of ${decided.gate} is ${decided.value}.\n`
        : `Recorded: ${decided.gate} stays as it is.\n`,
    );
    return EXIT.answered;
  } finally {
    await pool.close();
  }
}
