import { cycleNumber, type Climate, type Forest, type LeafKind, type Tree } from "./state.ts";

// Who gets how much attention follows from the forest alone: no model has a say, and every event has its reason.
// A frozen tree gets nothing until its freeze is over, and then one cycle in which its streaks do not count.

/** How many cycles and slots the rules speak of. */
export const WEATHER_DEFAULTS = {
  slots_per_cycle: 4,
  heatwave_zero_cycles: 3,
  thunderstorm_dead_cycles: 3,
  freeze_duration: 2,
  flood_dominance: 0.4,
  drought_cycles: 3,
  monsoon_interval: 7,
  frost_recheck_interval: 5,
  consecutive_dead_cycles: 4,
};
export type WeatherConfig = Readonly<typeof WEATHER_DEFAULTS>;

/** A tree's weather: `allocation` counts slots. */
export type TreeWeather = {
  readonly tree_id: string;
  readonly weather: string;
  readonly allocation: number;
  readonly status: Tree["status"];
  readonly freeze_remaining: number;
  readonly reason: string;
};

/** The weather of a cycle. `trigger_kimi` asks the gardener for new hypotheses, whatever seeds there are. */
export type ForestWeather = {
  readonly cycle: number;
  readonly trees: { readonly [tree_id: string]: TreeWeather };
  readonly trigger_kimi: boolean;
  readonly trigger_monsoon: boolean;
  readonly reasoning: readonly string[];
};

/** In how many of its latest cycles a tree had no fruit, and nothing but dead leaves. */
export type Streaks = { readonly [tree_id: string]: { readonly zero: number; readonly dead: number } };

/** What the rules go by; by default what the forest itself says. */
export type WeatherInputs = {
  readonly total_fruits?: number;
  readonly streaks?: Streaks;
  /** The last cycle in which a tree got slots. */
  readonly last_alloc?: { readonly [tree_id: string]: number };
  readonly data_ready?: { readonly [tree_id: string]: boolean };
  readonly climate?: Climate;
  /** For how many cycles no tree has brought forth a fruit or a golden leaf. */
  readonly no_output?: number;
  readonly config?: Partial<WeatherConfig>;
};

type Rules = Required<Omit<WeatherInputs, "config">> & {
  readonly config: WeatherConfig;
  readonly maxSlots: number;
};

/** Routes attention to the trees of a forest: the twelve rules and the monsoon, then depth, diversity and the budget of slots. */
export function routeWeather(forest: Forest, cycle: number, inputs: WeatherInputs = {}): ForestWeather {
  const climate = inputs.climate ?? forest.climate;
  const config = { ...WEATHER_DEFAULTS, ...inputs.config };
  const rules: Rules = {
    total_fruits: inputs.total_fruits ?? countFruits(forest),
    streaks: inputs.streaks ?? streaksOf(forest),
    last_alloc: inputs.last_alloc ?? lastAllocations(forest),
    data_ready: inputs.data_ready ?? {},
    no_output: inputs.no_output ?? cyclesWithoutOutput(forest),
    climate,
    config,
    maxSlots: Math.max(1, Math.floor(config.slots_per_cycle * climate.max_tree_share)),
  };
  const sky = new Map(
    forest.trees.map((tree) => [tree.tree_id, weatherOf(tree, { ...rules, forest, cycle })]),
  );
  const isMonsoon = cycle > 0 && cycle % config.monsoon_interval === 0 && sky.size > 0;
  const reasoning: string[] = [];
  if (isMonsoon) {
    monsoon(sky);
    reasoning.push("the monsoon comes every so many cycles");
  }
  const isStorm = [...sky.values()].some(({ weather }) => weather === "thunderstorm");
  capDepth(sky, forest, climate);
  taxFlood(sky, forest, rules);
  normalize(sky, rules);
  for (const { tree_id, weather, allocation } of sky.values())
    reasoning.push(`${tree_id}: ${weather}, ${allocation} of ${config.slots_per_cycle} slots`);
  return {
    cycle,
    trees: Object.fromEntries(sky),
    trigger_kimi: isMonsoon || isStorm || rules.no_output >= config.consecutive_dead_cycles,
    trigger_monsoon: isMonsoon,
    reasoning,
  };
}

type Sky = Map<string, TreeWeather>;

