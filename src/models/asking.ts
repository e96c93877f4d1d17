// What a request asks for beside its prompt, and what of that is left out because the provider refused it.
// What is left out is said with the reply: an answer must not pass for one at a temperature or an effort that nobody ever sent.

import { mergeOptions, SAMPLING_FIELDS, type Json, type ModelRequest } from "../kernel/index.ts";
import { effortFields } from "./effort.ts";
import type { Endpoint } from "./endpoint.ts";
import { mergeBodies, refusesValue, type Dialect, type WireFeature } from "./wires/wire.ts";

export type RequestPlan = {
  /** Where it goes: a search may go over another API of the provider. */
  readonly to: Endpoint;
  /** How the wire is to build this one request. */
  readonly dialect: Dialect;
  readonly headers: { readonly [name: string]: string };
  /** What was asked for and is not sent, as `Call.without` has it. */
  readonly without: readonly string[];
  /** What is sent, and what a refusal may be about. */
  readonly sent: readonly WireFeature[];
};

const NAMES: ReadonlyMap<string, string> = new Map([
  ["reply", "schema"],
  ["effort-level", "effort"],
]);

/** What of `wanted` is not sent, as `Call.without` names it. */
export const nameLeftOut = <F extends string>(wanted: readonly F[], left: ReadonlySet<F>): string[] => [
  ...new Set(wanted.filter((one) => left.has(one)).map((one) => NAMES.get(one) ?? one)),
];

/** What of a request not every model takes, whoever answers for it. */
export const wantedBy = ({ temperature, reply, tools, search }: ModelRequest): WireFeature[] => [
  ...(temperature === undefined ? [] : (["temperature"] as const)),
  ...(reply ? (["reply"] as const) : []),
  ...(tools?.length ? (["tools"] as const) : []),
  ...(search === undefined ? [] : (["search"] as const)),
];

/** Where a request can go: `searching` is the endpoint as it is asked to search, where it is and can. */
type Ways = { readonly usual: Endpoint; readonly searching?: Endpoint | undefined };

/** A field of `Sampling` as a wire's bodies have it; null where the provider documents none. */
function placeSampling(
  { wireName: wire, provider }: Endpoint,
  name: string,
  value: Json,
): { readonly [name: string]: Json } | null {
  if (wire === "ollama") return { options: { [name]: value } };
  if (wire === "gemini")
    return {
      generationConfig: { [name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())]: value },
    };
  const isTopPAlone = wire === "anthropic" || (wire === "responses" && provider === "openai");
  return isTopPAlone && name !== "top_p" ? null : { [name]: value };
}

/** What of a request goes out, once `learned` is known not to be taken. */
export function askWith(
  { usual, searching }: Ways,
  request: ModelRequest,
  learned: ReadonlySet<WireFeature>,
): RequestPlan {
  const form = searching === undefined || learned.has("search") ? null : searching.search;
  const search = form?.isAlone && request.tools?.length ? null : form;
  const endpoint = (search && searching) ?? usual;
  const { dialect, effort, model } = endpoint;
  const { body = {}, headers = {} } = mergeOptions(endpoint.options, request.options) ?? {};
  const left = new Set(learned);
  const placed = Object.entries(body).map(([name, value]) => {
    const fields = SAMPLING_FIELDS.includes(name) ? placeSampling(endpoint, name, value) : { [name]: value };
    if (fields === null) left.add(`body.${name}`);
    return [name, fields] as const;
  });
  if (search === null) left.add("search");
  const place = { provider: endpoint.provider, wire: endpoint.wireName, local: endpoint.local };
  const how = { model, effort: effort ?? "", room: request.maxOutputTokens, onOff: left.has("effort-level") };
  const isAsked = (effort !== null || endpoint.thinks === true) && !left.has("effort");
  const thinking = isAsked ? effortFields(place, how) : null;
  if (effort !== null && thinking === null) left.add("effort");
  if (thinking?.fixesTemperature === true) left.add("temperature");
  const wanted: WireFeature[] = [
    ...wantedBy(request),
    ...(effort !== null && thinking?.shows ? (["summary"] as const) : []),
    ...(effort === null ? [] : (["effort", "effort-level"] as const)),
    ...Object.keys(body).map((name) => `body.${name}` as const),
    ...Object.keys(headers).map((name) => `headers.${name}` as const),
  ];
  const isLeft = (feature: WireFeature) => left.has(feature) || dialect.without.has(feature);
  const keptHeaders = Object.entries(headers).filter(([name]) => !left.has(`headers.${name}`));
  // A model that thinks unasked is to show it, too: whoever wants to reads it. Where it does not, nothing that was asked for is left out.
  const shows = left.has("summary") ? undefined : thinking?.shows;
  const unnamed = [...(shows ? ["summary" as const] : []), "usage" as const, "max-tokens" as const];
  return {
    to: endpoint,
    dialect: {
      ...dialect,
      ...(search === null ? {} : { search: search.tool(request.search ?? 1) }),
      extra: [
        ...[effort === null ? {} : thinking?.fields, shows],
        ...placed.map(([name, fields]) => (left.has(`body.${name}`) ? null : fields)),
      ].reduce<NonNullable<Dialect["extra"]>>(
        (all, more) => mergeBodies(all, more ?? {}),
        dialect.extra ?? {},
      ),
      without: new Set([...dialect.without, ...left]),
    },
    headers: Object.fromEntries(keptHeaders.map(([name, value]) => [name.toLowerCase(), value])),
    without: nameLeftOut(wanted, left),
    sent: [...wanted, ...unnamed].filter((feature) => !isLeft(feature)),
  };
}

/** Which part of what was sent a refusal is about; null where it is about none. */
export function refusedPart(
  words: string,
  { sent }: Pick<RequestPlan, "sent">,
  complaints: readonly WireFeature[],
): WireFeature | null {
  // Without an effort, what is refused about thinking is that it be shown.
  const about = complaints.includes("effort") ? [...complaints, "summary" as const] : complaints;
  const known = about.find((feature) => sent.includes(feature));
  // A search stands among the tools, and what refuses these refuses it.
  if (known === undefined && complaints.includes("tools") && sent.includes("search")) return "search";
  if (known !== undefined) return known;
  const isNamed = (feature: WireFeature): boolean => {
    const name = /^(?:body|headers)\.(.+)$/s.exec(feature)?.[1]?.replaceAll(/[^\w-]/g, "\\$&");
    return name !== undefined && new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "i").test(words);
  };
  return (refusesValue.test(words) ? sent.find(isNamed) : undefined) ?? null;
}
