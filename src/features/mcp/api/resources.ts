import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type McpServer,
} from "@modelcontextprotocol/server";
import type { AppContext } from "../../../app/context.ts";
import { exportText } from "../../../app/export.ts";
import { listRuns } from "../../../app/lookup.ts";
import { isFault, type OrganizationStore } from "../../../kernel/index.ts";
import { oneLine } from "../../../reports/printable.ts";
import { veilEntries } from "../../../views/veil.ts";
import { refusalOf } from "../../../server/problem.ts";
import { readAll, readingContext } from "../../../server/results.ts";
import { readUri, RESOURCE_FORMS, uriOf, type ResourceEnding } from "./links.ts";
import type { McpSession } from "./session.ts";

// MCPS-8. A resource shows no more than a person may see who takes part, in each of its forms. Else: a person sees drafts too early.
// Notices of changes are of the caller's organization alone, whatever URIs a client names.

const MAX_LISTED = 50;
const AGAIN_MS = 1_000;

/** Gives a server the caller's deliberations as resources. */
export function registerResources(server: McpServer, session: McpSession): void {
  // The longer ending first: what stands before a template's ending may have a dot.
  for (const ending of [".jsonl", ".json", ""] as const) {
    const { mimeType, what } = RESOURCE_FORMS[ending];
    const list = ending === "" ? async () => ({ resources: await listResources(session) }) : undefined;
    server.registerResource(
      `deliberation${ending}`,
      new ResourceTemplate(uriOf("{id}", ending), { list }),
      { title: `A deliberation ${what}`, mimeType },
      async ({ href: uri }) => ({ contents: [{ uri, mimeType, text: await readResource(session, uri) }] }),
    );
  }
}

const listResources = (session: McpSession) =>
  reading(session, undefined, async (context) => {
    const found = await listRuns(context.store, { limit: MAX_LISTED, labels: {} });
    return found.map(({ id, question, protocol, status, openedAt }) => ({
      ...{ uri: uriOf(id), name: id, title: oneLine(question, 100), mimeType: RESOURCE_FORMS[""].mimeType },
      ...{ description: `${protocol}, ${status}`, annotations: { lastModified: openedAt } },
    }));
  });

const readResource = (session: McpSession, uri: string): Promise<string> =>
  reading(session, uri, async (context) => {
    const named = readUri(uri);
    if (!named) throw new ResourceNotFoundError(uri);
    const { services, caller } = session;
    const { entries } = await readAll(services.parley, caller.principal, named.id);
    return exportText(context, veilEntries(entries), { format: RESOURCE_FORMS[named.ending].format });
  });

/** Reads for the caller. @throws ProtocolError in the words of a refusal; what is unexpected is in the log alone */
async function reading<T>(
  { services, caller: { principal }, log }: McpSession,
  uri: string | undefined,
  read: (context: AppContext) => Promise<T>,
): Promise<T> {
  try {
    return await read(readingContext(services.parley, principal));
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    if (uri !== undefined && isFault(error, "deliberation-missing")) throw new ResourceNotFoundError(uri);
    const { status, detail } = refusalOf(error);
    if (status >= 500)
      log(`resource ${uri ?? "list"}: ${error instanceof Error ? (error.stack ?? "") : String(error)}`);
    throw new ProtocolError(ProtocolErrorCode.InternalError, detail);
  }
}

/** What has changed: resources by their URIs, and whether one is new. */
export type ResourceChanges = { readonly uris: readonly string[]; readonly isNew: boolean };

/** Tells what changes in an organization from now on, until `signal` aborts. */
export async function watchResources(
  store: Pick<OrganizationStore, "end" | "subscribe">,
  {
    tell,
    signal,
    log,
  }: { tell(changes: ResourceChanges): void; signal: AbortSignal; log(line: string): void },
): Promise<void> {
  let at: Awaited<ReturnType<typeof store.end>> | undefined;
  while (!signal.aborted) {
    try {
      at ??= await store.end();
      for await (const batch of store.subscribe(at, signal)) {
        at = batch.at(-1)?.cursor ?? at;
        const ids = new Set(batch.map(({ deliberation }) => deliberation));
        const endings = Object.keys(RESOURCE_FORMS) as ResourceEnding[]; // its keys
        const uris = [...ids].flatMap((id) => endings.map((ending) => uriOf(id, ending)));
        tell({ uris, isNew: batch.some(({ type }) => type === "deliberation-opened") });
      }
    } catch (error) {
      log(`cannot follow the store for notices: ${error instanceof Error ? error.message : String(error)}`);
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
