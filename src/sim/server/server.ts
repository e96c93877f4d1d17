import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { LRUCache } from "lru-cache";
import { createSim, systemWait, type Sim, type Wait } from "../sim.ts";
import { anthropic } from "./anthropic.ts";
import {
  LATEST_TAG,
  ollama,
  ollamaEmbeddings,
  openai,
  openaiEmbeddings,
  type ChatOrder,
  type EmbeddingServerWire,
  type ServerWire,
  type WireReading,
} from "./wires.ts";
import { responses } from "./responses.ts";
import type { Refuse } from "./fault-injection.ts";
import { createChatHandler, createEmbeddingHandler } from "./handler.ts";

export type SimServerConfig = {
  /** 0 takes any free port. */
  readonly port: number;
  /** 127.0.0.1 where none is given. */
  readonly host?: string | undefined;
  /** Without a key every request is served. */
  readonly key?: string | undefined;
  /** Everybody who reaches the server can read its files of facts; the default one reads none. */
  readonly sim?: Sim | undefined;
  readonly wait?: Wait | undefined;
};

/** A server that listens. `close` aborts what is under way and closes every connection. */
export type SimServer = { readonly url: string; readonly port: number; readonly close: () => Promise<void> };

export type Listening =
  { readonly ok: true; readonly server: SimServer } | { readonly ok: false; readonly reason: string };

const MAX_BODY_BYTES = 32 * 2 ** 20;
/** Connections that may wait to be accepted: a load test opens thousands at once. */
const MAX_WAITING_CONNECTIONS = 4_096;
/** Longer than clients keep an idle connection, so that none is closed just as it is used again. */
const KEEP_ALIVE_MS = 65_000;

const chatWires = new Map<string, ServerWire>([
  ["/v1/chat/completions", openai],
  ["/v1/responses", responses],
  ["/v1/messages", anthropic],
  ["/api/chat", ollama],
]);
const embeddingWires = new Map<string, EmbeddingServerWire>([
  ["/v1/embeddings", openaiEmbeddings],
  ["/api/embed", ollamaEmbeddings],
]);

/** What `GET /v1/models` and `GET /api/tags` list; a request may name any other model as well. */
export const LISTED_MODELS = ["ada", "ben", "cleo", "dora"] as const;

const listings = new Map<string, object>([
  ["/v1/models", { object: "list", data: LISTED_MODELS.map(describeModel) }],
  [
    "/api/tags",
    { models: LISTED_MODELS.map((id) => ({ name: id + LATEST_TAG, model: id + LATEST_TAG, size: 0 })) },
  ],
  ["/api/version", { version: "0.0.0-simulated" }],
]);

function describeModel(id: string): object {
  return {
    id,
    object: "model",
    type: "model",
    created: 0,
    owned_by: "simulated",
    display_name: `simulated ${id}`,
  };
}

/**
 * Serves the simulated models over the OpenAI-compatible wire, OpenAI's Responses API, Anthropic's and Ollama's own, and their embeddings over
 * OpenAI's and Ollama's. Faults stand in a request's model (`ada?http=429&retry-after=1&times=2`), its query or its
 * header `x-sim-faults`.
 */
