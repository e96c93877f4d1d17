import type { VNode } from "preact";
import type { AskSection } from "../../protocols/ask/view.ts";
import type { ShownRun } from "../run.ts";
import { seqsOf, useWhole } from "../folds.ts";
import { formatCount, formatMoney } from "../formats.ts";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";
import { nameOfStage } from "./event-rows.ts";

/** How far a run went, why, and what each step of it took; nothing for protocols that do not climb. */
export function Ladder({ shown }: { readonly shown: ShownRun }): VNode | null {
  const { ladder = [] } = (shown.result.value?.section ?? {}) as Partial<AskSection>; // of `ask` only
  useWhole(
    shown.run,
    seqsOf(shown.entries.value, ({ type }) => type === "rung-decided"),
  );
  if (!Array.isArray(ladder) || ladder.length === 0) return null;
  return (
    <section class="ladder">
      <h3>{t.run.ladder}</h3>
      <Table
        label={t.run.ladder}
        heads={[
          t.run.step,
          t.run.stepReason,
          t.run.callsHead,
          t.run.tokensIn,
          t.run.tokensOutHead,
          t.run.cost,
        ]}
        figures={[2, 3, 4, 5]}
        rows={ladder.map(({ rung, reason, calls, tokens, usd }) => [
          nameOfStage(rung),
          <span dir="auto">{reason ?? ""}</span>,
          formatCount(calls),
          formatCount(tokens.in),
          formatCount(tokens.out),
          formatMoney(usd),
        ])}
      />
    </section>
  );
}
