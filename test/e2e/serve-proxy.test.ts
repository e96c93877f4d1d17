import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { describe, expect, it } from "vitest";
import { SIMS, type Json } from "../support/server.ts";
import { built, somewhere, type Somewhere } from "./parley.ts";
import { call, follow, freePort, holds, newKey, served, type ServeProcess } from "./server.ts";

built();

const SUM = "What is 17 * 23?";
const nginxPath = ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"].find((path) =>
  existsSync(path),
);
if (nginxPath === undefined) process.stderr.write("The server is not tried behind a proxy: no nginx\n");
const chromiumPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  (path) => existsSync(path),
);
if (chromiumPath === undefined) process.stderr.write("Streams are not tried in a browser: no Chromium\n");

/** How long a stream behind the proxy is silent, in seconds; the proxy cuts at 15. */
const SILENCE_S = Number(process.env["PARLEY_SILENCE_S"] ?? 20);
/** How often the server is killed under a browser's stream, and how long it then runs. A dead server's lease ends after 6 s. */
const KILLS = 5;
const ALIVE_MS = Number(process.env["PARLEY_ALIVE_MS"] ?? 1_500);

/** An nginx as Debian has it, which buffers and cuts at 15 s of silence: the prefix is passed on, or taken away. */
async function nginx(place: Somewhere, upstream: string) {
  const [whole, stripped] = [await freePort(), await freePort()];
  const folder = join(place.folder, "nginx");
  mkdirSync(folder);
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  const site = (port: number, target: string) =>
    `server { listen 127.0.0.1:${port}; location /parley/ { proxy_pass ${target}; proxy_http_version 1.1; ` +
    `proxy_buffering on; proxy_read_timeout 15s; proxy_set_header Host $host; } }`;
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/errors; events {} ` +
      `http { access_log off; ${temp.join(" ")} ${site(whole, upstream)} ${site(stripped, `${upstream}/`)} }`,
  );
  const child: ChildProcess = spawn(nginxPath ?? "", ["-p", folder, "-c", join(folder, "nginx.conf")], {
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const urls = [whole, stripped].map((port) => `http://127.0.0.1:${port}/parley/`);
  for (const url of urls) await holds(async () => (await call(`${url}healthz`)).status === 200, 5_000);
  return {
    urls,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

describe.concurrent("behind nginx", () => {
  it.skipIf(nginxPath === undefined)(
    `${SILENCE_S} s of silence break nothing, with the prefix passed on and taken away`,
    async () => {
      await using place = somewhere();
      const server = await served(place, {
        args: ["--port", "0", "--base-path", "/parley/"],
        mostMs: (SILENCE_S + 60) * 1_000,
      });
      const { key } = server;
      await using proxy = await nginx(place, new URL(server.url).origin);
      const [first = "", second = ""] = proxy.urls;
      const { pathname, search } = new URL(await server.link());
      const opened = await call(`${second.replace("/parley/", "")}${pathname}${search}`);
      expect(opened).toMatchObject({ status: 303, headers: { location: "/parley/" } });
      expect(opened.headers["set-cookie"]?.[0]).toContain("Path=/parley/;");
      const seats = [{ name: "me", seat: "member" }];
      const body = { question: SUM, protocol: "council", models: SIMS.slice(0, 2), seats, reactions: false };
      const { json } = await call(`${first}api/v1/deliberations`, key, {
        body,
        headers: { prefer: "wait=10" },
      });
      expect(json.status).toBe("waiting");
      const path = `api/v1/deliberations/${json.id}`;
      const streams = await Promise.all(proxy.urls.map((url) => follow(`${url}${path}/events`, key)));
      // A reply that takes longer than the proxy waits is not cut off; its repeat joins what was opened.
      const slow = {
        question: SUM,
        protocol: "respond",
        models: ["sim/ada?latency=17000"],
        reactions: false,
      };
      const late = { body: slow, headers: { prefer: "wait=60", "idempotency-key": "late" } };
      const waited = call(`${first}api/v1/deliberations`, key, late);
      await new Promise((resolve) => setTimeout(resolve, SILENCE_S * 1_000));
      expect(await waited).toMatchObject({ status: 200, json: { status: "answered", calls: 1 } });
      const joined = await call(`${second}api/v1/deliberations`, key, late);
      expect(joined).toMatchObject({ status: 200, json: { status: "answered", calls: 1 } });
      for (const stream of streams) {
        expect(stream.status).toBe(200);
        expect(stream.events.filter(({ comment }) => comment !== undefined).length).toBeGreaterThanOrEqual(
          Math.floor(SILENCE_S / 10),
        );
      }
      const before = streams.map(({ events }) => events.length);
      const text = "It is 391.\n\nFinal answer: 391";
      expect((await call(`${second}${path}/answers`, key, { body: { text } })).status).toBe(200);
      // Not held back until the end: the proxy buffers, and is told not to.
      // What the person wrote is hidden while others still write; that the run goes on is not.
      const isHeld = async ({ until, events }: (typeof streams)[number], nth: number) => {
        await until((event) => event.event === "state" && events.indexOf(event) >= (before[nth] ?? 0));
        return events.some(({ event }) => event === "end");
      };
      expect(await Promise.all(streams.map(isHeld))).toEqual([false, false]);
      const whole = (await call(`${first}${path}/events`, key)).json.data as Json[];
      for (const stream of streams) {
        await holds(async () => stream.seqs().length >= whole.length);
        expect(stream.seqs().slice(0, whole.length)).toEqual(whole.map(({ seq }) => seq as number));
        stream.close();
      }
      server.process.kill("SIGTERM");
      expect((await server.process.ended).code).toBe(0);
    },
    (SILENCE_S + 60) * 1_000,
  );
});

describe.concurrent("a browser's EventSource", () => {
  it.skipIf(chromiumPath === undefined)(
    "sees every event of a debate once, in order, over five kill -9 of its server",
    async () => {
      await using place = somewhere();
      const port = await freePort();
      const key = await newKey(place);
      const args = ["--port", String(port)];
      let server: ServeProcess = await served(place, { args, key });
      const browser = await chromium.launch({ executablePath: chromiumPath ?? "", args: ["--no-sandbox"] });
      try {
        const page = await browser.newPage();
        await page.goto(await server.link());
        const models = SIMS.map((one) => `${one}&latency=1500`);
        const body = { question: SUM, protocol: "debate", rounds: 1, models, reactions: false };
        const { json } = await call(`${server.url}api/v1/deliberations`, key, { body });
        const path = `/api/v1/deliberations/${json.id}/events`;
        await page.evaluate(`
          globalThis.seen = []; globalThis.opened = 0;
          globalThis.source = new EventSource(${JSON.stringify(path)});
          source.addEventListener("recorded", ({ lastEventId, data }) => seen.push([Number(lastEventId), JSON.parse(data).seq]));
          source.onopen = () => { opened += 1; };
        `);
        // Each expression is of the page's own, and of this form.
        const seen = async () => (await page.evaluate("seen")) as [number, number][];
        const opened = async () => (await page.evaluate("opened")) as number;
        await holds(async () => (await seen()).length >= 3);
        for (let kill = 1; kill <= KILLS; kill += 1) {
          server.process.kill("SIGKILL");
          await server.process.ended;
          server = await served(place, { args, key });
          await holds(async () => (await opened()) > kill);
          await new Promise((resolve) => setTimeout(resolve, ALIVE_MS));
        }
        await holds(async () => (await page.evaluate("source.readyState")) === 2, 40_000);
        const { data } = (await call(`${server.url}${path.slice(1)}`, key)).json;
        expect(data.at(-1).type).toBe("deliberation-closed");
        const seqs = Array.from({ length: data.length as number }, (_, at) => [at + 1, at + 1]);
        expect(await seen()).toEqual(seqs);
        expect(await opened()).toBeGreaterThan(KILLS);
      } finally {
        await browser.close();
      }
    },
    120_000,
  );
});
