import type { ContextFile } from "../../config/input-files.ts";
import { formatSize } from "../../config/text-file.ts";
import { refusal } from "../../kernel/index.ts";
import { fetchPublic, type FetchOptions } from "../../models/fetch.ts";
import { mediaOf, otherPicture } from "../../text/media.ts";
import type { AppContext } from "../context.ts";

type FetchContext = Pick<AppContext, "env"> & {
  readonly settings: Pick<AppContext["settings"], "maxContextBytes" | "maxAttachmentBytes" | "fetchPrivate">;
  readonly client?: AppContext["client"];
  /** Stands in for the system's name service. */
  readonly resolve?: FetchOptions["resolve"];
};

/** What is read as text as it is, beside pages. */
const TEXT =
  /^(?:text\/|image\/svg\+xml|application\/(?:x-)?(?:json|xml|yaml|toml|javascript|typescript|ndjson|sh|sql|tex|[\w.+-]+\+(?:json|xml|yaml))\b)/i;
const SEEN = /^(?:image\/(?:png|jpeg|gif|webp)|application\/pdf)\b/i;
const HTML = /^(?:text\/html|application\/xhtml\+xml)\b/i;
/** HTML has many letters for each that is read. */
const MARKUP_FACTOR = 10;

/**
 * What is at an address of the web: the readable text of a page, a text as it is, the bytes of a picture or a PDF. A server's client
 * gets nothing fetched unless its operator allows it.
 * @throws Fault `configuration` for what is not fetched or cannot be read
 */
export async function fetchContext(context: FetchContext, url: string): Promise<ContextFile> {
  const { env, client, settings, resolve } = context;
  // What a client asks for, its operator decides.
  const { fetchPrivate = settings.fetchPrivate, fetchUrls = true } = client?.owner ?? {};
  if (!fetchUrls)
    throw refusal("this server fetches nothing from the web", "fetch it yourself and give its text");
  const { maxContextBytes, maxAttachmentBytes } = settings;
  const fetched = await fetchPublic(url, {
    maxBytes: Math.max(maxAttachmentBytes, MARKUP_FACTOR * maxContextBytes),
    allowsPrivate: fetchPrivate,
    ...{ env, resolve },
  });
  if (!fetched.ok) {
    const next = fetched.isPrivate
      ? "set fetch-private: true if you mean it, or give a file"
      : "check the address, or give a file";
    throw refusal(`${url} is not fetched: ${fetched.reason}`, next);
  }
  const { bytes, contentType } = fetched;
  const name = fetched.url;
  if (mediaOf(bytes)) return { name, base64: Buffer.from(bytes).toString("base64") };
  const { decodePage, pageText } = await import("./page-text.ts");
  const isUnsaid = contentType === "" || /^application\/octet-stream\b/i.test(contentType);
  const unread = (why: string, next: string) => refusal(`${url} ${why}`, next);
  const other = otherPicture(bytes);
  if (other) throw unread(`is a ${other} picture, which models do not take`, "save it as PNG or JPEG");
  if (SEEN.test(contentType))
    throw unread(`says that it is ${contentType.slice(0, 80)}, and is not`, "look at it in a browser");
  const written = decodePage(bytes, contentType);
  const isText = HTML.test(contentType) || TEXT.test(contentType) || isUnsaid;
  if (!isText || (!HTML.test(contentType) && written.includes("\0")))
    throw unread(
      `is ${isText ? "binary" : contentType.slice(0, 80)}`,
      "give a page, a text, a picture or a PDF",
    );
  const isPage = HTML.test(contentType) || (isUnsaid && /^\s*<(?:!doctype html|html)\b/i.test(written));
  const { title, text } = isPage
    ? pageText(written.replaceAll("\0", ""), fetched.url)
    : { title: "", text: written };
  if (text.trim() === "")
    throw unread("has no text that can be read without running its scripts", "save its text as a file");
  const whole = title === "" || text.startsWith(`# ${title}`) ? text : `# ${title}\n\n${text}`;
  if (Buffer.byteLength(whole) > maxContextBytes)
    throw refusal(
      `the text of ${url} has more than ${formatSize(maxContextBytes)}`,
      "give a part of it as a file, or raise max-context-bytes",
    );
  return { name, text: whole };
}
