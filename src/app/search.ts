import { isVoice, personOf, refusal, type Participant } from "../kernel/index.ts";
import { joinWithOr } from "../config/explain.ts";
import type { Note, SeatedParticipant } from "../engine/opening-part.ts";
import type { AppContext } from "./context.ts";
import { findNamedTools } from "./named-tools.ts";

/** Whether what it writes may rest on a search: drafts, revisions, proposals and responses do; reviews and syntheses do not. */
const maySearch = ({ seat, model }: Pick<Participant, "seat" | "model">): boolean =>
  (isVoice({ seat }) || seat.startsWith("respondent")) && personOf(model) === undefined;

/** The names of the tools by which a model searches; none where it may not, or where its provider has a search of its own. */
export function searchToolNames(
  { models, settings }: Pick<AppContext, "models" | "settings">,
  model: string,
): readonly string[] {
  const { mcpServers, search, searchServer: server } = settings;
  if (!search || server === undefined || models.facts?.(model).searches) return [];
  if (Object.hasOwn(mcpServers, server)) return [`${server}/*`];
  const known = Object.keys(mcpServers);
  throw refusal(
    `there is no server of tools "${server}" to search with (setting: search-server)`,
    known.length === 0
      ? "add it under mcp-servers"
      : `name ${joinWithOr(known)}, or add it under mcp-servers`,
  );
}

/**
 * The participants with how each of them searches, and a note about those that cannot.
 * @throws Fault `configuration` where nobody can search who may
 */
export async function grantSearch<P extends SeatedParticipant>(
  context: AppContext,
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
  const next = "name a server of tools that searches (setting: search-server)";
  if (without.length > 0 && without.length === asked.length) {
    const whose = joinWithOr([...new Set(without.map(({ model }) => model))]);
    throw refusal(`nobody can search: no search of its own is known of ${whose}`, next);
  }
  const notes = without.map(({ model, persona }): Note => {
    const text = `${persona.name} (${model}) cannot search: its provider has no search that is known here; ${next}`;
    return { code: "warning", text };
  });
  return { participants: granted, notes };
}
