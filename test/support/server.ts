import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { expect } from "vitest";
import { openConfigured } from "./opened.ts";
import { issueCredential } from "../../src/app/credentials.ts";
import { withoutModels } from "../../src/cli/connect.ts";
import type { Parley } from "../../src/app/parley.ts";
import { features } from "../../src/features.ts";
import { DeliberationId, OrganizationId, Scope, type Principal } from "../../src/kernel/index.ts";
import type { KeyLimits } from "../../src/stores/credentials.ts";
import { apiRoutes, nativeApi as nativeApiOf } from "../../src/server/api/index.ts";
import { startServer, type ServerOptions } from "../../src/server/server.ts";
import { scratch, type Scratch } from "./scratch.ts";

/** The native API of what ships, and its routes. */
export const nativeApi = await nativeApiOf(features);
export const routes = await apiRoutes(features);

/** Three simulated models of three families, for questions that need a panel. */
export const SIMS = ["sim/ada?family=sim-a", "sim/bo?family=sim-b", "sim/cy?family=sim-c"] as const;

/** A question that every simulated model can compute. */
export const SUM = "What is 17 * 23?";

/** A reply, read to its end. */
export type Got = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text as JSON. @throws SyntaxError */
  readonly json: Json;
};
/** JSON whose form the test knows. */
export type Json = ReturnType<typeof JSON.parse>;

export type Sent = {
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown;
  /** The key to send; null sends none. By default the server's own. */
  readonly key?: string | null;
  readonly signal?: AbortSignal;
};

/** A server in this process, over a store of its own, on a free port. It is stopped, and its store closed, when it is disposed of. */
export type TestServer = AsyncDisposable & {
  /** With a slash at its end. */
  readonly url: string;
  readonly link: string;
  readonly port: number;
  readonly parley: Parley;
  readonly principal: Principal;
  /** A key with both scopes. */
  readonly key: string;
  /** What it wrote into its log. */
  readonly log: readonly string[];
  /** A path without a slash at its beginning is below `api/v1/`. */
  request(method: string, path: string, sent?: Sent): Promise<Got>;
  get(path: string, sent?: Sent): Promise<Got>;
  post(path: string, body?: unknown, sent?: Sent): Promise<Got>;
  /** Makes another key. */
  newKey(of?: {
    readonly scopes?: readonly Scope[];
    readonly organization?: string;
    readonly user?: string;
    readonly until?: number;
    readonly limits?: KeyLimits;
  }): Promise<{ readonly id: string; readonly secret: string }>;
  /** A browser's session of its own, as `BrowserContext.addCookies` takes it. */
  newSession(
    scopes?: readonly Scope[],
  ): Promise<{ readonly name: string; readonly value: string; readonly url: string }>;
  /** Follows a stream of server-sent events. */
  sse(path: string, sent?: Sent): Promise<Sse>;
  /** Opens a question and waits for its result. */
  ask(body?: Readonly<Record<string, unknown>>): Promise<Json>;
  stop(graceMs?: number): Promise<void>;
};

export type TestServerOptions = Partial<
  Pick<
    ServerOptions,
    "base" | "config" | "maxConnections" | "maxDrives" | "publicUrls" | "surfaces" | "page" | "port" | "host"
  >
> & {
  readonly env?: Readonly<Record<string, string>>;
  /** Whether simulated models answer where none is named; by default they do. */
  readonly simulated?: boolean;
};

/** A place for servers: what one of them leaves, the next one finds. */
export const serverPlace = (files: Readonly<Record<string, string>> = {}): Scratch => scratch(files);

/** Starts a server, in a place of its own by default. */
export async function testServer(options: TestServerOptions = {}, shared?: Scratch): Promise<TestServer> {
  const place = shared ?? serverPlace();
  const { env: more = {}, simulated = true, ...given } = options;
  const env = {
    ...place.env,
    PARLEY_HOME: join(place.home, "parley"),
    OLLAMA_HOST: "127.0.0.1:1",
    LMSTUDIO_HOST: "127.0.0.1:1",
    ...more,
  };
  const { parley, context } = await openConfigured({
    ...{ env, cwd: place.cwd, flags: {}, isServed: true, ...withoutModels({ simulated }) },
  });
  const { principal } = context;
  const log: string[] = [];
  const server = await startServer({
    ...{ parley, principal, host: "127.0.0.1", port: 0, base: "/", maxDrives: 64 },
    surfaces: [nativeApi],
    features,
    log: (line: string) => void log.push(line),
    config: { version: "0.0.0", place: { env, cwd: place.cwd }, maxDepth: 0 },
    ...given,
  });
  const newKey: TestServer["newKey"] = ({ scopes = Scope.options, organization, user, until, limits } = {}) =>
    issueCredential(context, {
      ...{ kind: "key", name: "test", until, limits },
      principal: {
        scopes,
        organization:
          organization === undefined ? principal.organization : OrganizationId.parse(organization),
        user: user === undefined ? principal.user : (user as Principal["user"]), // a name that fits
      },
    });
  const { secret: key } = await newKey();
  const { base = "/" } = given;
  const { port } = server;
  let stopped: Promise<void> | undefined;
  const stop = (graceMs = 2_000) => (stopped ??= server.stop(graceMs).then(() => parley.close()));
  const open = (method: string, path: string, { headers = {}, body, key: other = key, signal }: Sent) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array;
      const bytes = raw ? body : JSON.stringify(body);
      const asked = httpRequest({
        ...{ host: "127.0.0.1", port, method, agent: false, signal },
        path: path.startsWith("/") ? path : `${base}api/v1/${path}`,
        headers: {
          ...(other === null ? {} : { authorization: `Bearer ${other}` }),
          ...(bytes === undefined
            ? {}
            : { "content-type": "application/json", "content-length": Buffer.byteLength(bytes) }),
          ...(headers as Record<string, string>), // lists are for a header that comes twice
        },
      });
      asked.once("response", resolve).once("error", reject);
      asked.end(bytes);
    });
  const request: TestServer["request"] = async (method, path, sent = {}) => {
    const response = await open(method, path, sent);
    const chunks: Buffer[] = [];
    // Without an encoding, a reply comes as bytes.
    for await (const chunk of response) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString("utf8");
    return {
      ...{ status: response.statusCode ?? 0, headers: response.headers, text },
      get json() {
        return JSON.parse(text);
      },
    };
  };
  const post: TestServer["post"] = (path, body = {}, sent = {}) => request("POST", path, { body, ...sent });
  return {
    ...{ url: server.url, link: server.link, port, parley, principal, key, log, newKey, request, post, stop },
    get: (path, sent) => request("GET", path, sent),
    async newSession(scopes = Scope.options) {
      const session = { kind: "session", name: "test", principal: { ...principal, scopes } } as const;
      const { secret } = await issueCredential(context, session);
      const name = ["parley", port, ...base.split("/").filter(Boolean)].join("-");
      return { name, value: secret, url: server.url };
    },
    async sse(path, sent = {}) {
      const headers = { accept: "text/event-stream", ...sent.headers };
      return readSse(await open("GET", path, { ...sent, headers }));
    },
    async ask(body = {}) {
      const asked = { question: SUM, models: SIMS, protocol: "council", reactions: false, ...body };
      const got = await post("deliberations", asked, { headers: { prefer: "wait=20" } });
      if (got.status !== 200) throw new Error(`${got.status} ${got.text}`);
      return got.json;
    },
    async [Symbol.asyncDispose]() {
      await stop(0);
      if (!shared) place[Symbol.dispose]();
    },
  };
}

