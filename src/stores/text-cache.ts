import type { Digest, OrganizationId } from "../kernel/index.ts";

/** UTF-16 units of text that are kept, and digests that are known to be stored. */
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
  const stored = new Set<string>();
  const known = new Map<string, string>();
  let size = 0;
  const isStored = (key: string): void => {
    stored.add(key);
    const [oldest] = stored;
    if (oldest !== undefined && stored.size > MAX_DIGESTS) stored.delete(oldest);
  };
  const keep = (key: string, content: string): void => {
    if (known.has(key) || content.length > MAX_TEXT_LENGTH / 4) return;
    known.set(key, content);
    size += content.length;
    for (const [oldest, { length }] of known) {
      if (size <= MAX_TEXT_LENGTH) return;
      known.delete(oldest);
      size -= length;
    }
  };
  return {
    async put(organization, digest, content) {
      const key = `${organization} ${digest}`;
      if (stored.has(key)) return;
      await put(organization, digest, content);
      isStored(key);
    },
    async get(organization, digest) {
      const key = `${organization} ${digest}`;
      const found = known.get(key);
      if (found !== undefined) return found;
      const content = await get(organization, digest);
      isStored(key);
      keep(key, content);
      return content;
    },
  };
}
