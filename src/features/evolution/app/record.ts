import { readOwnFile, withKeys } from "../../../config/library-file.ts";
import { parsePersona, type LoadedPersona } from "../../../config/personas.ts";
import { replaceFile } from "../../../config/text-file.ts";
import { textDigest } from "../../../engine/index.ts";
import {
  isEvent,
  type DataOf,
  type DeliberationId,
  type Digest,
  type Entry,
  refusal,
} from "../../../kernel/index.ts";
import { personaProtocol, PersonaSettings } from "../protocol/persona/index.ts";
import type { AppContext } from "../../../app/context.ts";
import { summariesIn } from "../../../app/lookup.ts";
import { assembleOpening } from "../../../app/opening.ts";
import { seatPerson } from "../../../app/people.ts";
import { resume } from "../../../app/run.ts";
import { openPrepared } from "../../../app/start.ts";
import { BRED, childIn } from "./breed.ts";
import { versionOf } from "../../../app/personas/seating.ts";
import type { FamilyMember, PersonaFamily } from "../../../contract/library.ts";
import { pathsOf, sectionOf } from "../protocol/trial/view.ts";
import { TrialSettings } from "../protocol/trial/index.ts";
import { statusOf } from "../../../app/personas/live.ts";

export type PersonaDecision = DataOf<"persona-decided">["decision"];

type Deciding = {
  readonly persona: LoadedPersona;
  readonly decision: PersonaDecision;
  readonly why: string;
  /** The file as it becomes. */
  readonly file: string;
  /** The digest of its instructions; by default as the file says in YAML. */
  readonly version?: Digest;
};

export async function recordDecision(
  context: AppContext,
  { persona, decision, why, file, version: given }: Deciding,
): Promise<DeliberationId> {
  const { user } = context.principal;
  const version = given ?? textDigest(parsePersona(file, persona.path).instructions);
  const settings = { kind: "decision" as const, persona: persona.id, version, decision, by: user, why };
  const { opening } = await assembleOpening(context, {
    protocol: personaProtocol,
    question: `${persona.name}: ${decision}`,
    context: [{ name: "file", text: file }],
    reactions: false,
    part: { settings, participants: [seatPerson(user, "writer", [])], answering: [], notes: [] },
  });
  const request = `persona/decision/${persona.id}/${context.world.id()}`;
  const { opened } = await openPrepared(context, { opening }, request);
  const run = await resume(context, opened.deliberation, {});
  await run.outcome();
  return opened.deliberation;
}

export type Decided = { readonly run: DeliberationId; readonly path: string };

/** Records a decision, then writes the file that it makes. */
async function carryOut(context: AppContext, decided: Deciding): Promise<Decided> {
  const run = await recordDecision(context, decided);
  replaceFile(decided.persona.path, decided.file);
  return { run, path: decided.persona.path };
}

/** Lets a persona sit, by a verdict or by a person's word. */
export async function acceptPersona(
  context: AppContext,
  persona: LoadedPersona,
  by: { readonly trial: DeliberationId } | { readonly why: string },
): Promise<Decided> {
  if (!persona.lineage)
    throw refusal(`${persona.name} was not bred, and needs no acceptance`, "name it as a member");
  const at = new Date(context.world.now()).toISOString();
  const said = "trial" in by ? `trial ${by.trial}` : `${context.principal.user}: ${by.why}`;
  const accepted = { version: versionOf(persona), at, by: said };
  const file = withKeys(readOwnFile(persona), { accepted, retired: undefined });
  const why = "trial" in by ? `the trial ${by.trial} accepted it` : by.why;
  return carryOut(context, { persona, decision: "accepted", why, file });
}

/** Takes a persona out of use. */
export async function retirePersona(
  context: AppContext,
  persona: LoadedPersona,
  why: string,
): Promise<Decided> {
  if (persona.retired) throw refusal(`${persona.name} is retired already`, "nothing is left to do");
  const at = new Date(context.world.now()).toISOString();
  const file = withKeys(readOwnFile(persona), { retired: { at, by: `${context.principal.user}: ${why}` } });
  return carryOut(context, { persona, decision: "retired", why, file });
}

/** Puts the version of a persona in force that was before the present one. */
export async function rollBackPersona(
  context: AppContext,
  persona: LoadedPersona,
  why: string,
): Promise<Decided & { readonly version: string }> {
  readOwnFile(persona);
  const present = versionOf(persona);
  const versions = await listVersions(context, persona.id);
  const last = versions.findLast(({ version }) => version !== present);
  if (!last)
    throw refusal(`${persona.name} has no earlier version on record`, "retire it, or name another persona");
  const done = await carryOut(context, { persona, decision: "rolled-back", why, file: last.file });
  return { ...done, version: last.version };
}

/** Records the present version of a bred persona that somebody edited; undefined where it is on record already. */
export const recordEdit = async (
  context: AppContext,
  persona: LoadedPersona,
): Promise<DeliberationId | undefined> =>
  persona.lineage && persona.from !== "built-in" ? recordPresent(context, persona) : undefined;

/** Records the present version of a persona that has a file, unless it is on record. */
export async function recordPresent(
  context: AppContext,
  persona: LoadedPersona,
  why = "its file was edited",
): Promise<DeliberationId | undefined> {
  const versions = await listVersions(context, persona.id);
  const present = versionOf(persona);
  if (versions.some(({ version }) => version === present)) return undefined;
  return recordDecision(context, { persona, decision: "edited", why, file: readOwnFile(persona) });
}

