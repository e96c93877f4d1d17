import * as z from "zod";
import type { NewDeliberation, Note } from "../../engine/opening-part.ts";
import { refusal } from "../../kernel/index.ts";
import { formatSize } from "../../config/text-file.ts";
import { pluralize } from "../../text/format.ts";
import { mediaOf } from "../../text/media.ts";
import type { AppContext } from "../context.ts";

/** What goes with a question: a text, or the bytes of a picture or a PDF in base64. */
export type GivenContext =
  { readonly name: string; readonly text: string } | { readonly name: string; readonly base64: string };
/** The form of one. */
export const GivenEntry = z
  .strictObject({ name: z.string(), text: z.string().exactOptional(), base64: z.base64().exactOptional() })
  .refine((one) => "text" in one !== "base64" in one, "a context entry has a text or base64");

/** Requests with more pictures have lower limits with some providers. */
const MAX_ATTACHMENTS = 20;

/**
 * Reads what goes with a question: pictures are measured, and of a PDF its text is taken, with the file beside it where it has none or
 * the settings say so. A text that is given as bytes is one.
 * @throws Fault `configuration` for bytes that nobody can read or no participant see, and for too many of them
 */
export async function readGiven(
  { models, settings, env }: Pick<AppContext, "models" | "settings" | "env">,
  given: readonly GivenContext[],
  participants: NewDeliberation["participants"],
): Promise<{ readonly context: NewDeliberation["context"]; readonly notes: readonly Note[] }> {
  const notes: Note[] = [];
  const context: NewDeliberation["context"][number][] = [];
  const most = settings.maxAttachmentBytes;
  const next = "give less, or raise max-attachment-bytes";
  let total = 0;
  for (const one of given) {
    if ("text" in one) {
      context.push(one);
      continue;
    }
    const { name, base64 } = one;
    const bytes = Buffer.from(base64, "base64");
    if (bytes.length > most) throw refusal(`${name} has more than ${formatSize(most)}`, next);
    total += bytes.length;
    if (total > 2 * most)
      throw refusal(`all pictures and documents together have more than ${formatSize(2 * most)}`, next);
    const found = mediaOf(bytes);
    if (!found)
      throw refusal(`${name} is neither a picture (PNG, JPEG, GIF, WebP) nor a PDF`, "give it as text");
    if (found.mediaType === "application/pdf") {
      const read = await readDocument(name, bytes, settings);
      context.push(read.entry);
      notes.push(...read.notes);
      continue;
    }
    const { fitPicture } = await import("./pictures.ts");
    const { mediaType, width, height, from, ...picture } = await fitPicture(name, { ...found, bytes }, env);
    if (from !== undefined) notes.push(warning(`${name} was scaled from ${from} to ${width}×${height}`));
    const data = Buffer.from(picture.bytes).toString("base64");
    const text = `A picture, ${mediaType}, ${width}×${height} pixels.`;
    context.push({ name, text, media: { mediaType, width, height, data } });
  }
  if (context.filter(({ media }) => media).length > MAX_ATTACHMENTS)
    throw refusal(`there are more than ${MAX_ATTACHMENTS} pictures and documents`, "give fewer");
  // Whoever cannot see what has nothing to read knows nothing of it.
  const onlySeen = context.filter(({ media, text }) => media && !text.startsWith(FIRST_PAGE));
  if (onlySeen.length > 0) {
    const { refuseBlind } = await import("./sight.ts");
    await refuseBlind({ models, settings, env }, { participants, onlySeen });
  }
  return { context, notes };
}

const pageMark = (index: number): string => `[page ${index + 1}]`;
const FIRST_PAGE = pageMark(0);

const warning = (text: string): Note => ({ code: "warning", text });

async function readDocument(
  name: string,
  bytes: Uint8Array,
  { pdf, maxContextBytes }: AppContext["settings"],
): Promise<{ readonly entry: NewDeliberation["context"][number]; readonly notes: readonly Note[] }> {
  const { readPdf } = await import("./pdf.ts");
  const pages = await readPdf(name, bytes);
  const empty = pages.flatMap((text, index) => (text === "" ? [index + 1] : []));
  const isScanned = empty.length === pages.length;
  const count = pluralize(pages.length, "page");
  const text = isScanned
    ? `A PDF of ${count} without any text, as of a scanner.`
    : pages.map((page, index) => `${pageMark(index)}\n${page === "" ? "(no text)" : page}`).join("\n\n");
  if (Buffer.byteLength(text) > maxContextBytes)
    throw refusal(
      `the text of ${name} has more than ${formatSize(maxContextBytes)}`,
      "give a part of it, or raise max-context-bytes",
    );
  const data = Buffer.from(bytes).toString("base64");
  const media = { mediaType: "application/pdf", pages: Math.max(1, pages.length), data };
  const listed = empty.length > 8 ? `${empty.slice(0, 8).join(", ")}, …` : empty.join(", ");
  return {
    entry: isScanned || pdf === "file" ? { name, text, media } : { name, text },
    notes: isScanned
      ? [warning(`${name} has ${count} and no text: it is shown to models that take documents`)]
      : empty.length > 0 && pdf === "text"
        ? [
            warning(
              `${name} has no text on ${empty.length === 1 ? "page" : "pages"} ${listed}; with pdf: file, models that take documents see the pages`,
            ),
          ]
        : [],
  };
}
