import { readdirSync, readFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { escapeHtml } from "../reports/element.ts";
import { takesGzip } from "./reply.ts";
import type { HttpReply } from "./problem.ts";
import type { HttpExchange } from "./route.ts";

// PAGE-3. The page's files are named by their content and never change; the page itself says where it stands, so that it works below any
//     path. Its policy lets nothing in but its own files, and no text become markup. Else: a model's text runs with a reader's session.
// Every reply of the server names the build of its page, and so does the page: one of another build offers to be loaded anew.

/** The header of replies that names the build of the server's page. */
export const BUILD_HEADER = "parley-build";

/** Content Security Policy Level 3, with Trusted Types. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

const TYPES: ReadonlyMap<string, string> = new Map([
  [".js", "text/javascript; charset=utf-8"],
  [".css", "text/css; charset=utf-8"],
  [".html", "text/html; charset=utf-8"],
  [".svg", "image/svg+xml"],
]);

export type Page = {
  /** Differs where anything of the page differs, apart from where it stands. */
  readonly build: string;
  /** The reply for a path below the base that no API has; undefined for what the page does not have. */
  reply(path: string, exchange: HttpExchange): Promise<HttpReply | undefined>;
};

/** The page as it was built into a folder. @throws the system's error where there is none */
export function createPage(folder: string, base: string): Page {
  // It names the files, which are named by their content.
  const template = readFileSync(join(folder, "index.html"), "utf8");
  const build = digestOf(template);
  const index = template
    .replace('<base href="/" />', `<base href="${escapeHtml(base)}" />`)
    .replace('<meta name="parley-build" content="" />', `<meta name="parley-build" content="${build}" />`);
  const assets = new Map(
    readdirSync(join(folder, "assets")).map((name) => [`assets/${name}`, join(folder, "assets", name)]),
  );
  const files = new Map<string, Promise<File>>();
  const fileOf = (path: string, read: () => Buffer) => {
    const known = files.get(path) ?? pack(read());
    files.set(path, known);
    return known;
  };
  return {
    build,
    async reply(path, { request: { headers } }) {
      const isPacked = takesGzip(headers);
      const place = assets.get(path);
      if (place !== undefined) {
        const { plain, packed } = await fileOf(path, () => readFileSync(place));
        return {
          status: 200,
          headers: { ...encoding(isPacked), "cache-control": "public, max-age=31536000, immutable" },
          content: {
            type: TYPES.get(extname(place)) ?? "application/octet-stream",
            bytes: isPacked ? packed : plain,
          },
        };
      }
      const accepts = String(headers.accept ?? "");
      if (path !== "" && !accepts.includes("text/html")) return undefined;
      const { plain, packed, etag } = await fileOf("", () => Buffer.from(index));
      const own = {
        ...encoding(isPacked),
        etag,
        "cache-control": "no-cache",
        "content-security-policy": POLICY,
        ...SAFE,
      };
      if (headers["if-none-match"] === etag) return { status: 304, headers: own };
      return {
        ...{ status: 200, headers: own },
        content: { type: TYPES.get(".html") ?? "", bytes: isPacked ? packed : plain },
      };
    },
  };
}

const SAFE = {
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
};

const encoding = (isPacked: boolean): Record<string, string> => ({
  vary: "accept-encoding",
  ...(isPacked ? { "content-encoding": "gzip" } : {}),
});

type File = { readonly plain: Buffer; readonly packed: Buffer; readonly etag: string };

async function pack(plain: Buffer): Promise<File> {
  const packed = await promisify(gzip)(plain, { level: 9 });
  return { plain, packed, etag: `"${digestOf(plain)}"` };
}

const digestOf = (content: string | Buffer): string =>
  createHash("sha256").update(content).digest("base64url").slice(0, 22);
