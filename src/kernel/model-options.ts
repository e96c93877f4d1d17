import * as z from "zod";
import { Json } from "./ids.ts";
import { redactSecrets } from "./secrets.ts";

/** How much a model thinks, from least to most, in the words of the providers; each takes some of them. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const Effort = z
  .enum(EFFORTS)
  .meta({ noun: "an effort", expects: `one of ${EFFORTS.join(", ")}`, example: "high" });
export type Effort = z.infer<typeof Effort>;

/** What a reference says: `openai/gpt-5.6?effort=high&wire=responses`. `model` is the reference without these. */
export type Reference = {
  readonly model: string;
  readonly effort?: string;
  /** The API to be asked. */
  readonly wire?: string;
};

/** The options of every reference; those of a simulated or recorded model are its own. */
export const REFERENCE_OPTIONS: readonly string[] = ["effort", "wire"];
const HAS_OWN = /^(?:sim|recorded|human)\//;

/** Reads a reference's options, wherever they stand behind the `?`. What else stands there is left as a part of the name. */
export function readReference(ref: string): Reference {
  const at = ref.indexOf("?");
  if (at < 0 || HAS_OWN.test(ref)) return { model: ref };
  const pairs = ref.slice(at + 1).split(/[?&]/);
  const isOption = (pair: string) => REFERENCE_OPTIONS.includes(pair.split("=", 1)[0] ?? "");
  const options = pairs.filter(isOption);
  if (options.length === 0) return { model: ref };
  const rest = pairs.filter((pair) => !isOption(pair));
  return {
    model: ref.slice(0, at) + (rest.length > 0 ? `?${rest.join("&")}` : ""),
    ...Object.fromEntries(options.map((pair) => pair.split(/=(.*)/s, 2))),
  };
}

/** The model of a reference, whatever it is asked with: prices, families and lists know that one. */
export const bareReference = (ref: string): string => readReference(ref).model;

/** A reference that asks for an effort; one that names its own keeps it, as does what thinks as it likes. */
export function withEffort<R extends string>(ref: R, effort: Effort | undefined): R {
  if (effort === undefined || /^(?:recorded|human)\/|[?&]effort=/.test(ref)) return ref;
  return `${ref}${ref.includes("?") ? "&" : "?"}effort=${effort}` as R; // no brand is lost by what is added
}

/** How a model chooses its words, beside its temperature, as bodies of requests name it. */
export const Sampling = z
  .strictObject({
    top_p: z.number().min(0).max(1),
    presence_penalty: z.number().min(-2).max(2),
    frequency_penalty: z.number().min(-2).max(2),
    seed: z.int(),
  })
  .partial();
export type Sampling = z.infer<typeof Sampling>;
export const SAMPLING_FIELDS: readonly string[] = Object.keys(Sampling.shape);

const MAX_BODY_LENGTH = 16_384;
const MAX_DEPTH = 8;
const MAX_HEADERS = 16;

/** Names whose values let somebody in. `max_tokens` counts tokens, and is none. */
const CREDENTIAL =
  /authorization|cookie|secret|passw(?:or)?d|passphrase|credential|signature|(?:^|[-_.])auth(?:$|[-_.])|token$|(?:api|access|auth|private|subscription|functions?|master)[-_]?key$|^(?:x-)?key$/i;

/** What Parley itself sets, by the name that bodies have for it: why it cannot be set here. */
const OWN_FIELDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "names the model": ["model"],
    "writes the prompt": ["messages", "input", "prompt", "system", "instructions", "contents"],
    "reads replies as a stream": ["stream", "stream_options", "background"],
    "offers the tools": ["tools", "functions"],
    "sets the longest reply (settings: draft-tokens, respond-tokens, …)": [
      ...["max_tokens", "max_completion_tokens", "max_output_tokens", "options.num_predict"],
    ],
    "sets the room of prompt and reply": ["options.num_ctx"],
    "sets the temperature (temperature: beside it, or the setting temperatures)": [
      ...["temperature", "options.temperature"],
    ],
    "asks for replies in a form": ["response_format", "format", "text.format", "output_config.format"],
    "reads one reply": ["n"],
    "keeps nothing with the provider": ["store", "previous_response_id", "conversation"],
  }).flatMap(([why, names]) => names.map((name) => [name, why] as const)),
);

