import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createHash, timingSafeEqual } from "node:crypto";
import { answering } from "./answering.ts";
import { embeddingAnswering } from "./embedding-answering.ts";
import { readFaults } from "./faults.ts";
import { createSim, systemWait, type Sim, type Wait } from "./sim.ts";
import { anthropic } from "./wires/anthropic.ts";
import { ollamaEmbeddings, openaiEmbeddings, type EmbeddingServerWire } from "./wires/embeddings.ts";
import { latest, ollama } from "./wires/ollama.ts";
import { openai } from "./wires/openai.ts";
import type { OrderReading, ServerWire } from "./wires/wire.ts";

export type SimServerOptions = {
  /** 0 takes any free port. */
  readonly port: number;
  readonly host?: string | undefined;
  /** Without one every request is served. */
  readonly key?: string | undefined;
  /** Faults of every request, `http=429&times=1`; a request's own come on top. */
  readonly faults?: string | undefined;
  /** Its files of facts can be read by whoever reaches the server; the default one reads none. */
  readonly sim?: Sim | undefined;
  readonly wait?: Wait | undefined;
};

/** A server that listens. `close` breaks off what is under way and closes every connection. */
export type SimServer = { readonly url: string; readonly port: number; readonly close: () => Promise<void> };

export type Listening =
  { readonly ok: true; readonly server: SimServer } | { readonly ok: false; readonly reason: string };

/** A request names a path; what stands before it does not matter. */
const base = "http://localhost";

const largestBody = 32 * 2 ** 20;

/** Connections that may wait to be accepted: thousands of calls at once are what a load test is. */
const mostWaiting = 4_096;

/** Longer than clients keep an idle connection, so that none is closed just as it is used again. */
const keepAliveMs = 65_000;

const wires: { readonly [path: string]: ServerWire } = {
  "/v1/chat/completions": openai,
  "/v1/messages": anthropic,
  "/api/chat": ollama,
};

const embeddingWires: { readonly [path: string]: EmbeddingServerWire } = {
  "/v1/embeddings": openaiEmbeddings,
  "/api/embed": ollamaEmbeddings,
};

const at = <T>(table: { readonly [path: string]: T }, path: string): T | undefined =>
  Object.hasOwn(table, path) ? table[path] : undefined;

/** What `GET /v1/models` and `GET /api/tags` list; any other name is answered as well. */
export const listedModels = ["ada", "ben", "cleo", "dora"] as const;

/**
 * The simulated models behind the OpenAI-compatible wire, Anthropic's and Ollama's own, and their embeddings behind
 * OpenAI's and Ollama's, on 127.0.0.1 unless another host is given.
 * Faults stand in a request's model (`ada?http=429&retry-after=1&times=2`), its query or its header `x-sim-faults`.
 */
