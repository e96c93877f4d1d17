import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import * as z from "zod";
import { OrganizationId, UserId, type Engram } from "../../src/kernel/index.ts";
import type { StoredEngram } from "../../src/memory/engram-store.ts";
import { scriptsOf } from "../../src/app/registry.ts";
import { features } from "../../src/features.ts";
import { createSim, simServer } from "../../src/sim/index.ts";
import { openStore } from "../../src/stores/index.ts";
import { eventsIn, type Ended, type Somewhere } from "./parley.ts";

// What the tests of a respondent and of all that comes of its answer share.

const command = fileURLToPath(new URL("../../dist/cli.mjs", import.meta.url));
const MOST_MS = 30_000;

type Variables = Readonly<Record<string, string>>;

/** Every call that went to a provider, in the order of their beginnings. */
export type Recorded = { readonly model: string; readonly body: string; answered: boolean };

export type Recording = AsyncDisposable & {
  /** As `OPENAI_BASE_URL` takes it. */
  readonly env: Variables;
  readonly calls: readonly Recorded[];
  /** Resolves when the `nth` call has begun, or has been answered. */
  reached(nth: number, what: "begun" | "answered"): Promise<void>;
};

const Body = z.looseObject({ model: z.string() });

/** An OpenAI-compatible server that keeps what it is asked, and has `answer` answer. */
async function recording(
  answer: (asked: Recorded & { readonly path: string }, response: ServerResponse) => Promise<void>,
): Promise<Recording> {
  const calls: Recorded[] = [];
  const waiting = new Set<() => void>();
  const look = () => waiting.forEach((one) => one());
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array)); // node:http gives bytes
    const body = Buffer.concat(chunks).toString("utf8");
    const call: Recorded = { model: Body.parse(JSON.parse(body)).model, body, answered: false };
    calls.push(call);
    look();
    await answer(Object.assign(call, { path: request.url ?? "/" }), response);
    call.answered = true;
    look();
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    env: { OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    calls,
    reached: (nth, what) =>
      new Promise((resolve) => {
        const check = () => {
          const done = what === "begun" ? calls.length : calls.filter(({ answered }) => answered).length;
          if (done < nth) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Simulated models, in this process: what a command starts is killed before some tests end. */
export async function simulated(): Promise<Recording> {
  const listening = await simServer({ port: 0, sim: createSim({ scripts: scriptsOf(features) }) });
  if (!listening.ok) throw new Error(listening.reason);
  const { server } = listening;
  const passing = await recording(async ({ body, path }, response) => {
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const headers = { "content-type": "application/json" };
    const { url } = server;
    const reply = await fetch(`${url}${path}`, { method: "POST", body, headers, signal: gone.signal });
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
    for await (const bytes of reply.body ?? []) response.write(bytes);
    await new Promise<void>((resolve) => response.end(resolve));
  });
  return {
    ...passing,
    async [Symbol.asyncDispose]() {
      await passing[Symbol.asyncDispose]();
      await server.close();
    },
  };
}

/** Says what it is told to, by the model's name and how many calls there were of it. */
export const saying = (say: (model: string, nth: number) => string): Promise<Recording> => {
  const counts = new Map<string, number>();
  return recording(async ({ model }, response) => {
    const nth = (counts.get(model) ?? 0) + 1;
    counts.set(model, nth);
    const message = { role: "assistant", content: say(model, nth) };
    const usage = { prompt_tokens: 3, completion_tokens: 4 };
    response.writeHead(200, { "content-type": "application/json" });
    await new Promise<void>((resolve) =>
      response.end(JSON.stringify({ choices: [{ message, finish_reason: "stop" }], usage }), resolve),
    );
  });
};

/** What a model was told by whom, in one call. */
export const messagesIn = ({
  body,
}: Recorded): readonly { readonly role: string; readonly content: string }[] =>
  z
    .looseObject({ messages: z.array(z.object({ role: z.string(), content: z.string() })) })
    .parse(JSON.parse(body)).messages;

/** A command with lines on its stdin. */
export function piped(
  place: Somewhere,
  args: readonly string[],
  { input, env = {} }: { readonly input: string; readonly env?: Variables },
): Promise<Ended> {
  const own = {
    PATH: process.env["PATH"] ?? "",
    HOME: place.folder,
    TMPDIR: place.folder,
    OLLAMA_HOST: "127.0.0.1:1",
    LMSTUDIO_HOST: "127.0.0.1:1",
    PARLEY_HOME: place.home,
  };
  const child = spawn(process.execPath, [command, ...args], { cwd: place.cwd, env: { ...own, ...env } });
  const limit = setTimeout(() => void child.kill("SIGKILL"), MOST_MS);
  const written = { stdout: "", stderr: "" };
  for (const where of ["stdout", "stderr"] as const)
    child[where].setEncoding("utf8").on("data", (text: string) => (written[where] += text));
  child.stdin.end(input);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(limit);
      resolve({ code, signal, ...written });
    });
  });
}

