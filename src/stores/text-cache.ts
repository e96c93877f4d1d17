import type { Digest, Texts } from "../kernel/index.ts";

/** UTF-16 units of text that are kept, and digests that are known to be stored. */
const MOST_TEXT = 4 * 1024 * 1024;
const MOST_DIGESTS = 10_000;

/**
 * Texts that are known to be in the store. Deliberations share their templates and personas; what was put or read
 * once is there for good, under its own digest, and needs neither to be written nor to be read again. Only what was
 * read is given out: under one digest the first text stays, whoever put it.
 */
export function cachedTexts({ putText, text }: Texts): Texts {
  const stored = new Set<Digest>();
  const known = new Map<Digest, string>();
  let size = 0;
  const isStored = (digest: Digest): void => {
    stored.add(digest);
    const [oldest] = stored;
    if (oldest !== undefined && stored.size > MOST_DIGESTS) stored.delete(oldest);
  };
  const keep = (digest: Digest, content: string): void => {
    if (known.has(digest) || content.length > MOST_TEXT / 4) return;
    known.set(digest, content);
    size += content.length;
    for (const [oldest, { length }] of known) {
      if (size <= MOST_TEXT) return;
      known.delete(oldest);
      size -= length;
    }
  };
  return {
    async putText(digest, content) {
      if (stored.has(digest)) return;
      await putText(digest, content);
      isStored(digest);
    },
    async text(digest) {
      const found = known.get(digest);
      if (found !== undefined) return found;
      const content = await text(digest);
      isStored(digest);
      keep(digest, content);
      return content;
    },
  };
}
