import type { LoadedPersona } from "../../config/personas.ts";
import { isEvent } from "../../kernel/index.ts";
import { sectionOf } from "../../protocols/trial/view.ts";
import { TrialSettings } from "../../protocols/trial/index.ts";
import type { SignTally } from "../../stats/sequential-sign-test.ts";
import type { AppContext } from "../context.ts";
import { listVersions, type PersonaVersion } from "./decide.ts";
import { statusOf } from "./live.ts";
import { versionOf, type PersonaStatus } from "./status.ts";

/** A persona with its forebears, and all that is on record of it. */
export type LineageNode = {
  readonly id: string;
  readonly name: string;
  /** `missing`: a parent whose file is gone. */
  readonly status: PersonaStatus | "missing";
  /** The digest of its present instructions. */
  readonly version: string | null;
  readonly versions: readonly Omit<PersonaVersion, "file">[];
  readonly trials: readonly {
    readonly run: string;
    readonly at: string;
    readonly version: string;
    readonly against: string;
    /** `accepted`, `not accepted`, or how it stands. */
    readonly verdict: string;
  }[];
  /** How it was ranked since it was accepted. */
  readonly live: SignTally | null;
  readonly parents: readonly LineageNode[];
};

const MAX_DEPTH = 12;

/** Reads a persona's lineage, its parents' included. */
export async function readLineage(
  context: AppContext,
  persona: LoadedPersona,
  depth = 0,
): Promise<LineageNode> {
  const { id, name } = persona;
  const { status, live } = await statusOf(context, persona);
  const versions = await listVersions(context, id);
  const parents: LineageNode[] = [];
  for (const parent of depth < MAX_DEPTH ? (persona.lineage?.parents ?? []) : []) {
    const known = context.resources.personas().get(parent.id);
    parents.push(known ? await readLineage(context, known, depth + 1) : missing(parent));
  }
  return {
    ...{ id, name, status, live, parents },
    version: versionOf(persona),
    versions: versions.map(({ file: _file, ...version }) => version),
    trials: await listTrials(context, id),
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
    trials.push({ run, at: opened.at, version: child.version, against: section.parent, verdict });
  }
  return trials;
}
