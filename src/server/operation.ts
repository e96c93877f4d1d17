import * as z from "zod";
import { Opened } from "../contract/runs.ts";
import type { AppContext } from "../app/context.ts";
import type { ProjectionReading } from "../app/projection.ts";
import type { AppFeature } from "../app/registry.ts";
import type { Run } from "../app/run.ts";
import type { OpenedRun } from "../app/start.ts";
import { isWaiting } from "../views/waiting.ts";
import type { ApiCaller } from "./quota.ts";
import { ResultOrOpened } from "./api/schemas.ts";
import { awaitEnd, checkDepth, clientRequest, preferredWait, type NamedRequest } from "./opening.ts";
import { withPatience } from "./patience.ts";
import { REFUSALS, type HttpReply } from "./problem.ts";
import { readingContext } from "./results.ts";
import {
  route,
  type ApiRoute,
  type ApiSurface,
  type HttpExchange,
  type HttpMethod,
  type RouteCall,
  type RouteParts,
  type Services,
} from "./route.ts";

// What a client can do is defined once: its route and its tool take the same fields by the same schemas, refuse the same and give the same.

/** Who asks, and what of the process an operation may use, however it is asked. */
export type Me = Pick<Services, "parley" | "drives" | "followers" | "config" | "world" | "traceOf"> & {
  readonly caller: ApiCaller;
  readonly signal: AbortSignal;
  /** The process as the caller sees it who reads alone. */
  context(): AppContext;
  /** The client's name for its request, which has this body. @throws Refused 400 for a name that cannot be one */
  named(body: unknown): NamedRequest;
  /** @throws Refused 400 for a request that a deliberation's own call makes */
  checkDepth(): void;
};

/** A hint of what a tool does, for who decides whether it may be called; by default by the scope that it needs. */
type ToolHints = {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
};

export type AskingForm = Pick<ToolForm, "title" | "summary" | "place" | "when" | "takes" | "isCore"> &
  Required<Pick<ToolForm, "fields">>;

/** An operation as a tool of MCP. */
export type ToolForm<O = never> = {
  readonly name: string;
  readonly title: string;
  /** Its place among all tools, whose order never changes. */
  readonly place: number;
  /** Whether it is offered where nobody chose. */
  readonly isCore?: boolean;
  /** What it does, where that is not all that the operation can do. */
  readonly summary?: string;
  /** For what it is to be used, where several would do: told after its name. */
  readonly when?: string;
  /** What it usually takes: calls of models, and time. */
  readonly takes?: string;
  readonly hints?: ToolHints;
  /** The fields that models are shown, all by default. The body's others are given by name in `settings`. */
  readonly fields?: readonly string[];
  /** What fields are called that have another name in a URL. */
  readonly names?: Readonly<Record<string, string>>;
  /** Fields that have these values unless the call says otherwise. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** Reads the arguments of one whose body has several forms. @throws Refused 422 */
  readonly read?: (args: Readonly<Record<string, unknown>>) => object;
  /** What it gave, in words; of one that opens a deliberation, where that stands is told instead. */
  readonly words?: (given: O, args: Readonly<Record<string, unknown>>) => string;
};

export type OperationTool = {
  readonly form: ToolForm;
  readonly operation: Pick<ApiRoute, "name" | "summary" | "needs" | "params" | "query" | "body"> & {
    readonly output: z.ZodType;
    /** Whether it opens or drives a deliberation, which the call then waits for. */
    readonly opens: boolean;
    run(me: Me, input: never): Promise<unknown>;
  };
};

export type HttpOperation = ApiRoute & {
  readonly tools?: readonly OperationTool[];
  /** What its tools carry out, where it may have some. */
  readonly operation?: OperationTool["operation"];
};
/** What clients can do: by a route, by tools, or by both. */
export type Operation =
  HttpOperation | { readonly tools: readonly OperationTool[]; readonly path?: undefined };

export type ServerFeature = AppFeature & {
  /** Tools that put a question before one of its protocols, by that; `fields`: what models are shown beside what all take. */
  readonly asks?: { readonly [protocol: string]: AskingForm };
  /** What its clients can do beside what every server can. */
  readonly operations?: () => Promise<readonly Operation[]>;
  /** Routes beside the API's own, for clients that speak another. */
  readonly apis?: (features: readonly ServerFeature[]) => Promise<readonly ApiSurface[]>;
  /** Watches over a server, from its start on. @throws Fault `configuration` */
  readonly watch?: (server: WatchedServer) => Promise<ServerWatch>;
};

