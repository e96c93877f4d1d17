import { loadCritic } from "../config/critic.ts";
import { loadMemory } from "../config/memory.ts";
import type { FileContext } from "../config/paths.ts";
import { loadPersonas } from "../config/personas.ts";
import { loadSettings, type LoadedSettings, type SettingsRequest } from "../config/sources.ts";
import { listStrategies } from "../config/strategies.ts";
import type { AnyProtocol, Registry } from "../engine/index.ts";
import { isFault, ModelRef, OrganizationId, refusal } from "../kernel/index.ts";
import { createModels } from "../models/index.ts";
import { openStore } from "../stores/index.ts";
import { formatDuration, pluralize } from "../text/format.ts";
import { withFoundModels } from "./bare-names.ts";
import { checkProgram, installedPrograms } from "./subscriptions.ts";
import { checkOllamaModels, ollamaNames, reachable, type Reachable } from "./reachable.ts";
import { fileResources } from "../config/resources.ts";
import { refsAt } from "./panel.ts";
import { graderOf, recallSettings } from "./reaction-plan.ts";
import { withProtocols } from "./registry.ts";
import { knownKeys } from "./keys.ts";
import { isOldPrice, openCatalog, readTakenLists } from "./listed-models.ts";
import { testModel } from "./model-table.ts";
import { shippedTemplates, templatesInForce } from "./templates.ts";

/** The result of one check. `next` says what to do, if anything. */
export type Check = {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  readonly next?: string;
};
type Checkup = { readonly probe?: AbortSignal; readonly registry?: Registry<AnyProtocol> };

/**
 * Checks everything that a deliberation needs, in order, and continues after a failure. It calls a model of each provider with
 * `probe` only, which cancels these calls.
 */
export async function checkup(
  place: SettingsRequest,
  { probe, registry = withProtocols([]) }: Checkup = {},
): Promise<readonly Check[]> {
  const checks: Check[] = [];
  const resources = fileResources(place);
  const check = async (what: string, look: () => Promise<string> | string): Promise<void> => {
    try {
      checks.push({ what, ok: true, found: await look() });
    } catch (error) {
      checks.push({ what, ok: false, ...explainFault(error) });
    }
  };
  let loaded: LoadedSettings | undefined;
  await check("Node", () => nodeVersion());
  await check("settings", () => {
    loaded = loadSettings(place);
    const given = Object.values(loaded.sources).filter(({ from }) => from !== "default").length;
    return `${given} set, the rest default`;
  });
  await check("keys", () => {
    const used = knownKeys(place).filter((one) => one.used);
    const words = used.map(({ provider, where }) => `${provider} (${where})`).join(", ");
    return words === "" ? "none" : `${words}; the environment counts before stored keys`;
  });
  if (loaded) {
    const { settings, sources } = loaded;
    await check("store", async () => {
      const works = await storeWorks(settings);
      const isUnused = sources["store"]?.from === "default" && (place.env["DATABASE_URL"] ?? "") !== "";
      return `${works}${isUnused ? "; DATABASE_URL is not read: PARLEY_DATABASE_URL names a database for Parley" : ""}`;
    });
    await check("personas and strategies", () => {
      const strategies = listStrategies(place).map(({ name }) => name);
      return `${[...loadPersonas(place).keys()].join(", ")}; ${strategies.join(", ")}`;
    });
    await check("prompts", async () => {
      const templates = await templatesInForce(await shippedTemplates(registry), resources, registry);
      return `${Object.keys(templates).length} templates, OK`;
    });
    let critic: ModelRef | null | undefined;
    await check("critic and memory", () => {
      critic = graderOf(resources, settings);
      const recall = recallSettings(resources, settings);
      const memory = recall ? `on (user ${recall.user})` : "off";
      return `critic: ${critic ?? "off"} · memory: ${memory}`;
    });
    let meant = settings;
    await check("model names", async () => {
      meant = await withFoundModels(place.env, settings);
      return "each has its provider";
    });
    if (checks.at(-1)?.ok) checks.pop(); // it is worth a line only where it is wrong
    const { models, chair, reviewers, synthesizer, judge, embedding } = meant;
    const refs = [models, chair, reviewers, synthesizer, judge, embedding ?? [], critic ?? []].flat();
    const names = ollamaNames(refs);
    if (names.length > 0) await check("Ollama", () => checkOllamaModels(names, place.env));
    const needs = (name: string) => refs.some((ref) => ref.startsWith(`${name}/`));
    const programs = installedPrograms(place.env);
    checks.push(...(await Promise.all(programs.map((one) => checkProgram(one, place.env, needs(one.name))))));
    const places = await reachable({ env: place.env, settings });
    const isOpen = ({ state, refused }: Reachable) => state !== "answers" && !refused && !probe;
    const told = places.map((one) => `${one.provider} (${one.how}${isOpen(one) ? ", not tested" : ""})`);
    const wrong = places.find(({ refused }) => refused);
    const next = "set a key such as OPENAI_API_KEY, or start Ollama, for real answers";
    const none = { what: "models", ok: true, found: "simulated models only", next };
    const some = { what: "models", ok: !wrong, found: told.join(", ") };
    const mend = wrong && { next: `set the right key of ${wrong.provider}` };
    checks.push(places.length > 0 ? { ...some, ...mend } : none);
    checks.push(...checkPrices(refs.length > 0 ? refs : places.flatMap(refsAt), settings, place));
    if (probe) checks.push(...(await probeProviders(places, { place, settings, signal: probe })));
  }
  return checks;
}

