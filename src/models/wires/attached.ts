import type { Message } from "../../kernel/model.ts";
import { isSent, type SentAttachment } from "../../kernel/transport.ts";
import { isPicture } from "../../kernel/attachments.ts";

/** How a wire writes the parts of a message. */
export type PartForms = {
  readonly text: (text: string) => unknown;
  readonly picture: (picture: SentAttachment) => unknown;
  readonly document: (document: SentAttachment) => unknown;
};

/** The parts of a message with attachments: each under the number that the prompt names it by, then the text. Null where none is sent with it. */
export function attachedParts(
  { text, attachments = [] }: Extract<Message, { role: "user" }>,
  forms: PartForms,
): readonly unknown[] | null {
  const parts = attachments.flatMap((one, index) => {
    if (!isSent(one)) return [];
    const [kind, part] = isPicture(one) ? ["Picture", forms.picture(one)] : ["Document", forms.document(one)];
    return [forms.text(`${kind} ${index + 1}:`), part];
  });
  return parts.length === 0 ? null : [...parts, ...(text === "" ? [] : [forms.text(text)])];
}

export const dataUrl = ({ mediaType, data }: SentAttachment): string => `data:${mediaType};base64,${data}`;
