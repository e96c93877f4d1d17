import { LRUCache } from "lru-cache";
import type { Digest, OrganizationId } from "../kernel/index.ts";

/** UTF-16 units of text that are kept, at most a quarter of them for one text, and digests that are known to be stored. */
const MAX_TEXT_LENGTH = 4 * 1024 * 1024;
const MAX_DIGESTS = 10_000;

/** Every organization's texts. */
export type AllTexts = {
  put(organization: OrganizationId, digest: Digest, text: string): Promise<void>;
  get(organization: OrganizationId, digest: Digest): Promise<string>;
};

/**
 * Texts that are known to be in the store. Deliberations share their templates and personas; what an organization put or
 * read once is there for good, under its own digest, and needs neither to be written nor to be read again. Only what was
 * read is given out: under one digest the first text stays, whoever put it.
 */
export function cacheTexts({ put, get }: AllTexts): AllTexts {
  const stored = new LRUCache<string, true>({ max: MAX_DIGESTS });
  const known = new LRUCache<string, { readonly content: string }>({
    maxSize: MAX_TEXT_LENGTH,
    maxEntrySize: MAX_TEXT_LENGTH / 4,
    sizeCalculation: ({ content }) => Math.max(1, content.length),
  });
  return {
    async put(organization, digest, content) {
      const key = `${organization} ${digest}`;
      if (stored.has(key)) return;
      await put(organization, digest, content);
      stored.set(key, true);
    },
    async get(organization, digest) {
      const key = `${organization} ${digest}`;
      const cached = known.get(key);
      if (cached) return cached.content;
      const content = await get(organization, digest);
      stored.set(key, true);
      known.set(key, { content });
      return content;
    },
  };
}
