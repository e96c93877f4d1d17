import { withFoundModels } from "./bare-names.ts";
import { factsLoader, recordedLoader } from "./facts-loader.ts";
import { openParleyWith } from "./parley.ts";
import { fileResources, type Resources } from "../config/resources.ts";
import { systemWorld } from "../engine/world.ts";
import { loadSettings, type SettingsRequest } from "../config/sources.ts";
import type { Settings } from "../config/settings.ts";
import { Principal, refusal, Scope } from "../kernel/index.ts";
import { providers } from "../models/providers.ts";
import { findNearest } from "../text/words.ts";
import type { AppFeature } from "./registry.ts";
import { isRequestSetting } from "./start.ts";
import type { AnyProtocol, Registry } from "../engine/index.ts";

/**
 * Opens the process that the settings of a folder and an environment describe. Flags become request settings; files and
 * the environment become process settings. `files`: rubric files named by flags; `protocols`: additional protocols; `isServed`:
 * requests come from elsewhere, for days: none of them makes the process read a file that it names, and personas and the like are
 * read again when they change; `withoutModels`: what to do where no model is configured, and simulated ones may not answer.
 * Returned are the process, the same for the settings' user with what flags set (`me`), and what was set under an older name.
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
}) {
  const { settings: loaded, given, renamed } = loadSettings(place);
  const settings = await withFoundModels(place.env, loaded);
  refuseUnknownProviders(settings);
  const resources = () =>
    fileResources(place, { files: [settings.strategy, ...files], strategyFrom: given.get("strategy")?.[0] });
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
  const requested = Object.fromEntries(
    [...given].flatMap(([key, [first]]) =>
      first?.from === "flag" && isRequestSetting(key) ? [[key, settings[key]]] : [],
    ),
  );
  const me = parley.as(principal, requested);
  return { parley, me, context: me.context(), renamed };
}

/** @throws Fault `configuration` for an entry of `providers` that no request would be sent with */
function refuseUnknownProviders({ providers: extras }: Pick<Settings, "providers">): void {
  const names = Object.keys(providers);
  const unknown = Object.keys(extras).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const next = `the nearest is ${findNearest(unknown, names)}; a server of your own stands under compatible`;
  throw refusal(`providers.${unknown}: there is no provider "${unknown}"`, next);
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
