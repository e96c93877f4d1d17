import {
  forgettingsOf,
  type DeliberationId,
  type Forgets,
  type Forgetting,
  type OrganizationId,
} from "../kernel/index.ts";
import type { Database } from "./database.ts";
import { engramWrites } from "./engram-writes.ts";
import { putParts } from "./projection.ts";
import { MAX_SEQ } from "./batch.ts";

const HEAD = "select seq, opened, series from @deliberation where id = $1 and organization = $2";
// Where another opening names it, too, a text stays.
const DROP_TEXTS = `delete from @pinned_text as t where organization = $2
  and digest in (select digest from @text_use where deliberation = $1)
  and not exists (
    select 1 from @text_use u where u.organization = $2 and u.digest = t.digest and u.deliberation <> $1
  )`;
const DROPS = ["event", "reservation", "text_use"].map(
  (table) => `delete from @${table} where deliberation = $1`,
);
const BURY = `update @deliberation
  set question = '""', series = null, status = 'forgotten', seq = 0, forgotten = $2 where id = $1`;
const COUNT = `insert into @reactor as known (name, cursor) values ($1, 1)
  on conflict (name) do update set cursor = known.cursor + 1`;

type OwnForgetting = Forgetting & { readonly organization: OrganizationId; readonly id: DeliberationId };

/** Forgets an organization's deliberation (FORGET-1). */
export function forgetRun(database: Database, of: OwnForgetting): ReturnType<Forgets["forget"]> {
  const { organization, id, tombstone, seq } = of;
  const write = engramWrites(database.dialect);
  return database.erase(async (to) => {
    const head = await to.first<{ seq: number; opened: number; series: string | null }>(
      HEAD,
      id,
      organization,
    );
    if (!head) return "missing" as const;
    if (head.seq === 0) return "forgotten" as const;
    if (head.seq !== seq) return "changed" as const;
    const { openedAt, forgottenAt: at, protocol } = tombstone;
    const forgotten = JSON.stringify({ by: "forget", at });
    await write.forgetOf(to, organization, { id, conversation: head.series ?? id, forgotten });
    // Above every event's: what another process has read of it meanwhile comes too late. (PROJ-2)
    const nothing = { kind: "forgotten", people: [], data: null };
    const part = { deliberation: id, seq: MAX_SEQ, opened: head.opened, openedAt, protocol, ...nothing };
    await putParts(to, database.dialect, { organization, parts: [part] });
    for (const drop of [DROP_TEXTS, ...DROPS]) await to.run(drop, id, organization);
    await to.run(BURY, id, JSON.stringify(tombstone));
    await to.run(COUNT, forgettingsOf(organization));
    return "forgotten" as const;
  });
}
