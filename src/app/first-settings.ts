import { basename, extname, join } from "node:path";
import { builtIn } from "../config/defaults/index.ts";
import { configFolder, type FileContext } from "../config/paths.ts";
import { loadSettings } from "../config/sources.ts";
import { FREE, openCatalog } from "./listed-models.ts";
import { dealTo, PANEL_SIZE, refsAt, spread } from "./panel.ts";
import { installedPrograms, type Subscription } from "./subscriptions.ts";
import { reachable, type Reachable } from "./reachable.ts";

/** What a first file of settings would name, found on this machine. */
export type FirstSettings = {
  /** Providers that answer, or whose key is set. */
  readonly places: readonly Reachable[];
  /** Three models of them, of different families where there are such; empty where nothing is reachable. */
  readonly models: readonly string[];
  /** Whether a limit of cost can be held and is of use: a model among them costs money, and each price is known. */
  readonly isPriced: boolean;
  /** Programs of agents that are installed, which are chosen by nobody but the user. */
  readonly programs: readonly Pick<Subscription, "ref" | "title">[];
};

/** Looks for local servers and keys; calls no model, and reads no settings but the user's. */
export async function findFirstSettings(place: FileContext): Promise<FirstSettings> {
  const { settings, given } = loadSettings({ ...place, flags: {}, trusts: () => true });
  // Nothing is asked at an address that a project's file names. (TRUST-1)
  const isOurs = !given.get("compatible")?.some(({ from }) => from === "project file");
  const compatible = isOurs ? settings.compatible : {};
  const places = await reachable({ env: place.env, settings: { ...settings, compatible } });
  const refs = places.flatMap(refsAt);
  const models = refs.length === 0 ? [] : spread(refs, { families: settings.families, size: PANEL_SIZE });
  const paid = models.filter((ref) => !FREE.test(ref));
  const catalog = openCatalog(settings, place);
  const isPriced = paid.length > 0 && paid.every((ref) => catalog.price(ref) !== null);
  return { places, models, programs: installedPrograms(place.env), isPriced };
}

/** Where the file would be: in this folder, or among the user's own settings. */
export const settingsFile = (place: FileContext, where: "project" | "user"): string =>
  join(where === "user" ? configFolder(place) : place.cwd, "parley.yaml");

export type Chosen = {
  readonly models: readonly string[];
  readonly maxCostUsd: number | undefined;
  readonly programs?: FirstSettings["programs"];
};

/** A commented file of settings. A model's name was a server's to choose, so it is quoted as JSON, which YAML reads too. */
export function writeFirstSettings({ models, maxCostUsd, programs = [] }: Chosen): string {
  const list =
    models.length === 0
      ? [programs.length > 0 ? "# models:" : "# models: [ollama/llama3.2]"]
      : ["models:", ...dealTo(models, PANEL_SIZE).map((ref) => `  - ${JSON.stringify(ref)}`)];
  const unticked = programs
    .filter(({ ref }) => !models.includes(ref))
    .map(({ ref, title }) => `#  - ${JSON.stringify(ref)} # ${title}, on your subscription`);
  const strategies = Object.keys(builtIn["strategies"] ?? {}).map((file) => basename(file, extname(file)));
  return `# Settings of Parley. Every line can be changed or removed; an environment variable or a flag counts before it.

# Who answers, as provider/model. Three of different makers disagree most usefully; each draft is reviewed by the two others, so
# that a model stands twice where there are fewer.
${[...list, ...unticked].join("\n")}

# The most that one run may cost, in US dollars. A model without a known price is refused under it.
${maxCostUsd === undefined ? "# max-cost-usd: 0.50" : `max-cost-usd: ${maxCostUsd}`}

# Who writes the answer from the drafts; by default the first member.
# chair: anthropic/claude-sonnet-5-5

# How the drafts are weighed: ${strategies.join(", ")}, or a file.
strategy: balanced

# Whether answers are remembered for respond and chat.
memory: on

# A server of your own, as compatible/lab. Its key stays in the environment, or with your stored keys.
# compatible:
#   lab: { url: "http://localhost:8000/v1", model: llama-3.3-70b, local: true }
`;
}
