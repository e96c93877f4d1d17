// Takes the pictures of docs/guides/page.md: runs of simulated models on the page of a server of its own.
//
//   npm run pictures
//
// It needs a build, and Debian's Chromium.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";
import { root } from "./root.mjs";
import { runScript } from "./setup.mjs";

const MODELS = ["sim/ada?family=a", "sim/bo?family=b", "sim/cy?family=c"];
const COUNCILS = [
  "Which database suits a team of three?",
  "Why do leaves change color in autumn?",
  "How do I set up a deployment pipeline?",
];

/** A server over a store of its own. @param {string} home */
async function serve(home) {
  const env = { PATH: process.env["PATH"], HOME: home, PARLEY_HOME: home, OLLAMA_HOST: "127.0.0.1:1" };
  const cli = join(root, "dist", "cli.mjs");
  const child = spawn(process.execPath, [cli, "serve", "--simulated", "--port", "0"], {
    ...{ env, cwd: home },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next();
  const link = execFileSync(process.execPath, [cli, "serve", "link"], { env, cwd: home, encoding: "utf8" });
  return { link: link.trim(), stop: () => child.kill("SIGTERM") };
}

await runScript(async () => {
  const home = mkdtempSync(join(os.tmpdir(), "parley-pictures-"));
  const server = await serve(home);
  const browser = await chromium.launch({
    ...{ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] },
  });
  try {
    const page = await browser.newPage({ viewport: { width: 1_280, height: 820 }, timezoneId: "UTC" });
    await page.goto(server.link);
    const base = new URL(server.link).origin;
    const ask = (/** @type {object} */ body) =>
      page.evaluate(async (sent) => {
        const response = await fetch("/api/v1/deliberations", {
          ...{ method: "POST", body: JSON.stringify(sent) },
          headers: { "content-type": "application/json", prefer: "wait=60" },
        });
        const { id } = /** @type {{ id: string }} */ (await response.json());
        return id;
      }, body);
    const council = { protocol: "council", models: MODELS };
    for (const question of COUNCILS) await ask({ ...council, question });
    const id = await ask({
      ...council,
      ...{ question: "Should our job queue move from Redis to Postgres?", strategy: "risk-averse" },
    });
    const debate = { protocol: "debate", rounds: 2, models: MODELS.slice(0, 2) };
    const debated = await ask({ ...debate, question: "Design a rate limiter for a public API" });
    /** @param {string} name @param {string} path @param {string} [top] where the picture begins */
    const shoot = async (name, path, top) => {
      await page.goto(`${base}/${path}`);
      await page.waitForLoadState("networkidle").catch(() => undefined);
      await page.waitForTimeout(500);
      if (top !== undefined) await page.locator(top).evaluate((element) => element.scrollIntoView());
      await page.screenshot({ path: join(root, "docs", "images", `page-${name}.png`) });
    };
    await shoot("answer", `d/${id}`);
    await shoot("debate", `d/${debated}?view=debate`, ".tabs");
    await shoot("replay", `d/${id}?at=6`);
    await shoot("contributions", "contributions");
    await shoot("league", "league");
    await page.setViewportSize({ width: 390, height: 780 });
    await shoot("phone", `d/${id}`);
  } finally {
    await browser.close();
    server.stop();
    rmSync(home, { recursive: true, force: true });
  }
  return 0;
});
