import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser, type BrowserContext } from "playwright-core";
import { beforeAll, afterAll } from "vitest";
import { setUp } from "../../scripts/setup.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The folder of the built page, as `testServer` takes it; it is there once the tests of `inBrowser` run. */
export const PAGE = join(root, "dist", "web");

const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);

/** One browser for the tests of a file, and the page as it is built now. Without a browser it says what is not tried. */
export function inBrowser(what: string): { readonly get: () => Browser; readonly isMissing: boolean } {
  if (chromiumPath === undefined) process.stderr.write(`Not tried in a browser: ${what}: no Chromium\n`);
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (chromiumPath === undefined) return;
    await setUp(root, { build: true });
    browser = await chromium.launch({
      executablePath: chromiumPath,
      args: ["--no-sandbox", "--disable-gpu"],
    });
  }, 300_000);
  afterAll(() => browser?.close());
  return {
    isMissing: chromiumPath === undefined,
    get() {
      if (!browser) throw new Error("the browser is launched before the tests of a file");
      return browser;
    },
  };
}

/** What a page must never do: run what it was given, ask a window, ask another server, throw or break its policy. */
export async function watchContext(context: BrowserContext, origin: string): Promise<readonly string[]> {
  const seen: string[] = [];
  await context.exposeFunction("toTest", (what: string) => void seen.push(what));
  await context.addInitScript(`
    addEventListener("securitypolicyviolation", (event) => toTest("policy: " + event.violatedDirective + " " + event.blockedURI));
    globalThis.alert = () => toTest("a script ran");
  `);
  context.on("request", (request) => {
    if (new URL(request.url()).origin !== origin && !request.url().startsWith("data:"))
      seen.push(`request: ${request.url()}`);
  });
  context.on("dialog", (dialog) => {
    seen.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("weberror", (error) => seen.push(`error: ${error.error().message}`));
  return seen;
}
