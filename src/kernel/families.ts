import { bareReference } from "./model-options.ts";

/** A boundary inside a model's name: `hermes-3-llama-3.1` has one before `llama`, `tinyllama` does not. */
const within = "(?:^|[-_./:])";

/** Families by model name. A pattern matches at the start of the name or after a boundary. */
const names: readonly (readonly [pattern: string, family: string])[] = [
  ["claude", "anthropic"],
  ["gpt-(?:j|neo)", "eleutherai"],
  ["(?:chatgpt|gpt-?\\d(?!all)|gpt-oss|o\\d(?![^-:@])|codex|davinci|babbage)", "openai"],
  ["(?:gemini|gemma|codegemma|medgemma|paligemma|shieldgemma|learnlm|palm-)", "google"],
  ["deepseek", "deepseek"],
  ["(?:qwen|qwq|qvq)", "alibaba"],
  [
    "(?:open-)?(?:mistral|mixtral|codestral|ministral|magistral|devstral|pixtral|voxtral|mathstral)",
    "mistral",
  ],
  ["(?:llama|meta-llama|codellama)", "meta"],
  ["(?:phi(?:-?\\d|$|:)|wizardlm|orca-)", "microsoft"],
  ["grok", "xai"],
  ["(?:command(?:-|$|:)|c4ai|aya(?:-|$|:))", "cohere"],
  ["(?:kimi|moonshot)", "moonshot"],
  ["(?:glm(?:-|$|:)|chatglm)", "zhipu"],
  ["(?:nova-(?:micro|lite|pro|premier)|titan-)", "amazon"],
  ["nemotron", "nvidia"],
  ["granite", "ibm"],
  ["(?:olmo|tulu)", "allenai"],
  ["jamba", "ai21"],
  ["yi-", "01-ai"],
  ["minimax", "minimax"],
  ["falcon", "tii"],
  ["ernie", "baidu"],
  ["hunyuan", "tencent"],
  ["(?:doubao|seed-)", "bytedance"],
  ["exaone", "lg"],
  ["smollm", "huggingface"],
  ["sonar", "perplexity"],
];

/** The vendors of routers' names and the providers of only their own models that are called as their family is. */
const ownNames = new Set(
  (
    "anthropic openai google deepseek alibaba mistral meta microsoft xai cohere amazon nvidia allenai ai21 01-ai minimax baidu " +
    "tencent bytedance perplexity"
  ).split(" "),
);
/** The others, with their families. */
const vendors: ReadonlyMap<string, string> = new Map([
  ["deepseek-ai", "deepseek"],
  ["qwen", "alibaba"],
  ["mistralai", "mistral"],
  ["meta-llama", "meta"],
  ["x-ai", "xai"],
  ["moonshotai", "moonshot"],
  ["z-ai", "zhipu"],
  ["zai-org", "zhipu"],
  ["thudm", "zhipu"],
  ["ibm-granite", "ibm"],
  ["tiiuae", "tii"],
  // Programs of agents, whatever model they take themselves.
  ["codex", "openai"],
  ["claude", "anthropic"],
  ["agy", "google"],
]);

const familyByName = new Map<string, string | null>(); // the same names come with every call
const MAX_NAMES = 1_000;

function ofName(name: string): string | null {
  let family = familyByName.get(name);
  if (family !== undefined) return family;
  for (const place of ["^", within])
    for (const [pattern, own] of names) if (!family && new RegExp(place + pattern).test(name)) family = own;
  if (familyByName.size === MAX_NAMES) familyByName.clear();
  return familyByName.set(name, family ?? null).get(name) ?? null;
}

const ofSimulated = (query: string): string | null => {
  const parameter = query.split("&").find((pair) => pair.startsWith("family="));
  const family = parameter?.slice("family=".length) ?? "";
  return family === "" ? null : family;
};

const ofDeclared = (ref: string, declared: Families): string | null => {
  let best = "";
  for (const prefix of Object.keys(declared))
    if (prefix !== "" && ref.startsWith(prefix) && prefix.length > best.length) best = prefix;
  return best === "" ? null : (declared[best] ?? null);
};

/** Families that the user declared, by model reference or by any prefix of one. */
export type Families = { readonly [refOrPrefix: string]: string };

/**
 * The family (the vendor that trained the model) of a reference `provider/model`; null if unknown.
 *
 * The first match wins: the longest declared prefix; the `family` parameter of a `sim/` model; the model's name; the
 * vendor segment of a router's name; a provider that serves only its own models. A name that starts with one vendor
 * and mentions another belongs to the first (`deepseek-r1-distill-llama-70b` is deepseek, which trained it on its
 * teacher's answers). A name of an unknown vendor belongs to the base model that it mentions
 * (`hermes-3-llama-3.1-405b` is meta). NAME in `compatible/NAME/MODEL` is ignored. A bare name (`kimi`, `gpt-4o`, `openai`)
 * is a model's, or a vendor's.
 */
export const familyOf = (written: string, declared: Families = {}): string | null => {
  const ref = bareReference(written);
  const declaredFamily = ofDeclared(ref, declared);
  if (declaredFamily !== null) return declaredFamily;
  const [provider = "", ...rest] = ref.toLowerCase().split("/");
  if (provider === "sim") return ofSimulated(ref.slice(ref.indexOf("?") + 1));
  const path = provider === "compatible" ? rest.slice(1) : rest.length === 0 ? [provider] : rest;
  const name = path.at(-1)?.split("#").at(-1); // recorded/FILE#NAME
  if (name === undefined) return null;
  const vendor = path.at(-2) ?? provider;
  return ofName(name) ?? vendors.get(vendor) ?? (ownNames.has(vendor) ? vendor : null);
};
