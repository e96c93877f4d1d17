import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { stringify } from "yaml";
import { createFile } from "../../../config/text-file.ts";
import { parsePersona, type Lineage, type LoadedPersona } from "../../../config/personas.ts";
import { digestOf, idOfRequest, textDigest } from "../../../engine/index.ts";
import { isEvent, type Entry, type Opening, refusal } from "../../../kernel/index.ts";
import { personaProtocol, PersonaSettings } from "../protocol/persona/index.ts";
import { INSTRUCTION_PARTS, instructionsOf } from "../../../text/instruction-parts.ts";
import { textSimilarity } from "../../../stats/text-similarity.ts";
import type { AppContext } from "../../../app/context.ts";
import type { ProjectionReading } from "../../../app/projection.ts";
import { openMeasurement, resumable, type Resumed } from "../../../app/resumable.ts";
import { readFeedback, seatWriter, shownRemarks } from "./feedback.ts";

const MIN_PARENTS = 2;
const MAX_PARENTS = 3;
/** As the reference program sets it. */
const TEMPERATURE = 0.7;

export type BreedRequest = {
  readonly parents: readonly string[];
  /** By default made from the parents' names. */
  readonly name?: string | undefined;
  /** Breeds once more what was bred before. */
  readonly again?: boolean;
  readonly client?: Opening["client"];
};

/** A child that can be bred, or was. */
export type PreparedChild = {
  readonly id: string;
  readonly name: string;
  readonly parents: readonly LoadedPersona[];
  /** How many remarks of peers each parent brings. */
  readonly remarks: readonly number[];
  readonly open: () => Promise<Resumed>;
};

/** What the names of the runs begin with that bred a persona. */
export const BRED = "persona/bred/";

/** An id from a name: small letters, digits and hyphens. */
const idOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);

/** Prepares a child of these parents; no model is called. @throws Fault `configuration` before anything is recorded or spent */
export async function prepareChild(
  context: AppContext,
  { parents: ids, name: wanted, again = false, client }: BreedRequest,
  reading: ProjectionReading,
): Promise<PreparedChild> {
  const distinct = [...new Set(ids)];
  if (distinct.length < MIN_PARENTS || distinct.length > MAX_PARENTS)
    throw refusal(
      `a child has two or three parents (got ${distinct.length})`,
      distinct.length < MIN_PARENTS ? "name two different personas" : "name at most three personas",
    );
  const parents = distinct.map((id) => context.resources.persona(id));
  for (const parent of parents) await checkParent(context, parent);
  const names = parents.map((parent) => parent.name);
  const name = wanted ?? names.join(" and ").slice(0, 80);
  const id = idOf(name);
  if (id === "") throw refusal(`the name ${JSON.stringify(name)} has no letter`, "give another name");
  const feedback = await Promise.all(
    parents.map((parent) => readFeedback(context, { persona: parent.id }, reading)),
  );
  const texts = parents.flatMap((parent, index) => {
    const remarks = shownRemarks(feedback[index] ?? { remarks: [] }).join("\n");
    return [
      { name: `persona/${parent.id}`, text: parent.instructions },
      ...(remarks === "" ? [] : [{ name: `feedback/${parent.id}`, text: remarks }]),
    ];
  });
  const writer = await seatWriter(context);
  const { callTimeoutMs } = context.settings;
  const settings = {
    ...{ kind: "breeding" as const, name, description: `Bred from ${names.join(", ")}.`, callTimeoutMs },
    parents: parents.map((parent) => ({ id: parent.id, name: parent.name })),
    ...(parents[0]?.model === undefined ? {} : { model: parents[0].model }),
  };
  const measurement = await openMeasurement(context, {
    protocol: personaProtocol,
    question: `Breed ${name} from ${names.join(" and ")}`,
    texts,
    part: { settings, participants: [writer] },
    identity: ({ templates, settings: own }) => ({ own, templates, model: writer.model }),
    ...{ again, client },
  });
  const key = `${BRED}${id}/${digestOf(measurement.key).slice(0, 32)}`;
  refuseTakenName(context, { id, name, key });
  return {
    ...{ id, name, parents },
    remarks: feedback.map(({ remarks }) => remarks.length),
    open: () => resumable(context, { ...measurement, key }),
  };
}

