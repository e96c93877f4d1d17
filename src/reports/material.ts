import { attachmentsOf, isPicture, sizeOf, type Event, type ReportPart } from "../kernel/index.ts";
import type { Result } from "../views/result.ts";
import { element } from "./element.ts";
import { figures, part, quote } from "./part.ts";
import { inline, oneLine } from "./printable.ts";
import { wrap } from "./text-width.ts";

/** Pictures and documents that went with the question, and where the format can, the pictures themselves. */
export function attachmentsPart(
  { data }: Event<"deliberation-opened">,
  { pictures }: { readonly pictures?: ((digest: string) => string | undefined) | undefined },
): ReportPart {
  const attached = attachmentsOf(data);
  const rows = attached.map((one) => {
    const kind = isPicture(one) ? "picture" : "document";
    const words = [kind, sizeOf(one), one.mediaType].filter(Boolean).join(", ");
    return [oneLine(one.name, 120), words] as const;
  });
  const shown = attached.flatMap((one) => {
    const src = isPicture(one) ? pictures?.(one.digest) : undefined;
    if (src === undefined) return [];
    const { width, height, digest } = one;
    return figures(
      element("img", { src, id: `picture-${digest}`, width, height, alt: oneLine(one.name, 120) }),
    );
  });
  return part("Attachments", ...(rows.length === 0 ? [] : [{ kind: "facts", rows } as const]), ...shown);
}

const MAX_TITLE_LENGTH = 120;
/** Sources that stand below an answer in a terminal; a document has all. */
const MAX_SHOWN = 12;

const nameOf = ({ title, host }: Pick<Result["sources"][number], "title" | "host">): string =>
  oneLine(title === null ? host : `${title} (${host})`, MAX_TITLE_LENGTH);

/** What answers rest on: a title with its host, and the address below it, whole. */
export function sourceLines({ sources }: Pick<Result, "sources">, width: number): string[] {
  if (sources.length === 0) return [];
  const more = sources.length - MAX_SHOWN;
  return [
    "Sources:",
    ...sources.slice(0, MAX_SHOWN).flatMap(({ n, url, ...named }) => {
      // An address stays whole, to be copied.
      const [line, address] = [`[${n}] ${nameOf(named)}`, `    ${oneLine(url, Infinity)}`];
      return [...(width === 0 ? [line] : wrap(line, width)), address];
    }),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

/** The same in a document, as links. */
export function sourcesPart({ sources }: Pick<Result, "sources">): ReportPart {
  const lines = sources.map(({ n, url, ...named }) => {
    // What reaches out of its quote would have the whole list fenced; a parenthesis would end the link.
    const name = inline(nameOf(named).replaceAll("]:", "] :")).replaceAll("\\<", "&lt;");
    return `${n}. [${name}](${url.replaceAll("(", "%28").replaceAll(")", "%29")})`;
  });
  return part("Sources", ...(lines.length === 0 ? [] : [quote(lines.join("\n"))]));
}
