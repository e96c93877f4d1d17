import { LRUCache } from "lru-cache";
import type { Digest, OrganizationId } from "../kernel/index.ts";

/** UTF-16 units of text that are kept, at most a quarter of them for one text. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;

/** Reads one of all organizations' texts. */
export type ReadText = (organization: OrganizationId, digest: Digest) => Promise<string>;

/**
 * Texts that were read. Deliberations share their templates and personas; under one digest the first text stays, whoever put it,
 * until the last deliberation that pins it is forgotten.
 */
export function cacheTexts(get: ReadText): { readonly get: ReadText; readonly clear: () => void } {
  const known = new LRUCache<string, { readonly content: string }>({
    maxSize: MAX_TEXT_LENGTH,
    maxEntrySize: MAX_TEXT_LENGTH / 4,
    sizeCalculation: ({ content }) => Math.max(1, content.length),
  });
  return {
    clear: () => known.clear(),
    async get(organization, digest) {
      const key = `${organization} ${digest}`;
      const cached = known.get(key);
      if (cached) return cached.content;
      const content = await get(organization, digest);
      known.set(key, { content });
      return content;
    },
  };
}
