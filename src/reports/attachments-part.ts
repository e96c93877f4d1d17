import { attachmentsOf, isPicture, sizeOf, type Event, type ReportPart } from "../kernel/index.ts";
import type { ShownResult } from "./answer.ts";
import { element } from "./element.ts";
import { figures, part } from "./part.ts";
import { oneLine } from "./printable.ts";

/** Pictures and documents that went with the question, and where the format can, the pictures themselves. */
export function attachmentsPart(
  { data }: Event<"deliberation-opened">,
  { pictures }: ShownResult,
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
