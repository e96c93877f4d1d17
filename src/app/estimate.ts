import * as z from "zod";
import type { EstimatedCost, Range, RunEstimate } from "../contract/figures.ts";
import {
  loadReactors,
  planRun,
  type PlanContext,
  type PlannedCall,
  type PlannedPhase,
} from "../engine/index.ts";
import { personOf, RecallRules, UserId, type Models } from "../kernel/index.ts";
import { findPrice } from "../models/index.ts";
import { declaredPrices, type AppContext } from "./context.ts";
import type { AssembledOpening, PreparedOpening } from "./opening.ts";

// An estimate records nothing, opens nothing and calls no model.
// `high` counts every phase, round, repair and fallback at full length; a request that is sent again is not in it.

/** Prices of lists change within months. */
const OLD_PRICE_MS = 180 * 24 * 60 * 60 * 1_000;

/** The tokens that a reply takes on the shortest and on the usual course, unless its limit is lower. */
const EXPECTED_REPLY_TOKENS = 800;
/** Of a memory entry in a prompt: its question, its answer in short and what was said of it. */
const RECALLED_TOKENS = 2_500;
const CHARACTERS_PER_TOKEN = 3;
const RecallSetting = z.object({ user: UserId, rules: RecallRules });

/** A context to which a model without its key is as good as any: nobody calls it. */
export const withoutKeys = (context: AppContext): AppContext => ({
  ...context,
  async checkModel(ref) {
    const problem = await context.checkModel(ref);
    return problem?.code === "authentication" ? undefined : problem;
  },
});

