import type { ForkEstimate, RunEstimate } from "../contract/figures.ts";
import type { InboxItem, OwnSeat, PendingQuestions } from "../contract/runs.ts";
import { refusePackages, settingsBelow } from "./ceilings.ts";
import { shippedResources, type Resources } from "../config/resources.ts";
import { completeSettings } from "../config/settings.ts";
import type { AnyProtocol, AnyReactor, Registry, ReplayResult } from "../engine/index.ts";
import {
  DeliberationId,
  Fault,
  LOCAL_PRINCIPAL,
  type Entry,
  type Models,
  type Principal,
  type Scope,
  type Summary,
} from "../kernel/index.ts";
import type { OwnModels } from "../models/define-model.ts";
import { openStore, type OpenedStore } from "../stores/index.ts";
import type { Result } from "../views/result.ts";
import {
  declaredFamilies,
  openProcess,
  type AppContext,
  type Process,
  type ProcessParts,
  type EffectiveSettings,
  type Ceiling,
} from "./context.ts";
import { resolveTurn } from "./conversation.ts";
import type { Feedback, FeedbackOutcome } from "./feedback.ts";
import type { ForkRequest } from "./fork.ts";
import type { Forgotten } from "./forget.ts";
import type { FormedAnswer, FormSchema } from "./form.ts";
import { listRuns, resolveId, type RunFilter } from "./lookup.ts";
import type { SeatAnswer, SeatOutcome } from "./seats.ts";
import type { Exported } from "./result.ts";
import { bringModels, exportsIn, scriptsOf, withProtocols, withReactors } from "./registry.ts";
import type { AppFeature, BroughtModels } from "./registry.ts";
import { follow, resume, type Run, type RunOptions } from "./run.ts";
import {
  checkBoundSettings,
  checkForkRequest,
  checkProcessSettings,
  checkRequest,
  open,
  prepareOpening,
  processSettings,
  requestSettings,
  start,
  type OpenedRun,
  type OpenOptions,
  type ProcessSettings,
  type RequestSettings,
  type StartOptions,
  type StartRequest,
} from "./start.ts";

// APP-1. A request never reads a file, a folder, an environment variable or standard input: the caller passes texts. Else: files and keys leak.
// APP-2. Every call has a principal and sees only data of the principal's organization. Else: one organization reads another one's runs.

export type ParleyOptions = {
  /** A SQLite file, `:memory:`, `postgres://…` or an open store; `parley.db` by default. */
  readonly store?: string | OpenedStore | undefined;
  /** Defaults for all requests; see `Settings`. */
  readonly settings?: (RequestSettings & Partial<ProcessSettings>) | undefined;
  /** The environment with keys and URLs of providers; `process.env` by default. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Models by reference (`defineModel`), beside those from the environment and the settings; or what replaces all of these. */
  readonly models?: Models | OwnModels | undefined;
  /** Additional protocols: a list, or a map by name, loaded on use. They can replace built-in ones by name. */
  readonly protocols?: Registry<AnyProtocol> | undefined;
  /** What it can do beside what is built in; `features` of the package's entry are those that ship. */
  readonly features?: readonly AppFeature[] | undefined;
  readonly reactors?: readonly AnyReactor[] | undefined;
  /** The folder that its runs are asked in, an absolute path: `previous: "last"` is then the newest run of that folder. */
  readonly cwd?: string | undefined;
  /** Folders that models may read in runs that this process continues; those of its own requests are added. */
  readonly folders?: readonly string[] | undefined;
  /** Personas, strategies, prompts and rubrics by name; the built-in ones by default. */
  readonly resources?: Resources | undefined;
  /** Whether requests come from elsewhere: none of them may name a package to be loaded (`ai-sdk/…`), as the settings may. */
  readonly isServed?: boolean | undefined;
  /** What to do where no model is configured, which is then an error (`no-model`); by default simulated ones answer. */
  readonly withoutModels?: string | undefined;
  readonly loadFacts?: ProcessParts["loadFacts"];
  readonly loadRecorded?: ProcessParts["loadRecorded"];
};

export type PrincipalOptions = {
  /** `LOCAL_PRINCIPAL` by default, or that of `as`. */
  readonly principal?: Principal | undefined;
  /** What a server's client may have of a run, beside what the server's settings say. */
  readonly ceiling?: Ceiling | undefined;
};

export type ListRequest = Omit<RunFilter, "limit" | "before"> & {
  /** 1 to 10,000; 20 by default. */
  readonly limit?: number | undefined;
  /** The last id of the previous page. */
  readonly before?: string | undefined;
};