/** @throws Fault for a parent that is retired, on trial, or bred in another organization */
async function checkParent(
  context: AppContext,
  { id, name, lineage, retired }: LoadedPersona,
): Promise<void> {
  if (retired) throw refusal(`${name} is retired since ${retired.at.slice(0, 10)}`, "name another parent");
  if (!lineage) return;
  const owner = await context.process.store.findOrganization(lineage.bred);
  if (owner !== undefined && owner !== context.principal.organization)
    throw refusal(`${id} was bred in another organization`, "name a parent of this one");
}

/** @throws Fault for a name or id that another persona has, built-in ones included, unless it is the same child's */
function refuseTakenName(
  context: AppContext,
  { id, name, key }: { id: string; name: string; key: string },
): void {
  for (const known of context.resources.personas().values()) {
    const isSame = known.id === id || plain(known.name) === plain(name);
    if (!isSame || isChildOf(context, known, key)) continue;
    throw refusal(
      `there is a ${known.from === "built-in" ? "built-in persona" : "persona"} ${known.name} (${known.id})`,
      "give the child another name",
    );
  }
}

const plain = (text: string): string => text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();

/** How often a breeding that ended early is gone on with. */
const MAX_FORKS = 20;

/** Whether a persona is what this request has already bred. */
const isChildOf = ({ principal }: AppContext, { lineage }: LoadedPersona, key: string): boolean =>
  Array.from({ length: MAX_FORKS }, (_, nth) => (nth === 0 ? key : `${key}/${nth}`)).some(
    (request) => idOfRequest(principal.organization, request) === lineage?.bred,
  );

/** A child as its run recorded it; undefined where the run has none. */
export function childIn(entries: readonly Entry[]) {
  const opened = entries.find((entry) => isEvent(entry, "deliberation-opened"));
  const bred = entries.findLast((entry) => isEvent(entry, "persona-bred"))?.data;
  if (!opened || !bred) return undefined;
  const { context, participants, seed, templates } = opened.data;
  const settings = PersonaSettings.parse(opened.data.settings);
  if (settings.kind !== "breeding") return undefined;
  const pinned = new Map(context.map(({ name, text }) => [name, text]));
  const [writer] = participants;
  const prompt = templates["persona-breeding"];
  if (!writer || prompt === undefined) return undefined;
  const lineage: Lineage = {
    bred: opened.deliberation,
    parents: settings.parents.map(({ id }) => ({
      id,
      version: pinned.get(`persona/${id}`) ?? textDigest(""),
      feedback: pinned.get(`feedback/${id}`) ?? null,
    })),
    prompt,
    seed: textDigest(seed),
    model: writer.model,
  };
  const instructions = instructionsOf(bred.parts);
  // A recorded mapping is in the order of its names.
  const parts = Object.fromEntries(INSTRUCTION_PARTS.map((part) => [part, bred.parts[part]]));
  const file = stringify(
    {
      ...{ id: idOf(bred.name), name: bred.name, description: bred.description },
      ...(settings.model === undefined ? {} : { model: settings.model }),
      temperature: TEMPERATURE,
      instructions: parts,
      lineage,
    },
    { blockQuote: "literal", lineWidth: 0 },
  );
  return {
    id: idOf(bred.name),
    name: bred.name,
    instructions,
    version: textDigest(instructions),
    lineage,
    file,
  };
}
export type Child = NonNullable<ReturnType<typeof childIn>>;

/** Two texts that are this alike are one: only marks and spaces differ. */
const SAME = 0.999;

/** Writes a child's file, unless it is there; resolves to its path. @throws Fault for a child that is its parent */
export function writeChild(
  context: Pick<AppContext, "resources">,
  child: Child,
  { parents, folder }: { readonly parents: readonly LoadedPersona[]; readonly folder: string },
): { readonly path: string; readonly fresh: boolean } {
  const same = parents.find((parent) => textSimilarity(parent.instructions, child.instructions) >= SAME);
  if (same)
    throw refusal(
      `${child.name} says what its parent ${same.name} says, word for word; it is not written`,
      "breed again, or with another model",
    );
  const path = join(folder, `${child.id}.yaml`);
  const known = context.resources.personas().get(child.id);
  if (known?.lineage?.bred === child.lineage.bred) return { path: known.path, fresh: false };
  if (isWritten(path, child)) return { path, fresh: false };
  return { path: createFile(path, child.file), fresh: true };
}

/** Whether this child stands there already: written by another process, or by this one since it read its files. */
function isWritten(path: string, { lineage }: Child): boolean {
  if (!existsSync(path)) return false;
  return parsePersona(readFileSync(path, "utf8"), path).lineage?.bred === lineage.bred;
}
