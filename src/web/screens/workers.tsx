import type { VNode } from "preact";
import type { ReactorsReply } from "../../contract/knowledge.ts";
import { hrefTo } from "../address.ts";
import { formatAgo, formatCount, formatTime } from "../formats.ts";
import { useAgain, useApi } from "../loaded.ts";
import { Empty, Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t, wordFor } from "../strings.ts";

const AGAIN_MS = 3_000;

/** What background workers do: who grades, remembers and compares, what waits for them, and what they failed of. */
export function Workers(): VNode {
  const reactors = useApi<ReactorsReply>("reactors");
  useAgain(reactors.again, AGAIN_MS);
  return (
    <>
      <h1>{t.nav.workers}</h1>
      <Shown of={reactors}>
        {({ reactors: rows, deliberations }) =>
          rows.length === 0 ? (
            <Empty title={t.workers.empty} next={t.workers.emptyNext} to={[]} />
          ) : (
            <>
              {deliberations === 0 ? (
                <Empty title={t.workers.noRuns} next={t.workers.emptyNext} to={[]} />
              ) : (
                <p class="quiet">{t.workers.over(t.runs(deliberations))}</p>
              )}
              <Table
                label={t.nav.workers}
                heads={[
                  t.workers.name,
                  t.workers.state,
                  t.workers.lag,
                  t.workers.oldest,
                  t.workers.servedBy,
                  t.run.views.events,
                  t.workers.lastError,
                ]}
                figures={[2, 5]}
                rows={rows.map(
                  ({ reactor, state, behind, passed, oldestMs, servedBy, said, lastError, at }) => [
                    reactor,
                    at ? (
                      <a href={hrefTo(["d", at.deliberation])}>{wordFor(t.workers.states, state)}</a>
                    ) : (
                      wordFor(t.workers.states, state)
                    ),
                    passed > 0
                      ? t.workers.passed({ behind: formatCount(behind), passed: formatCount(passed) })
                      : formatCount(behind),
                    oldestMs === null ? "" : formatTime(oldestMs),
                    servedBy.worker ?? (servedBy.drains > 0 ? t.runs(servedBy.drains) : t.none),
                    formatCount(said),
                    lastError ? (
                      <span>
                        <a href={hrefTo(["d", lastError.deliberation])}>{formatAgo(lastError.at)}</a>{" "}
                        {lastError.why}
                      </span>
                    ) : (
                      ""
                    ),
                  ],
                )}
              />
            </>
          )
        }
      </Shown>
    </>
  );
}
