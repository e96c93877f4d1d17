/**
 * Parley as a library: open a process over a store, start deliberations, follow them and read their records.
 * `@parley-llm/parley/kernel` has the vocabulary, `@parley-llm/parley/protocol-kit` the parts of a protocol, `@parley-llm/parley/testing` the test kit.
 */
import { openParley as open, type Parley, type ParleyOptions } from "./app/parley.ts";
import { features } from "./features.ts";

/**
 * Opens a store and prepares models, without a call; with the features that ship, and those of the options.
 * @throws Fault `store-unavailable`, `schema-newer`, `configuration`
 */
export const openParley = ({ features: own = [], ...options }: ParleyOptions = {}): Promise<Parley> =>
  open({ ...options, features: [...features, ...own] });
export { defineFeature, type Feature } from "./features/feature.ts";
export type { PrincipalOptions, ListRequest, Parley, ParleyOptions } from "./app/parley.ts";
export type { ForkRequest } from "./app/fork.ts";
export type { EstimatedCost, ForkEstimate, Range, RunEstimate } from "./contract/figures.ts";
export type { Outcome, Problem, Waiting } from "./app/outcome.ts";
export type { FormedAnswer, FormSchema } from "./app/form.ts";
export type { ReactionsOutcome, Run, RunOptions, Token } from "./app/run.ts";
export type { RequestSettings, StartOptions, StartRequest } from "./app/start.ts";
export type { Feedback, FeedbackOutcome } from "./app/feedback.ts";
export type { Note } from "./engine/opening-part.ts";
export { shippedResources, type Resources } from "./config/resources.ts";
export { LOCAL_PRINCIPAL, Principal } from "./kernel/principal.ts";
export { Fault, isFault, type FaultCode } from "./kernel/fault.ts";
export { isEvent } from "./kernel/envelope.ts";
export type { Failure, FailureCode } from "./kernel/model.ts";
export type { RunStatus } from "./kernel/outcome.ts";
export type { Result } from "./views/result.ts";
export { defineProtocol } from "./engine/protocol.ts";
export { defineReactor } from "./engine/reactor.ts";
export { defineModel, type OwnCall, type OwnModels, type FunctionReply } from "./models/define-model.ts";
export { createModels, type ModelsOptions } from "./models/models.ts";
export { openStore, type OpenedStore } from "./stores/index.ts";
export type { Exported } from "./app/result.ts";
