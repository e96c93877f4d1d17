import { refusal } from "../kernel/index.ts";
import { ollamaProgram, pullCommand, resolveEndpoint, urlAt } from "../models/index.ts";
import { oneLine } from "../reports/printable.ts";
import { probeNames } from "./probe.ts";
import type { AppContext } from "./context.ts";

const PROVIDER = "ollama/";

/** The endpoint that `OLLAMA_HOST` names. */
const place = (env: AppContext["env"]) => resolveEndpoint(`${PROVIDER}any`, env);

/** Returns Ollama's installed models by name (`gemma3:27b`); undefined if it does not answer in time. */
export async function ollamaModels(env: AppContext["env"]): Promise<readonly string[] | undefined> {
  const found = place(env);
  return found.ok ? modelsAt(found.endpoint.url) : undefined;
}

const modelsAt = (url: string) => probeNames(urlAt({ url }, "/api/tags"), "models", "name");

/** The normalized name: lower case, with the tag `latest` by default. */
function fullName(name: string): string {
  const tagged = name.lastIndexOf(":") > name.lastIndexOf("/");
  return (tagged ? name : `${name}:latest`).toLowerCase();
}

/** The unique Ollama model names among these references. */
export const ollamaNames = (refs: readonly string[]): readonly string[] => [
  ...new Set(refs.flatMap((ref) => (ref.startsWith(PROVIDER) ? [ref.slice(PROVIDER.length)] : []))),
];

/**
 * Checks that Ollama has all of these models, by its list.
 * @throws Fault `configuration` if it does not answer or a model is missing
 */
export async function checkOllamaModels(names: readonly string[], env: AppContext["env"]): Promise<string> {
  const found = place(env);
  if (!found.ok) {
    const [why = "", next = ""] = found.reason.split("; ");
    throw refusal(why, next);
  }
  const { url } = found.endpoint;
  const there = await modelsAt(url);
  if (there === undefined) {
    const why = `it does not answer at ${url}`;
    throw refusal(why, `start it there with: ${ollamaProgram.start}`);
  }
  const known = new Set(there.map(fullName));
  const missing = names.filter((name) => !known.has(fullName(name)));
  if (missing.length === 0) return `it has ${oneLine(names.join(", "))}`;
  const commands = missing.flatMap((name) => pullCommand(name) ?? []);
  throw refusal(
    `it has no ${oneLine(missing.join(", "))}`,
    commands.length > 0 ? `pull it with: ${commands.join(" && ")}` : "correct the name",
  );
}
