import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { features } from "../features-web.ts";
import { address, go, hrefTo } from "./address.ts";
import { callApi, online, isOutdated, signedOut } from "./http.ts";
import { actOnKeys } from "./keys.ts";
import { isLinked } from "./feed.ts";
import { chooseLanguage, language, languages, type Language } from "./language.ts";
import { Empty, Failure } from "./parts/states.tsx";
import { t, withMoreWords } from "./strings.ts";

/** A screen, loaded when it is gone to: what the first one does not need does not come with it. */
type Screen = readonly [load: () => Promise<ComponentType>, title: () => string];

const SCREENS = new Map<string, Screen>([
  ["", [async () => (await import("./screens/ask.tsx")).Ask, () => t.nav.ask]],
  ["runs", [async () => (await import("./screens/runs.tsx")).Runs, () => t.nav.runs]],
  ["d", [async () => (await import("./screens/run.tsx")).Run, () => t.run.title]],
  ["costs", [async () => (await import("./screens/costs.tsx")).Costs, () => t.nav.costs]],
  ["workers", [async () => (await import("./screens/workers.tsx")).Workers, () => t.nav.workers]],
  ["bus", [async () => (await import("./screens/bus.tsx")).Bus, () => t.nav.bus]],
  ["compare", [async () => (await import("./screens/compare.tsx")).Compare, () => t.compare.title]],
  [
    "library",
    [async () => (await withMoreWords(import("./screens/library.tsx"))).Library, () => t.nav.library],
  ],
  [
    "settings",
    [async () => (await withMoreWords(import("./screens/settings.tsx"))).Settings, () => t.nav.settings],
  ],
  ...features.flatMap(({ screens = [] }) =>
    screens.map(({ path, title, load }): [string, Screen] => [
      path,
      [() => withMoreWords(load()), () => title[language]],
    ]),
  ),
]);

/** Begins to load the screen of the present address, which shows what came of it. */
export function loadScreen(): void {
  const [first = ""] = address.value.path;
  void SCREENS.get(first)?.[0]().catch(() => undefined);
}

/** The navigation: groups of first segments. */
const NAVIGATION = [
  ["results", ["", "runs"]],
  ["knowledge", ["costs"]],
  ["design", ["library"]],
  ["system", ["workers", "bus", "settings"]],
] as const;

/** The first segments of a group: those of features come last. */
const segmentsOf = (group: (typeof NAVIGATION)[number][0], items: readonly string[]): readonly string[] => [
  ...items,
  ...features.flatMap(({ screens = [] }) => screens.flatMap((one) => (one.group === group ? one.path : []))),
];

export function App(): VNode {
  const [first = ""] = address.value.path;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${SCREENS.get(first)?.[1]() ?? t.shell.notFound} · ${t.product}`;
  }, [first]);
  useEffect(() => {
    const toSearch = () => {
      const search = document.querySelector<HTMLInputElement>("input[type=search]");
      if (search) search.focus();
      else go(hrefTo(["runs"]));
    };
    return actOnKeys({ "/": toSearch });
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        {t.nav.skip}
      </a>
      <Navigation current={first} />
      <main id="main" ref={main} tabIndex={-1}>
        <Connection />
        {signedOut.value ? <SignIn /> : <CurrentScreen key={first} first={first} />}
      </main>
    </>
  );
}

/** For a browser without a session: how to get a link, and a field for a key. */
function SignIn(): VNode {
  const key = useSignal("");
  const failed = useSignal("");
  const send = async (event: Event) => {
    event.preventDefault();
    try {
      await callApi("session", { method: "POST", headers: { authorization: `Bearer ${key.value.trim()}` } });
      location.reload();
    } catch (error) {
      failed.value = (error as Error).message; // callApi throws errors
    }
  };
  return (
    <form class="empty" onSubmit={(event) => void send(event)}>
      <h1 class="empty-title">{t.shell.signedOut}</h1>
      <p>{t.shell.signedOutNext}</p>
      <label class="field">
        <span>{t.shell.key}</span>
        <input
          {...{
            type: "password",
            required: true,
            pattern: "\\s*[\\w\\-]+\\s*",
            autocomplete: "current-password",
          }}
          onInput={({ currentTarget }) => (key.value = currentTarget.value)}
        />
      </label>
      <button type="submit">{t.shell.signIn}</button>
      {failed.value !== "" && <p role="alert">{failed.value}</p>}
    </form>
  );
}

function CurrentScreen({ first }: { readonly first: string }): VNode | null {
  const loaded = useSignal<{ readonly screen?: ComponentType; readonly error?: Error }>({});
  const turn = useSignal(0);
  const [load, title] = SCREENS.get(first) ?? [];
  useEffect(() => {
    load?.().then(
      (Fetched) => (loaded.value = { screen: Fetched }),
      // The server may have become another version, whose files have other names.
      (error: unknown) => (loaded.value = { error: error as Error }),
    );
  }, [first, turn.value]);
  if (!title) return <Empty title={t.shell.notFound} next={t.shell.notFoundNext} to={["runs"]} isScreen />;
  const { screen: Shown, error } = loaded.value;
  if (error)
    return (
      <div>
        <h1>{title()}</h1>
        <Failure error={error} again={() => (turn.value += 1)} />
        <NewerServer />
      </div>
    );
  return Shown ? <Shown /> : null;
}

const NewerServer = (): VNode => (
  <p class="notice">
    {t.shell.newerServer}{" "}
    <button type="button" onClick={() => location.reload()}>
      {t.shell.reload}
    </button>
  </p>
);

/** What is wrong with the connection, if anything is. */
function Connection(): VNode {
  return (
    <div role="status" class="connection">
      {!online.value ? (
        <p class="notice">{t.shell.offline}</p>
      ) : !isLinked.value ? (
        <p class="notice">{t.shell.relinking}</p>
      ) : null}
      {isOutdated.value && <NewerServer />}
    </div>
  );
}

function Navigation({ current }: { readonly current: string }): VNode {
  const open = useSignal(false);
  return (
    <header class="bar">
      <a class="brand" href={hrefTo([])}>
        {t.product}
      </a>
      <button
        type="button"
        class="menu"
        aria-expanded={open.value}
        aria-controls="navigation"
        onClick={() => (open.value = !open.value)}
      >
        {t.nav.menu}
      </button>
      <nav
        id="navigation"
        aria-label={t.nav.label}
        class={open.value ? "open" : undefined}
        onClick={() => (open.value = false)}
      >
        {NAVIGATION.map(([group, items]) => (
          <div key={group} class="nav-group">
            <p class="nav-title">{t.nav[group]}</p>
            <ul>
              {segmentsOf(group, items).map((first) => (
                <li key={first}>
                  <a
                    href={hrefTo(first === "" ? [] : [first])}
                    aria-current={first === current ? "page" : undefined}
                  >
                    {SCREENS.get(first)?.[1]()}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <label class="language">
          <span>{t.shell.language}</span>
          <select
            value={language}
            onClick={(event) => event.stopPropagation()}
            onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as Language)}
          >
            {languages.map((one) => (
              <option key={one} value={one}>
                {new Intl.DisplayNames([one], { type: "language" }).of(one)}
              </option>
            ))}
          </select>
        </label>
      </nav>
    </header>
  );
}
