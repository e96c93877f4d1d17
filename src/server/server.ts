import { createServer, STATUS_CODES, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { Hono } from "hono";
import type { Parley } from "../app/parley.ts";
import { issueLink } from "../app/credentials.ts";
import type { Principal } from "../kernel/index.ts";
import { createAccess, isAnyAddress } from "./access.ts";
import { MAX_BODY } from "./body.ts";
import { createDrives } from "./drives.ts";
import { createFollowers } from "./followers.ts";
import { createTurns, watchHealth } from "./health.ts";
import type { ServerFeature, ServerWatch } from "./operation.ts";
import { BUILD_HEADER, createPage } from "./page.ts";
import { problemReply, Refused, refusalOf, type HttpReply } from "./problem.ts";
import { encodeReply, send } from "./reply.ts";
import { createResults } from "./results.ts";
import { checkScope, type ApiSurface, type HttpExchange, type ServerConfig, type Services } from "./route.ts";

// A route parses, calls the app and writes what that gives: nothing is decided here that a terminal would decide otherwise.
// SERVER-2. An unexpected error is in the log and not in a reply; every refusal is said in the words of the API that was called, and has
//     the id of its request, which the log has too. Else: replies tell clients of the server's inside.
// A name from outside is looked up in a `Map` or among an object's own fields: what every object has is no known name.
// A client that goes away ends its own waiting, never a deliberation.
// Connections are bounded in number, and one that was refused is closed on both sides, whatever the client does.

const MAX_HEADER_BYTES = 16_384;
const MAX_URL = 8_192;
const MAX_REQUEST_MS = 10_000;
/** Longer than the 60 s after which usual load balancers close what is idle. */
const KEEP_ALIVE_MS = 65_000;
const SWEEP_MS = 2_000;
/** Fewer than the files that a process may usually have open. */
const MAX_CONNECTIONS = 4_000;
/** How often the log says that connections are refused. */
const TELL_EVERY_MS = 60_000;
/** How long a client has to read why its connection is closed. */
const LINGER_MS = 500;
/** Names the request, for the client and in the log. */
const REQUEST_HEADER = "x-request-id";

export type ServerOptions = {
  readonly parley: Parley;
  /** In whose name the server drives, and whose sessions its link opens. */
  readonly principal: Principal;
  readonly surfaces: readonly ApiSurface[];
  /** Those whose runs leave something to do, and who watch over it. */
  readonly features?: readonly ServerFeature[] | undefined;
  readonly config: ServerConfig;
  /** The folder of the built page; without it, the server has none. */
  readonly page?: string | undefined;
  readonly host: string;
  readonly port: number;
  /** `/`, or a path with a slash at its beginning and end. */
  readonly base: string;
  /** Where browsers and clients reach it, each with its path: the first is what links begin with; by default its own address. */
  readonly publicUrls?: readonly string[] | undefined;
  readonly maxDrives: number;
  /** How many connections are open at a time; 4,000 by default. */
  readonly maxConnections?: number;
  /** Writes a line: for people, or, `isWhole`, one that nothing may break. */
  readonly log: (line: string, isWhole?: boolean) => void;
};

export type RunningServer = {
  /** Where it is reached, with a slash at its end. */
  readonly url: string;
  /** The same with a token, for ten minutes. (CREDENTIAL-3) */
  readonly link: string;
  readonly port: number;
  /** Writes into its log. */
  readonly log: (line: string, level: "info" | "warn") => void;
  /** Is not ready any more, tells streams to return, gives drives this long to reach a recorded step, and ends. */
  stop(graceMs: number): Promise<void>;
};

/** Listens. @throws the system's error for an address that cannot be listened on */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { parley, principal, base, host, config, features = [] } = options;
  const context = parley.context({}, { principal });
  const { world, credentials, process } = context;
  const publicUrls = (options.publicUrls ?? []).map((one) => new URL(one));
  const [given] = publicUrls;
  const page =
    options.page === undefined
      ? undefined
      : createPage(options.page, given?.pathname.replace(/\/?$/, "/") ?? base);
  const stopped = new AbortController();
  const watches: ServerWatch[] = [];
  const tell = (line: string, level: "info" | "warn") => {
    const own = watches.find((one) => one.log);
    if (own) own.log?.(line, level);
    else options.log(line);
  };
  const log = (line: string) => tell(line, "warn");
  const followers = createFollowers({ parley, principal, log });
  const drives = createDrives({
    ...{ parley, principal, log, adopts: "store", most: options.maxDrives },
    settle: async (id, by) => {
      if (!by.scopes.includes("manage")) return;
      const managing = parley.context({}, { principal: by, needs: "manage" });
      for (const { settle } of features) await settle?.(managing, id, config.place);
    },
    onDrive: (run) => watches.forEach(({ driven }) => driven?.(run)),
    onEnd: (id) => followers.settle(id),
  });
  const exchanges = new Set<AbortController>();
  const turns = createTurns();
  const health = await watchHealth({ store: process.store, world, stopped: stopped.signal });
  const gauges = () => ({
    ...{ ...drives.count(), followers: followers.count(), lagSeconds: health.lagSeconds() },
  });
  const write = (line: string) => options.log(line, true);
  const watched = { context, log: write, gauges, signal: stopped.signal };
  for (const { watch } of features) if (watch) watches.push(await watch(watched));
  const app = new Hono<RoutingEnv>({ getPath: (_, given) => given?.env?.path ?? "/" });
  const on = (
    method: string,
    path: string,
    reply: (routed: MatchedExchange) => Promise<HttpReply | undefined>,
  ) =>
    app.on(method, path, async ({ env, req }) => {
      env.matched(path);
      const made = await reply({ ...env, params: req.param() });
      if (made) send(env.response, await encodeReply(env.request, made));
      return WRITTEN;
    });
  on("GET", "/healthz", async () => ({ status: 200, body: { ok: true } }));
  on("GET", "/readyz", async () => {
    const problems = health.problems();
    return { status: Object.keys(problems).length === 0 ? 200 : 503, body: { problems } };
  });
  on("GET", "/metrics", async ({ request }) => {
    checkScope(await access.caller(request), "operate");
    const content = await watches.find((one) => one.metrics)?.metrics?.();
    return content ? { status: 200, content } : { status: 204 };
  });
  on("GET", "/", async (exchange) => {
    const token = exchange.url.searchParams.get("token");
    // A look ahead at the link, such as a messenger's, is not its use.
    if (token === null || exchange.request.method === "HEAD")
      return (
        (await page?.reply("", exchange)) ?? {
          ...{ status: 200, content: { type: "text/plain; charset=utf-8", bytes: HELLO } },
        }
      );
    const cookie = await access.redeem(token, exchange.request.headers["user-agent"]);
    // The page says how to sign in where it stands without a session.
    const headers = { location: base, ...(cookie === undefined ? {} : { "set-cookie": cookie }) };
    if (cookie !== undefined || page) return { status: 303, headers };
    const next = "print a new link where the server runs; it works for ten minutes";
    throw new Refused({ status: 401, code: "authentication", detail: "the link has ended", next });
  });
  for (const { prefix, routes } of options.surfaces)
    for (const { method, path, answer } of routes)
      on(method, `/${prefix}${path.replaceAll(/\{(\w+)\}/g, ":$1")}`, ({ params, ...exchange }) =>
        answer(exchange, services, params),
      );
  const surfaceOf = (path: string) => options.surfaces.find(({ prefix }) => path.startsWith(`/${prefix}`));
  app.notFound(async ({ env }) => {
    const { path, request, response } = env;
    const others = METHODS.filter((one) => app.router.match(one, path)[0].length > 0);
    if (others.length > 0) throw notAllowed(others);
    const isShown = ["GET", "HEAD"].includes(request.method ?? "") && !surfaceOf(path);
    const shown = isShown ? await page?.reply(path.slice(1), env) : undefined;
    if (!shown) throw notHere(path);
    send(response, await encodeReply(request, shown));
    return WRITTEN;
  });
  app.onError((error) => {
    throw error;
  });

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const control = new AbortController();
    const begun = performance.now();
    const id = world.id();
    let path = "/";
    let route: string | undefined;
    exchanges.add(control);
    response.on("close", () => {
      exchanges.delete(control);
      control.abort(GONE); // without a reason, each would make an error of its own
      const status = response.headersSent ? response.statusCode : 0;
      const served = { request, id, route, status, ms: performance.now() - begun };
      for (const one of watches) one.served?.({ ...served, key: access.credentialOf(request) });
    });
    response.setHeader(REQUEST_HEADER, id);
    if (page) response.setHeader(BUILD_HEADER, page.build);
    if (stopped.signal.aborted) response.shouldKeepAlive = false;
    try {
      const { url: target = "/" } = request;
      path = pathBelow(target.slice(0, 101), base);
      if (target.length > MAX_URL)
        throw new Refused({ status: 414, code: "url-too-long", detail: `the URL has over ${MAX_URL} bytes` });
      const url = URL.canParse(target, ORIGIN) ? new URL(target, ORIGIN) : undefined;
      if (!url) throw notHere(target);
      path = pathBelow(url.pathname, base);
      if (path !== "/healthz" && path !== "/readyz") {
        const isApi = surfaceOf(path) !== undefined;
        const admits = watches.flatMap((one) => (isApi && one.admit?.({ request, response })) || []);
        access.checkHost(request, admits.length > 0); // those probe a server by any address of its own
        const reply = admits.find((one) => one !== true);
        if (reply) return send(response, reply);
        await turns.turn();
      }
      // Of a request, Hono reads the method alone.
      await app.fetch(request as unknown as Request, {
        request,
        response,
        url,
        signal: control.signal,
        path,
        matched: (of: string) => void (route = of),
      });
    } catch (error) {
      if (request.errored !== null) return; // the client has gone, or was too slow
      const refusal = { ...refusalOf(error), instance: instanceOf(id) };
      if (refusal.status >= 500 && !(error instanceof Refused)) {
        const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
        log(`${refusal.instance} ${request.method} ${path}: ${why}`); // SERVER-2
      }
      // A reply that has begun can only be broken off.
      if (response.headersSent) response.destroy();
      else {
        send(response, (surfaceOf(path)?.refuse ?? problemReply)(refusal));
      }
    }
  };

  const server = createServer(
    {
      ...{ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS, noDelay: true },
      requestTimeout: MAX_REQUEST_MS,
      headersTimeout: MAX_REQUEST_MS,
      connectionsCheckingInterval: 1_000,
    },
    (request, response) => void answer(request, response),
  );
  server.on("clientError", (error, socket: Socket) => refuseBroken(error, socket, world.id()));
  server.maxConnections = options.maxConnections ?? MAX_CONNECTIONS;
  let toldAt = -Infinity;
  server.on("drop", () => {
    if (world.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = world.now();
    log(`${server.maxConnections} connections are open: others are closed at once`);
  });
  server.on("connection", turns.came);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, host, () => {
      server.off("error", reject);
      resolve();
    });
  }).catch((error: unknown) => {
    stopped.abort();
    throw error;
  });
  // The server's own address is an address of TCP.
  const { port } = server.address() as AddressInfo;
  const named = isAnyAddress(host) ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  const url = given ? `${given.href.replace(/\/$/, "")}/` : `http://${named}:${port}${base}`;
  const access = createAccess({ credentials, world, host, port, publicUrls, base });
  const services: Services = {
    ...{ parley, access, drives, followers, base, config, world, log, publicUrl: url },
    results: createResults(parley),
    traceOf: watches.find((one) => one.traceOf)?.traceOf,
  };
  followers.start();
  for (const one of watches) one.start?.(url);
  const keeping = drives.keep(SWEEP_MS, stopped.signal);
  return {
    url,
    link: await issueLink(context, principal, url),
    port,
    log: tell,
    async stop(graceMs) {
      stopped.abort();
      // It still answers, so that whoever watches over it sees that it is not ready.
      await followers.stop();
      await drives.stop(graceMs);
      const closed = new Promise((resolve) => server.close(resolve));
      for (const one of exchanges) one.abort();
      await keeping;
      const late = setTimeout(() => server.closeAllConnections(), 1_000);
      server.closeIdleConnections();
      await closed;
      clearTimeout(late);
      for (const { stop } of watches) await stop?.();
    },
  };
}

