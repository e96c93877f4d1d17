import type { VNode } from "preact";
import type { ModelList, ModelRow } from "../../contract/figures.ts";
import { formatCount, formatMoney } from "../formats.ts";
import { useApi } from "../loaded.ts";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

/** The models that can be reached, with prices; and how to set up the others. */
export function ReachableModels(): VNode {
  const models = useApi<ModelList>("models");
  return (
    <Shown of={models}>
      {({ models: rows, missing }) => (
        <>
          <h2>{t.settings.modelsTitle}</h2>
          {rows.length === 0 ? (
            <Empty title={t.settings.noModels} next={t.settings.noModelsNext} />
          ) : (
            <Table
              label={t.settings.modelsTitle}
              figures={[2, 4]}
              heads={[
                t.settings.model,
                t.settings.family,
                t.settings.price,
                t.settings.date,
                t.settings.context,
                t.settings.reachable,
              ]}
              rows={rows.map((row) => [
                <span dir="auto">{row.ref}</span>,
                row.family ?? t.unknown,
                priceOf(row.price),
                row.price === null || row.price === "free" ? "" : `${row.price.date} (${row.price.source})`,
                row.context === null ? t.unknown : formatCount(row.context),
                t.settings.reach[row.reachable] ?? row.reachable,
              ])}
            />
          )}
          <h2>{t.settings.missingTitle}</h2>
          {missing.length === 0 ? (
            <p>{t.settings.noneMissing}</p>
          ) : (
            <Table
              label={t.settings.missingTitle}
              heads={[t.settings.provider, t.settings.setUp]}
              rows={missing.map(({ provider, next }) => [provider, next])}
            />
          )}
        </>
      )}
    </Shown>
  );
}

const priceOf = (price: ModelRow["price"]): string =>
  price === null
    ? t.unknown
    : price === "free"
      ? t.settings.free
      : t.settings.priceOf(formatMoney(price.in), formatMoney(price.out));
