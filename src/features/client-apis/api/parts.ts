import * as z from "zod";
import type { GivenContext } from "../../../app/attachments/index.ts";
import type { AppContext } from "../../../app/context.ts";
import { oneLine } from "../../../reports/printable.ts";
import { mediaOf, readUtf8 } from "../../../text/media.ts";
import { Refused } from "../../../server/problem.ts";
import { badField } from "./errors.ts";

// A picture or a document stands with the question, wherever in the conversation it was sent; its place there has its name.

export const Content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().nullish(), refusal: z.string().nullish() })),
]);
export type Content = z.infer<typeof Content>;
type ContentPart = Exclude<Content, string>[number];

/** A file that came with a request, or the address of one. */
export type SentFile = GivenContext | { readonly url: string };

const MAX_NAME_LENGTH = 120;
const MAX_URL_LENGTH = 2_000;
const MAX_FILES = 40;

/** The words of a conversation's contents, and the files in them, `most` at most. */
export function createParts(most = MAX_FILES) {
  const files: SentFile[] = [];

  const nameOf = (kind: string, given: unknown): string =>
    (typeof given === "string" && oneLine(given, MAX_NAME_LENGTH)) || `${kind} ${files.length + 1}`;

  const take = (file: SentFile): string => {
    if (files.length === most) throw badField("", `there are more than ${most} pictures and files`);
    files.push(file);
    return `[attached: ${"url" in file ? file.url : file.name}]`;
  };

  /** A part in words. @throws Refused 400 for one that nobody here can read */
  const read = (part: ContentPart, at: string): string => {
    const { type, text, refusal, ...rest } = part;
    if (/^(?:(?:input_|output_)?text)$/.test(type)) return text ?? "";
    if (type === "refusal") return refusal ?? "";
    const file = type === "file" ? fieldsIn(rest["file"]) : rest;
    if (file["file_id"] !== undefined && file["file_id"] !== null)
      throw badField(`${at}.file_id`, `${at}: files are not kept here`, "send the file itself, as file_data");
    const picture = type === "image_url" || type === "input_image";
    const sent = picture
      ? (fieldsIn(rest["image_url"])["url"] ?? rest["image_url"])
      : type === "file" || type === "input_file"
        ? (file["file_data"] ?? file["file_url"])
        : undefined;
    if (typeof sent !== "string" || sent === "")
      throw badField(at, `${at}: ${type.slice(0, 60)} is not supported; send text, a picture or a file`);
    if (/^https?:\/\//i.test(sent)) {
      if (sent.length <= MAX_URL_LENGTH && URL.canParse(sent)) return take({ url: sent });
      throw badField(at, `${at}: this is no address of the web`);
    }
    const name = nameOf(picture ? "picture" : "file", file["filename"]);
    return take(fileIn(name, sent) ?? refuseData(at));
  };

  return {
    files,
    /** A content's text, with a word for each file. @throws Refused 400 */
    words(content: Content | null | undefined, place: string): string {
      if (typeof content === "string") return content;
      return (content ?? []).map((part, index) => read(part, `${place}[${index}]`)).join("\n");
    },
    /** The same of what a tool gave, which its client cannot change any more: what nobody can read is left out. */
    wordsOfTool(content: Content, place: string): string {
      if (typeof content === "string") return content;
      const words = (part: ContentPart, index: number): string => {
        try {
          return read(part, `${place}[${index}]`);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          return `(${part.type.slice(0, 60)} left out)`;
        }
      };
      return content.map(words).join("\n");
    },
  };
}

const refuseData = (at: string): never => {
  throw badField(at, `${at}: this is no data URL and no base64`, "send data:TYPE;base64,…");
};

/** A file in a data URL or in base64; undefined for what is neither. */
function fileIn(name: string, sent: string): GivenContext | undefined {
  const [, type = "", form = "", data = sent] = /^data:([^,;]*)((?:;[^,;]*)*),([^]*)$/i.exec(sent) ?? [];
  if (/^data:/i.test(data)) return undefined;
  const isBase64 = data === sent || /;base64$/i.test(form);
  const bytes = isBase64 ? decode(data) : Buffer.from(unescape(data));
  if (bytes === undefined || bytes.length === 0) return undefined;
  const isText = /^(?:text\/|application\/(?:json|xml|yaml)\b)/i.test(type) || !mediaOf(bytes);
  const text = isText && !bytes.includes(0) ? readUtf8(bytes) : undefined;
  return text === undefined ? { name, base64: bytes.toString("base64") } : { name, text };
}

const decode = (data: string): Buffer | undefined =>
  /^[A-Za-z0-9+/_-]+={0,2}$/.test(data) ? Buffer.from(data, "base64") : undefined;

function unescape(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export type SentFields = Readonly<Record<string, unknown>>;

export const fieldsIn = (value: unknown): SentFields =>
  typeof value === "object" && value !== null ? { ...value } : {};

/** What goes with the question; an address is fetched where the server's operator allows it. @throws Fault as `fetchContext` does */
export async function contextOf(
  context: AppContext,
  files: readonly SentFile[],
): Promise<readonly GivenContext[]> {
  if (!files.some((file) => "url" in file)) return files as readonly GivenContext[];
  const { fetchContext } = await import("../../../app/attachments/web.ts");
  return Promise.all(files.map(async (file) => ("url" in file ? fetchContext(context, file.url) : file)));
}
