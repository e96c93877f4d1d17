import { factsLoader, recordedLoader } from "./facts-loader.ts";
import { openParleyWith, type Parley } from "./parley.ts";
import { fileResources, type Resources } from "../config/resources.ts";
import { systemWorld } from "../engine/world.ts";
import { loadSettings, type SettingsRequest } from "../config/sources.ts";
import { Principal, Scope } from "../kernel/index.ts";
import { settingKeys } from "../config/settings.ts";
import type { AppContext } from "./context.ts";
import type { AppFeature } from "./registry.ts";
import type { AnyProtocol, Registry } from "../engine/index.ts";
import type { RequestSettings } from "./start.ts";

/** A process configured by flags, files and the environment. */
export type Configured = {
  readonly parley: Parley;
  readonly principal: Principal;
  /** The settings from flags; the user is the principal's. */
  readonly requested: RequestSettings;
  /** For code that needs more than `parley`'s methods. */
  readonly context: AppContext;
  /** What was set under an older name, and the name now. */
  readonly renamed: readonly string[];
};

/**
 * Opens the process that the settings of a folder and an environment describe. Flags become request settings; files and
 * the environment become process settings. `files`: rubric files named by flags; `protocols`: additional protocols; `isServed`:
 * requests come from elsewhere, for days: none of them makes the process read a file that it names, and personas and the like are
 * read again when they change; `withoutModels`: what to do where no model is configured, and simulated ones may not answer.
 * @throws Fault
 */
export async function openConfigured({
  files = [],
  protocols,
  features,
  isServed = false,
  withoutModels,
  ...place
}: SettingsRequest & {
  readonly files?: readonly string[];
  readonly isServed?: boolean;
  readonly withoutModels?: string | undefined;
  readonly protocols?: Registry<AnyProtocol> | undefined;
  readonly features?: readonly AppFeature[] | undefined;
}): Promise<Configured> {
  const { settings, sources, renamed } = loadSettings(place);
  const resources = () =>
    fileResources(place, { files: [settings.strategy, ...files], strategyFrom: sources["strategy"] });
  const parley = await openParleyWith(settings, {
    store: settings.store,
    env: place.env,
    ...{ protocols, features },
    resources: isServed ? keptFresh(resources) : resources(),
    isServed,
    withoutModels,
    ...(isServed
      ? {}
      : { cwd: place.cwd, loadFacts: factsLoader(place), loadRecorded: recordedLoader(place) }),
  });
  const { organization, user } = settings;
  const principal = Principal.parse({ organization, user, scopes: Scope.options });
  const flags = new Set<string | undefined>(
    Object.entries(sources).flatMap(([name, { from }]) => (from === "flag" ? [settingKeys.get(name)] : [])),
  );
  const requested = Object.fromEntries(
    Object.entries(settings).filter(([key]) => flags.has(key) && key !== "user"),
  );
  return { parley, principal, requested, context: parley.context(requested, { principal }), renamed };
}

const FRESH_MS = 1_000;

/** Resources that are never older than a second. */
function keptFresh(read: () => Resources): Resources {
  const first = read();
  let kept = { resources: first, at: systemWorld.now() };
  return new Proxy(first, {
    get(_first, name: keyof Resources) {
      const now = systemWorld.now();
      if (now - kept.at >= FRESH_MS) kept = { resources: read(), at: now };
      return kept.resources[name];
    },
  });
}
