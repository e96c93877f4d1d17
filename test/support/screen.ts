import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import type { Json, TestServer } from "./server.ts";

/** For `expect.poll` and for what is waited for in a browser. */
export const WAIT = { timeout: 20_000 };

/** What a screen of a server's page shows, as a test reads it. */
export type Screen = {
  readonly open: (path: string) => Promise<unknown>;
  /** What the API says of the same. */
  readonly get: (path: string) => Promise<Json>;
  /** A value of the address's query. */
  readonly at: (name: string) => string | null;
  readonly table: (label: string) => Locator;
  readonly heads: (label: string) => Promise<readonly string[]>;
  /** The texts of a table's cells, row by row. */
  readonly cells: (label: string) => Promise<readonly (readonly string[])[]>;
  readonly choice: (label: string) => Locator;
  readonly button: (name: string) => Locator;
  /** A form of the page that asks before it acts. */
  readonly asks: (words: string) => Locator;
  /** What the empty places of the screen say. */
  readonly empties: () => Promise<readonly (readonly string[])[]>;
};

const textsIn = (rows: Locator) =>
  rows.evaluateAll((all) => all.map(({ children }) => [...children].map((one) => one.textContent ?? "")));

export const screenOf = (page: Page, server: TestServer): Screen => {
  const table = (label: string) => page.getByRole("group", { name: label, exact: true });
  return {
    table,
    open: (path) => page.goto(`${server.url}${path}`),
    async get(path) {
      const got = await server.get(path);
      expect([path, got.status]).toEqual([path, 200]);
      return got.json;
    },
    at: (name) => new URL(page.url()).searchParams.get(name),
    heads: (label) => table(label).locator("thead tr > *").allTextContents(),
    cells: (label) => textsIn(table(label).locator("tbody tr")),
    choice: (label) => page.getByRole("combobox", { name: label, exact: true }),
    button: (name) => page.getByRole("button", { name, exact: true }),
    asks: (words) => page.getByRole("alertdialog", { name: words, exact: true }),
    empties: () => textsIn(page.locator(".empty")),
  };
};

const numberIn = (options: Intl.NumberFormatOptions) => (value: number | null) =>
  value === null ? "unknown" : new Intl.NumberFormat("en", options).format(value);

/** Figures as a reader of English sees them. */
export const count = numberIn({});
export const ratio = numberIn({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
export const tenths = numberIn({ minimumFractionDigits: 1, maximumFractionDigits: 1 });
export const percent = numberIn({ style: "percent" });
export const money = (usd: number): string =>
  numberIn({ style: "currency", currency: "USD", maximumFractionDigits: usd === 0 || usd >= 1 ? 2 : 4 })(usd);
