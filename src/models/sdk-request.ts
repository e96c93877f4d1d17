// A request as packages of the AI SDK take it.

import type { Message, ModelRequest } from "../kernel/model.ts";
import { EFFORTS, readReference } from "../kernel/model-options.ts";
import { isSent, type SentAttachment } from "../kernel/transport.ts";
import { kindOf, type AttachmentKind } from "../kernel/attachments.ts";
import { wantedBy } from "./asking.ts";
import { effortFields } from "./effort.ts";
import { USER_AGENT } from "./http.ts";
import { isObject, objectAt, parseJson, toCount, toItems, toObject, toText } from "./loose.ts";
import type { LooseObject } from "./loose.ts";
import { providerName, readSdkReference, type SdkModel } from "./sdk-package.ts";
import { attachedParts, type PartForms } from "./wires/attached.ts";
import { mergeBodies, sealedObjects, type WireFeature } from "./wires/wire.ts";

const textPart = (text: string) => ({ type: "text", text });

/** Version 4 says of what a file holds whether it is its bytes, and drops what says nothing. */
function partForms(isNew: boolean): PartForms {
  const file = ({ name: filename, mediaType, data }: SentAttachment) => ({
    type: "file",
    ...{ filename, mediaType, data: isNew ? { type: "data", data } : data },
  });
  return { text: textPart, picture: file, document: file };
}

function contentOf(message: Message, messages: readonly Message[], forms: PartForms): unknown {
  switch (message.role) {
    case "system":
      return message.text;
    case "user":
      return attachedParts(message, forms) ?? [textPart(message.text)];
    case "assistant": {
      const calls = (message.toolCalls ?? []).map(({ id, name, arguments: written, extra }) => ({
        ...extra,
        type: "tool-call",
        toolCallId: id,
        toolName: name,
        input: parseJson(written) ?? {},
      }));
      const thought = calls.length > 0 ? sealedObjects(message.thinking) : [];
      return [
        ...thought,
        ...(message.text === "" && calls.length > 0 ? [] : [textPart(message.text)]),
        ...calls,
      ];
    }
    case "tool": {
      const calls = messages.flatMap((one) => (one.role === "assistant" ? (one.toolCalls ?? []) : []));
      const toolName = calls.find(({ id }) => id === message.id)?.name ?? "";
      const output = { type: "text", value: message.text };
      return [{ type: "tool-result", toolCallId: message.id, toolName, output }];
    }
  }
}

type PackageCall = {
  readonly model: SdkModel;
  readonly signal: AbortSignal;
  /** What is left out; what cannot be asked for is added. */
  readonly without: Set<LeftOut>;
};

/** A call's options as the AI SDK has them (`LanguageModelV3CallOptions`). */
export function callOptions(request: ModelRequest, { model, signal, without }: PackageCall): LooseObject {
  const { messages, temperature, reply, tools = [] } = request;
  const isNew = model.specificationVersion === "v4";
  const forms = partForms(isNew);
  return {
    ...packageOptions(request, isNew, without),
    prompt: messages.map((message) => ({ role: message.role, content: contentOf(message, messages, forms) })),
    ...(temperature !== undefined && !without.has("temperature") && { temperature }),
    ...(reply && !without.has("reply") && { responseFormat: { type: "json", ...reply } }),
    ...(tools.length > 0 &&
      !without.has("tools") && {
        tools: tools.map(({ name, description, parameters }) => ({
          type: "function",
          ...{ name, description, inputSchema: parameters },
        })),
        toolChoice: { type: "auto" },
      }),
    includeRawChunks: false,
    headers: { ...request.options?.headers, "user-agent": USER_AGENT },
    abortSignal: signal,
  };
}

/** Fields of an API's body as its package spells them. */
const inCamelCase = (fields: LooseObject): LooseObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      isObject(value) ? inCamelCase(value) : value,
    ]),
  );

/** Packages that take what their API does; the others have one field. */
const OWN_FIELDS = /^(?:anthropic|deepseek|groq|ollama|openrouter)$/;
/** Packages whose API keeps every reply unless it is told not to. */
const KEEPS = /^(?:openai|azure|xai)$/;

