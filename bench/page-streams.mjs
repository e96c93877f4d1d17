import { createServer, request } from "node:http";

const STREAMS = 400;
/** 50 tokens a second, told in the batches in which the server tells them. */
const TOKEN_MS = 20;
const FLUSH_MS = 25;
const WARM_MS = 2_000;

/** @typedef {import("../src/kernel/index.ts").Entry} Entry */
/** @typedef {Awaited<ReturnType<typeof import("./page-browser.mjs").openBrowser>>} Browser */

/**
 * One run of 400 members that all write at once, on one page. The page and its session are the real server's; the run's events and
 * its feed are told by a server between, in the forms of the real one.
 *
 * @param {{ browser: Browser, link: string, id: string, seconds: number }} options
 * @returns {Promise<import("./harness.mjs").Row[]>}
 */
export async function followStreams({ browser, link, id, seconds }) {
  const between = await startBetween(new URL(link), id);
  try {
    return await browser.inPage(`${between.url}d/${id}`, (page, { cdp }) => measure({ page, cdp, seconds }), {
      selector: ".column pre",
      quiet: false,
    });
  } finally {
    between.stop();
  }
}

/** @param {{ page: import("playwright-core").Page, cdp: import("playwright-core").CDPSession, seconds: number }} options */
async function measure({ page, cdp, seconds }) {
  const is = `${STREAMS} streams, ${1_000 / TOKEN_MS} tokens a second each`;
  const busyMs = async () => {
    const { metrics } = await cdp.send("Performance.getMetrics");
    return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN) * 1_000;
  };
  const longest = () =>
    page.evaluate(() => {
      const painted = /** @type {{ longest: number }} */ (Reflect.get(globalThis, "painted"));
      const { longest: ms } = painted;
      painted.longest = 0;
      return ms;
    });
  const written = async () => (await page.locator(".column pre").first().textContent())?.length ?? 0;
  await page.waitForTimeout(WARM_MS);
  const columns = await page.locator(".column pre").count();
  if (columns !== STREAMS) throw new Error(`${columns} of ${STREAMS} streams are shown`);
  const atFirst = await longest();
  const [lengthBefore, busyBefore, startMs] = [await written(), await busyMs(), performance.now()];
  await page.waitForTimeout(seconds * 1_000);
  const wallMs = performance.now() - startMs;
  const share = ((await busyMs()) - busyBefore) / wallMs;
  const added = (await written()) - lengthBefore;
  if (added < (wallMs / TOKEN_MS) * TOKEN.length * 0.8)
    throw new Error(`only ${added} characters were shown`);
  return [
    { name: `${is}: main thread`, value: share * 100, unit: "%", target: 60 },
    // The browser reports no task below 50 ms.
    { name: `${is}: longest task`, value: await longest(), unit: "ms", target: 100 },
    { name: `${is}: longest task as they begin`, value: atFirst, unit: "ms", target: 100 },
  ];
}

const TOKEN = "word ";

/** Passes everything to the server but one run's events and the feed. @param {URL} server @param {string} id */
async function startBetween(server, id) {
  const passed = (/** @type {import("node:http").IncomingMessage} */ incoming) =>
    new Promise((/** @type {(response: import("node:http").IncomingMessage) => void} */ resolve, reject) => {
      const headers = { ...incoming.headers, host: server.host };
      const out = request(
        new URL(incoming.url ?? "/", server),
        { method: incoming.method, headers },
        resolve,
      );
      incoming.pipe(out.on("error", reject));
    });
  const own = createServer((incoming, response) => {
    const { pathname } = new URL(incoming.url ?? "/", server);
    if (pathname === "/api/v1/feed") return tellStreams(response, id);
    const isEvents = pathname === `/api/v1/deliberations/${id}/events`;
    // The page asks for the first events and, line by line, for those behind them: here there is only one.
    if (isEvents && incoming.headers.accept === "application/x-ndjson")
      return response.writeHead(200, { "content-type": "application/x-ndjson" }).end();
    if (isEvents) delete incoming.headers["accept-encoding"];
    passed(incoming).then(
      (from) => {
        if (!isEvents) return void from.pipe(response.writeHead(from.statusCode ?? 502, from.headers));
        let text = "";
        from.setEncoding("utf8").on("data", (piece) => (text += piece));
        from.on("end", () => {
          response.writeHead(200, { "content-type": "application/json" });
          response.end(JSON.stringify({ data: [crowded(JSON.parse(text).data)], next: null }));
        });
      },
      () => response.destroy(),
    );
  });
  await new Promise((resolve) => own.listen(0, server.hostname, () => resolve(undefined)));
  const address = own.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return {
    url: `http://${server.hostname}:${port}/`,
    stop: () => {
      own.closeAllConnections();
      own.close();
    },
  };
}

/** The opening of a run with so many members. @param {readonly Entry[]} entries */
function crowded([opened]) {
  if (opened?.type !== "deliberation-opened") throw new Error("the run has no opening");
  const [member] = opened.data.participants;
  const participants = Array.from({ length: STREAMS }, (_, nth) => ({ ...member, id: `m${nth}` }));
  return { ...opened, data: { ...opened.data, participants } };
}

/** The feed of that run: every step's new tokens, in one batch for all. @param {import("node:http").ServerResponse} response @param {string} id */
function tellStreams(response, id) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(`event: of\ndata: ${id}\n\nevent: state\ndata: {"status":"open","waiting":false}\n\n`);
  const startMs = performance.now();
  let told = 0;
  const timer = setInterval(() => {
    const due = Math.floor((performance.now() - startMs) / TOKEN_MS);
    if (due === told) return;
    const text = TOKEN.repeat(due - told);
    const pieces = Array.from({ length: STREAMS }, (_, nth) => ({
      ...{ step: `draft/m${nth}#1`, attempt: 1, offset: told * TOKEN.length, text },
      ...(told === 0 ? { by: `m${nth}`, kind: "draft" } : {}),
    }));
    told = due;
    response.write(`event: frames\ndata: ${JSON.stringify(pieces)}\n\n`);
  }, FLUSH_MS);
  response.on("close", () => clearInterval(timer));
}
