import { canonical, redactSecrets, Json, type ToolSpec, refusal } from "../kernel/index.ts";
import { readResult } from "./mcp-result.ts";
import { oneLine, refuse, type ToolOutcome } from "./tool.ts";
import { createHash } from "node:crypto";

// MCP-1. A server is started by the first use of its tools, in an environment of its own: what every program needs, and what its settings
//     name. Else: a tool's server reads API keys.
// A call ends in a result or in a reason, whatever its server does: dies, hangs, lies, or asks for something itself.
// MCP-3. What a server says is bounded, and holds no value of its settings' variables and headers. Else: its password is in the journal.
// MCP-4. A call is made as the run's opening pins it: where a server describes its tool otherwise by now, there is no call. Else: a server
//     swaps a tool under a run that never saw the new one.

/** A server as settings name it: one that is run, or one that is reached. */
export type ToolServer = {
  readonly type?: "stdio" | "http" | "streamable-http" | "sse" | undefined;
  readonly command?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
};

export type ToolServers = {
  /** The tools of one, which is started where it does not run. @throws Fault `configuration` that says why it cannot be */
  list(server: string): Promise<readonly ServerTool[]>;
  /** Calls a tool by what its participant was told of it. Rejects only for an aborted signal. */
  call(spec: ToolSpec, input: Json, signal: AbortSignal): Promise<ToolOutcome>;
  /** Ends the servers that were started. */
  close(): Promise<void>;
};

export type ToolServersOptions = {
  readonly servers: Readonly<Record<string, ToolServer>>;
  /** Where `${NAME}` in a server's variables and headers is looked up. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long a start, and then a call may take at most, in milliseconds; a call's signal mostly ends it before. */
  readonly startMs?: number;
  readonly callMs?: number;
};

/** Starts of a server without a result in between. */
const MAX_STARTS = 3;
/** Of one server. */
const MAX_TOOLS = 128;
/** Of one message or one body, in bytes. */
const MAX_MESSAGE_BYTES = 10_000_000;
const MAX_STDERR = 2_000;

type ServerConnection = {
  readonly tools: readonly ServerTool[];
  readonly clean: (text: string) => string;
  call(tool: string, input: Record<string, unknown>, signal: AbortSignal): Promise<unknown>;
  /** Whether a call's error is the server's own answer, so that the server works. */
  isAnswer(error: unknown): boolean;
  /** Whether an error means that there has to be another connection. The end of a process tells itself. */
  isBroken(error: unknown): boolean;
  close(): Promise<void>;
};

/** Creates the servers that settings name; none is started yet. */
export function createToolServers(options: ToolServersOptions): ToolServers {
  const { servers, env, startMs = 10_000, callMs = 600_000 } = options;
  const running = new Map<string, Promise<ServerConnection>>();
  const starts = new Map<string, number>();
  const closing = new AbortController();

  function connected(name: string): Promise<ServerConnection> {
    const known = running.get(name);
    if (known) return known;
    const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
    if (!server) return Promise.reject(new Error(`no server ${oneLine(name, 60)} is configured here`));
    const before = starts.get(name) ?? 0;
    if (before >= MAX_STARTS)
      return Promise.reject(new Error(`it was started ${before} times in vain, and is left alone now`));
    starts.set(name, before + 1);
    const forget = () => void (running.get(name) === starting && running.delete(name));
    const { signal } = closing;
    const starting: Promise<ServerConnection> = connect(name, server, {
      env,
      startMs,
      callMs,
      signal,
      forget,
    });
    running.set(name, starting);
    starting.catch(forget);
    return starting;
  }

  return {
    async list(name) {
      starts.delete(name);
      try {
        return (await connected(name)).tools;
      } catch (error) {
        throw refusal(
          `the server ${oneLine(name, 60)} cannot be used: ${wordsOf(error)}`,
          "check its entry in mcp-servers, or leave its tools out",
        );
      }
    },
    async call(spec, input, signal) {
      signal.throwIfAborted();
      const [name = ""] = spec.name.split("__", 1);
      let connection: ServerConnection;
      try {
        connection = await connected(name);
      } catch (error) {
        signal.throwIfAborted();
        return lost(`the server ${name} cannot be used: ${wordsOf(error)}`);
      }
      const found = connection.tools.find((one) => one.spec.name === spec.name);
      if (!found) return lost(`the server ${name} has no such tool any longer`);
      const isSame = canonical(found.spec.parameters) === canonical(spec.parameters); // MCP-4
      if (!isSame) return lost(`the server ${name} describes other arguments than when the run was opened`);
      if (typeof input !== "object" || input === null || Array.isArray(input))
        return refuse(`${spec.name} takes a JSON object`);
      try {
        const outcome = readResult(await connection.call(found.tool, input, signal), connection.clean);
        starts.delete(name);
        return outcome;
      } catch (error) {
        signal.throwIfAborted();
        const why = wordsOf(error, connection.clean);
        if (connection.isAnswer(error)) return refuse(why);
        if (connection.isBroken(error)) {
          running.delete(name);
          void connection.close();
        }
        return lost(`the server ${name} did not carry the call out: ${why}`);
      }
    },
    async close() {
      closing.abort();
      const all = await Promise.allSettled(running.values());
      await Promise.all(all.flatMap((one) => (one.status === "fulfilled" ? [one.value.close()] : [])));
    },
  };
}

