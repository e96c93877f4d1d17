/**
 * Step n takes a schema from version n to n + 1; the table `version` holds the version. Forward only: a step
 * that has shipped is never changed. Names are resolved by the search path, which is the store's own schema.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table event (
    cursor bigint primary key,
    deliberation text collate "C" not null,
    seq integer not null,
    origin_key text collate "C" not null,
    place integer not null,
    type text not null,
    schema integer not null,
    at text not null,
    origin text not null,
    data text not null,
    unique (deliberation, origin_key, place),
    unique (deliberation, seq)
  );

  -- Derived from the events: where each deliberation stands, and what a list shows of it.
  create table deliberation (
    id text collate "C" primary key,
    organization text not null,
    series text,
    protocol text not null,
    question text not null,
    opened bigint not null unique,
    opened_at text not null,
    status text not null,
    seq integer not null,
    cursor bigint not null
  );
  create index deliberation_by_cursor on deliberation (cursor);
  create index deliberation_by_organization on deliberation (organization, opened);
  create index deliberation_by_series on deliberation (organization, series, opened) where series is not null;

  create table reactor (name text primary key, cursor bigint not null);
  create table lease (name text primary key, holder text not null, until timestamptz not null);
  create table content (digest text primary key, content text not null);

  create table reservation (
    number bigint generated always as identity primary key,
    deliberation text collate "C" not null,
    origin_key text collate "C" not null,
    calls integer not null,
    tokens float8 not null,
    usd float8 not null
  );
  create index reservation_by_origin on reservation (deliberation, origin_key, number);
  `,
];