/** One server-sent event; a comment has no event and no data. */
export type SseEvent = {
  readonly id?: string;
  readonly event?: string;
  readonly data?: Json;
  readonly comment?: string;
};

export type Sse = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** All that came so far. */
  readonly events: readonly SseEvent[];
  /** The seqs of what was recorded, in the order in which they came. */
  seqs(): number[];
  /** Resolves with the first event that fits, also one that came before. Rejects where the stream ends without it. */
  until(fits: (event: SseEvent) => boolean): Promise<SseEvent>;
  /** Resolves when the stream has ended, however it did. */
  readonly ended: Promise<void>;
  close(): void;
};

/** Reads server-sent events as they come. */
export function readSse(response: IncomingMessage): Sse {
  const events: SseEvent[] = [];
  const looking = new Set<() => void>();
  let rest = "";
  response.setEncoding("utf8").on("data", (text: string) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) events.push(parseBlock(block));
    for (const look of looking) look();
  });
  const ended = new Promise<void>((resolve) =>
    response.once("close", resolve).once("error", () => resolve()),
  );
  return {
    ...{ status: response.statusCode ?? 0, headers: response.headers, events, ended },
    seqs: () => events.flatMap(({ event, id }) => (event === "recorded" ? [Number(id)] : [])),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(fits);
          if (!found) return;
          looking.delete(look);
          resolve(found);
        };
        looking.add(look);
        look();
        void ended.then(() => reject(new Error(`the stream ended after ${events.length} events`)));
      }),
    close: () => void response.destroy(),
  };
}

function parseBlock(block: string): SseEvent {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    const name = at === 0 ? "comment" : line.slice(0, at);
    fields[name] = (fields[name] ?? "") + line.slice(at + 1).replace(/^ /, "");
  }
  const { data, ...rest } = fields;
  return {
    ...rest,
    // An id is as it is.
    ...(data === undefined ? {} : { data: rest["event"] === "of" ? data : JSON.parse(data) }),
  };
}

/** Records so many events of about a megabyte each, in turns, each when `reader` has the one before. */
export async function recordLarge(
  { parley, principal }: Pick<TestServer, "parley" | "principal">,
  { ids, count, reader }: { readonly ids: readonly string[]; readonly count: number; readonly reader: Sse },
): Promise<void> {
  const { store } = parley.context({}, { principal });
  const large = () => reader.events.filter(({ data }) => data?.type === "clarification-answered").length;
  for (let nth = 0; nth < count; nth += 1) {
    await store.append(
      DeliberationId.parse(ids[nth % ids.length]),
      [{ type: "clarification-answered", data: { answers: [{ id: "q", text: "x".repeat(1_000_000) }] } }],
      { by: "client", request: `large/${nth}/${Math.random()}` },
    );
    await expect.poll(large, { timeout: 10_000, interval: 10 }).toBe(nth + 1);
  }
}

/** Writes bytes to a port as they are, and gives back what came until the other side closed, or `ms` have passed. */
export async function rawExchange(port: number, bytes: string | Buffer, ms = 2_000): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  socket.write(bytes);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => void (text += piece));
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    socket.once("close", end).once("error", end);
  });
  socket.destroy();
  return text;
}

/** Asserts that a reply is a refusal in the words of RFC 9457, and gives its body. */
export function expectProblem(got: Got, status: number, code: string): Json {
  expect({ status: got.status, type: got.headers["content-type"], text: got.text }).toMatchObject({
    ...{ status, type: "application/problem+json", text: expect.stringContaining(`"code":"${code}"`) },
  });
  const instance = `urn:parley:request:${String(got.headers["x-request-id"])}`;
  const title = expect.any(String) as string;
  expect(got.json).toMatchObject({ type: "about:blank", status, code, title, instance });
  return got.json;
}