/** Says something where the prices of these models are old, or the list that the user took is damaged. */
function checkPrices(
  models: readonly string[],
  settings: LoadedSettings["settings"],
  place: SettingsRequest,
): readonly Check[] {
  const [what, next] = ["prices", "take a newer list of models"];
  const { problem } = readTakenLists(place);
  if (problem !== undefined) return [{ what, ok: false, found: problem, next }];
  const catalog = openCatalog(settings, place);
  const dates = models.flatMap((model) => catalog.price(model)?.date ?? []);
  const [oldest] = dates.filter((date) => isOldPrice(date, Date.now())).toSorted();
  if (oldest === undefined) return [];
  return [{ what, ok: true, found: `those of ${oldest} are used, which may have changed`, next }];
}

/** The shortest reply that every provider lets a request ask for; it may be all thought. */
const PROBE_TOKENS = 16;

type ProbeContext = {
  readonly place: Pick<SettingsRequest, "cwd" | "env">;
  readonly settings: LoadedSettings["settings"];
  readonly signal: AbortSignal;
};

/** Makes one short call to each provider, all at once: to a configured model of it, else to the one that Parley would choose. */
async function probeProviders(
  places: readonly Reachable[],
  { place, settings, signal }: ProbeContext,
): Promise<readonly Check[]> {
  const { compatible, providers, openrouter } = settings;
  const catalog = openCatalog(settings, place);
  const models = createModels({ env: place.env, compatible, providers, openrouter, catalog });
  const probe = async ({ provider, models: [first] }: Reachable): Promise<Check> => {
    const what = `call to ${provider}`;
    const own = settings.models.find((ref) => ref.startsWith(`${provider}/`));
    const ref = ModelRef.safeParse(own ?? (first === undefined ? provider : `${provider}/${first}`));
    if (!ref.success || (own ?? first) === undefined)
      return { what, ok: true, found: "not tested: no model is named", next: `name a model of ${provider}` };
    const tested = await testModel(models, ref.data, { signal, maxOutputTokens: PROBE_TOKENS });
    if (tested.ok || tested.failure.lost)
      return { what, ok: true, found: `${ref.data} answered in ${formatDuration(tested.latencyMs)}` };
    const { code, message } = tested.failure;
    const other = "choose another model, or look at the provider's status";
    const next = code === "unauthorised" ? `set the right key of ${provider}` : other;
    return { what, ok: false, found: `${ref.data}: ${message}`, next };
  };
  try {
    return await Promise.all(places.map(probe));
  } finally {
    await models.close();
  }
}

function explainFault(error: unknown): Pick<Check, "found" | "next"> {
  if (isFault(error) && "why" in error.details && "next" in error.details)
    return { found: error.details.why, next: error.details.next };
  return { found: error instanceof Error ? error.message : String(error) };
}

function nodeVersion(): string {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 20)) return process.versions.node;
  throw refusal(`${process.versions.node} is too old`, "install Node 20.20 or newer");
}

async function storeWorks(settings: LoadedSettings["settings"]): Promise<string> {
  await using store = await openStore(settings.store, { connections: settings.storeConnections });
  const some = await store.for(OrganizationId.parse(settings.organization)).list({ limit: 1_000 });
  const open = some.filter(({ status }) => status === "open").length;
  // Taking a lease shows that the store is writable.
  await store.lease("doctor", `doctor-${process.pid}`, 1_000);
  await store.release("doctor", `doctor-${process.pid}`);
  return `${store.location}: ${some.length === 1_000 ? "1,000 or more runs" : pluralize(some.length, "run")}, ${open} unfinished; writable`;
}

/** Each setting's effective value and its source, those of `critic.yaml` and `memory.yaml` and the keys in use included. */
export function configSources(place: FileContext) {
  const keys = knownKeys(place).flatMap(({ provider, variable, where, used }) => {
    const source = { value: "set", from: where, name: `${variable}, ${where}` };
    return used ? [[`keys.${provider}`, source] as const] : [];
  });
  return {
    ...loadSettings({ flags: {}, ...place }).sources,
    ...{ ...loadCritic(place).sources, ...loadMemory(place).sources },
    ...Object.fromEntries(keys),
  };
}
