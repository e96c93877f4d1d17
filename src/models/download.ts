import { systemClock, createWatches } from "./clock.ts";
import { createHttp, type Http } from "./http.ts";
import type { Variables } from "./proxy.ts";

export type Download =
  | { readonly ok: true; readonly text: string; readonly lastModified: string }
  | { readonly ok: false; readonly why: string };

type DownloadLimits = { readonly maxBytes: number; readonly timeoutMs: number; readonly signal: AbortSignal };

const MAX_REDIRECTS = 3;

/** A text from an address that the user named: through the user's proxy, at most so many bytes, and from no other host. */
export async function download(
  address: URL,
  { env, ...limits }: DownloadLimits & { readonly env: Variables },
): Promise<Download> {
  const http = createHttp({ env });
  const watches = createWatches(systemClock);
  try {
    return await watches.run(limits, async ({ signal }) => {
      let url = address;
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
        const got = await get(http, url, { ...limits, signal });
        if (typeof got === "string") return { ok: false, why: got };
        const { status, location, text, lastModified } = got;
        if (status === 200) return { ok: true, text, lastModified };
        if (status < 300 || status >= 400 || !URL.canParse(location, url.href))
          return { ok: false, why: `the server answered ${status}` };
        const next = new URL(location, url);
        if (next.origin !== url.origin) return { ok: false, why: `it sends to another host, ${next.host}` };
        url = next;
      }
      return { ok: false, why: "it sends on and on" };
    });
  } finally {
    await http.close();
  }
}

/** One answer, or why there is none. */
async function get(http: Http, url: URL, { maxBytes, signal }: DownloadLimits) {
  const chunks: Buffer[] = [];
  const seen = { bytes: 0, status: 0, lastModified: "", location: "" };
  const exchanged = await http.get({
    ...{ url, signal, headers: { accept: "application/json, text/plain" } },
    receiver: {
      head: ({ status, header }) =>
        void Object.assign(seen, {
          ...{ status, lastModified: header("last-modified"), location: header("location") },
        }),
      bytes(chunk) {
        seen.bytes += chunk.length;
        chunks.push(chunk);
        return seen.bytes > maxBytes;
      },
    },
  }).exchanged;
  if (exchanged.how === "aborted") return "it took too long";
  if (exchanged.how === "broken") return exchanged.error.message;
  if (seen.bytes > maxBytes) return `it has more than ${maxBytes / 1e6} MB`;
  return { ...seen, text: Buffer.concat(chunks).toString("utf8") };
}
