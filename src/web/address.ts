import { signal } from "@preact/signals";
import { isServed } from "./served.ts";

// The address holds the state: any view of the page, at any event of a run, is a link. An exported file has one screen: its query stands
// behind the #.

/** Where the page stands: the segments below the base, and the query. */
export type Address = { readonly path: readonly string[]; readonly query: URLSearchParams };

const base = (): string => new URL(document.baseURI).pathname;

function readAddress({ pathname, search, hash }: URL | Location = globalThis.location): Address {
  if (!isServed) return { path: [], query: new URLSearchParams(hash.slice(1)) };
  const below = pathname.startsWith(base()) ? pathname.slice(base().length) : pathname.slice(1);
  const path = below
    .split("/")
    .filter(Boolean)
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });
  return { path, query: new URLSearchParams(search) };
}

/** The present address. */
export const address = signal<Address>({ path: [], query: new URLSearchParams() });

/** The address of a view. `undefined` and empty values are left out. */
export function hrefTo(
  path: readonly string[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  if (!isServed) return `#${search}`;
  return `${base()}${path.map(encodeURIComponent).join("/")}${search === "" ? "" : `?${search}`}`;
}

/** The present address with some values of the query changed. */
export function hrefWith(changes: Readonly<Record<string, string | number | undefined>>): string {
  const { path, query } = address.value;
  return hrefTo(path, { ...Object.fromEntries(query), ...changes });
}

/** The history takes no more than some changes a second, and each takes a while: of a rush of replaced addresses, the first and the last of so many milliseconds. */
const RUSH_MS = 150;
let rush: { readonly timer: ReturnType<typeof setTimeout>; href: string | undefined } | undefined;

/** Writes the address that was gone to last into the history. */
function settle(): void {
  clearTimeout(rush?.timer);
  if (rush?.href !== undefined) history.replaceState(null, "", rush.href);
  rush = undefined;
}

function replaceAddress(href: string): void {
  if (rush) {
    rush.href = href;
    return;
  }
  history.replaceState(null, "", href);
  rush = { timer: setTimeout(settle, RUSH_MS), href: undefined };
}

/** Goes to an address of this page. `replace`: without a step to come back to, as while scrubbing. */
export function go(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (replace) replaceAddress(href);
  else {
    settle();
    history.pushState(null, "", href);
  }
  const before = address.value.path.join("/");
  address.value = readAddress(new URL(href, globalThis.location.href));
  if (address.value.path.join("/") !== before) globalThis.scrollTo(0, 0);
}

/** Reads the address now and whenever it changes; links within the page change it without loading anything. */
export function followAddress(): void {
  address.value = readAddress();
  addEventListener("pagehide", settle);
  addEventListener("popstate", () => {
    clearTimeout(rush?.timer);
    rush = undefined;
    address.value = readAddress();
  });
  if (!isServed) return; // a link to what stands behind the # loads nothing, and is a step that can be gone back
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
      return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link || link.target !== "" || link.hasAttribute("download")) return;
    const url = new URL(link.href, document.baseURI);
    if (url.origin !== location.origin || !url.pathname.startsWith(base()) || link.dataset["leaves"] === "")
      return;
    event.preventDefault();
    if (url.hash !== "" && url.pathname === location.pathname && url.search === location.search) {
      document
        .querySelector(CSS.escape(url.hash.slice(1)) === "" ? "body" : `#${CSS.escape(url.hash.slice(1))}`)
        ?.scrollIntoView();
      return;
    }
    go(url.pathname + url.search);
  });
}
