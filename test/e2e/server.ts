import { request as httpRequest, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { readSse, type Json, type Sse } from "../support/server.ts";
import type { Running, Somewhere } from "./parley.ts";

/** A `parley serve` of a process of its own, with a key of its own. */
export type ServeProcess = {
  readonly process: Running;
  /** With a slash at its end. */
  readonly url: string;
  /** Prints a new link. */
  link(): Promise<string>;
  readonly key: string;
};

export type ServeOptions = {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** One that was made before, over the same store. */
  readonly key?: string;
  readonly mostMs?: number;
};

/** Makes a key, which is shown this once. */
export const newKey = async (place: Somewhere, ...more: readonly string[]): Promise<string> =>
  (await place.run(["serve", "keys", "new", "ci", ...more])).stdout.trim();

/** Serves over the store of a place, on a free port unless `args` has one. */
export async function served(place: Somewhere, options: ServeOptions = {}): Promise<ServeProcess> {
  const { args = ["--port", "0"], env = {}, mostMs } = options;
  const key = options.key ?? (await newKey(place));
  const process = place.start(["serve", "--simulated", ...args], env, mostMs);
  const url = await process.seen("stdout", /^(http:\S+\/)\n/);
  return { process, url, key, link: async () => (await place.run(["serve", "link"])).stdout.trim() };
}

/** A port that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export type Replied = {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly json: Json;
};

type Asked = {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
};

const open = (at: string, key: string | undefined, { method = "GET", body, headers = {} }: Asked) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const bytes = body === undefined ? undefined : JSON.stringify(body);
    const sent = {
      ...(key === undefined ? {} : { "x-api-key": key }),
      "content-type": "application/json",
      ...headers,
    };
    const asked = httpRequest(at, { method, agent: false, headers: sent });
    asked.once("response", resolve).once("error", reject).end(bytes);
  });

/** One request; its reply read to the end, as JSON where it is JSON. */
export async function call(at: string, key?: string, asked: Asked = {}): Promise<Replied> {
  const response = await open(at, key, {
    ...asked,
    method: asked.method ?? (asked.body === undefined ? "GET" : "POST"),
  });
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += String(chunk);
  const isJson = String(response.headers["content-type"]).includes("json");
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    json: isJson ? JSON.parse(text) : text,
  };
}

/** Follows server-sent events. */
export const follow = async (
  at: string,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sse> => readSse(await open(at, key, { headers: { accept: "text/event-stream", ...headers } }));

/** Resolves when this holds; asks every 50 ms. @throws Error after `ms` */
export async function holds(what: () => Promise<boolean>, ms = 60_000): Promise<void> {
  const until = performance.now() + ms;
  while (!(await what().catch(() => false))) {
    if (performance.now() > until)
      throw new Error(`it did not come to hold within ${ms} ms: ${what.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
