import type { PersonaStatus } from "../../../contract/library.ts";
import { canonical, isEvent, type DeliberationId, type Entry, refusal } from "../../../kernel/index.ts";
import {
  findOwnFile,
  conflict,
  isMarkdown,
  readNewText,
  writeOwnFile,
  type FileRefusal,
  withKeys,
} from "../../../config/library-file.ts";
import type { FileContext } from "../../../config/paths.ts";
import { ownFolder } from "../../../config/named-files.ts";
import type { LoadedPersona } from "../../../config/personas.ts";
import { fileResources } from "../../../config/resources.ts";
import type { InstructionPart } from "../../../text/instruction-parts.ts";
import { refusePackages } from "../../../app/ceilings.ts";
import type { AppContext } from "../../../app/context.ts";
import { checkUnchanged, missingIn, showEntry, type EntryText, type NewEntry } from "../../../app/library.ts";
import { BRED, childIn, writeChild } from "./breed.ts";
import {
  acceptPersona,
  decideOnPersona,
  recordDecision,
  recordPresent,
  type PersonaDecision,
} from "./record.ts";
import { statusOf } from "../../../app/personas/live.ts";
import { versionOf } from "../../../app/personas/seating.ts";
import { TRIED, verdictIn } from "./trial.ts";

/** A persona with its file, and where it stands. */
export type ShownPersona = {
  readonly entry: EntryText;
  /** Undefined for a file that cannot be used, or only hides another. */
  readonly persona: LoadedPersona | undefined;
  readonly status: PersonaStatus | "shipped" | "unusable";
};
type Changed = { readonly ok: true; readonly run: DeliberationId | null; readonly shown: ShownPersona };

/** A new text of a persona, or all of its parts. */
export type PersonaEdit = Pick<NewEntry, "digest"> & {
  readonly id: string;
  readonly text?: string | undefined;
  readonly parts?: { readonly [part in InstructionPart]?: string | undefined } | undefined;
  readonly why?: string | undefined;
};

/** The same with personas as their files are now. */
export const withFiles = (context: AppContext, place: FileContext): AppContext => ({
  ...context,
  resources: fileResources(place),
});

let latest: Promise<unknown> = Promise.resolve();
/** Does one piece of work after another. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const mine = latest.then(work);
  latest = mine.catch(() => undefined);
  return mine;
}

/** A persona as it is now; undefined where there is none. */
export async function showPersona(
  context: AppContext,
  id: string,
  place: FileContext,
): Promise<ShownPersona | undefined> {
  const entry = showEntry("personas", id, place);
  if (!entry) return undefined;
  const persona = entry.loaded?.persona;
  if (!persona) return { entry, persona, status: "unusable" };
  if (entry.from === "built-in") return { entry, persona, status: "shipped" };
  return { entry, persona, status: (await statusOf(context, persona)).status };
}

/** Records and carries out what a person decides about one of the user's own personas. @throws Fault as `decideOnPersona` */
export const decideOwn = (
  given: AppContext,
  {
    id,
    ...decision
  }: { readonly id: string; readonly decision: Exclude<PersonaDecision, "edited">; readonly why: string },
  place: FileContext,
): Promise<Changed | FileRefusal> =>
  inTurn(async () => {
    const own = findOwnFile("personas", id, place);
    const persona = showEntry("personas", id, place)?.loaded?.persona;
    if (!persona) return missingIn("personas", id, place);
    if (persona.from === "built-in")
      return conflict(
        `${persona.name} ships with the program and has no file`,
        "write one of your own first",
      );
    if (!own.ok) return own;
    const context = withFiles(given, place);
    const { run } = await decideOnPersona(context, persona, decision);
    return readChange(context, { id, run }, place);
  });

async function readChange(
  context: AppContext,
  { id, run }: { readonly id: string; readonly run: DeliberationId | null },
  place: FileContext,
): Promise<Changed | FileRefusal> {
  const shown = await showPersona(context, id, place);
  return shown ? { ok: true, run, shown } : missingIn("personas", id, place);
}

