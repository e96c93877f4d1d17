import type { LoadedPersona } from "../../../config/personas.ts";
import type { FamilyMember, PersonaFamily } from "../../../contract/library.ts";
import { isEvent } from "../../../kernel/index.ts";
import { pathsOf, sectionOf } from "../protocol/trial/view.ts";
import { TrialSettings } from "../protocol/trial/index.ts";
import type { AppContext } from "../../../app/context.ts";
import { listVersions } from "./decide.ts";
import { statusOf } from "../../../app/personas/live.ts";
import { versionOf } from "../../../app/personas/seating.ts";

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

/** All that is on record of one persona. */
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

/** Reads whom a persona comes from, and who comes from it. */
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