const SCOPE = { organization: OrganizationId.parse("local"), user: UserId.parse("local") };

/** All that is remembered in a store, oldest first. */
export async function engramsIn(place: Somewhere, env: Variables = {}): Promise<readonly StoredEngram[]> {
  await using store = await openStore(env["PARLEY_DATABASE_URL"] ?? join(place.home, "parley.db"));
  return (await store.engrams.list(SCOPE, { limit: 1_000 })).toReversed();
}

/** The only deliberation there is, or that an answer's footer names. */
export async function onlyId(place: Somewhere, env: Variables = {}): Promise<string | undefined> {
  const rows = z
    .array(z.looseObject({ id: z.string() }))
    .parse(JSON.parse((await place.call(["list", "--json"], env)).stdout));
  if (rows.length > 1) throw new RangeError(`${rows.length} deliberations`);
  return rows[0]?.id;
}

/** What has to be the same, whoever died on the way: every event once and what it says, every engram and what is said of it. */
export async function stateOf(place: Somewhere, id: string, env: Variables = {}) {
  const events = eventsIn(await place.call(["export", id, "--format", "jsonl"], env));
  const engrams = (await engramsIn(place, env)).filter(({ engram }) => engram.deliberation === id);
  const state = {
    events: events.map(({ id: event, type, ["data"]: data }) => `${event} ${type} ${said(data)}`).sort(),
    engrams: engrams
      .map(({ engram, annotations }) => ({
        ...shown(engram),
        said: annotations.map(({ event, by, what }) => `${event} ${by} ${said(what)}`),
      }))
      .sort((one, other) => (one.id < other.id ? -1 : 1)),
  };
  return withoutChance(state, id);
}

const shown = ({ id, type, question, summary, respondent, models }: Engram) => ({
  id,
  type,
  question,
  summary,
  respondent,
  models,
});

/**
 * Times, how long something took, and the folder of a place of its own are nobody's to repeat. How memory was searched depends on whether another answer of
 * the same turn, which recall leaves out, was remembered before.
 */
const said = (data: unknown): string =>
  JSON.stringify(data, (key, value: unknown) =>
    ["at", "latencyMs", "attempts", "unreported", "how", "folder"].includes(key) ? null : value,
  );

/** Without the deliberation's id, and without which grade came last: after a death answers may be heard in another order. */
const withoutChance = <T>(state: T, id: string): T =>
  JSON.parse(
    JSON.stringify(state)
      .replaceAll(id, "ID")
      .replaceAll(/reactor\/pairwise\/.+?\/grade#0/g, "pairwise"),
  ) as T; // the same shape, of other texts

/** A database of its own on this machine's PostgreSQL; `because` tells why there is none. */
export async function postgresDatabase(
  name: string,
): Promise<{ readonly because: string | undefined; readonly env: Variables } & AsyncDisposable> {
  const server = "postgres://postgres@127.0.0.1:5432";
  const admin = new pg.Client({ connectionString: `${server}/postgres`, connectionTimeoutMillis: 2_000 });
  const refused = await admin.connect().then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (refused !== undefined)
    return {
      because: `no PostgreSQL of postgres's on 127.0.0.1:5432: ${refused}`,
      env: {},
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  const database = `parley_${name}_${process.pid}`;
  await admin.query(`create database ${database}`);
  return {
    because: undefined,
    env: { PARLEY_DATABASE_URL: `${server}/${database}` },
    async [Symbol.asyncDispose]() {
      await admin.query(`drop database ${database} with (force)`);
      await admin.end();
    },
  };
}