const lost = (reason: string): ToolOutcome => ({ ...refuse(reason), lost: true });

/** What an error says, on one line; cleaned before it is cut, so that no part of a secret is left. */
function wordsOf(error: unknown, clean = (text: string) => text): string {
  const { message, cause } = error instanceof Error ? error : new Error(String(error));
  const why =
    cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message;
  return oneLine(redactSecrets(clean(why)), 400);
}

type Connecting = Required<Pick<ToolServersOptions, "env" | "startMs" | "callMs">> & {
  readonly signal: AbortSignal;
  /** Called when the connection has ended. */
  readonly forget: () => void;
};

/** Starts or reaches a server, and reads its tools. @throws Error that says why it cannot be used */
async function connect(name: string, server: ToolServer, options: Connecting): Promise<ServerConnection> {
  const { startMs, callMs, signal, forget } = options;
  const { values, secrets } = expand(server, options.env);
  const clean = cleaner(secrets);
  // Loaded by the first use of a server: no other command needs it.
  const sdk = await import("@modelcontextprotocol/client");
  let stderr = "";
  const open = async () => {
    if (server.url !== undefined) {
      const url = new URL(server.url);
      const reach = { requestInit: { headers: values.headers }, fetch: boundedFetch };
      return server.type === "sse"
        ? new sdk.SSEClientTransport(url, reach)
        : new sdk.StreamableHTTPClientTransport(url, reach);
    }
    const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
    const { command = "", args = [], cwd } = server;
    const transport = new StdioClientTransport({
      ...{ command, args: [...args], env: values.env, stderr: "pipe", maxBufferSize: MAX_MESSAGE_BYTES },
      ...(cwd === undefined ? {} : { cwd }),
    });
    transport.stderr?.on("data", (text) => (stderr = `${stderr}${String(text)}`.slice(-MAX_STDERR)));
    return transport;
  };
  // Without capabilities: what a server asks of its client is refused.
  const client = new sdk.Client(
    { name: "parley", version: "1" },
    server.url === undefined ? {} : { versionNegotiation: { mode: "auto" } },
  );
  let stop = () => undefined as void;
  let timer: NodeJS.Timeout | undefined;
  const stopped = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not ready within ${startMs} ms`)), startMs);
    stop = () => reject(new Error("this process is ending"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    const begin = async () => {
      await client.connect(await open(), { timeout: startMs });
      return client.listTools({}, { timeout: startMs });
    };
    const { tools } = await Promise.race([begin(), stopped]);
    client.onclose = forget;
    const shown = JSON.parse(clean(JSON.stringify(tools.slice(0, MAX_TOOLS)))) as typeof tools; // of the same shape
    const offered = shown.flatMap((tool) => readTool(name, tool) ?? []);
    return {
      clean,
      tools: offered.filter(({ spec }, at) => offered.findIndex((one) => one.spec.name === spec.name) === at),
      call: (tool, input, callSignal) =>
        client.callTool({ name: tool, arguments: input }, { signal: callSignal, timeout: callMs }),
      isAnswer: (error) => error instanceof sdk.ProtocolError,
      isBroken: (error) =>
        server.url !== undefined &&
        !(error instanceof sdk.SdkError && error.code === sdk.SdkErrorCode.RequestTimeout),
      close: () => client.close().catch(() => undefined),
    };
  } catch (error) {
    await client.close().catch(() => undefined);
    const said = clean(stderr).trim().slice(-300);
    const why = said === "" ? wordsOf(error, clean) : `${wordsOf(error, clean)} (it wrote: ${said})`;
    throw new Error(why, { cause: undefined }); // the error itself may hold what is not to be shown
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}

/** Names under which a literal value is a secret, as one from the environment always is. */
const SECRET_NAME = /key|token|secret|pass|auth|cred|cookie/i;
const MIN_SECRET_LENGTH = 6;

/** A server's variables and headers with the user's own variables in them, and what of them is never shown. @throws Error */
function expand({ env = {}, headers = {} }: ToolServer, from: ToolServersOptions["env"]) {
  const secrets = new Set<string>();
  const fill =
    (isSecret: boolean) =>
    ([key, text]: [string, string]) => {
      const value = text.replaceAll(/\$\{(?:env:)?([A-Za-z_]\w*)\}/g, (_, variable: string) => {
        const found = from[variable];
        if (found === undefined || found === "") throw new Error(`it wants ${variable}, which is not set`);
        secrets.add(found);
        return found;
      });
      if (isSecret || SECRET_NAME.test(key)) for (const part of value.split(" ")) secrets.add(part);
      return [key, value] as const;
    };
  const values = {
    env: Object.fromEntries(Object.entries(env).map(fill(false))),
    headers: Object.fromEntries(Object.entries(headers).map(fill(true))),
  };
  return { values, secrets: [...secrets].filter(({ length }) => length >= MIN_SECRET_LENGTH) };
}

/** Removes secrets from a text: as they are, and as they stand in JSON, once and twice. (MCP-3) */
function cleaner(secrets: readonly string[]): (text: string) => string {
  const escape = (text: string) => JSON.stringify(text).slice(1, -1);
  const forms = secrets
    .flatMap((one) => [one, escape(one), escape(escape(one))])
    .sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((left, form) => left.replaceAll(form, "…"), text);
}

/** `fetch`, of which a body ends in an error where it is longer than a message may be. */
async function boundedFetch(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await fetch(...request);
  if (!response.body) return response;
  let bytes = 0;
  const bounded = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.length;
        if (bytes > MAX_MESSAGE_BYTES) controller.error(new Error("the server sent more than 10 MB"));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded, { status, statusText, headers });
}

/** A tool by its server's own name, and what a model is told of it. */
type ServerTool = { readonly tool: string; readonly spec: ToolSpec };

/** In UTF-16 units; what providers take. */
const MAX_NAME = 64;
const MAX_DESCRIPTION = 1_024;
const MAX_PARAMETERS = 32_000;

type ListedTool = {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: unknown;
};

/** A server's tool as it is offered to models; undefined for one whose arguments are described beyond all bounds. */
function readTool(
  server: string,
  { name, description = "", inputSchema }: ListedTool,
): ServerTool | undefined {
  const read = Json.safeParse(inputSchema);
  if (!read.success) return undefined;
  try {
    const parameters = cleanSchema(read.data);
    if (canonical(parameters).length > MAX_PARAMETERS) return undefined;
    const spec = {
      name: specName(server, name),
      description: oneLine(description, MAX_DESCRIPTION),
      parameters,
    };
    return { tool: name, spec };
  } catch {
    return undefined; // what is nested too deep, or has no canonical form
  }
}

/** `SERVER__TOOL`; with a part of its digest where that is too long or has characters that providers refuse. */
function specName(server: string, tool: string): string {
  const plain = `${server}__${tool.replaceAll(/[^\w-]/g, "_")}`;
  if (plain.length <= MAX_NAME && plain.endsWith(tool)) return plain;
  const digest = createHash("sha256").update(tool).digest("hex").slice(0, 8);
  return `${plain.slice(0, MAX_NAME - 9)}_${digest}`;
}

/** A schema whose descriptions are one bounded line each. */
function cleanSchema(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(cleanSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      (key === "description" || key === "title") && typeof value === "string"
        ? oneLine(value, MAX_DESCRIPTION)
        : cleanSchema(value),
    ]),
  );
}