export async function simServer(options: SimServerOptions): Promise<Listening> {
  const { port, host = "127.0.0.1", key, sim = createSim(), wait = systemWait } = options;
  const usual = readFaults(options.faults ?? "");
  if (!usual.ok) return usual;
  const floor = { sim, wait, faults: usual.faults };
  const answer = answering(floor);
  const embed = embeddingAnswering(floor);
  const orders = orderBook();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "/";
    const url = new URL(URL.canParse(path, base) ? path : "/", base);
    const wire = at(wires, url.pathname);
    const embeddingWire = at(embeddingWires, url.pathname);
    const refuse = (status: number, message: string): void =>
      respond(response, status, (wire ?? embeddingWire ?? openai).error(status, message));
    if (key !== undefined && !isKey(request, key))
      return refuse(401, "simulated: this is not the key that the server was started with");
    const listing = request.method === "GET" ? at(listings, url.pathname) : undefined;
    if (listing !== undefined) return respond(response, 200, listing);
    if (wire === undefined && embeddingWire === undefined)
      return refuse(
        404,
        `simulated: there is no ${url.pathname.slice(0, 100)}; there are ${Object.keys({ ...wires, ...embeddingWires, ...listings }).join(", ")}`,
      );
    if (request.method !== "POST") return refuse(405, "simulated: only POST is answered here");
    const body = await bodyOf(request);
    if (!body.ok) return refuse(413, `simulated: ${body.reason}`);
    const asked = [url.searchParams.toString(), request.headers["x-sim-faults"] ?? ""]
      .flat()
      .filter(Boolean)
      .join("&");
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const exchange = { asked, response, signal: gone.signal };
    if (wire !== undefined) {
      const read = orders.read(wire, body.text);
      return read.ok
        ? answer({ wire, order: read.order, ...exchange })
        : refuse(400, `simulated: ${read.reason}`);
    }
    if (embeddingWire !== undefined) {
      const read = readBody(embeddingWire.read, body.text);
      return read.ok
        ? embed({ wire: embeddingWire, order: read.order, ...exchange })
        : refuse(400, `simulated: ${read.reason}`);
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.destroyed || response.headersSent) return void response.destroy();
      respond(
        response,
        500,
        openai.error(500, `simulated: ${error instanceof Error ? error.message : String(error)}`),
      );
    });
  });

  server.keepAliveTimeout = keepAliveMs;
  const failure = await new Promise<Error | null>((settle) => {
    server.once("error", settle);
    server.listen({ port, host, backlog: mostWaiting }, () => settle(null));
  });
  const address = server.address();
  if (failure !== null || address === null || typeof address === "string") {
    return { ok: false, reason: `no server on ${host}:${port}: ${failure?.message ?? "it has no address"}` };
  }
  const shown = address.family === "IPv6" ? `[${address.address}]` : address.address;
  return {
    ok: true,
    server: {
      url: `http://${shown}:${address.port}`,
      port: address.port,
      close: () =>
        new Promise((settle) => {
          server.close(() => settle());
          server.closeAllConnections();
        }),
    },
  };
}

/** What a GET is answered with. */
const listings: { readonly [path: string]: string } = {
  "/v1/models": JSON.stringify({
    object: "list",
    data: listedModels.map((id) => ({
      id,
      object: "model",
      type: "model",
      created: 0,
      owned_by: "simulated",
      display_name: `simulated ${id}`,
    })),
  }),
  "/api/tags": JSON.stringify({
    models: listedModels.map((id) => ({ name: `${id}${latest}`, model: `${id}${latest}`, size: 0 })),
  }),
  "/api/version": JSON.stringify({ version: "0.0.0-simulated" }),
};

function respond(response: ServerResponse, status: number, body: string): void {
  response
    .writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    .end(body);
}

/** Compared by digest, so that neither length nor content shows in the time it takes. */
function isKey(request: IncomingMessage, key: string): boolean {
  const [, bearer] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const given = bearer ?? [request.headers["x-api-key"] ?? ""].flat()[0] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(key));
}

type Body = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string };

function bodyOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    request.on("data", (bytes: Buffer) => {
      size += bytes.length;
      // Taken to its end all the same: a client that is still sending would not see the refusal.
      if (size <= largestBody) chunks.push(bytes);
    });
    request.once("error", reject);
    request.once("end", () =>
      resolve(
        size > largestBody
          ? { ok: false, reason: `a request over ${largestBody} bytes is not read` }
          : { ok: true, text: Buffer.concat(chunks).toString("utf8") },
      ),
    );
  });
}

/** How many requests are kept as read, and how long the longest of them is: whoever measures sends the same ones over and over. */
const mostOrders = 256;
const longestOrder = 64 * 2 ** 10;

/** Reads requests; one that is the same as one before is the same order. */
function orderBook(): { readonly read: (wire: ServerWire, text: string) => OrderReading } {
  const known = new Map<string, Map<ServerWire, OrderReading>>();
  return {
    read: (wire, text) => {
      const found = known.get(text)?.get(wire);
      if (found) return found;
      const reading = readBody(wire.read, text);
      if (reading.ok && text.length <= longestOrder) {
        known.set(text, (known.get(text) ?? new Map<ServerWire, OrderReading>()).set(wire, reading));
        const oldest = known.keys().next();
        if (known.size > mostOrders && oldest.done !== true) known.delete(oldest.value);
      }
      return reading;
    },
  };
}

type Unread = { readonly ok: false; readonly reason: string };

function readBody<R>(read: (body: unknown) => R | Unread, text: string): R | Unread {
  try {
    const value: unknown = JSON.parse(text);
    return read(value);
  } catch {
    return { ok: false, reason: "the body is not JSON" };
  }
}
