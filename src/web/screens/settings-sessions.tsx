import type { VNode } from "preact";
import type { SessionList } from "../../contract/runs.ts";
import { formatMoment } from "../formats.ts";
import { fetchJson } from "../http.ts";
import { useApi } from "../loaded.ts";
import { Confirm } from "../parts/confirm.tsx";
import { Shown } from "../parts/states.tsx";
import { Table } from "../parts/table.tsx";
import { t } from "../strings.ts";

/** The browsers in which the reader is signed in: any can be signed out. */
export function Sessions(): VNode {
  const sessions = useApi<SessionList>("sessions");
  const end = async (path: string) => {
    await fetchJson(path, { method: "DELETE" });
    sessions.again(); // of this browser's own, it asks to sign in
  };
  return (
    <>
      <Confirm
        label={t.settings.signOut}
        ask={t.settings.signOutAsk}
        yes={t.settings.signOut}
        act={() => end("session")}
      />
      <Shown of={sessions}>
        {({ data }) => (
          <Table
            label={t.settings.views.sessions}
            heads={[t.settings.browser, t.settings.since, t.settings.until, ""]}
            rows={data.map(({ id, name, createdAt, until, current }) => [
              <span dir="auto">{name}</span>,
              formatMoment(createdAt),
              until === null ? "" : formatMoment(until),
              current ? (
                t.settings.thisBrowser
              ) : (
                <Confirm
                  {...{ label: t.settings.end, ask: t.settings.endAsk, yes: t.settings.end }}
                  act={() => end(`sessions/${id}`)}
                />
              ),
            ])}
          />
        )}
      </Shown>
    </>
  );
}