/** A server as whoever watches over it sees it. */
export type WatchedServer = {
  readonly context: AppContext;
  /** Writes a line as it is. */
  readonly log: (line: string) => void;
  /** Figures of this moment. */
  readonly gauges: () => Readonly<Record<"running" | "waiting" | "followers" | "lagSeconds", number>>;
  /** Aborts when it stops. */
  readonly signal: AbortSignal;
};

/** A request at its end: nothing that it brought, but who sent it. */
export type ServedRequest = Pick<HttpExchange, "request"> & {
  readonly id: string;
  /** The route that it came to, as it is written: `/api/v1/deliberations/:id`; undefined where there is none. */
  readonly route: string | undefined;
  /** 0 where the client went away before a reply began. */
  readonly status: number;
  readonly ms: number;
  /** The id of the credential that it came with. */
  readonly key: string | undefined;
};

/** Hears what a server does: no reply waits for it, and no run. */
export type ServerWatch = {
  /** Begins, once clients reach the server at `url`, which has a slash at its end. */
  readonly start?: (url: string) => void;
  /** Writes a line of the log in a form of its own. */
  readonly log?: (line: string, level: "info" | "warn") => void;
  readonly served?: (request: ServedRequest) => void;
  /** The trace that a request says it belongs to. */
  readonly traceOf?: Services["traceOf"];
  /** A run that this server begins to drive, or goes on with. */
  readonly driven?: (run: Run) => void;
  /** Figures for whoever watches over it. */
  readonly metrics?: () => Promise<NonNullable<HttpReply["content"]>>;
  /** How a request of another site's page to an API is admitted; undefined where it is not one, or not of a site that may. @throws Refused */
  readonly admit?: (exchange: Pick<HttpExchange, "request" | "response">) => HttpReply | true | undefined;
  /** Ends what it does, once the server has stopped. */
  readonly stop?: () => Promise<void>;
};

type NoFields = z.ZodObject<Record<never, never>>;
/** What is read by a schema, if there is one. */
type ReadBy<S extends z.ZodType> = NoFields extends S ? unknown : z.infer<S>;

