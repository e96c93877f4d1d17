/** Marks a file as Parley's: "PARL", in the header's application id. */
export const APPLICATION_ID = 0x50_41_52_4c;

/**
 * Step n takes a store from version n to n + 1; `user_version` holds the version. Forward only: a step that
 * has shipped is never changed.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table event (
    cursor integer primary key,
    deliberation text not null,
    seq integer not null,
    origin_key text not null,
    place integer not null,
    type text not null,
    schema integer not null,
    at text not null,
    origin text not null,
    data text not null,
    unique (deliberation, origin_key, place),
    unique (deliberation, seq)
  ) strict;

  -- Derived from the events: where each deliberation stands, and what a list shows of it.
  create table deliberation (
    id text primary key,
    organization text not null,
    series text,
    protocol text not null,
    question text not null,
    opened integer not null unique,
    opened_at text not null,
    status text not null,
    seq integer not null,
    cursor integer not null
  ) strict, without rowid;
  create index deliberation_by_cursor on deliberation (cursor);
  create index deliberation_by_organization on deliberation (organization, opened);
  create index deliberation_by_series on deliberation (organization, series, opened) where series is not null;

  create table reactor (name text primary key, cursor integer not null) strict, without rowid;
  create table lease (name text primary key, holder text not null, until integer not null) strict, without rowid;
  create table content (digest text primary key, content text not null) strict;

  create table reservation (
    number integer primary key,
    deliberation text not null,
    origin_key text not null,
    calls integer not null,
    tokens real not null,
    usd real not null
  ) strict;
  create index reservation_by_origin on reservation (deliberation, origin_key, number);
  `,
];
