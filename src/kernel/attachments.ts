import type { Attachment } from "./model.ts";

/** What a model may be unable to see. The words are those of `Call.without`. */
export type AttachmentKind = "pictures" | "documents";

export const isPicture = ({ mediaType }: Pick<Attachment, "mediaType">): boolean =>
  mediaType.startsWith("image/");

export const kindOf = (attachment: Pick<Attachment, "mediaType">): AttachmentKind =>
  isPicture(attachment) ? "pictures" : "documents";

type Described = Pick<Attachment, "mediaType" | "width" | "height" | "pages">;

/** `1200×800`, or `12 pages`; empty where it is not known. */
export function sizeOf({ width, height, pages }: Described): string {
  if (width !== undefined && height !== undefined) return `${width}×${height}`;
  return pages === undefined ? "" : pages === 1 ? "1 page" : `${pages} pages`;
}

/** Names are others' words: nothing in one ends the brackets around it, or begins a line. */
const plainName = (name: string): string =>
  name
    .replaceAll(/[[\]\s\p{C}]+/gu, " ")
    .trim()
    .slice(0, 120);

/** What a model is told in place of what it cannot see. */
export function notShown(attachment: Attachment): string {
  const size = sizeOf(attachment);
  const what = isPicture(attachment) ? "picture" : "document";
  return `[${what} ${plainName(attachment.name)}${size === "" ? "" : `, ${size}`}, not shown to you]`;
}

/** Pixels of a patch's side, tokens a patch at most, and of a picture: the least and the most of any provider's documented count. */
const PICTURE = { patch: 32, perPatch: 2.5, least: 1_120, most: 5_000 };
/** Of a page: its text and its picture. */
const PAGE_TOKENS = 5_000;

/** The tokens of an attachment in a prompt, at most (docs/decisions/2026-11-28-attachments.md has the formulas). */
export function attachmentTokens(attachment: Described): number {
  if (!isPicture(attachment)) return PAGE_TOKENS * (attachment.pages ?? 1);
  const { width = Infinity, height = Infinity } = attachment;
  const patches = Math.ceil(width / PICTURE.patch) * Math.ceil(height / PICTURE.patch);
  return Math.min(PICTURE.most, Math.max(PICTURE.least, Math.ceil(patches * PICTURE.perPatch)));
}