/** The first rule that holds. */
function weatherOf(
  tree: Tree,
  rules: Rules & { readonly forest: Forest; readonly cycle: number },
): TreeWeather {
  const { forest, cycle, config, maxSlots, streaks, total_fruits } = rules;
  const count = countLeaves(tree);
  const streak = streaks[tree.tree_id] ?? { zero: 0, dead: 0 };
  const isReady = rules.data_ready[tree.tree_id] ?? forest.data_soil["ready"] !== false;
  const prior = (name: string) => Boolean(tree.weather_priors[name]);
  const event = (weather: string, allocation: number, reason: string): TreeWeather => ({
    ...{ tree_id: tree.tree_id, weather, allocation, reason },
    ...{ status: "active", freeze_remaining: 0 },
  });
  const frozen = (weather: string, cycles: number, reason: string): TreeWeather => ({
    ...event(weather, 0, reason),
    ...{ status: "frozen", freeze_remaining: cycles },
  });
  if (isWarnedOf(forest, tree))
    return frozen("wildfire", config.freeze_duration, "a sick leaf warns of this tree");
  const left = tree.status === "frozen" ? (tree.freeze_remaining ?? 0) - 1 : 0;
  if (left > 0) return frozen(lastWeather(forest, tree), left, "its freeze is not over");
  const isThawed = tree.status === "frozen";
  const interval = config.frost_recheck_interval;
  if (tree.status === "frost") {
    if (cycle > 0 && cycle % interval === 0 && isReady)
      return event("spring", 1, "the data was checked again and is ready");
    const wait = Math.max(1, interval - (cycle % interval));
    return { ...frozen("frost", wait, "frost until the data is checked again"), status: "frost" };
  }
  if (!isReady || prior("leakage_risk"))
    return {
      ...frozen("frost", interval, isReady ? "it may leak" : "its data is not ready"),
      status: "frost",
    };
  if (!isThawed && streak.dead >= config.thunderstorm_dead_cycles && count.golden_leaf === 0)
    return frozen("thunderstorm", config.freeze_duration, `nothing but dead leaves in ${streak.dead} cycles`);
  if (!isThawed && streak.zero >= config.heatwave_zero_cycles && count.golden_leaf > 0)
    return frozen("heatwave", config.freeze_duration, `golden leaves and no fruit in ${streak.zero} cycles`);
  if (count.golden_leaf > 0 && count.dead_leaf > 0 && !prior("monotone_trend"))
    return event("fog", 1, "golden and dead leaves, and no trend");
  if (prior("cross_tree_seed") || hasCrossTreeSeed(forest, tree))
    return event("wind", 1, "a seed reaches across trees");
  if (shareOf(count.fruit, total_fruits) > config.flood_dominance)
    return event("flood", maxSlots, "it has most of the fruits");
  if (isNeglected(tree, cycle, rules)) return event("drought", 1, "neglected: one slot is guaranteed");
  const { moisture, drought } = tree.weather_priors;
  const isMoist =
    Number(moisture ?? 0) >= 0.7 && Number(drought ?? 0) <= 0.3 && prior("clear_next_validation");
  if (isMoist || count.fruit >= 2) return event("heavy_rain", maxSlots, "moist, and the next test is clear");
  if (count.fruit > 0 || count.golden_leaf > 0 || prior("solid_direction"))
    return event("rain", 1, "a solid direction");
  return event("drizzle", 1, "kept alive, not deepened");
}

const countLeaves = ({ branches }: Tree): Record<LeafKind, number> => {
  const counts = { fruit: 0, golden_leaf: 0, normal_leaf: 0, dead_leaf: 0, sick_leaf: 0 };
  for (const { result_classification: kind } of branches) if (kind !== null) counts[kind] += 1;
  return counts;
};

const shareOf = (part: number, whole: number): number => (whole > 0 ? part / whole : 0);

const isWarnedOf = ({ sick_leaf_warnings }: Forest, { tree_id, weather_priors }: Tree): boolean =>
  Boolean(weather_priors["sick_leaf_warning"]) ||
  sick_leaf_warnings.some((warning) => (warning["tree_id"] ?? warning["target"]) === tree_id);

const hasCrossTreeSeed = ({ seeds }: Forest, { tree_id }: Tree): boolean =>
  seeds.some(
    ({ related_trees, scores }) =>
      related_trees.includes(tree_id) && (scores["cross_tree_potential"] ?? 0) >= 0.8,
  );

function isNeglected(
  { tree_id, recent_budget_share }: Tree,
  cycle: number,
  { last_alloc, config }: Rules,
): boolean {
  const last = last_alloc[tree_id];
  return recent_budget_share <= 0 && last !== undefined && cycle - last >= config.drought_cycles;
}

/** What froze a tree. */
const lastWeather = ({ weather_events }: Forest, { tree_id }: Tree): string =>
  weather_events.findLast(({ target, target_type }) => target_type === "tree" && target === tree_id)
    ?.weather ?? "heatwave";

function monsoon(sky: Sky): void {
  const all = [...sky.values()];
  const chosen = all.find(({ status }) => status === "active") ?? all[0];
  if (!chosen) return;
  const allocation = chosen.status === "active" ? Math.max(1, chosen.allocation) : chosen.allocation;
  sky.set(chosen.tree_id, {
    ...chosen,
    weather: "monsoon",
    allocation,
    reason: "monsoon: fresh directions are asked for",
  });
}

