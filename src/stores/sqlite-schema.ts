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
  `
  create table engram_scope (
    number integer primary key,
    organization text not null,
    user_id text not null,
    unique (organization, user_id)
  ) strict;

  -- In the order in which they were put; never deleted: what is forgotten leaves its row. Live: episodic, neither retired
  -- nor forgotten; only these have words, and entries in blocks.
  create table engram (
    number integer primary key,
    scope integer not null,
    id text not null,
    name text not null,
    type text not null,
    respondent text,
    conversation text,
    cluster text not null,
    cluster_name text not null,
    retired integer not null,
    live integer not null,
    forgotten text,
    data text not null,
    unique (scope, id)
  ) strict;
  create index engram_by_scope on engram (scope, number);
  create index engram_by_live on engram (scope, number) where live = 1;
  create index engram_by_conversation on engram (scope, conversation);
  create index engram_by_cluster on engram (scope, cluster, number);

  create table engram_annotation (
    number integer primary key,
    engram integer not null,
    event text not null,
    annotation text not null,
    unique (engram, event)
  ) strict;

  -- Annotations of engrams that are yet to come.
  create table engram_waiting (
    number integer primary key autoincrement,
    scope integer not null,
    id text not null,
    name text not null,
    event text not null,
    annotation text not null,
    retires integer not null,
    unique (scope, id, event)
  ) strict;
  create index engram_waiting_by_scope on engram_waiting (scope, number);

  -- 32-bit numbers, little-endian; block: where its codes are.
  create table engram_vector (
    engram integer not null,
    model text not null,
    model_name text not null,
    vector blob not null,
    block integer,
    primary key (engram, model)
  ) strict;

  -- Vectors packed for searching; every change gives a version above all others of its scope, model and dimensions.
  create table engram_block (
    number integer primary key,
    scope integer not null,
    model text not null,
    dimensions integer not null,
    version integer not null,
    heads blob not null,
    codes blob not null,
    unique (scope, model, dimensions, version)
  ) strict;
  create index engram_block_by_number on engram_block (scope, model, dimensions, number);

  -- Words of live engrams, each with its scope before it. Words that are deleted leave nothing in the index.
  create virtual table engram_words using fts5 (words, detail = none, tokenize = 'ascii');
  insert into engram_words (engram_words, rank) values ('secure-delete', 1);
  `,
];
