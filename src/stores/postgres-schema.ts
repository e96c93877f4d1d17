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
  `
  create table engram_scope (
    number bigint generated always as identity primary key,
    organization text collate "C" not null,
    user_id text collate "C" not null,
    unique (organization, user_id)
  );

  -- In the order in which they were put; never deleted: what is forgotten leaves its row. Live: episodic, neither retired
  -- nor forgotten; only these have words, each with its scope before it, and entries in blocks.
  create table engram (
    number bigint generated always as identity primary key,
    scope bigint not null,
    id text collate "C" not null,
    name text not null,
    type text not null,
    respondent text,
    conversation text collate "C",
    cluster text collate "C" not null,
    cluster_name text not null,
    retired boolean not null,
    live boolean not null,
    forgotten text,
    words tsvector,
    data text not null,
    unique (scope, id)
  );
  create index engram_by_scope on engram (scope, number);
  create index engram_by_live on engram (scope, number) where live;
  create index engram_by_conversation on engram (scope, conversation);
  create index engram_by_cluster on engram (scope, cluster, number);
  create index engram_by_words on engram using gin (words);

  create table engram_annotation (
    number bigint generated always as identity primary key,
    engram bigint not null,
    event text collate "C" not null,
    annotation text not null,
    unique (engram, event)
  );

  -- Annotations of engrams that are yet to come.
  create table engram_waiting (
    number bigint generated always as identity primary key,
    scope bigint not null,
    id text collate "C" not null,
    name text not null,
    event text collate "C" not null,
    annotation text not null,
    retires boolean not null,
    unique (scope, id, event)
  );
  create index engram_waiting_by_scope on engram_waiting (scope, number);

  -- 32-bit numbers, little-endian; block: where its codes are. Compressing them would save nothing.
  create table engram_vector (
    engram bigint not null,
    model text collate "C" not null,
    model_name text not null,
    vector bytea not null,
    block bigint,
    primary key (engram, model)
  );
  alter table engram_vector alter column vector set storage external;

  -- Vectors packed for searching; every change gives a version above all others of its scope, model and dimensions.
  create table engram_block (
    number bigint generated always as identity primary key,
    scope bigint not null,
    model text collate "C" not null,
    dimensions integer not null,
    version bigint not null,
    heads bytea not null,
    codes bytea not null,
    unique (scope, model, dimensions, version)
  );
  alter table engram_block alter column heads set storage external;
  alter table engram_block alter column codes set storage external;
  create index engram_block_by_number on engram_block (scope, model, dimensions, number);
  `,
];
