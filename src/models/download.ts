import type { Variables } from "./proxy.ts";
import { createHttp } from "./http.ts";

export type Download =
  | { readonly ok: true; readonly text: string; readonly lastModified: string }
  | { readonly ok: false; readonly why: string };

const MAX_REDIRECTS = 3;

/** A text from an address that the user named: through the user's proxy, at most so many bytes, and from no other host. */
export async function download(
  address: URL,
  {
    env,
    maxBytes,
    signal,
  }: { readonly env: Variables; readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Download> {
  const http = createHttp({ env });
  try {
    let url = address;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const chunks: Buffer[] = [];
      const seen = { bytes: 0, status: 0, lastModified: "", location: "" };
      const exchanged = await http.get({
        ...{ url, signal, headers: { accept: "application/json, text/plain" } },
        receiver: {
          head({ status, header }) {
            Object.assign(seen, {
              status,
              lastModified: header("last-modified"),
              location: header("location"),
            });
          },
          bytes(chunk) {
            seen.bytes += chunk.length;
            chunks.push(chunk);
            return seen.bytes > maxBytes;
          },
        },
      }).exchanged;
      if (exchanged.how === "aborted") return { ok: false, why: "it took too long" };
      if (exchanged.how === "broken") return { ok: false, why: exchanged.error.message };
      if (seen.bytes > maxBytes) return { ok: false, why: `it has more than ${maxBytes / 1e6} MB` };
      if (seen.status >= 300 && seen.status < 400 && URL.canParse(seen.location, url.href)) {
        const next = new URL(seen.location, url);
        if (next.origin !== url.origin) return { ok: false, why: `it sends to another host, ${next.host}` };
        url = next;
        continue;
      }
      if (seen.status !== 200) return { ok: false, why: `the server answered ${seen.status}` };
      return { ok: true, text: Buffer.concat(chunks).toString("utf8"), lastModified: seen.lastModified };
    }
    return { ok: false, why: "it sends on and on" };
  } finally {
    await http.close();
  }
}
