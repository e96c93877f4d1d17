import { existsSync } from "node:fs";
import axe from "axe-core";
import { chromium } from "playwright-core";
import { expect, it } from "vitest";
import { debateRecord } from "../src/features/debate/protocol/debate/view/debated.ts";
import { debateHtml } from "../src/features/debate/app/exports.ts";
import { deliberationHtml } from "../src/reports/deliberation.ts";
import { degradedCouncil } from "./support/sample-council.ts";
import { sampleDebate } from "./support/sample-debate.ts";
import { shownPanel } from "./support/shown.ts";

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
if (executablePath === undefined) process.stderr.write("The page is not tried in a browser: no Chromium\n");

it.skipIf(executablePath === undefined)(
  "a page loads nothing, fits a phone, is accessible, and prints short",
  { timeout: 180_000 },
  async () => {
    const { entries } = degradedCouncil({
      answer: "### A\n\n| a | b | c | d |\n| - | - | - | - |\n| 1 | 2 | 3 | 4 |",
    });
    const pages = [
      deliberationHtml(entries, shownPanel(entries)),
      debateHtml(debateRecord(sampleDebate().entries)),
    ];
    const browser = await chromium.launch({ executablePath: executablePath ?? "", args: ["--no-sandbox"] });
    try {
      for (const html of pages) {
        for (const colorScheme of ["light", "dark"] as const) {
          // The policy would keep axe out as it keeps out everything else.
          const context = await browser.newContext({
            ...{ colorScheme, bypassCSP: true, viewport: { width: 390, height: 800 } },
          });
          const page = await context.newPage();
          const requests: string[] = [];
          page.on("request", (request) => requests.push(request.url()));
          await page.setContent(html);
          expect(requests).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
          await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))");
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
          await page.evaluate(axe.source);
          // `source` defines it in the page.
          const found = (await page.evaluate("axe.run()")) as axe.AxeResults;
          expect(found.passes.length).toBeGreaterThan(10);
          expect(found.violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
          await page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = false))");
          const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
          expect(pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0).toBeLessThanOrEqual(4);
          await context.close();
        }
      }
    } finally {
      await browser.close();
    }
  },
);
