import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { quantile } from "./harness.mjs";
import { CHROMIUM, openBrowser } from "./page-browser.mjs";
import { measureWithLighthouse } from "./page-lighthouse.mjs";
import { followStreams } from "./page-streams.mjs";
import { EVENTS, openServer, playRuns, writeLongRun } from "./page-server.mjs";

/** @typedef {import("./harness.mjs").Row} Row */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {Awaited<ReturnType<typeof openBrowser>>} Browser */
/** @typedef {Awaited<ReturnType<typeof openServer>>} Server */

const FIRST_KB = 60;
const STYLE_KB = 12;
const ROUTE_KB = 25;
const PACKAGE_KB = 400;
const FRAME_MS = 16.7;
const COLD_STEPS = 50;
/** Screens that need no run; a run's views come from its own tabs. */
const SCREENS =
  "runs inbox league contributions votes costs memory personas library library/personas library/prompts forest workers bus settings";

/**
 * The page that the build's server shows, in a browser on this machine: what is transferred, how soon it can be read, and what a
 * long run and many live streams take.
 * @type {import("./harness.mjs").Measurement}
 */
export async function page({ dist, quick, scratch, lighthouse }) {
  const files = assetsOf(dist);
  /** @type {Row[]} */
  const rows = [
    { ...kb("what the page adds to the package, as npm packs it", files.packed), target: PACKAGE_KB },
    kb("what the page adds to the package, unpacked", files.unpacked),
  ];
  if (!existsSync(CHROMIUM))
    return { rows, notes: [`the rest is not measured: there is no Chromium at ${CHROMIUM}`] };
  const runs = await playRuns(dist, scratch);
  const long = await writeLongRun(dist, scratch, runs.debate);
  const server = await openServer(dist, scratch);
  const browser = await openBrowser(server.link);
  try {
    const first = await browser.visit("");
    rows.push(
      { ...kb("first load: scripts, gz", files.gzipped(first.scripts)), target: FIRST_KB },
      { ...kb("first load: CSS, gz", files.gzipped(first.styles)), target: STYLE_KB },
      { name: "first load: LCP", value: first.lcpMs, unit: "ms", target: 1_000 },
      { name: "first load: CLS", value: first.cls, unit: "", target: 0.02 },
    );
    /** What a run's page has loaded already when one of its views is opened. @type {Map<string, readonly string[]>} */
    const ofRuns = new Map();
    for (const path of await pathsOf(browser, Object.values(runs))) {
      const { scripts, lcpMs, cls } = await browser.visit(path);
      const [page = "", view] = path.split("?view=");
      const before = [...first.scripts, ...(view === undefined ? [] : (ofRuns.get(page) ?? []))];
      const added = scripts.filter((name) => !before.includes(name));
      const name = named(runs, path);
      rows.push({ ...kb(`/${name}: further scripts, gz`, files.gzipped(added)), target: ROUTE_KB });
      if (path.startsWith("d/") && view === undefined) {
        ofRuns.set(page, scripts);
        rows.push(kb(`/${name}: all scripts of who comes by a link, gz`, files.gzipped(scripts)));
      }
      if (!(lcpMs <= 1_000)) rows.push({ name: `/${name}: LCP`, value: lcpMs, unit: "ms", target: 1_000 });
      if (!(cls <= 0.02)) rows.push({ name: `/${name}: CLS`, value: cls, unit: "", target: 0.02 });
    }
    rows.push(...(await measureLongRun(browser, long, quick ? 60 : 300)));
    rows.push(
      ...(await followStreams({ browser, link: server.link, id: runs.council, seconds: quick ? 4 : 15 })),
    );
    const audited = await measureWithLighthouse(browser, { install: lighthouse === true, scratch });
    return { rows: [...rows, ...audited.rows], notes: audited.notes };
  } finally {
    await browser.close();
    await server.stop();
  }
}

/** @param {string} name @param {number} bytes */
const kb = (name, bytes) => ({ name, value: bytes / 1_024, unit: "KB" });

/** A path with the names of the runs in place of their ids. @param {Readonly<Record<string, string>>} runs @param {string} path */
const named = (runs, path) =>
  Object.entries(runs).reduce((text, [name, id]) => text.replaceAll(id, name), path);

