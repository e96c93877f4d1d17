import type { VNode } from "preact";
import type { MemoryReport } from "../../contract/knowledge.ts";
import { formatCount, formatPercent, formatRatio, formatSetting } from "../formats.ts";
import { useApi } from "../loaded.ts";
import { Empty, Shown } from "../parts/states.tsx";
import { Facts, Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

const COUNTS = ["episodic", "pinned", "judged", "retired", "forgotten", "clusters"] as const;

/** How models have done, as far as comparisons and grades of remembered answers show it. */
export function ModelStats(): VNode {
  const stats = useApi<MemoryReport>("memory/stats");
  return (
    <Shown of={stats}>
      {(reply) => (
        <>
          <Facts rows={COUNTS.map((name) => [t.memory.counts[name], formatCount(reply[name])])} />
          {reply.configurations.length === 0 ? (
            <Empty title={t.memory.noStats} next={t.memory.noStatsNext} />
          ) : (
            <>
              <h2>{t.memory.statsOf}</h2>
              <p class="quiet">{t.memory.statsHint}</p>
              <Table
                label={t.memory.statsOf}
                figures={[3, 4, 5, 6]}
                heads={[
                  t.memory.model,
                  t.memory.temperature,
                  t.memory.kind,
                  t.memory.entries,
                  t.memory.record,
                  t.memory.won,
                  t.memory.meanGrade,
                  t.memory.claim,
                ]}
                rows={reply.configurations.map(rowOf)}
              />
            </>
          )}
        </>
      )}
    </Shown>
  );
}

function rowOf(row: MemoryReport["configurations"][number]): readonly string[] {
  const { models, temperature, intent, engrams, wins, losses, ties, won, grade, claim } = row;
  return [
    models.join(", "),
    temperature === null ? t.memory.ownTemperature : formatSetting(temperature),
    intent === null ? t.memory.everyIntent : (t.memory.intents[intent] ?? intent),
    formatCount(engrams),
    [wins, losses, ties].map(formatCount).join("–"),
    won.value === null
      ? t.unknown
      : t.memory.interval(formatPercent(won.value), formatPercent(won.low), formatPercent(won.high)),
    grade.mean === null ? t.unknown : t.memory.ofGrades(formatRatio(grade.mean, 1), formatCount(grade.n)),
    t.memory.claims[claim],
  ];
}