/**
 * All operations on deliberations, over one store and one set of models.
 * @example
 * ```ts
 * const parley = await openParley({ store: "parley.db" });
 * const run = await parley.start({ protocol: "council", question: "Should we move our queue to Postgres?" });
 * for await (const text of run.answer()) process.stdout.write(text);
 * const { status, result } = await run.outcome();
 * console.log(status, result?.answer);
 *
 * const me = parley.as(LOCAL_PRINCIPAL, { models: ["openai/gpt-6.1-terra"], maxCostUsd: 0.1 });
 * const { usd } = await me.estimate({ question: "And our cache?" });
 * await parley.close();
 * ```
 */
export interface Parley extends AsyncDisposable {
  /** Where it writes: a file of SQLite's as an absolute path, `:memory:`, or a server's address without its password. */
  readonly storeAt: string;
  /** The same for one principal, in place of `LOCAL_PRINCIPAL`; each of its calls has these settings, as if it named them. */
  as(principal: Principal, settings?: RequestSettings): Parley;
  /** Opens a deliberation and drives it. @throws Fault before anything is recorded or spent */
  start(request: StartRequest, options?: StartOptions & PrincipalOptions): Promise<Run>;
  /** Opens a deliberation that `resume` drives, here or in another process. @throws Fault as `start` does */
  open(request: StartRequest, options?: OpenOptions & PrincipalOptions): Promise<OpenedRun>;
  /** Estimates what a request would take, by phase, without opening a deliberation or calling a model. @throws Fault as `start` does */
  estimate(
    request: StartRequest,
    options?: Pick<StartOptions, "folder"> & PrincipalOptions,
  ): Promise<RunEstimate>;
  /** Continues an unfinished deliberation and reuses recorded steps, or completes the reactions of a finished one. */
  resume(id: string, options?: RunOptions & PrincipalOptions): Promise<Run>;
  /** Copies a deliberation with changes and drives it; steps that the changes do not affect are reused. */
  fork(parent: string, request?: ForkRequest, options?: RunOptions & PrincipalOptions): Promise<Run>;
  /** As `fork`, for `resume` to drive. */
  openFork(
    parent: string,
    request?: ForkRequest,
    options?: Pick<OpenOptions, "client" | "clientTools"> & PrincipalOptions,
  ): Promise<OpenedRun>;
  /** Estimates a fork as if it reused nothing, and counts what it can reuse; records nothing. @throws Fault as `fork` does */
  estimateFork(
    parent: string,
    request?: Omit<ForkRequest, "request" | "labels">,
    options?: PrincipalOptions,
  ): Promise<ForkEstimate>;
  /** Returns the questions that a deliberation waits for; undefined if there are none. */
  pending(id: string, options?: PrincipalOptions): Promise<PendingQuestions | undefined>;
  /** Answers a deliberation's questions, by question id; false if they were already answered (the first answers count). */
  answer(id: string, answers: Readonly<Record<string, string>>, options?: PrincipalOptions): Promise<boolean>;
  /** Returns the steps of a run that wait for the caller, with their prompts. */
  seats(id: string, options?: PrincipalOptions): Promise<readonly OwnSeat[]>;
  /** Answers a step that waits for the caller. Nothing is recorded of an answer that is refused; the first one stands. */
  answerSeat(id: string, answer: SeatAnswer, options?: PrincipalOptions): Promise<SeatOutcome>;
  /** Returns everything that waits for the caller: steps and questions of open runs, newest run first. */
  inbox(options?: PrincipalOptions): Promise<readonly InboxItem[]>;
  feedback(id: string, feedback: Feedback, options?: PrincipalOptions): Promise<FeedbackOutcome>;
  /** Closes an open deliberation for good; false if it had already ended. A process that drives it stops. */
  cancel(id: string, options?: PrincipalOptions): Promise<boolean>;
  /** Forgets a deliberation that has ended: what it cost still counts. Another user's is missing. */
  forget(id: string, options?: PrincipalOptions): Promise<Forgotten>;
  /** Runs the protocol again from the recorded replies, without model calls, and compares. @throws Fault `replay-differs` */
  replay(
    id: string,
    options?: PrincipalOptions,
  ): Promise<ReplayResult & { readonly id: DeliberationId; readonly closed: boolean }>;
  /** Returns the recorded events in order. */
  read(id: string, options?: PrincipalOptions): Promise<readonly Entry[]>;
  /** Returns the published result so far. */
  result(id: string, options?: PrincipalOptions): Promise<Result>;
  /**
   * Has the answer of a run that has ended written as JSON that fits a JSON Schema, by the model that wrote it: up to two calls more,
   * within what the run's limits left, and none where it was asked for before. @throws Fault `configuration`, `deliberation-missing`
   */
  writeInForm(id: string, schema: FormSchema, options?: RunOptions & PrincipalOptions): Promise<FormedAnswer>;
  export(id: string, options?: PrincipalOptions): Promise<Exported>;
  /** Lists the organization's deliberations, newest first. */
  list(request?: ListRequest, options?: PrincipalOptions): Promise<readonly Summary[]>;
  /** Resolves an id or a unique prefix of one. */
  resolveId(id: string, options?: PrincipalOptions): Promise<DeliberationId>;
  /** Returns the process as one caller sees it, for code that needs more than these methods; `needs`: what that code does. */
  context(
    request?: RequestSettings,
    options?: PrincipalOptions & { readonly needs?: Scope | undefined },
  ): AppContext;
  close(): Promise<void>;
}

