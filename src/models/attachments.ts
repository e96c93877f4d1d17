// A model gets what it can see of a message's attachments, and is told of the rest that it was there. Of whom nothing is known is tried: a
// refusal is learned for as long as the process lives, and the request is sent again with the words in place of the picture.
// SEE-1. What was not shown is said in the call's `without`. Else: an answer about a picture passes for one by somebody who saw it.

import { kindOf, notShown, type AttachmentKind } from "../kernel/attachments.ts";
import type { CallOptions, Message, ModelFacts, ModelRequest } from "../kernel/model.ts";
import type { Attempt, SendContext, Transport } from "../kernel/transport.ts";

/** What each model was found not to see. */
export type Blindness = Map<string, Set<AttachmentKind>>;

export type Sight = Pick<ModelFacts, AttachmentKind> & {
  readonly learned: Blindness;
  readonly bytesOf: CallOptions["bytesOf"];
};

export const hasAttachments = ({ messages }: ModelRequest): boolean =>
  messages.some((message) => message.role === "user" && (message.attachments ?? []).length > 0);

/** The same transport for requests with attachments. */
export function withSight(transport: Transport, { learned, bytesOf, ...sees }: Sight): Transport {
  return {
    async send(request: ModelRequest, sending: SendContext): Promise<Attempt> {
      const left = learned.get(request.model) ?? new Set();
      const isLeft = (kind: AttachmentKind) =>
        bytesOf === undefined || sees[kind] === false || left.has(kind);
      const without = new Set<AttachmentKind>();
      const sent = new Set<AttachmentKind>();
      const show = async (message: Message): Promise<Message> => {
        if (message.role !== "user" || !message.attachments) return message;
        for (const one of message.attachments) (isLeft(kindOf(one)) ? without : sent).add(kindOf(one));
        const told = message.attachments.filter((one) => isLeft(kindOf(one))).map(notShown);
        const attachments = await Promise.all(
          message.attachments.map(async (one) =>
            isLeft(kindOf(one)) || !bytesOf ? one : { ...one, data: await bytesOf(one.digest) },
          ),
        );
        return { ...message, text: [message.text, ...told].join("\n\n"), attachments };
      };
      const messages = await Promise.all(request.messages.map(show));
      const attempt = await transport.send({ ...request, messages }, sending);
      // A package says by itself what it has left out.
      const blind = attempt.ok ? (attempt.without ?? []) : refusedBy(attempt);
      const found = [...sent].filter((kind) => blind.includes(kind));
      if (found.length > 0) learned.set(request.model, new Set([...left, ...found]));
      if (!attempt.ok && found.length > 0) return { ...attempt, retry: "now" };
      return without.size === 0 ? attempt : { ...attempt, without: [...(attempt.without ?? []), ...without] };
    },
  };
}

const PICTURES = /\bimages?\b|image_url|input_image|\bpictures?\b|\bvision\b|multi-?modal|mmproj/i;
const DOCUMENTS = /\bfiles?\b|input_file|\bdocuments?\b|\bpdfs?\b/i;
const REFUSES =
  /(?:\bnot|n't|\bno endpoints found that) (?:support|a (?:vision|multi-?modal)|capable|able|accept|allow|take|enabled|compiled)|\bunsupported\b|only supported by|missing data required|unknown variant|text[- ]only|\binvalid (?:content|part|message) type/i;
/** Of a picture, and not of all pictures. */
const THIS_ONE =
  /\bformats?\b|media[_ ]?type|mime|too (?:large|big|many)|exceed|dimension|corrupt|could not process|decode/i;
/** Servers that know no parts at all. */
const TEXT_ALONE =
  /\bcontent\b.{0,40}\b(?:must|should|has to|expected)\b.{0,20}\bstring\b|sequence, expected a string|input should be a valid string/i;

const refusedBy = ({ retry, failure }: Extract<Attempt, { ok: false }>): readonly string[] =>
  retry !== "now" && (failure.http !== undefined || failure.code === "refused")
    ? refusedKinds(failure.message)
    : [];

/** What a refusal in these words says that a model does not see. */
function refusedKinds(words: string): readonly AttachmentKind[] {
  if (TEXT_ALONE.test(words)) return ["pictures", "documents"];
  if (!REFUSES.test(words) || THIS_ONE.test(words)) return [];
  return [
    ...(PICTURES.test(words) ? (["pictures"] as const) : []),
    ...(DOCUMENTS.test(words) ? (["documents"] as const) : []),
  ];
}
