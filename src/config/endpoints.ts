import { isAbsolute } from "node:path";
import * as z from "zod";
import { Effort, optionFields, WIRE_NAMES } from "../kernel/index.ts";
import { choice, count, entries, line, money, truth } from "./setting-values.ts";

/** What an endpoint's requests are sent with, and where its key goes. */
export const endpointFields = {
  ...optionFields,
  auth: z
    .strictObject({
      header: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/)
        .meta({ expects: "the name of a header", example: "api-key" }),
      scheme: z
        .string()
        .regex(/^[A-Za-z][A-Za-z0-9-]{0,19}$/)
        .meta({ expects: "the word before the key", example: "Bearer" })
        .optional(),
    })
    .meta({ expects: "a mapping with the header that holds the key", example: "{header: api-key}" })
    .optional(),
};

/** What a member is asked with beside its prompt. */
export const MemberOptions = z
  .strictObject({ effort: Effort.optional(), ...optionFields })
  .meta({ expects: "a mapping of effort, body and headers", example: "{effort: high}" });

/** What is changed about a program of an agent. */
export const AgentSettings = z
  .strictObject({
    folder: z
      .string()
      .refine(isAbsolute)
      .meta({ expects: "an absolute path of a folder", example: "/home/ana/project" })
      .optional(),
    arguments: entries(z.array(line(1_000)).max(50), "words, as a list", "-c").optional(),
    environment: entries(
      z.array(z.string().regex(/^[A-Za-z_]\w*$/)).max(50),
      "names of environment variables, as a list",
      "OPENAI_API_KEY",
    ).optional(),
  })
  .meta({
    expects: "a mapping of folder, arguments and environment",
    example: "{folder: /home/ana/project}",
  });

export const Compatible = z
  .strictObject({
    ...endpointFields,
    url: z
      .string()
      .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol))
      .meta({ expects: "an http or https URL", example: "http://localhost:8000/v1" }),
    /** Names the variable that holds the key; the key itself stands in no file. */
    "key-env": z
      .string()
      .regex(/^[A-Z_][A-Z0-9_]*$/)
      .meta({ expects: "the name of an environment variable", example: "LAB_API_KEY", secret: true })
      .optional(),
    model: line(200, { expects: "the name of a model", example: "llama-3.3-70b" }).optional(),
    family: line(60, { expects: "the name of who trained the model", example: "meta" }).optional(),
    /** Tokens that a prompt and its reply may have together. */
    context: count("32768", ", in tokens").optional(),
    wire: choice(WIRE_NAMES, "openai").optional(),
    /** On the user's own machine: it costs nothing. */
    local: truth.optional(),
  })
  .transform(({ "key-env": keyEnv, ...entry }) => ({ ...entry, keyEnv }))
  .meta({ expects: "a mapping with a url", example: "{url: http://localhost:8000/v1}" });

const UPSTREAM = { noun: "a provider behind OpenRouter", expects: "its slug", example: "deepinfra" };
const UPSTREAMS = "providers behind OpenRouter, separated by commas or as a list";
const QUANTIZATION = { expects: "a quantization", example: "fp8" };
const QUANTIZATIONS = "quantizations, separated by commas or as a list";
const upstreams = entries(
  z.array(line(100, UPSTREAM)).min(1).max(50),
  UPSTREAMS,
  "deepinfra, together",
).optional();

/**
 * Which of the providers behind OpenRouter may answer: the object `provider` of its requests (OpenRouter, "Provider Routing").
 * Its fallback models are no setting here: what another model wrote would count as this one's.
 */
export const Routing = z
  .strictObject({
    order: upstreams,
    only: upstreams,
    ignore: upstreams,
    sort: choice(["price", "throughput", "latency"], "price").optional(),
    /** Whether others are tried where those in `order` fail. */
    "allow-fallbacks": truth.optional(),
    /** Whether only those that know every field of the request are asked. */
    "require-parameters": truth.optional(),
    /** Whether those that keep what they are sent are asked. */
    "data-collection": choice(["allow", "deny"], "deny").optional(),
    /** Whether only those that keep nothing are asked. */
    zdr: truth.optional(),
    quantizations: entries(
      z.array(line(20, QUANTIZATION)).min(1).max(20),
      QUANTIZATIONS,
      "fp8, bf16",
    ).optional(),
    "max-price": z
      .strictObject({ prompt: money("1").optional(), completion: money("2").optional() })
      .meta({ expects: "prices in US dollars per million tokens", example: "{prompt: 1, completion: 2}" })
      .optional(),
  })
  .meta({ expects: "a mapping of routing preferences", example: "{sort: price, data-collection: deny}" });
