import type { ResourceLink } from "@modelcontextprotocol/server";
import { DeliberationId } from "../../../kernel/index.ts";
import { oneLine } from "../../../reports/printable.ts";

/** In which forms a deliberation can be read, by the ending of its URI. */
export const RESOURCE_FORMS = {
  "": { format: "md", mimeType: "text/markdown", what: "as a document" },
  ".json": { format: "json", mimeType: "application/json", what: "as data: result, events and texts" },
  ".jsonl": { format: "jsonl", mimeType: "application/x-ndjson", what: "as its events, one a line" },
} as const;
export type ResourceEnding = keyof typeof RESOURCE_FORMS;

const SCHEME = "parley://deliberations/";

export const uriOf = (id: string, ending: ResourceEnding = ""): string => `${SCHEME}${id}${ending}`;

/** What a URI names; undefined for what cannot be one of ours. */
export function readUri(
  uri: string,
): { readonly id: DeliberationId; readonly ending: ResourceEnding } | undefined {
  const [, name = "", ending = ""] =
    /^([^./]+)(\.jsonl?)?$/.exec(uri.startsWith(SCHEME) ? uri.slice(SCHEME.length) : "") ?? [];
  const id = DeliberationId.safeParse(name).data;
  return id === undefined ? undefined : { id, ending: ending as ResourceEnding }; // one of the two, or none
}

/** A link to a deliberation's document. */
export const linkTo = (id: string, question: string): ResourceLink => ({
  ...{ type: "resource_link", uri: uriOf(id), name: id, title: oneLine(question, 100) },
  ...{ mimeType: "text/markdown", description: "All that was said, and what it came to" },
});