/**
 * Writes the user's own persona in place of what there is: of one that ships, a copy. The edit is recorded before the file
 * changes, and so is the version before it. @throws Fault `configuration` for a text that is no persona
 */
export const editPersona = (
  given: AppContext,
  { id, text, parts, why = "it was edited", digest }: PersonaEdit,
  place: FileContext,
): Promise<Changed | FileRefusal> =>
  inTurn(async () => {
    const own = findOwnFile("personas", id, place);
    if (!own.ok) return own;
    const present = showEntry("personas", id, place);
    const unlike = checkUnchanged(present?.digest, digest);
    if (unlike) return unlike;
    if (text === undefined && !present) return missingIn("personas", id, place);
    const file = text ?? withParts(own.path, { text: present?.text ?? "", parts });
    const { persona } = readNewText("personas", { name: id, text: file, path: own.path }, place);
    if (!persona) throw refusal("a text may not hide a persona", "retire it instead");
    const before = own.exists ? present?.loaded?.persona : undefined;
    checkDecided(before, persona);
    refusePackages({ models: persona.model });
    const context = withFiles(given, place);
    if (before && !isMarkdown(own.path)) await recordPresent(context, before, "as it was before an edit");
    const version = versionOf(persona);
    const run = await recordDecision(context, { persona, decision: "edited", why, file, version });
    writeOwnFile(own.path, file);
    return readChange(context, { id, run }, place);
  });

/** A persona's file with these parts and no others, and the rest of it as it was. @throws Fault `configuration` for Markdown */
function withParts(path: string, { text, parts }: { readonly text: string } & Pick<PersonaEdit, "parts">) {
  if (isMarkdown(path))
    throw refusal("its file is Markdown, and only YAML can be changed part by part", "send its whole text");
  return withKeys(text, { instructions: parts });
}

/** @throws Fault `configuration` for a text that says otherwise what only decisions say */
function checkDecided(before: LoadedPersona | undefined, after: LoadedPersona): void {
  for (const key of ["lineage", "accepted", "retired"] as const)
    if (canonical(before?.[key] ?? null) !== canonical(after[key] ?? null))
      throw refusal(`${key} is written by trials and decisions, not by an edit`, "leave it as it was");
}

/**
 * Does what is left to do when a persona's run has ended: writes a child's file, and accepts a child whose trial says so. What
 * is done already is not done again. @throws Fault as `writeChild` and `acceptPersona`
 */
export const settlePersona = (given: AppContext, id: DeliberationId, place: FileContext): Promise<void> =>
  inTurn(async () => {
    const entries = await given.store.read(id);
    const request = requestOf(entries);
    const context = withFiles(given, place);
    if (request.startsWith(BRED)) {
      const child = childIn(entries);
      const parents = child?.lineage.parents.flatMap((one) => context.resources.personas().get(one.id) ?? []);
      if (child && parents) writeChild(context, child, { parents, folder: ownFolder("personas", place) });
    }
    if (request.startsWith(TRIED)) await acceptByVerdict(context, entries);
  });

const requestOf = (entries: readonly Entry[]): string => {
  const origin = entries.find((entry) => isEvent(entry, "deliberation-opened"))?.origin;
  return origin?.by === "open" ? origin.request : "";
};

async function acceptByVerdict(context: AppContext, entries: readonly Entry[]): Promise<void> {
  const verdict = verdictIn(entries);
  const [opened] = entries;
  if (!verdict?.accepted || !opened) return;
  const child = context.resources.personas().get(verdict.persona);
  if (!child?.lineage || child.retired || versionOf(child) !== verdict.version) return;
  if (child.accepted?.version === verdict.version) return;
  await acceptPersona(context, child, { trial: opened.deliberation });
}