/** Carries out what a person decides about a persona; a version that somebody edited is recorded before. */
export async function decideOnPersona(
  context: AppContext,
  persona: LoadedPersona,
  { decision, why }: { readonly decision: Exclude<PersonaDecision, "edited">; readonly why: string },
): Promise<Decided & { readonly version?: string }> {
  if (decision === "retired") return retirePersona(context, persona, why);
  await recordEdit(context, persona);
  return decision === "accepted"
    ? acceptPersona(context, persona, { why })
    : rollBackPersona(context, persona, why);
}

/** A version of a persona: what was recorded, and its file then. */
export type PersonaVersion = {
  readonly version: string;
  readonly at: string;
  readonly how: "bred" | PersonaDecision;
  readonly by: string;
  readonly why: string;
  readonly run: DeliberationId;
  readonly file: string;
};

/** All that is on record of a persona's versions, the oldest first. */
export async function listVersions(
  { store }: Pick<AppContext, "store">,
  id: string,
): Promise<readonly PersonaVersion[]> {
  const prefixes = [`${BRED}${id}/`, `persona/decision/${id}/`];
  const found: PersonaVersion[] = [];
  for await (const run of summariesIn(store, { requests: { prefixes, hidden: false } }))
    found.push(...versionIn(await store.read(run.id)));
  return found.toReversed();
}

function versionIn(entries: readonly Entry[]): PersonaVersion[] {
  const decided = entries.findLast((entry) => isEvent(entry, "persona-decided"));
  if (decided) {
    const { version, decision: how, by, why, file } = decided.data;
    return [{ version, at: decided.at, how, by, why, run: decided.deliberation, file }];
  }
  const child = childIn(entries);
  const bred = entries.findLast((entry) => isEvent(entry, "persona-bred"));
  if (!child || !bred) return [];
  const opened = PersonaSettings.parse(
    entries.find((entry) => isEvent(entry, "deliberation-opened"))?.data.settings,
  );
  const parents = opened.kind === "breeding" ? opened.parents.map(({ name }) => name).join(" and ") : "";
  const { version, file } = child;
  const by = child.lineage.model;
  return [{ version, at: bred.at, how: "bred", by, why: `from ${parents}`, run: bred.deliberation, file }];
}

/** A persona with its forebears, and all that is on record of it. */
export type LineageNode = Omit<FamilyMember, "parents"> & { readonly parents: readonly LineageNode[] };

const MAX_DEPTH = 12;

/** Reads a persona's lineage, its parents' included. */
export async function readLineage(
  context: AppContext,
  persona: LoadedPersona,
  depth = 0,
): Promise<LineageNode> {
  const parents: LineageNode[] = [];
  for (const parent of depth < MAX_DEPTH ? (persona.lineage?.parents ?? []) : []) {
    const known = context.resources.personas().get(parent.id);
    parents.push(known ? await readLineage(context, known, depth + 1) : missing(parent));
  }
  return { ...(await nodeOf(context, persona)), parents };
}

async function nodeOf(context: AppContext, persona: LoadedPersona): Promise<Omit<LineageNode, "parents">> {
  const { id, name } = persona;
  const { status, live } = await statusOf(context, persona);
  const versions = await listVersions(context, id);
  return {
    ...{ id, name, status, live },
    version: versionOf(persona),
    versions: versions.map(({ file: _file, ...version }) => version),
    trials: await listTrials(context, id),
  };
}

/** How many are shown of either kind. */
const MAX_RELATIVES = 100;

export async function readFamily(context: AppContext, persona: LoadedPersona): Promise<PersonaFamily> {
  const all = context.resources.personas();
  const parentsOf = (id: string) => all.get(id)?.lineage?.parents ?? [];
  const childrenOf = (id: string) =>
    [...all.values()].filter((one) => parentsOf(one.id).some((parent) => parent.id === id));
  const member = async (id: string): Promise<FamilyMember> => {
    const known = all.get(id);
    const version = [...all.values()]
      .flatMap((one) => one.lineage?.parents ?? [])
      .find((parent) => parent.id === id)?.version;
    const node = known ? await nodeOf(context, known) : missing({ id, version: version ?? "" });
    return { ...node, parents: parentsOf(id).map((parent) => parent.id) };
  };
  const walk = async (next: (id: string) => readonly { readonly id: string }[]) => {
    const seen = new Set([persona.id]);
    for (const id of seen) for (const one of next(id)) if (seen.size <= MAX_RELATIVES) seen.add(one.id);
    seen.delete(persona.id);
    return Promise.all([...seen].map(member));
  };
  return {
    persona: await member(persona.id),
    ancestors: await walk(parentsOf),
    descendants: await walk(childrenOf),
  };
}

const missing = ({ id, version }: { readonly id: string; readonly version: string }): LineageNode => ({
  ...{ id, name: id, status: "missing", version, versions: [], trials: [], live: null, parents: [] },
});

async function listTrials({ store }: Pick<AppContext, "store">, id: string): Promise<LineageNode["trials"]> {
  const runs = await store.list({ limit: 200, requests: { prefixes: [`trial/${id}/`], hidden: false } });
  const trials: LineageNode["trials"][number][] = [];
  for (const { id: run } of runs.toReversed()) {
    const entries = await store.read(run);
    const [opened] = entries;
    const section = sectionOf(entries);
    if (!opened || !isEvent(opened, "deliberation-opened") || !section) continue;
    const { child } = TrialSettings.parse(opened.data.settings);
    const verdict =
      section.accepted === null
        ? "no verdict"
        : section.accepted
          ? "accepted"
          : `not accepted, ${section.why}`;
    const paths = pathsOf(entries);
    const tests = section.tests.map((test) => ({
      ...test,
      path: paths.find(({ against }) => against === test.against)?.signs ?? [],
    }));
    trials.push({ run, at: opened.at, version: child.version, against: section.parent, verdict, tests });
  }
  return trials;
}