const OWN_HEADERS =
  /^(?:content-.*|host|user-agent|accept(?:-encoding)?|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|anthropic-version|forwarded|x-forwarded-.*|x-parley-.*|proxy-.*)$/i;

const wordCredential = (name: string): string =>
  `"${name.slice(0, 80)}" carries a credential, which no file holds and no run records; the key goes where auth says`;

function refuseValue(value: unknown, path: string, depth: number): string | undefined {
  if (typeof value === "string" && redactSecrets(value) !== value)
    return `"${path.slice(0, 80)}" holds what looks like a key`;
  if (typeof value !== "object" || value === null) return undefined;
  if (depth >= MAX_DEPTH) return `"${path.slice(0, 80)}" is nested more than ${MAX_DEPTH} deep`;
  for (const [name, inner] of Object.entries(value)) {
    const at = path === "" ? name : `${path}.${name}`;
    const own = OWN_FIELDS.get(at);
    if (own !== undefined) return `"${at}" cannot be set here: Parley ${own}`;
    const why =
      !Array.isArray(value) && CREDENTIAL.test(name) ? wordCredential(at) : refuseValue(inner, at, depth + 1);
    if (why !== undefined) return why;
  }
  return undefined;
}

function refuseHeader(name: string, value: string): string | undefined {
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name)) return `"${name.slice(0, 80)}" is no name of a header`;
  if (CREDENTIAL.test(name)) return wordCredential(name);
  if (OWN_HEADERS.test(name)) return `"${name}" cannot be set here: Parley sets it`;
  if (!/^[\x20-\x7e]{1,1000}$/.test(value)) return `"${name}" must have 1 to 1000 plain characters`;
  return refuseValue(value, name, 0);
}

const Body = z.record(z.string(), Json);
const Headers = z.record(z.string(), z.string());

/** What a member, or an endpoint, is asked with beside the prompt. Recorded with the participant, and so without any key. */
export const RequestOptions = z.strictObject({ body: Body.optional(), headers: Headers.optional() });
export type RequestOptions = z.infer<typeof RequestOptions>;

/** Why this cannot be sent, as a sentence; undefined where it can. What is recorded is read without asking. */
export function problemOfOptions({ body = {}, headers = {} }: RequestOptions): string | undefined {
  if (JSON.stringify(body).length > MAX_BODY_LENGTH) return `it has more than ${MAX_BODY_LENGTH} characters`;
  const all = Object.entries(headers);
  if (all.length > MAX_HEADERS) return `there are more than ${MAX_HEADERS} headers`;
  return (
    refuseValue(body, "", 0) ??
    all.map(([name, value]) => refuseHeader(name, value)).find((why) => why !== undefined)
  );
}

function refuseBy<T>(problem: (value: T) => string | undefined) {
  return z.superRefine<T>((value, context) => {
    const message = problem(value);
    if (message !== undefined) context.addIssue({ code: "custom", message });
  });
}

/** The two as files have them. */
export const optionFields = {
  /** Fields of the request's body beside what Parley sets. */
  body: Body.check(refuseBy((body) => problemOfOptions({ body }))).optional(),
  headers: Headers.check(refuseBy((headers) => problemOfOptions({ headers }))).optional(),
};

/** What a request says of it in its body, before what an owner says. */
export const samplingOptions = (sampling: Sampling = {}): RequestOptions => ({
  body: Object.fromEntries(
    Object.entries(sampling).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  ),
});

/** How a member is asked, as a persona or a pack says. */
export type MemberOptions = RequestOptions & { readonly effort?: Effort | undefined };

/** A model as members are asked by it, with what `own` says, the last counting first. A reference's own effort stands. */
export function askedBy<R extends string>(model: R, ...own: readonly (MemberOptions | undefined)[]) {
  const effort = own.findLast((one) => one?.effort !== undefined)?.effort;
  const options = mergeOptions(...own);
  return { model: withEffort(model, effort), ...(options === undefined ? {} : { options }) };
}

/** An endpoint's and a member's, field by field; the member's counts. Undefined where neither has any. */
export function mergeOptions(...all: readonly (RequestOptions | undefined)[]): RequestOptions | undefined {
  const merged = (of: "body" | "headers") => Object.assign({}, ...all.map((one) => one?.[of]));
  const [body, headers] = [merged("body"), merged("headers")];
  const options = {
    ...(Object.keys(body).length > 0 && { body }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
  return Object.keys(options).length > 0 ? options : undefined;
}
