import { joinWithOr } from "../config/explain.ts";
import type { NamedTools, Note, SeatedParticipant } from "../engine/opening-part.ts";
import {
  isFault,
  isAnswering,
  personOf,
  refusal,
  type Models,
  type Participant,
  type ToolSpec,
  type World,
} from "../kernel/index.ts";
import { once } from "../kernel/once.ts";
import type { ToolServers, ToolServersOptions } from "../tools/mcp.ts";
import type { Tool } from "../tools/tool.ts";

/** The tool that tells the time, loaded when it is used. */
export const loadDateTime = async (now: World["now"]): Promise<Tool> =>
  (await import("../tools/datetime.ts")).dateTime(now);

/** The servers of a process: nothing of them is loaded before one is used. */
export function openToolServers(options: ToolServersOptions): ToolServers {
  let isOpen = false;
  const opened = once(async () => {
    isOpen = true;
    return (await import("../tools/mcp.ts")).createToolServers(options);
  });
  return {
    list: async (server) => (await opened()).list(server),
    call: async (...call) => (await opened()).call(...call),
    close: async () => (isOpen ? (await opened()).close() : undefined),
  };
}

/** What settings say of the tools that may be named. */
type Naming = {
  readonly settings: { readonly mcpServers: Readonly<Record<string, unknown>> };
  readonly servers: ToolServers;
  readonly world: Pick<World, "now">;
};

/** See `OpeningContext`. Of servers, the named ones alone are started. @throws Fault `configuration` */
export async function findNamedTools(
  { settings: { mcpServers }, servers, world }: Naming,
  names: readonly string[],
): Promise<NamedTools> {
  const wanted = new Set(names.map((name) => name.split("/", 1)[0] ?? ""));
  const listed = await Promise.all(
    Object.keys(mcpServers).map(async (server): Promise<[string, readonly ToolSpec[]][]> => {
      const tools = wanted.has(server) ? await servers.list(server) : [];
      return [
        [`${server}/*`, tools.map(({ spec }) => spec)],
        ...tools.map(({ tool, spec }): [string, ToolSpec[]] => [`${server}/${tool}`, [spec]]),
      ];
    }),
  );
  const all = new Map([["get_datetime", [(await loadDateTime(world.now)).spec]], ...listed.flat()]);
  const found = names.flatMap((name) => {
    const specs = all.get(name);
    return specs ? [[name, specs] as const] : [];
  });
  return { specs: new Map(found), known: [...all.keys()] };
}

const BY_NAME = "who names it";

/** The tools that there are: built-in ones, and those of each server, or why it cannot be used. `for`: who is offered one. */
export async function listTools(context: Naming) {
  const [{ spec: dateTime }, { createFileTools }, { memoryTools }, { CONTEXT_SEARCH }] = await Promise.all([
    loadDateTime(context.world.now),
    import("../tools/file-tools.ts"),
    import("../protocols/phases/memory-tools.ts"),
    import("../text/context-search.ts"),
  ]);
  const files = await createFileTools(process.cwd());
  const row = (name: string, { description }: Pick<ToolSpec, "description">, whom: string) => ({
    ...{ name, for: whom, description },
  });
  const builtIn = [
    row(dateTime.name, dateTime, BY_NAME),
    ...memoryTools({ remember: true }).map((spec) => row(spec.name, spec, "one model, with memory")),
    ...files.specs.map((spec) => row(spec.name, spec, "one model, or a debate: with a folder")),
    row(CONTEXT_SEARCH.name, CONTEXT_SEARCH, "debate: with a folder, or by name"),
  ];
  const servers = await Promise.all(
    Object.keys(context.settings.mcpServers).map(async (server) => {
      try {
        const tools = await context.servers.list(server);
        return {
          ...{ server, problem: null },
          tools: tools.map(({ tool, spec }) => row(`${server}/${tool}`, spec, BY_NAME)),
        };
      } catch (error) {
        if (!isFault(error, "configuration")) throw error;
        return { server, problem: error.details.why, tools: [] };
      }
    }),
  );
  return { builtIn, servers };
}

/** What settings and models say of searches. */
type Searching = {
  readonly settings: Naming["settings"] & {
    readonly search: boolean;
    readonly searchServer?: string | undefined;
  };
  readonly models: Pick<Models, "facts">;
};

/** Whether what it writes may rest on a search: drafts, revisions, proposals and responses do; reviews and syntheses do not. */
const maySearch = (one: Pick<Participant, "seat" | "model">): boolean =>
  isAnswering(one) && personOf(one.model) === undefined;

/** The names of the tools by which a model searches; none where it may not or takes none, or where its provider has a search of its own. */
export function searchToolNames({ models, settings }: Searching, model: string): readonly string[] {
  const { mcpServers, search, searchServer: server } = settings;
  const { searches, tools } = models.facts?.(model) ?? {};
  if (!search || server === undefined || searches || tools === false) return [];
  if (Object.hasOwn(mcpServers, server)) return [`${server}/*`];
  const known = Object.keys(mcpServers);
  const others = known.length === 0 ? "" : `name ${joinWithOr(known)}, or `;
  const why = `there is no server of tools "${server}" to search with (setting: search-server)`;
  throw refusal(why, `${others}add it under mcp-servers`);
}

/** The participants with how each of them searches, and a note about those that cannot. @throws Fault `configuration` where nobody can search who may */
export async function grantSearch<P extends SeatedParticipant>(
  context: Naming & Searching,
  participants: readonly P[],
): Promise<{ readonly participants: readonly P[]; readonly notes: readonly Note[] }> {
  if (!context.settings.search) return { participants, notes: [] };
  const granted = await Promise.all(
    participants.map(async (one) => {
      if (!maySearch(one)) return one;
      if (context.models.facts?.(one.model).searches) return { ...one, search: "own" as const };
      const { specs } = await findNamedTools(context, searchToolNames(context, one.model));
      const names = [...specs.values()].flat().map(({ name }) => name);
      return names.length === 0 ? one : { ...one, search: names };
    }),
  );
  const asked = granted.filter(maySearch);
  const without = asked.filter(({ search }) => search === undefined);
  const takesTools = ({ model }: P) => context.models.facts?.(model).tools !== false;
  const next = without.some(takesTools)
    ? "name a server of tools that searches (setting: search-server)"
    : "ask a model that takes tools, or one whose provider searches";
  if (without.length > 0 && without.length === asked.length) {
    const whose = joinWithOr([...new Set(without.map(({ model }) => model))]);
    throw refusal(`nobody can search: no search of its own is known of ${whose}`, next);
  }
  const notes = without.map((one): Note => {
    const why = takesTools(one) ? `no search of its provider's is known here; ${next}` : "it takes no tools";
    return { code: "warning", text: `${one.persona.name} (${one.model}) cannot search: ${why}` };
  });
  return { participants: granted, notes };
}
