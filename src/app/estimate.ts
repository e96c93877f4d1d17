import * as z from "zod";
import type { EstimatedCost, Range, RunEstimate } from "../contract/figures.ts";
import {
  checkInput,
  loadReactors,
  prepareDryRun,
  type DryCall,
  type DryCourse,
  type DryDesk,
  type Ports,
} from "../engine/index.ts";
import { bareReference, EngramId, RecallRules, UserId, type Memory, type Recalled } from "../kernel/index.ts";
import type { AppContext } from "./context.ts";
import { isOldPrice } from "./listed-models.ts";
import type { AssembledOpening } from "./opening.ts";

// An estimate records nothing, opens nothing and calls no model.
// `high` counts every phase, round, repair and fallback at full length; a request that is sent again is not in it.

/** The tokens that a reply takes on the shortest and on the usual course, unless its limit is lower. */
const EXPECTED_REPLY_TOKENS = 800;
/** Of a memory entry in a prompt: its question, its answer in short and what was said of it. */
const RECALLED_LENGTH = 7_500;
const RecallSetting = z.object({ user: UserId, rules: RecallRules });

const SHORTEST: DryCourse = {
  course: "shortest",
  finals: "same",
  troubled: false,
  replyTokens: EXPECTED_REPLY_TOKENS,
  isWritten: false,
};
const USUAL: DryCourse = { ...SHORTEST, course: "usual", finals: "none", isWritten: true };
/** An open question, as far as it goes. */
const OPEN: DryCourse = { ...USUAL, course: "longest", troubled: true, replyTokens: Infinity };
/** A question with final answers, on which nobody agrees; what follows from the length of texts is in the other course. */
const FINAL: DryCourse = { ...OPEN, finals: "own", isWritten: false };
/** Without tools: an answer that rests on them is not compared. */
const WITHOUT_TOOLS: DryCourse = { ...OPEN, troubled: false };

/** A context to which a model without its key is as good as any: nobody calls it. */
export const withoutKeys = (context: AppContext): AppContext => ({
  ...context,
  async checkModel(ref) {
    const problem = await context.checkModel(ref);
    return problem?.code === "authentication" ? undefined : problem;
  },
});

/** Estimates an opening's run by running it dry. `most`: on the longest courses alone; `low` is 0, and `expected` is `high`. */
export async function estimateOpening(
  context: AppContext,
  { opening, checked }: AssembledOpening,
  of: "all" | "most" = "all",
): Promise<RunEstimate> {
  const names = Object.keys(opening.reactions ?? {});
  const loaded = await loadReactors(context.reactors, (name) => names.includes(name));
  const reactors = loaded.filter(({ name }) => names.includes(name));
  const memory = await dryMemory(context, opening.settings["recall"]);
  const ports = (desk: Pick<DryDesk, "course" | "standIn">) => ({ memory: memory(desk) }) as Ports;
  const run = await prepareDryRun(checked ?? (await checkInput(context, opening)));
  const pricing = priceCalls(context);
  const undeclared = new Set<string>();
  let areToolsOffered = false;
  const costsOf = async (course: DryCourse): Promise<RunCosts> => {
    const costs = new Map<string, PhaseCost>();
    const onCall = (call: DryCall) => {
      areToolsOffered ||= (call.request.tools ?? []).length > 0;
      costs.set(call.phase, add(costs.get(call.phase) ?? FREE, pricing.priceOf(call)));
    };
    const ended = await run(course, { ports, reactors, onCall });
    for (const name of ended.undeclared) undeclared.add(name);
    return costs;
  };
  const protocol = opening.protocol.name;
  const { timeMs: _time, ...caps } = opening.budget;
  const participants = opening.participants.map(({ id, model, options = null }) => ({ id, model, options }));
  const none: RunEstimate = {
    ...{ protocol, phases: [], total: null, undeclared: [], unpriced: [] },
    ...{ caps, participants, oldPrices: null },
  };
  let costs: Record<"low" | "expected" | "open" | "final" | "calm", RunCosts>;
  try {
    costs = {
      low: of === "all" ? await costsOf(SHORTEST) : new Map(),
      expected: of === "all" ? await costsOf(USUAL) : new Map(),
      open: await costsOf(OPEN),
      final: await costsOf(FINAL),
      calm: areToolsOffered && reactors.length > 0 ? await costsOf(WITHOUT_TOOLS) : new Map(),
    };
  } catch {
    return { ...none, undeclared: [protocol] }; // its protocol cannot be run without its surroundings
  }
  if (undeclared.size > 0) return { ...none, undeclared: [...undeclared] };
  const { low, expected, open, final, calm } = costs;
  const longest = [open, final, calm, expected, low];
  const isSplit = [...final.keys()].some((name) => !open.has(name));
  const phases = namesOf(longest).map((name): RunEstimate["phases"][number] => {
    const own = final.has(name) ? "final answers" : "open question";
    const course = isSplit && open.has(name) !== final.has(name) ? own : null;
    const most = longest.map((one) => one.get(name) ?? FREE).reduce(larger);
    const usual = of === "all" ? (expected.get(name) ?? FREE) : most;
    // The shortest course has fewer summaries, and so may show more text.
    const least = fold(low.get(name) ?? FREE, usual, Math.min);
    return { name, course, ...rangesOf(least, usual, most) };
  });
  const { unpriced, oldestPrice } = pricing;
  const oldest = oldestPrice();
  const oldPrices = oldest !== undefined && isOldPrice(oldest, context.world.now()) ? oldest : null;
  return { ...none, phases, total: totalOf(phases), unpriced: unpriced(), oldPrices };
}

