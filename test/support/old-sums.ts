import { deliberation } from "../../src/testing/store-samples.ts";
import type { RunProjection, StoredPart } from "../../src/stores/projection.ts";

/** Brings the tables of a projection back to those of the ninth version, with sums that are wrong. */
export const OLD_SUMS = `
  drop index run_part_by_kind; drop table part_sum;
  create table part_sum (
    organization text not null, month text not null, protocol text not null, kind text not null, data text not null,
    primary key (organization, month, protocol, kind)
  );
  insert into part_sum values ('local', '2026-02', 'council', 'fact', '99'), ('local', '2026-05', 'council', 'fact', '1e-17');`;

const part = (nth: number, day: string): StoredPart => ({
  ...{ deliberation: deliberation(`d${nth}`), seq: 3, opened: nth, openedAt: `${day}T00:00:00.000Z` },
  ...{ protocol: "council", kind: "fact", people: [], data: String(nth) },
});

export const OLD_PARTS: readonly StoredPart[] = [
  part(1, "2026-02-01"),
  part(2, "2026-02-03"),
  part(4, "2026-03-01"),
];

export const NEW_SUMS = [
  ["2026-02", "3"],
  ["2026-03", "4"],
];
/** After the second of February. */
export const NEW_SUMS_AFTER = [
  ["2026-02-03", "2"],
  ["2026-03", "4"],
];

/** The sums after a day, of numbers as JSON. */
export async function oldSums(projection: RunProjection, after = ""): Promise<(readonly [string, string])[]> {
  const sums = await projection.sums({ after }, (_what, texts) =>
    String(texts.reduce((all, text) => all + Number(text), 0)),
  );
  return sums.map(({ period, data }) => [period, data] as const);
}