/** Opens a store and prepares models, without a call. @throws Fault `store-unavailable`, `schema-newer`, `configuration` */
export async function openParley(options: ParleyOptions = {}): Promise<Parley> {
  const { settings: given = {} } = options;
  checkProcessSettings(given);
  const settings = { ...completeSettings({}), ...processSettings(given), ...requestSettings(given) };
  return openParleyWith(settings, options);
}

/** Like `openParley`, with validated settings. */
export async function openParleyWith(
  settings: Omit<EffectiveSettings, "store">,
  options: Omit<ParleyOptions, "settings">,
): Promise<Parley> {
  const { store: target = "parley.db", models, ...others } = options;
  const brought = await bringModels(models, options.features);
  const store =
    typeof target === "string" ? await openStore(target, { connections: settings.storeConnections }) : target;
  const families = declaredFamilies(settings);
  return parleyOver(store, { ...settings, families, store: store.location }, { ...others, ...brought });
}

/** Whom a `Parley` acts for, and with which settings of its own. */
type CallerTerms = { readonly principal: Principal; readonly bound: Partial<EffectiveSettings> };
type ScopedRequest = { readonly scope: Scope; readonly request?: RequestSettings | undefined };
type OpenedProcess = {
  readonly process: Process;
  readonly isServed: boolean;
  contextFor(own: CallerTerms & Pick<PrincipalOptions, "ceiling">, asked: ScopedRequest): AppContext;
};

function parleyOver(
  store: OpenedStore,
  settings: EffectiveSettings,
  options: Omit<ParleyOptions, "models"> & BroughtModels,
): Parley {
  const { features = [], isServed = false, protocols = [], reactors = [], ...parts } = options;
  const process = openProcess({
    ...parts,
    store,
    settings,
    env: options.env ?? globalThis.process.env,
    protocols: withProtocols(protocols, features),
    reactors: [...reactors, ...withReactors(features)],
    scripts: scriptsOf(features),
    exports: exportsIn(features),
  });
  for (const folder of options.folders ?? []) process.folders.add(folder);
  const resources = options.resources ?? shippedResources();
  const contextFor: OpenedProcess["contextFor"] = (
    { principal, ceiling, bound },
    { scope, request = {} },
  ) => {
    if (!principal.scopes.includes(scope)) {
      const next = `use a principal with the scope ${scope}`;
      throw new Fault("authentication", { why: `this principal may not ${scope}`, next });
    }
    const { organization, user } = principal;
    const own = { ...bound, ...requestSettings(request) };
    if (isServed) refusePackages(request);
    const bounded = isServed ? settingsBelow(settings, own, ceiling) : undefined;
    return {
      ...process,
      process,
      store: process.store.for(organization),
      projection: store.for(organization).projection,
      engine: process.engine.for(organization),
      principal,
      resources,
      settings: { ...(bounded?.settings ?? { ...settings, ...own }), organization, user },
      client: bounded?.client,
      requested: new Set(Object.keys(own)),
    };
  };
  return boundTo({ process, isServed, contextFor }, { principal: LOCAL_PRINCIPAL, bound: {} });
}