/** Estimates the run of an opening that is not recorded. */
export async function estimateOpening(
  context: AppContext,
  { opening, checked }: AssembledOpening,
): Promise<RunEstimate> {
  const memoryTokens = await recalledTokens(context, opening.settings["recall"]);
  const { plan, context: planned } = await planRun(context, checked ?? opening, { memoryTokens });
  const reactions = plan === null ? [] : await reactionPhases(context, { opening, plan, planned });
  const protocol = opening.protocol.name;
  const { calls, tokens, usd } = opening.budget;
  const caps = {
    ...(calls === undefined ? {} : { calls }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(usd === undefined ? {} : { usd }),
  };
  const undeclared =
    plan === null ? [protocol] : reactions.flatMap((one) => ("undeclared" in one ? one.undeclared : []));
  if (plan === null || undeclared.length > 0)
    return { protocol, phases: [], total: null, undeclared, unpriced: [], caps, oldPrices: null };
  const declared = [...plan, ...reactions.flatMap((one) => ("undeclared" in one ? [] : [one]))];
  const all = declared.map((phase) => ({ ...phase, calls: phase.calls.filter(isCall) }));
  const phases = all.map((phase) => ({
    ...{ name: phase.name, course: phase.course ?? null },
    ...sumOf(phase.calls.map((call) => priceCall(context.models, call))),
  }));
  const unpriced = [
    ...new Set(all.flatMap(({ calls }) => calls.flatMap((call) => unpricedModel(context.models, call)))),
  ];
  const own = declaredPrices(context.settings);
  const dates = all.flatMap((phase) =>
    phase.calls.flatMap(({ request }) =>
      (context.models.quote(request).usd ?? 0) > 0 && findPrice(request.model, own) === null
        ? (findPrice(request.model)?.date ?? [])
        : [],
    ),
  );
  const [oldest] = dates.toSorted();
  const isOld = oldest !== undefined && context.world.now() - Date.parse(oldest) > OLD_PRICE_MS;
  const oldPrices = isOld ? oldest : null;
  return { protocol, phases, total: totalOf(phases), undeclared, unpriced, caps, oldPrices };
}

/** What memory adds to a prompt at most. */
async function recalledTokens({ memory, principal }: AppContext, recall: unknown): Promise<number> {
  const read = RecallSetting.safeParse(recall);
  if (!read.success) return 0;
  const { organization } = principal;
  const facts = await (await memory()).facts({ organization, user: read.data.user });
  const characters = facts.reduce((sum, { fact }) => sum + fact.length + 100, 0);
  return characters + (read.data.rules.most + 1) * RECALLED_TOKENS;
}

const NO_CALLS: Range = { low: 0, expected: 0, high: 0 };
const combine = (one: Range, other: Range, by: (a: number, b: number) => number): Range => ({
  low: by(one.low, other.low),
  expected: by(one.expected, other.expected),
  high: by(one.high, other.high),
});
const add = (one: Range, other: Range) => combine(one, other, (a, b) => a + b);

const sumOf = (costs: readonly EstimatedCost[]): EstimatedCost =>
  costs.reduce((sum, cost) => fold(sum, cost, add), {
    ...{ calls: NO_CALLS, tokens: NO_CALLS, usd: NO_CALLS },
  });

const fold = (one: EstimatedCost, other: EstimatedCost, by: typeof add): EstimatedCost => ({
  calls: by(one.calls, other.calls),
  tokens: by(one.tokens, other.tokens),
  usd: one.usd && other.usd && by(one.usd, other.usd),
});

/** The phases of every course, and of those that exclude each other the most. */
function totalOf(phases: RunEstimate["phases"]): EstimatedCost {
  const on = (course: string | null) => sumOf(phases.filter((phase) => phase.course === course));
  const courses = [...new Set(phases.flatMap(({ course }) => course ?? []))];
  const most = courses
    .map(on)
    .reduce((one, other) => fold(one, other, (a, b) => combine(a, b, Math.max)), sumOf([]));
  return fold(on(null), most, add);
}

/** A call's figures: its replies as long as expected, and at most as long as they may be. */
function priceCall(models: Pick<Models, "quote">, call: PlannedCall): EstimatedCost {
  const usual = quoteCall(models, call, EXPECTED_REPLY_TOKENS);
  const most = quoteCall(models, call, Infinity);
  const of = (figure: (quote: typeof usual) => number): Range => ({
    low: call.low * figure(usual),
    expected: call.expected * figure(usual),
    high: call.high * figure(most),
  });
  return {
    calls: { low: call.low, expected: call.expected, high: call.high },
    tokens: of(({ tokensIn, tokensOut }) => tokensIn + tokensOut),
    usd: most.usd === null ? null : of(({ usd }) => usd ?? 0),
  };
}

function quoteCall(models: Pick<Models, "quote">, { request, shows }: PlannedCall, longest: number) {
  const shown = shows.reduce((sum, tokens) => sum + Math.min(tokens, longest), 0);
  return models.quote({
    ...request,
    messages: [...request.messages, { role: "user", text: "x".repeat(CHARACTERS_PER_TOKEN * shown) }],
    maxOutputTokens: Math.min(request.maxOutputTokens, longest),
  });
}

/** A person's step is no call. */
const isCall = ({ request }: PlannedCall): boolean => personOf(request.model) === undefined;

const unpricedModel = (models: Pick<Models, "quote">, { request }: PlannedCall): string[] =>
  models.quote(request).usd === null ? [request.model] : [];

type Reacting = {
  readonly opening: PreparedOpening["opening"];
  readonly plan: readonly PlannedPhase[];
  readonly planned: PlanContext;
};

type ReactionPhase = PlannedPhase | { readonly undeclared: string };

/** The calls of the reactors that the opening enables, each as a phase; or the name of one that does not declare its calls. */
async function reactionPhases(
  { reactors }: Pick<AppContext, "reactors">,
  { opening: { reactions = {} }, plan, planned }: Reacting,
): Promise<readonly ReactionPhase[]> {
  const names = Object.keys(reactions);
  const loaded = await loadReactors(reactors, (name) => names.includes(name));
  const graded = plan.filter(({ answers }) => answers).flatMap(({ calls }) => calls);
  if (graded.length === 0) return [];
  const tokens = Math.max(...graded.map(({ request }) => request.maxOutputTokens));
  const tools = graded.filter(({ request }) => request.tools).map(({ shows }) => shows);
  const answer = [tokens, ...(tools.at(-1) ?? [])];
  const answers = names.includes("respondent-b") ? [answer, answer] : [answer];
  return loaded.flatMap((reactor): readonly ReactionPhase[] => {
    const { name } = reactor;
    if (!names.includes(name)) return [];
    // The opening's settings were made by the reactor's schema.
    const settings = reactions[name] as never;
    if (reactor.plan) {
      const calls = reactor.plan(settings, { context: planned, answers });
      return calls.length === 0 ? [] : [{ name: `${name} (reaction)`, calls }];
    }
    return reactor.requires?.(settings).models?.length ? [{ undeclared: name }] : [];
  });
}