export async function startSimServer(options: SimServerConfig): Promise<Listening> {
  const { port, host = "127.0.0.1", key, sim = createSim(), wait = systemWait } = options;
  const context = { sim, wait };
  const answerChat = createChatHandler(context);
  const answerEmbedding = createEmbeddingHandler(context);
  const readOrder = createOrderReader();

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? "/";
    const base = "http://localhost"; // only the path matters
    const { pathname, searchParams } = new URL(URL.canParse(path, base) ? path : "/", base);
    const chatWire = chatWires.get(pathname);
    const embeddingWire = embeddingWires.get(pathname);
    const wire = chatWire ?? embeddingWire;
    let model: string | undefined;
    const refuse: Refuse = (status, message, headers) =>
      send(response, status, { body: (wire ?? openai).error(status, message, model), headers });
    if (key !== undefined && !hasKey(request, key))
      return refuse(401, "simulated: this is not the key that the server was started with");
    const listing = request.method === "GET" ? listings.get(pathname) : undefined;
    if (listing !== undefined) return send(response, 200, { body: JSON.stringify(listing) });
    if (wire === undefined) {
      const paths = [...chatWires.keys(), ...embeddingWires.keys(), ...listings.keys()].join(", ");
      return refuse(404, `simulated: ${pathname.slice(0, 100)} is not a path of this server (${paths})`);
    }
    if (request.method !== "POST") return refuse(405, "simulated: only POST is answered here");
    const body = await readBody(request);
    if (body === null) return refuse(413, `simulated: the request is larger than ${MAX_BODY_BYTES} bytes`);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const requestedFaults = [searchParams.toString(), request.headers["x-sim-faults"] ?? ""]
      .flat()
      .filter(Boolean)
      .join("&");
    const exchange = { requestedFaults, response, refuse, signal: gone.signal };
    if (chatWire !== undefined) {
      const reading = readOrder(chatWire, body);
      if (!reading.ok) return refuse(400, `simulated: ${reading.reason}`);
      model = reading.order.model;
      return answerChat({ ...exchange, wire: chatWire, order: reading.order });
    }
    if (embeddingWire !== undefined) {
      const reading = readJson(embeddingWire.read, body);
      if (!reading.ok) return refuse(400, `simulated: ${reading.reason}`);
      return answerEmbedding({ ...exchange, wire: embeddingWire, order: reading.order });
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      if (response.destroyed || response.headersSent) return void response.destroy();
      const message = `simulated: ${error instanceof Error ? error.message : String(error)}`;
      send(response, 500, { body: openai.error(500, message) });
    });
  });

  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const failure = await new Promise<Error | null>((settle) => {
    server.once("error", settle);
    server.listen({ port, host, backlog: MAX_WAITING_CONNECTIONS }, () => settle(null));
  });
  const address = server.address();
  if (failure !== null || address === null || typeof address === "string")
    return { ok: false, reason: `no server on ${host}:${port}: ${failure?.message ?? "it has no address"}` };
  const hostname = address.family === "IPv6" ? `[${address.address}]` : address.address;
  const close = (): Promise<void> =>
    new Promise((settle) => {
      server.close(() => settle());
      server.closeAllConnections();
    });
  return { ok: true, server: { url: `http://${hostname}:${address.port}`, port: address.port, close } };
}

type Sent = { readonly body: string; readonly headers?: { readonly [name: string]: string } | undefined };

function send(response: ServerResponse, status: number, { body, headers = {} }: Sent): void {
  const length = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  response.writeHead(status, { ...headers, ...length }).end(body);
}

/** Compares digests, so that neither length nor content shows in the time it takes. */
function hasKey(request: IncomingMessage, key: string): boolean {
  const [, bearer] = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "") ?? [];
  const written = bearer ?? [request.headers["x-api-key"] ?? ""].flat()[0] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(written), digest(key));
}

/** The text of a body; null for one that is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk as Uint8Array); // node:http gives bytes
    size += bytes.length;
    // A body that is too large is read to its end all the same: a client that is still sending would not see the refusal.
    if (size <= MAX_BODY_BYTES) chunks.push(bytes);
  }
  return size > MAX_BODY_BYTES ? null : Buffer.concat(chunks).toString("utf8");
}

/** The longest request that is kept as read: benchmarks send the same ones again and again. */
const MAX_KEPT_LENGTH = 64 * 2 ** 10;

/** Reads chat requests; one that equals one before is the same order. */
function createOrderReader(): (wire: ServerWire, text: string) => WireReading<ChatOrder> {
  const orders = new Map(
    [...chatWires.values()].map((wire) => [wire, new LRUCache<string, WireReading<ChatOrder>>({ max: 256 })]),
  );
  return (wire, text) => {
    const reading = orders.get(wire)?.get(text) ?? readJson(wire.read, text);
    if (reading.ok && text.length <= MAX_KEPT_LENGTH) orders.get(wire)?.set(text, reading);
    return reading;
  };
}

function readJson<O>(read: (body: unknown) => WireReading<O>, text: string): WireReading<O> {
  try {
    const value: unknown = JSON.parse(text);
    return read(value);
  } catch {
    return { ok: false, reason: "the body is not JSON" };
  }
}