/** The names of all phases, each after the one that it follows in the first of these runs that has it. */
function namesOf(runs: readonly RunCosts[]): readonly string[] {
  const names: string[] = [];
  for (const run of runs) {
    let at = 0;
    for (const name of run.keys()) {
      if (!names.includes(name)) names.splice(at, 0, name);
      at = names.indexOf(name) + 1;
    }
  }
  return names;
}

/** A memory that gives as much as it may, none of which is known before it is asked, and the facts that are. */
async function dryMemory({ memory, principal }: AppContext, recall: unknown) {
  const read = RecallSetting.safeParse(recall);
  if (!read.success) return () => undefined;
  const { organization } = principal;
  const facts = (await (await memory()).facts({ organization, user: read.data.user })).map(
    ({ fact }) => fact,
  );
  const { most } = read.data.rules;
  return ({ course, standIn }: Pick<DryDesk, "course" | "standIn">): Pick<Memory, "recall"> => {
    const engram: Recalled = {
      ...{ id: EngramId.parse("dry-run"), question: "", summary: standIn(RECALLED_LENGTH), grade: null },
      ...{ feedback: "", similarity: null, words: 0, score: 0 },
      mark: "unjudged",
    };
    const length = { shortest: 0, usual: Math.min(1, most), longest: most + 1 }[course];
    const engrams = Array.from({ length }, () => engram);
    return { recall: () => Promise.resolve({ engrams, facts, how: "" }) };
  };
}

type PhaseCost = { readonly calls: number; readonly tokens: number; readonly usd: number | null };
type RunCosts = ReadonlyMap<string, PhaseCost>;

const FREE: PhaseCost = { calls: 0, tokens: 0, usd: 0 };
const fold = (one: PhaseCost, other: PhaseCost, by: (a: number, b: number) => number): PhaseCost => ({
  calls: by(one.calls, other.calls),
  tokens: by(one.tokens, other.tokens),
  usd: one.usd === null || other.usd === null ? null : by(one.usd, other.usd),
});
const add = (one: PhaseCost, other: PhaseCost): PhaseCost => fold(one, other, (a, b) => a + b);
const larger = (one: PhaseCost, other: PhaseCost): PhaseCost => fold(one, other, Math.max);

function rangesOf(low: PhaseCost, expected: PhaseCost, high: PhaseCost): EstimatedCost {
  const range = (figure: (cost: PhaseCost) => number): Range => ({
    low: figure(low),
    expected: figure(expected),
    high: figure(high),
  });
  const usd = [low, expected, high].some((cost) => cost.usd === null) ? null : range((cost) => cost.usd ?? 0);
  return { calls: range(({ calls }) => calls), tokens: range(({ tokens }) => tokens), usd };
}

/** The phases of every course, and of those that exclude each other the most. */
function totalOf(phases: RunEstimate["phases"]): EstimatedCost {
  const sumOf = (course: string | null, kind: keyof Range): PhaseCost =>
    phases
      .filter((phase) => phase.course === course)
      .map(({ calls, tokens, usd }) => ({
        calls: calls[kind],
        tokens: tokens[kind],
        usd: usd?.[kind] ?? null,
      }))
      .reduce(add, FREE);
  const courses = [...new Set(phases.flatMap(({ course }) => course ?? []))];
  const total = (kind: keyof Range): PhaseCost =>
    add(sumOf(null, kind), courses.map((course) => sumOf(course, kind)).reduce(larger, FREE));
  return rangesOf(total("low"), total("expected"), total("high"));
}

/** Prices calls, and remembers which models have no price and how old the others' prices are. */
function priceCalls({ models, catalog }: Pick<AppContext, "models" | "catalog">) {
  const known = new Map<DryCall["request"]["model"], number | null>();
  /** Of a token more in a prompt. */
  const rateOf = ({ model }: DryCall["request"]): number | null => {
    const found = known.get(model);
    if (found !== undefined) return found;
    const quote = (text: string) =>
      models.quote({ model, messages: [{ role: "user", text }], maxOutputTokens: 1 });
    const [short, long] = [quote("x"), quote("x".repeat(PROBED_LENGTH))];
    const rate =
      short.usd === null || long.usd === null
        ? null
        : (long.usd - short.usd) / (long.tokensIn - short.tokensIn);
    known.set(model, rate);
    return rate;
  };
  const dates = new Set<string>();
  const unpriced = new Set<string>();
  return {
    priceOf({ request, shown }: DryCall): PhaseCost {
      const rate = rateOf(request);
      const { tokensIn, tokensOut, usd } = models.quote(request);
      const date = (usd ?? 0) > 0 ? catalog.price(request.model)?.date : undefined;
      if (date !== undefined && date !== "declared") dates.add(date);
      const cost = usd === null || rate === null ? null : usd + rate * shown;
      if (cost === null) unpriced.add(bareReference(request.model));
      return { calls: 1, tokens: tokensIn + shown + tokensOut, usd: cost };
    },
    unpriced: () => [...unpriced],
    oldestPrice: () => [...dates].toSorted()[0],
  };
}

const PROBED_LENGTH = 30_000;
