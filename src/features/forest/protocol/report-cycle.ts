import type { ReportPart } from "../../../kernel/index.ts";
import { figures, part, points, table, words } from "../../../reports/part.ts";
import { pluralize } from "../../../text/format.ts";
import { forestPlot, type ForestCycles } from "./report-plot.ts";
import type { Forest, ForestSeed, ResultRecord } from "./state.ts";
import { cycleNumber } from "./state.ts";

const FILES = "forest-state.yaml, seed-bank.yaml, weather-log.yaml, result-records.yaml";

/** What became new in the newest of these cycles, and what the next one starts from. */
export function cycleParts(cycles: ForestCycles): ReportPart[] {
  const forest = cycles.at(-1);
  if (!forest) return [];
  const before = cycles.at(-2);
  const cycle = cycleNumber(forest.cycle_id);
  const isNew = (seed: ForestSeed) => !before?.seeds.some(({ seed_id }) => seed_id === seed.seed_id);
  const known = new Set(before?.results.map(({ result_id }) => result_id));
  const results = forest.results.filter(({ result_id }) => !known.has(result_id));
  const tested = forest.seeds.filter(({ evaluated_cycle }) => evaluated_cycle === cycle);
  const fruits = results.filter(({ classification }) => classification === "fruit").length;
  return [
    part(
      "Forest snapshot",
      words(
        `Cycle ${cycle} of ${forest.forest_id} (${forest.domain}), climate ${forest.climate.mode}: ${forest.research_goal}`,
      ),
      words(`${fruits} of ${pluralize(results.length, "candidate")} of this cycle are fruits.`),
      ...figures(forestPlot(cycles)),
    ),
    part(
      "Weather decisions",
      table(
        ["Target", "Weather", "Share", "Reason"],
        forest.weather_events.map(({ target, weather, allocation, reason }) => [
          ...[target, weather, `${(100 * allocation).toFixed(0)} %`, reason],
        ]),
      ),
    ),
    part(
      "Sown seeds",
      table(
        ["Seed", "Score", "Nursery", "Idea"],
        tested.map(({ seed_id, seed_score, idea }) => [seed_id, scoreText(seed_score), "sprout", idea]),
      ),
    ),
    part(
      "Completed tasks",
      table(
        ["Task", "Execution mode", "Gates passed", "Summary"],
        results.map(({ task_id, execution_mode, gate_record, summary }) => {
          const gates = Object.values(gate_record?.gates ?? {});
          const passed = gates.filter((gate) => gate["passed"] === true).length;
          return [task_id, execution_mode, `${passed} of ${gates.length}`, summary];
        }),
      ),
    ),
    part(
      "Result classifications",
      table(
        ["Result", "Classification", "Reason"],
        results.map(({ result_id, classification, classification_reason }) => [
          ...[result_id, classification ?? "-", classification_reason],
        ]),
      ),
      points(
        results.flatMap(({ result_id, risks }) =>
          risks.map((risk) => `${result_id}: ${typeof risk === "string" ? risk : JSON.stringify(risk)}`),
        ),
      ),
    ),
    part(
      "What gates said",
      table(
        ["Candidate", "Gate", "Outcome", "Why"],
        results.flatMap((result) => gateRows(result)),
      ),
    ),
    part(
      "New seeds captured",
      table(
        ["Seed", "Source", "Status", "Idea"],
        forest.seeds
          .filter((seed) => isNew(seed) && seed.evaluated_cycle === undefined)
          .map(({ seed_id, source_type, status, idea }) => [seed_id, source_type, status, idea]),
      ),
    ),
    part(
      "Archive updates",
      words(`${forest.cycle_id}: ${FILES}`),
      words(
        `${pluralize(forest.golden_leaf_pool.length, "result")} in the pool of golden leaves, ${pluralize(forest.sick_leaf_warnings.length, "warning")} of sick leaves`,
      ),
    ),
    nextPart(forest),
  ];
}

/** Of a fruit all gates; of others those that failed. */
function gateRows({ summary, classification, gate_record }: ResultRecord): string[][] {
  return Object.entries(gate_record?.gates ?? {}).flatMap(([gate, { passed, detail, reason, cause }]) => {
    if (passed === true && classification !== "fruit") return [];
    const why = typeof detail === "string" ? detail : typeof reason === "string" ? reason : "";
    return [[summary, gate, passed === true ? "passed" : typeof cause === "string" ? cause : "failed", why]];
  });
}

const scoreText = (score: number | null): string => (score === null ? "-" : score.toFixed(2));

function nextPart({ trees, seeds, cycle_id }: Forest): ReportPart {
  const of = (...statuses: readonly string[]) =>
    trees.filter(({ status }) => statuses.includes(status)).map(({ tree_id }) => tree_id);
  const waiting = seeds.filter(
    ({ status, evaluated_cycle }) =>
      evaluated_cycle === undefined && (status === "sow_now" || status === "hold"),
  );
  const [active, paused] = [of("active"), of("frozen", "frost", "dormant")];
  return part(
    "Next cycle",
    words(`Continue: ${active.join(", ") || "no tree is active"}`),
    ...(paused.length === 0 ? [] : [words(`Pause: ${paused.join(", ")}`)]),
    words(`${pluralize(waiting.length, "seed")} can be sown.`),
    words(`To go on from ${cycle_id}, run the next cycle: it starts from this archive.`),
  );
}
