import { useSignal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { address, go, hrefTo } from "./address.ts";
import { online, outdated, signedOut } from "./http.ts";
import { actOnKeys } from "./keys.ts";
import { linked } from "./feed.ts";
import { chooseLanguage, language, languages, type Language } from "./language.ts";
import { Empty, Failure } from "./parts/states.tsx";
import { t, withMoreWords } from "./strings.ts";

/** A screen, loaded when it is gone to: what the first one does not need does not come with it. */
type Screen = { readonly load: () => Promise<ComponentType>; readonly title: () => string };

const SCREENS: { readonly [first: string]: Screen } = {
  "": { load: async () => (await import("./screens/ask.tsx")).Ask, title: () => t.nav.ask },
  runs: { load: async () => (await import("./screens/runs.tsx")).Runs, title: () => t.nav.runs },
  d: { load: async () => (await import("./screens/run.tsx")).Run, title: () => t.run.title },
  league: { load: async () => (await import("./screens/league.tsx")).League, title: () => t.nav.league },
  contributions: {
    load: async () => (await import("./screens/shares.tsx")).Shares,
    title: () => t.nav.contributions,
  },
  votes: { load: async () => (await import("./screens/votes.tsx")).Votes, title: () => t.nav.votes },
  bench: {
    load: async () => (await withMoreWords(import("./screens/bench.tsx"))).Bench,
    title: () => t.nav.bench,
  },
  costs: { load: async () => (await import("./screens/costs.tsx")).Costs, title: () => t.nav.costs },
  workers: { load: async () => (await import("./screens/workers.tsx")).Workers, title: () => t.nav.workers },
  bus: { load: async () => (await import("./screens/bus.tsx")).Bus, title: () => t.nav.bus },
  compare: {
    load: async () => (await import("./screens/compare.tsx")).Compare,
    title: () => t.compare.title,
  },
  forest: {
    load: async () => (await withMoreWords(import("./screens/forest.tsx"))).Forest,
    title: () => t.nav.forest,
  },
  inbox: {
    load: async () => (await withMoreWords(import("./screens/inbox.tsx"))).Inbox,
    title: () => t.nav.inbox,
  },
  memory: {
    load: async () => (await withMoreWords(import("./screens/memory.tsx"))).Memory,
    title: () => t.nav.memory,
  },
  personas: {
    load: async () => (await withMoreWords(import("./screens/personas.tsx"))).Personas,
    title: () => t.nav.personas,
  },
  library: {
    load: async () => (await withMoreWords(import("./screens/library.tsx"))).Library,
    title: () => t.nav.library,
  },
  settings: {
    load: async () => (await withMoreWords(import("./screens/settings.tsx"))).Settings,
    title: () => t.nav.settings,
  },
};

/** Begins to load the screen of the present address, which shows what came of it. */
export function loadScreen(): void {
  const [first = ""] = address.value.path;
  if (Object.hasOwn(SCREENS, first)) void SCREENS[first]?.load().catch(() => undefined);
}

/** The navigation: groups of first segments. */
const NAVIGATION = [
  ["results", ["", "runs", "inbox"]],
  ["knowledge", ["league", "contributions", "votes", "bench", "costs", "memory"]],
  ["design", ["personas", "library", "forest"]],
  ["system", ["workers", "bus", "settings"]],
] as const;

const NAMES: { readonly [first: string]: keyof typeof t.nav } = { "": "ask" };
const nameOf = (first: string): string => {
  const name = NAMES[first] ?? (first as keyof typeof t.nav); // a screen's first segment is its name in the catalogue
  return t.nav[name];
};

export function App(): VNode {
  const [first = ""] = address.value.path;
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    document.title = `${SCREENS[first]?.title() ?? t.shell.notFound} · ${t.product}`;
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
        {signedOut.value ? (
          <Empty title={t.shell.signedOut} next={t.shell.signedOutNext} isScreen />
        ) : (
          <CurrentScreen key={first} first={first} />
        )}
      </main>
    </>
  );
}

function CurrentScreen({ first }: { readonly first: string }): VNode | null {
  const loaded = useSignal<{ readonly screen?: ComponentType; readonly error?: Error }>({});
  const turn = useSignal(0);
  const screen = Object.hasOwn(SCREENS, first) ? SCREENS[first] : undefined;
  useEffect(() => {
    screen?.load().then(
      (Fetched) => (loaded.value = { screen: Fetched }),
      // The server may have become another version, whose files have other names.
      (error: unknown) => (loaded.value = { error: error as Error }),
    );
  }, [first, turn.value]);
  if (!screen) return <Empty title={t.shell.notFound} next={t.shell.notFoundNext} to={["runs"]} isScreen />;
  const { screen: Shown, error } = loaded.value;
  if (error)
    return (
      <div>
        <h1>{screen.title()}</h1>
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
      ) : !linked.value ? (
        <p class="notice">{t.shell.relinking}</p>
      ) : null}
      {outdated.value && <NewerServer />}
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
              {items.map((first) => (
                <li key={first}>
                  <a
                    href={hrefTo(first === "" ? [] : [first])}
                    aria-current={first === current ? "page" : undefined}
                  >
                    {nameOf(first)}
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