/** The files of the page: what they weigh on disk, and some of them compressed. @param {string} dist */
function assetsOf(dist) {
  const folder = join(dist, "web");
  const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return {
    unpacked: all.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
    // A package is one gzipped stream of its files, in which each has a header of 512 bytes.
    packed: gzipSync(
      Buffer.concat(all.flatMap((name) => [readFileSync(join(folder, name)), Buffer.alloc(512)])),
      { level: 9 },
    ).length,
    gzipped: (/** @type {readonly string[]} */ names) =>
      names.reduce(
        (sum, name) => sum + gzipSync(readFileSync(join(folder, "assets", name)), { level: 9 }).length,
        0,
      ),
  };
}

/** Every screen, and every view that a run's tabs offer. @param {Browser} browser @param {readonly string[]} ids */
async function pathsOf(browser, ids) {
  const paths = [...SCREENS.split(" "), `compare?a=${ids[0]}&b=${ids[1]}`];
  for (const id of ids) {
    const tabs = await browser.inPage(
      `d/${id}`,
      (page) =>
        page
          .locator("nav.tabs a")
          .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? "")),
      { selector: "nav.tabs a" },
    );
    paths.push(...tabs.map((href) => href.replace(/^\//, "")), `d/${id}?view=fork`);
  }
  return paths;
}

/** A run of many events: how soon it is there, what comes over the wire, and what one step of the scrubber takes. @param {Browser} browser @param {string} id @param {number} steps @returns {Promise<Row[]>} */
async function measureLongRun(browser, id, steps) {
  const is = `a run of ${EVENTS.toLocaleString("en")} events`;
  return browser.inPage(
    `d/${id}`,
    async (page, { readyMs, apiBytes, heapMb }) => {
      const loadedBytes = await apiBytes(); // scrubbing loads texts, too
      // The browser compiles what it runs first: those steps are told apart.
      const cold = await page.evaluate(scrub, COLD_STEPS);
      const scrubbed = await page.evaluate(scrub, steps);
      if (!scrubbed.changed) throw new Error("the scrubber moved nothing");
      return [
        { name: `${is}: ready`, value: readyMs, unit: "ms", target: 2_000 },
        { name: `${is}: events over the wire`, value: loadedBytes / 1_048_576, unit: "MB", target: 0.5 },
        {
          name: `${is}: a scrub step to its frame, p95`,
          value: quantile(scrubbed.frames, 0.95),
          unit: "ms",
          target: FRAME_MS,
        },
        {
          name: `${is}: a scrub step's script, p95`,
          value: quantile(scrubbed.scripts, 0.95),
          unit: "ms",
          target: FRAME_MS,
        },
        {
          name: `${is}: the first ${COLD_STEPS} steps, to their frames, p95`,
          value: quantile(cold.frames, 0.95),
          unit: "ms",
        },
        { name: `${is}: heap`, value: await heapMb(), unit: "MB", target: 150 },
      ];
    },
    { selector: `.replay input[type=range][max="${EVENTS}"]` }, // all of them are there
  );
}

/**
 * In the page: moves the scrubber, in no order, at the beginning of a frame; how long it takes until what it changed is in the
 * document, and until the frame is painted.
 *
 * @param {number} steps
 */
async function scrub(steps) {
  // A browser's own, of which the types of this program know nothing.
  const { document, requestAnimationFrame, MessageChannel } = /** @type {any} */ (globalThis);
  const input = document.querySelector(".replay input[type=range]");
  const last = Number(input.max);
  const before = document.body.innerText;
  const frames = [];
  const scripts = [];
  const frame = () =>
    new Promise((/** @type {(ms: { script: number, frame: number }) => void} */ resolve) => {
      requestAnimationFrame(() => {
        const start = performance.now();
        let script = 0;
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => resolve({ script, frame: performance.now() - start });
        input.value = String(1 + ((frames.length * 7_919 + 4_999) % last));
        input.dispatchEvent(new Event("input", { bubbles: true }));
        // After what the components queued.
        queueMicrotask(() =>
          queueMicrotask(() => {
            script = performance.now() - start;
            port2.postMessage(undefined);
          }),
        );
      });
    });
  for (let step = 0; step < steps; step += 1) {
    const took = await frame();
    frames.push(took.frame);
    scripts.push(took.script);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { frames, scripts, changed: document.body.innerText !== before };
}