/** Any: only the path and the query count. */
const ORIGIN = "http://parley.invalid";

const METHODS = ["GET", "POST", "DELETE"] as const;
/** Hono takes a response of each handler; what it stands for has been written to Node's own. */
const WRITTEN = new Response();
type RoutingEnv = {
  readonly Bindings: HttpExchange & { readonly path: string; readonly matched: (route: string) => void };
};
type MatchedExchange = HttpExchange & { readonly params: Readonly<Record<string, string>> };

/** A path below the base; a proxy may have taken the base away already. */
const pathBelow = (path: string, base: string): string =>
  path.startsWith(base) ? path.slice(base.length - 1) : `${path}/` === base ? "/" : path;

const notHere = (path: string) =>
  new Refused({
    ...{ status: 404, code: "not-found", detail: `there is nothing at ${path.slice(0, 101)}` },
    next: "see api/v1/openapi.json",
  });

function notAllowed(methods: readonly string[]): Refused {
  const allow = methods.flatMap((one) => (one === "GET" ? ["GET", "HEAD"] : [one])).join(", ");
  return new Refused({
    ...{ status: 405, code: "method-not-allowed", detail: `this is for ${allow}`, headers: { allow } },
  });
}

const GONE = new Error("the client has gone");

const instanceOf = (id: string): string => `urn:parley:request:${id}`;

/** What Node cannot read as a request: too many headers, too slow, or no HTTP. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Socket, id: string): void {
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const [status, code, detail] =
    error.code === "HPE_HEADER_OVERFLOW"
      ? [431, "headers-too-large", `the headers have over ${MAX_HEADER_BYTES / 1_024} KB`]
      : error.code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "too-slow", `the request did not come within ${MAX_REQUEST_MS / 1_000} s`]
        : [400, "not-http", "this is not HTTP"];
  const refusal = { status: Number(status), code: String(code), detail: String(detail) };
  const { content } = problemReply({ ...refusal, instance: instanceOf(id) });
  const body = content?.bytes.toString() ?? "";
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[Number(status)]}\r\ncontent-type: application/problem+json\r\n` +
      `${REQUEST_HEADER}: ${id}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

const HELLO = `Parley is running.

  api/v1/               what the API takes and gives; api/v1/openapi.json for programs
  v1/                   OpenAI's API, for its clients
  mcp                   for MCP clients
  healthz, readyz       for whoever watches over it

Bodies have at most ${MAX_BODY / 1_000_000} MB. Programs send a key: parley serve keys new NAME.
`;