/** The operations of one principal. */
function boundTo(opened: OpenedProcess, own: CallerTerms): Parley {
  const { process } = opened;
  const contextFor = (call: PrincipalOptions = {}, asked: ScopedRequest): AppContext =>
    opened.contextFor({ ...own, ...call, principal: call.principal ?? own.principal }, asked);
  const reading = (call?: PrincipalOptions) => contextFor(call, { scope: "read" });
  const writing = (call?: PrincipalOptions, request?: RequestSettings) =>
    contextFor(call, { scope: "write", request });
  const entriesOf = async ({ store }: AppContext, id: string) => store.read(await resolveId({ store }, id));

  const prepared = async (request: StartRequest, call: PrincipalOptions, scope: Scope = "write") => {
    await checkRequest(process.protocols, request);
    const context = contextFor(call, { scope, request });
    const { previous } = request;
    const after = previous === undefined ? {} : { previous: await resolveTurn(context, previous) };
    return [context, { ...own.bound, ...request, ...after }] as const;
  };

  const openFork: Parley["openFork"] = async (parent, given = {}, call = {}) => {
    checkForkRequest(given);
    const { without, request, upToSeq, retry, labels, ...changed } = given;
    const { forkRun } = await import("./fork.ts");
    const { client, clientTools } = call;
    const how = { without, request, upToSeq, retry, labels, client, clientTools };
    return forkRun(writing(call, changed), parent, how);
  };

  const parley: Parley = {
    storeAt: process.store.location,
    as(principal, given = {}) {
      checkBoundSettings(given);
      if (opened.isServed) refusePackages(given);
      return boundTo(opened, { principal, bound: requestSettings(given) });
    },
    start: async (request, call = {}) => start(...(await prepared(request, call)), call),
    open: async (request, call = {}) => open(...(await prepared(request, call)), call),
    async estimate(request, call = {}) {
      const [context, asked] = await prepared(request, call, "read");
      const { estimateOpening, withoutKeys } = await import("./estimate.ts");
      const unkeyed = withoutKeys(context);
      return estimateOpening(unkeyed, await prepareOpening(unkeyed, asked, call));
    },
    async resume(id, call = {}) {
      const context = writing(call);
      return resume(context, await resolveId(context, id), call);
    },
    fork: async (parent, given = {}, call = {}) => {
      const { opened, ...begun } = await openFork(parent, given, call);
      return follow(writing(call), opened, { ...call, ...begun });
    },
    openFork,
    async estimateFork(parent, given = {}, call = {}) {
      checkForkRequest(given);
      const { without, upToSeq, retry, ...changed } = given;
      const context = contextFor(call, { scope: "read", request: changed });
      const { estimateFork } = await import("./fork.ts");
      return estimateFork(context, await resolveId(context, parent), { without, upToSeq, retry });
    },
    async pending(id, call) {
      const context = reading(call);
      const { pendingQuestions } = await import("../views/pending-questions.ts");
      return pendingQuestions(await entriesOf(context, id));
    },
    async answer(id, answers, call) {
      const context = writing(call);
      const { answerPending } = await import("./clarification.ts");
      return answerPending(context.store, await resolveId(context, id), new Map(Object.entries(answers)));
    },
    async seats(id, call) {
      const context = reading(call);
      const { listOwnSeats } = await import("./seats.ts");
      return listOwnSeats(context, await resolveId(context, id));
    },
    async answerSeat(id, answer, call) {
      const context = writing(call);
      const { answerSeat } = await import("./seats.ts");
      return answerSeat(context, await resolveId(context, id), answer);
    },
    inbox: async (call) => (await import("./seats.ts")).readInbox(reading(call)),
    async feedback(id, feedback, call) {
      const context = writing(call);
      const { recordFeedback } = await import("./feedback.ts");
      return recordFeedback(context, await resolveId(context, id), feedback);
    },
    async cancel(id, call) {
      const context = writing(call);
      return context.engine.cancel(await resolveId(context, id), "cancelled by its client");
    },
    async forget(id, call) {
      const { store: own, world, principal } = writing(call);
      const { forgetRun } = await import("./forget.ts");
      return forgetRun(
        { store: own, now: world.now, leases: process.store.leases, user: principal.user },
        id,
      );
    },
    async replay(id, call) {
      const context = reading(call);
      const resolved = await resolveId(context, id);
      const { isClosed } = await import("../views/result.ts");
      const closed = isClosed(await context.store.read(resolved));
      return { id: resolved, closed, ...(await context.engine.replay(resolved)) };
    },
    read: async (id, call) => entriesOf(reading(call), id),
    async result(id, call) {
      const context = reading(call);
      const resolved = await resolveId(context, id);
      const { loadResult } = await import("./result.ts");
      const result = await loadResult(context.protocols, await context.store.read(resolved));
      if (!result) throw new Fault("deliberation-missing", { id: resolved });
      return result;
    },
    writeInForm: async (id, schema, call) =>
      (await import("./form.ts")).formAnswer(parley, { id, schema }, call),
    async export(id, call) {
      const context = reading(call);
      const { exportRun } = await import("./result.ts");
      return exportRun(context, await entriesOf(context, id));
    },
    async list({ limit = 20, before, ...filter } = {}, call) {
      const { store: from } = reading(call);
      if (!Number.isInteger(limit) || limit < 1 || limit > 10_000) {
        const why = `limit must be an integer from 1 to 10000 (got ${JSON.stringify(limit)})`;
        throw new Fault("configuration", { why, next: "correct it" });
      }
      const below = before === undefined ? {} : { before: DeliberationId.parse(before) };
      return listRuns(from, { ...filter, limit, ...below });
    },
    resolveId: async (id, call) => resolveId(reading(call), id),
    context: (request, call = {}) => contextFor(call, { scope: call.needs ?? "write", request }),
    close: () => process.close(),
    [Symbol.asyncDispose]: () => process.close(),
  };
  return parley;
}