type PackageEffort = {
  readonly model: string;
  readonly effort: string;
  readonly room: number;
  /** Whether version 4 has a field for it, from which Google's package takes what its model does. */
  readonly hasField: boolean;
};

/** How a package is asked for an effort, in its own words; null where the reply has no room to think. */
function effortOptions(name: string, asked: PackageEffort, shows: boolean): LooseObject | null {
  const { effort, hasField } = asked;
  if (name === "google")
    return { thinkingConfig: { ...(!hasField && { thinkingLevel: effort }), includeThoughts: shows } };
  const wire = name === "anthropic" || name === "ollama" ? name : "openai";
  const place = { provider: OWN_FIELDS.test(name) ? name : "", wire, local: false } as const;
  const fields = effortFields(place, { ...asked, onOff: true });
  if (fields === null) return null;
  const { outputConfig, ...own } = inCamelCase(mergeBodies(fields.fields, (shows && fields.shows) || {}));
  const summary = name === "openai" && { reasoningSummary: shows ? "auto" : null };
  return { ...own, ...toObject(outputConfig), ...summary };
}

/** What a package takes beside what every one does: an effort, and the user's own fields. */
function packageOptions(request: ModelRequest, isNew: boolean, without: Set<LeftOut>): LooseObject {
  const { model: bare, effort = "" } = readReference(request.model);
  const { packages: [first = ""] = [], model = "" } = readSdkReference(bare) ?? {};
  const name = providerName(first);
  const hasField = isNew && EFFORTS.some((one) => one === effort);
  const asked = { model, effort, room: request.maxOutputTokens, hasField };
  const shows = effort !== "none" && !without.has("summary");
  const thinks = effort === "" || without.has("effort") ? {} : effortOptions(name, asked, shows);
  if (thinks === null) without.add("effort");
  const own = { ...(KEEPS.test(name) && { store: false }), ...thinks, ...request.options?.body };
  return {
    // Anthropic's package adds the tokens for thinking to the longest reply.
    maxOutputTokens: asked.room - (toCount(objectAt(thinks, "thinking")["budgetTokens"]) ?? 0),
    ...(hasField && !without.has("effort") && name !== "anthropic" && { reasoning: effort }),
    ...(Object.keys(own).length > 0 && { providerOptions: { [name]: own } }),
  };
}

export type LeftOut = WireFeature | AttachmentKind;

/** What a request can do without. */
export const askedOf = (request: ModelRequest): WireFeature[] => [
  ...wantedBy(request),
  ...(readReference(request.model).effort === undefined ? [] : (["summary", "effort"] as const)),
];

/** What a request shows, an entry each. */
export const kindsIn = ({ messages }: ModelRequest): AttachmentKind[] =>
  messages.flatMap((one) => (one.role === "user" ? (one.attachments ?? []).filter(isSent).map(kindOf) : []));

/** What packages call that which they do not send, or change. */
const WARNED: readonly (readonly [RegExp, WireFeature])[] = [
  [/^temperature$/, "temperature"],
  [/^responseFormat$/, "reply"],
  [/^tools$|^function tool /, "tools"],
  [/^reasoning(?:Effort)?$|\.(?:effort|thinking)$/, "effort"],
];

/** Adds to `without` what a package says, as its stream begins, that it has left out. */
export function leaveOut(start: LooseObject, request: ModelRequest, without: Set<LeftOut>): void {
  const warnings = toItems(start["warnings"])
    .map(toObject)
    .filter(({ type }) => type !== "deprecated");
  const named = warnings.map(({ feature, setting }) => toText(feature) || toText(setting));
  for (const [pattern, feature] of WARNED) if (named.some((one) => pattern.test(one))) without.add(feature);
  const unseen = named.filter((one) => /\bpart type\b/.test(one)).length;
  const kinds = kindsIn(request);
  // What is not named is a document, where anything of these was sent.
  const isPart = unseen < kinds.length && kinds.includes("documents");
  if (unseen > 0) for (const kind of isPart ? (["documents"] as const) : kinds) without.add(kind);
}