export type DeepReadonly<T> = T extends readonly (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

type OperationParts<P extends z.ZodObject, Q extends z.ZodObject, B extends z.ZodType, R, O> = Omit<
  RouteParts<P, Q, B>,
  "name" | "replies" | "handle"
> & {
  /** The status of its reply where it is not the usual one. */
  readonly status?: number;
  /** What it may reply with beside that, and beside what every operation may. */
  readonly replies?: ApiRoute["replies"];
  readonly tools?: readonly ToolForm<O>[];
  /** Takes the fields of path, query and body together. */
  run(me: Me, input: ReadBy<P> & ReadBy<Q> & ReadBy<B>): Promise<R>;
};

/** An operation that gives a value. */
export function operation<
  O extends z.ZodType,
  P extends z.ZodObject = NoFields,
  Q extends z.ZodObject = NoFields,
  B extends z.ZodType = NoFields,
>(
  name: string,
  address: `${Uppercase<HttpMethod>} ${string}`,
  parts: OperationParts<P, Q, B, DeepReadonly<z.input<O>>, z.input<O>> & {
    readonly output: O;
    /** Whether line breaks keep the connection while it works. */
    readonly isSlow?: boolean;
    /** Whether it tells of the organization's runs alone, the same to all who may ask: a reply is kept until these change. */
    readonly isKept?: boolean;
  },
): HttpOperation {
  const { output, status = 200, isSlow = false, isKept = false, replies } = parts;
  const all = { [status]: output, ...REFUSALS, ...replies };
  return make(address, { ...parts, name, opens: false, replies: all }, (call, run) => {
    const reply = async (): Promise<HttpReply> => {
      if (!isKept) return { status, body: await run() };
      const key = JSON.stringify([name, call.params, call.query]);
      const bytes = await call.results.ofAll(call.caller.principal, key, run);
      return { status, content: { type: "application/json", bytes } };
    };
    return isSlow ? withPatience(call, {}, reply) : reply();
  });
}

/** What all runs come to, and which of them could not be read; the first time after many changes, that takes its time. */
export async function overRuns<T extends object>(
  me: Me,
  read: (known: AppContext, reading: ProjectionReading) => Promise<T>,
): Promise<T & { readonly leftOut: string[] }> {
  const leftOut: string[] = [];
  const found = await read(me.context(), { onUnreadable: (id) => void leftOut.push(id) });
  return { ...found, leftOut };
}

/** An operation that leaves nothing to tell. */
export function deletion<P extends z.ZodObject>(
  name: string,
  path: string,
  { done, replies, ...parts }: OperationParts<P, NoFields, NoFields, void, never> & { readonly done: string },
): HttpOperation {
  const all = { 204: { type: "", description: done }, ...REFUSALS, ...replies };
  return make(
    `DELETE ${path}`,
    { ...parts, name, output: z.undefined(), opens: false, replies: all },
    async (_, run) => {
      await run();
      return { status: 204 };
    },
  );
}

/** An operation that opens or drives a deliberation: over HTTP `Prefer` says whether the reply waits for it; a tool always does. */
export function opening<P extends z.ZodObject = NoFields, B extends z.ZodType = NoFields>(
  name: string,
  path: string,
  parts: OperationParts<P, NoFields, B, OpenedRun, never>,
): HttpOperation {
  const { status = 202, replies, headers } = parts;
  const all = { 200: ResultOrOpened, [status]: Opened, 202: Opened, ...REFUSALS, ...replies };
  const own = {
    name,
    output: ResultOrOpened,
    opens: true,
    replies: all,
    headers: { ...headers, Prefer: PREFER },
  };
  return make(`POST ${path}`, { ...parts, ...own }, async (call, run) =>
    openedReply(call, await run(), status),
  );
}

type HttpCall = RouteCall<object, object, unknown>;
type AnyParts<R> = OperationParts<z.ZodObject, z.ZodObject, z.ZodType, R, never> &
  Pick<OperationTool["operation"], "output" | "opens"> &
  Pick<ApiRoute, "name" | "replies">;

function make<R>(
  address: string,
  { tools = [], run, ...parts }: Omit<AnyParts<R>, "run"> & { run(me: Me, input: never): Promise<R> },
  replyWith: (call: HttpCall, run: () => Promise<R>) => Promise<HttpReply | undefined>,
): HttpOperation {
  const [method = "", path = ""] = address.split(" ");
  const made = route(method.toLowerCase() as HttpMethod, path, {
    ...parts,
    handle: (call) =>
      replyWith(call, () => {
        const input = { ...call.params, ...call.query, ...(call.body as object | undefined) };
        return run(meOf(call), input as never); // each part was read by its own schema
      }),
  });
  const operation = { ...parts, run };
  return { ...made, operation, tools: tools.map((form) => ({ form, operation })) };
}

const meOf = (call: HttpCall): Me => ({
  ...call,
  context: () => readingContext(call.parley, call.caller.principal),
  named: (body) => clientRequest(call, body),
  checkDepth: () => checkDepth(call, call),
});

/** What `Prefer` does on every route that opens or drives a deliberation. */
const PREFER =
  "wait=SECONDS gives the result in the reply, if it comes in time; at most 600. A reply that takes over ten seconds begins with " +
  "200 and line breaks, so that nothing on the way cuts it off: if the time is up, its body is that of 202.";

/** What an opening is answered with: the result, if it comes in the time that the client would wait. */
export async function openedReply(
  call: Pick<HttpCall, "request" | "response" | "signal" | "caller"> & Services,
  { opened, fresh, notes }: OpenedRun,
  status = 202,
): Promise<HttpReply | undefined> {
  const { drives, publicUrl, results, caller } = call;
  const { principal } = caller;
  const id = opened.deliberation;
  const self = `${publicUrl}api/v1/deliberations/${id}`;
  const headers: Record<string, string> = {
    location: self,
    ...(fresh ? {} : { "idempotent-replayed": "true" }),
  };
  const ms = preferredWait(call);
  return withPatience(call, headers, async () => {
    const { isOver, entries } =
      fresh && ms === 0
        ? { isOver: false, entries: [] }
        : await awaitEnd(call, { id, principal, ms, signal: call.signal });
    if (isOver && (ms > 0 || !fresh)) {
      const { etag, bytes } = await results.of(principal, id);
      return { status: 200, headers: { ...headers, etag }, content: { type: "application/json", bytes } };
    }
    return {
      ...{ status: fresh ? status : 202, headers },
      body: {
        ...{ id, status: isWaiting(entries) ? "waiting" : "open", url: self, events: `${self}/events` },
        ...{ place: drives.place(id), notes },
      },
    };
  });
}
