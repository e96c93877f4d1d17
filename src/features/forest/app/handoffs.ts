import * as z from "zod";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { displayPath, MEGABYTE, readTextFile, refuse, replaceFile } from "../../../config/text-file.ts";
import { isEvent, type DeliberationId, callOf, type Entry } from "../../../kernel/index.ts";
import { Alignment, Alternatives, GateAmendment, SkepticVerdict } from "../protocol/replies.ts";
import { keyOf } from "../protocol/history.ts";
import type { AppContext } from "../../../app/context.ts";
import { answerSeat, listOwnSeats, readInbox } from "../../../app/seats.ts";
import type { OwnSeat } from "../../../contract/runs.ts";
import { stringify } from "yaml";
import { jsonText } from "../../../reports/printable.ts";
import { checkedFile } from "../../../config/named-files.ts";
import { readYaml } from "../../../config/yaml.ts";
import type { BoundProfileGate } from "../../../gates/profile.ts";

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
  const [requests, responses] = [join(folder, "handoffs", "requests"), join(folder, "handoffs", "responses")];
  for (const path of seats.length === 0 ? [] : [requests, responses]) mkdirSync(path, { recursive: true });
  const waiting: string[] = [];
  const refused: { file: string; why: string }[] = [];
  let answered = 0;
  for (const seat of seats) {
    const name = `${forest.cycle_id}-${seat.step.replaceAll("/", ".")}.json`;
    const request = join(requests, name);
    if (!existsSync(request)) replaceFile(request, jsonText(requestOf(seat)));
    const response = join(responses, name);
    if (!existsSync(response)) {
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

const Amendment = z.strictObject({
  ...GateAmendment.shape,
  id: z.string(),
  /** The cycle in which it was proposed. */
  cycle: z.int(),
  /** The model that proposed it. */
  by: z.string(),
  decision: z.enum(["yes", "no"]).nullable(),
  decided_by: z.string().nullable(),
});
type Amendment = z.infer<typeof Amendment>;

const FILE = "gate-amendments.yaml";
const AmendmentFile = z.strictObject({ amendments: z.array(Amendment) });

/** The amendments of a forest, oldest first. @throws Fault `configuration` */
export function readAmendments(archive: string): readonly Amendment[] {
  const path = join(archive, FILE);
  if (!existsSync(path)) return [];
  return checkedFile(readYaml(path, "file of amendments"), AmendmentFile, "amendments of gates").amendments;
}

/** Adds proposals that are not there yet. */
export function writeAmendments(archive: string, proposed: readonly Amendment[]): void {
  const known = readAmendments(archive);
  const fresh = proposed.filter(({ id }) => !known.some((one) => one.id === id));
  if (fresh.length > 0) replace(archive, [...known, ...fresh]);
}

/** What the skeptic of a cycle has proposed, in the order of its steps. */
export function proposedIn(entries: readonly Entry[], cycle: number): readonly Amendment[] {
  return entries
    .filter((entry) => isEvent(entry, "critique-given"))
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
    .flatMap((entry) => {
      const said = SkepticVerdict.safeParse(JSON.parse(entry.data.text));
      const amendment = said.data?.gate_amendment;
      return amendment ? [{ ...amendment, by: callOf(entry)?.model ?? entry.data.by }] : [];
    })
    .map((amendment, index) => ({
      ...{ ...amendment, id: `amendment-${cycle}-${index + 1}`, cycle },
      ...{ decision: null, decided_by: null },
    }));
}

type AmendmentDecision = Pick<Amendment, "id"> & {
  readonly decision: "yes" | "no";
  readonly by: string;
  readonly gates: readonly BoundProfileGate[];
};

/** Records a person's decision. @throws Fault `configuration` for an amendment that there is not, or that was decided */
export function decideAmendment(archive: string, { id, decision, by, gates }: AmendmentDecision): Amendment {
  const all = readAmendments(archive);
  const one = all.find((amendment) => amendment.id === id);
  if (!one) throw refuse(`there is no amendment ${id}`, "list them: forest handoffs");
  if (one.decision !== null)
    throw refuse(
      `${id} was decided: ${one.decision}`,
      "the first decision stands; change the gate in forest.yaml",
    );
  const gate = gates.find(({ name }) => name === one.gate);
  if (decision === "yes" && (!gate || !Object.hasOwn(gate.thresholds, one.threshold)))
    throw refuse(
      `${gate ? `the gate ${one.gate} has no threshold ${one.threshold}` : `there is no gate ${one.gate}`}`,
      "answer no, or change the gate in forest.yaml",
    );
  const decided: Amendment = { ...one, decision, decided_by: by };
  replace(
    archive,
    all.map((amendment) => (amendment.id === id ? decided : amendment)),
  );
  return decided;
}

export const withAcceptedThresholds = (
  gates: readonly BoundProfileGate[],
  amendments: readonly Amendment[],
): readonly BoundProfileGate[] =>
  amendments
    .filter(({ decision }) => decision === "yes")
    .reduce<readonly BoundProfileGate[]>(
      (now, { gate, threshold, value, id, decided_by, why }) =>
        now.map((one) =>
          one.name === gate && Object.hasOwn(one.thresholds, threshold)
            ? {
                ...one,
                thresholds: { ...one.thresholds, [threshold]: value },
                provenance: `${id}, accepted by ${decided_by ?? "a person"}: ${why}`,
              }
            : one,
        ),
      gates,
    );

function replace(archive: string, amendments: readonly Amendment[]): void {
  mkdirSync(archive, { recursive: true });
  replaceFile(join(archive, FILE), stringify({ amendments }, { lineWidth: 0 }));
}