/** A tree that is as deep as it may be gets one slot at most, and another active one at least one. */
function capDepth(sky: Sky, { trees }: Forest, { max_consecutive_depth: max }: Climate): void {
  for (const { tree_id, branches } of trees) {
    const event = sky.get(tree_id);
    const isDeep = branches.some(({ depth }) => depth >= max);
    if (!isDeep || !event || event.allocation <= 1) continue;
    sky.set(tree_id, { ...event, allocation: 1, reason: `${event.reason}; as deep as it may be` });
    const other = [...sky.values()].find((one) => one.tree_id !== tree_id && one.status === "active");
    if (other?.allocation === 0)
      sky.set(other.tree_id, { ...other, allocation: 1, reason: `${other.reason}; a slot for diversity` });
  }
}

/** Where one tree has most of the fruits, another active one gets a slot. */
function taxFlood(sky: Sky, { trees }: Forest, { total_fruits, config, maxSlots }: Rules): void {
  const dominant = trees
    .filter((tree) => shareOf(countLeaves(tree).fruit, total_fruits) > config.flood_dominance)
    .map(({ tree_id }) => tree_id);
  if (dominant.length === 0) return;
  const taxed = [...sky.values()].find(
    ({ tree_id, status }) => !dominant.includes(tree_id) && status === "active",
  );
  if (taxed) {
    const allocation = Math.max(1, taxed.allocation);
    sky.set(taxed.tree_id, { ...taxed, allocation, reason: `${taxed.reason}; diversity tax on the flood` });
  }
  for (const id of dominant) {
    const event = sky.get(id);
    if (event) sky.set(id, { ...event, allocation: Math.min(event.allocation, maxSlots) });
  }
}

/** Takes slots from the trees with the most, and from what is guaranteed last, until there are enough. */
function normalize(sky: Sky, { config, maxSlots }: Rules): void {
  for (const [id, event] of sky)
    sky.set(id, { ...event, allocation: Math.min(Math.max(event.allocation, 0), maxSlots) });
  for (;;) {
    const given = [...sky.values()].filter(({ allocation }) => allocation > 0);
    if (given.reduce((sum, { allocation }) => sum + allocation, 0) <= config.slots_per_cycle) return;
    const free = given.filter(({ reason }) => !/guaranteed|diversity tax/.test(reason));
    const [first, ...others] = free.length > 0 ? free : given;
    if (!first) return;
    const most = others.reduce((one, other) => (other.allocation > one.allocation ? other : one), first);
    const reason = most.reason.endsWith("; cut to the slots there are")
      ? most.reason
      : `${most.reason}; cut to the slots there are`;
    sky.set(most.tree_id, { ...most, allocation: most.allocation - 1, reason });
  }
}

const countFruits = ({ results }: Pick<Forest, "results">): number =>
  results.filter(({ classification }) => classification === "fruit").length;

/** The leaves of a tree by the cycle that grew them, the latest first. */
function leavesByCycle({ branches }: Pick<Tree, "branches">): (readonly LeafKind[])[] {
  const cycles = new Map<number, LeafKind[]>();
  for (const { cycle_executed: cycle, result_classification: kind } of branches)
    if (cycle !== null && kind !== null) cycles.set(cycle, [...(cycles.get(cycle) ?? []), kind]);
  return [...cycles].sort(([a], [b]) => b - a).map(([, kinds]) => kinds);
}

const lengthWhile = <T>(items: readonly T[], holds: (item: T) => boolean): number => {
  const end = items.findIndex((item) => !holds(item));
  return end < 0 ? items.length : end;
};

/** The streaks of a forest's trees over the cycles in which they grew something. */
export const streaksOf = ({ trees }: Pick<Forest, "trees">): Streaks =>
  Object.fromEntries(
    trees.map((tree) => {
      const cycles = leavesByCycle(tree);
      const zero = lengthWhile(cycles, (kinds) => !kinds.includes("fruit"));
      const dead = lengthWhile(cycles, (kinds) => kinds.every((kind) => kind === "dead_leaf"));
      return [tree.tree_id, { zero, dead }];
    }),
  );

function lastAllocations({ trees }: Forest): { [tree_id: string]: number } {
  return Object.fromEntries(
    trees.flatMap(({ tree_id, last_allocated_cycle: last }) => (last === undefined ? [] : [[tree_id, last]])),
  );
}

/** How many of the latest cycles brought forth neither a fruit nor a golden leaf. */
export function cyclesWithoutOutput({ trees, cycle_id }: Pick<Forest, "trees" | "cycle_id">): number {
  const branches = trees.flatMap((tree) => tree.branches);
  const executed = branches.flatMap(({ cycle_executed: cycle }) => cycle ?? []);
  if (executed.length === 0) return 0;
  const fertile = branches.flatMap(({ cycle_executed: cycle, result_classification: kind }) =>
    cycle !== null && (kind === "fruit" || kind === "golden_leaf") ? [cycle] : [],
  );
  const since = fertile.length > 0 ? Math.max(...fertile) : Math.min(...executed) - 1;
  return Math.max(0, cycleNumber(cycle_id) - since);
}
