import type { VNode } from "preact";
import type { ForestSection } from "../../protocols/forest/view.ts";
import { formatCount } from "../formats.ts";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

/** How much attention each tree gets, and why. */
export function Weather({
  section: { weather },
  note,
}: {
  readonly section: ForestSection;
  /** Which cycle it is of, where that is not the one that is shown. */
  readonly note?: string | undefined;
}): VNode {
  return (
    <section>
      <h2>{t.forest.weather}</h2>
      {note !== undefined && <p class="quiet">{note}</p>}
      {weather.length === 0 ? (
        <p class="quiet">{t.forest.noWeather}</p>
      ) : (
        <Table
          label={t.forest.weather}
          heads={[t.forest.tree, t.forest.weather, t.forest.slots, t.forest.status, t.forest.why]}
          figures={[2]}
          rows={weather.map(({ tree, weather: name, slots, status, reason }) => [
            <span key="tree" dir="auto">
              {tree}
            </span>,
            name,
            formatCount(slots),
            status,
            reason,
          ])}
        />
      )}
    </section>
  );
}
