/** Marks a file as Parley's: "PARL", in the header's application id. */
export const APPLICATION_ID = 0x50_41_52_4c;

/** Of openings that may ask to be forgotten once they have answered. Both databases take it, and its index, in these words. */
export const IS_UNKEPT = `seq = 1 and length(replace(data, '"store":false', '')) < length(data)`;

/** How a database spells types and tables. */
type Spelling = {
  readonly text: string;
  readonly whole: string;
  readonly real: string;
  readonly flag: string;
  readonly bytes: string;
  readonly time: string;
  /** A number that the database gives, larger than all before it. */
  readonly number: string;
  /** Ends a table, and one that is its own index. */
  readonly end: string;
  readonly keyed: string;
  readonly isLive: string;
  /** Where the words of an engram are: in its row, or in a table of their own. */
  readonly words: string;
  readonly ownTables: string;
  /** The openings' digests: what they are called, and where they come from. */
  readonly digest: string;
  readonly digests: string;
  /** Runs statements for each opening that is recorded, whose id is `new.id`. */
  atOpening(statements: string): string;
};

const SQLITE: Spelling = {
  text: "text",
  whole: "integer",
  real: "real",
  flag: "integer",
  bytes: "blob",
  time: "integer",
  number: "integer primary key",
  end: ") strict",
  keyed: ") strict, without rowid",
  isLive: "live = 1",
  words: "",
  ownTables: `
  -- Words of live engrams, each with its scope before it. Words that are deleted leave nothing in the index.
  create virtual table engram_words using fts5 (words, detail = none, tokenize = 'ascii');
  insert into engram_words (engram_words, rank) values ('secure-delete', 1);`,
  digest: "p.atom",
  digests: "json_tree(e.data) p on p.type = 'text' and length(p.atom) = 64",
  atOpening: (statements) => `create trigger pin_texts after insert on deliberation begin ${statements} end;`,
};

const POSTGRES: Spelling = {
  text: 'text collate "C"',
  whole: "bigint",
  real: "float8",
  flag: "boolean",
  bytes: "bytea",
  time: "timestamptz",
  number: "bigint generated always as identity primary key",
  end: ")",
  keyed: ")",
  isLive: "live",
  words: "\n    words tsvector,",
  ownTables: `
  create index engram_by_words on engram using gin (words);
  -- Compressing vectors would save nothing.
  alter table engram_vector alter column vector set storage external;
  alter table engram_block alter column heads set storage external;
  alter table engram_block alter column codes set storage external;`,
  digest: "p.match[1]",
  digests: `lateral regexp_matches(e.data, '"([0-9a-f]{64})"', 'g') as p (match) on true`,
  atOpening: (statements) => `
  create function pin_texts() returns trigger language plpgsql set search_path from current
    as $$ begin ${statements} return null; end $$;
  create trigger pin_texts after insert on deliberation for each row execute function pin_texts();`,
};

/**
 * Step n takes a store from version n to n + 1; SQLite's `user_version` and PostgreSQL's table `version` hold the version.
 * Forward only: a step that has shipped is never changed. Names are resolved by the search path.
 */
function migrations(the: Spelling): readonly string[] {
  const USES = `insert into text_use (organization, digest, deliberation)
  select distinct d.organization, ${the.digest}, d.id
  from deliberation d join event e on e.deliberation = d.id and e.seq = 1 join ${the.digests}`;
  return [
    `
  create table event (
    cursor ${the.whole} primary key,
    deliberation ${the.text} not null,
    seq integer not null,
    origin_key ${the.text} not null,
    place integer not null,
    type text not null,
    schema integer not null,
    at text not null,
    origin text not null,
    data text not null,
    unique (deliberation, origin_key, place),
    unique (deliberation, seq)
  ${the.end};

  -- Derived from the events: where each deliberation stands, and what a list shows of it.
  create table deliberation (
    id ${the.text} primary key,
    organization text not null,
    series text,
    protocol text not null,
    question text not null,
    opened ${the.whole} not null unique,
    opened_at text not null,
    status text not null,
    seq integer not null,
    cursor ${the.whole} not null
  ${the.keyed};
  create index deliberation_by_cursor on deliberation (cursor);
  create index deliberation_by_organization on deliberation (organization, opened);
  create index deliberation_by_series on deliberation (organization, series, opened) where series is not null;

  create table reactor (name text primary key, cursor ${the.whole} not null${the.keyed};
  create table lease (name text primary key, holder text not null, until ${the.time} not null${the.keyed};
  create table content (digest text primary key, content text not null${the.end};

  create table reservation (
    number ${the.number},
    deliberation ${the.text} not null,
    origin_key ${the.text} not null,
    calls integer not null,
    tokens ${the.real} not null,
    usd ${the.real} not null
  ${the.end};
  create index reservation_by_origin on reservation (deliberation, origin_key, number);
  `,
    `
  create table engram_scope (
    number ${the.number},
    organization ${the.text} not null,
    user_id ${the.text} not null,
    unique (organization, user_id)
  ${the.end};

  -- In the order in which they were put; never deleted: what is forgotten leaves its row. Live: episodic, neither retired
  -- nor forgotten; only these have words, each with its scope before it, and entries in blocks.
  create table engram (
    number ${the.number},
    scope ${the.whole} not null,
    id ${the.text} not null,
    name text not null,
    type text not null,
    respondent text,
    conversation ${the.text},
    cluster ${the.text} not null,
    cluster_name text not null,
    retired ${the.flag} not null,
    live ${the.flag} not null,
    forgotten text,${the.words}
    data text not null,
    unique (scope, id)
  ${the.end};
  create index engram_by_scope on engram (scope, number);
  create index engram_by_live on engram (scope, number) where ${the.isLive};
  create index engram_by_conversation on engram (scope, conversation);
  create index engram_by_cluster on engram (scope, cluster, number);

  create table engram_annotation (
    number ${the.number},
    engram ${the.whole} not null,
    event ${the.text} not null,
    annotation text not null,
    unique (engram, event)
  ${the.end};

  -- Annotations of engrams that are yet to come.
  create table engram_waiting (
    number ${the === SQLITE ? `${the.number} autoincrement` : the.number},
    scope ${the.whole} not null,
    id ${the.text} not null,
    name text not null,
    event ${the.text} not null,
    annotation text not null,
    retires ${the.flag} not null,
    unique (scope, id, event)
  ${the.end};
  create index engram_waiting_by_scope on engram_waiting (scope, number);

  -- 32-bit numbers, little-endian; block: where its codes are.
  create table engram_vector (
    engram ${the.whole} not null,
    model ${the.text} not null,
    model_name text not null,
    vector ${the.bytes} not null,
    block ${the.whole},
    primary key (engram, model)
  ${the.end};

  -- Vectors packed for searching; every change gives a version above all others of its scope, model and dimensions.
  create table engram_block (
    number ${the.number},
    scope ${the.whole} not null,
    model ${the.text} not null,
    dimensions integer not null,
    version ${the.whole} not null,
    heads ${the.bytes} not null,
    codes ${the.bytes} not null,
    unique (scope, model, dimensions, version)
  ${the.end};
  create index engram_block_by_number on engram_block (scope, model, dimensions, number);
  ${the.ownTables}
  `,
    `
  -- Texts by organization. Where only one has deliberations, all of them are its own; where several have, each has those that
  -- its openings pin, and what none pins, nobody can read and is left out.
  create table pinned_text (
    organization ${the.text} not null,
    digest ${the.text} not null,
    content text not null,
    primary key (organization, digest)
  ${the.end};
  insert into pinned_text (organization, digest, content)
  select own.organization, old.digest, old.content
  from (
    select coalesce(max(organization), 'local') as organization, count(distinct organization) as organizations
    from deliberation
  ) own cross join content old
  where own.organizations < 2;
  insert into pinned_text (organization, digest, content)
  select pin.organization, old.digest, old.content
  from (
    select distinct d.organization, ${the.digest} as digest
    from (select count(distinct organization) as organizations from deliberation) own cross join deliberation d
    join event e on e.deliberation = d.id and e.seq = 1 join ${the.digests}
    where own.organizations > 1
  ) pin join content old on old.digest = pin.digest;
  drop table content;
  `,
    `
  -- What is known over many deliberations: derived from their events, and made anew where it is missing or of another version.
  -- run_part: what one deliberation adds, as of its event seq; part_sum: the sums of those with the same month, protocol and kind.
  create table projection (
    organization ${the.text} primary key,
    version integer not null,
    cursor ${the.whole} not null
  ${the.keyed};
  create table run_part (
    organization ${the.text} not null,
    deliberation ${the.text} not null,
    seq integer not null,
    opened ${the.whole} not null,
    opened_at ${the.text} not null,
    protocol ${the.text} not null,
    kind ${the.text} not null,
    people text not null,
    data text,
    primary key (organization, deliberation)
  ${the.end};
  create index run_part_by_opening on run_part (organization, opened_at, opened);
  create table part_sum (
    organization ${the.text} not null,
    month ${the.text} not null,
    protocol ${the.text} not null,
    kind ${the.text} not null,
    data text not null,
    primary key (organization, month, protocol, kind)
  ${the.keyed};
  `,
    `
  -- Credentials of a server's clients, each kept as the digest of its secret.
  create table credential (
    id ${the.text} primary key,
    organization ${the.text} not null,
    person ${the.text} not null,
    kind ${the.text} not null,
    name ${the.text} not null,
    digest ${the.text} not null,
    scopes ${the.text} not null,
    created_at ${the.text} not null,
    until ${the.text},
    revoked_at ${the.text}
  ${the.end};
  create index credential_by_organization on credential (organization, created_at);
  `,
    `
  -- Servers ask every two seconds for what is open, of all organizations.
  create index deliberation_by_opening on deliberation (opened) where status = 'open';
  `,
    `
  -- Whom a request asked, and for whom: what names one that no event accounts for.
  alter table reservation add column model ${the.text};
  alter table reservation add column speaker ${the.text};
  `,
    `
  -- What the owner lets a client's key have, as JSON; null for what was made before.
  alter table credential add column limits ${the.text};
  `,
    `
  -- What stays of a deliberation that was forgotten: JSON, in a row without a question, of seq 0 and the status forgotten.
  alter table deliberation add column forgotten text;
  create index deliberation_by_forgetting on deliberation (organization, opened_at) where status = 'forgotten';
  create index event_by_unkept on event (deliberation) where ${IS_UNKEPT};
  -- Which openings pin a text (and other strings that look like a digest, which do no harm).
  create table text_use (
    organization ${the.text} not null,
    digest ${the.text} not null,
    deliberation ${the.text} not null,
    primary key (organization, digest, deliberation)
  ${the.keyed};
  create index text_use_by_deliberation on text_use (deliberation);
  ${USES};
  ${the.atOpening(`${USES} where d.id = new.id;`)}
  `,
    `
  -- Sums by month and by day (2026-11, 2026-11-27), no longer added to and taken from: an empty one is made of its parts when it
  -- is next read. What cannot be read, and so adds nothing, is asked for beside every sum.
  drop table part_sum;
  create table part_sum (
    organization ${the.text} not null,
    period ${the.text} not null,
    protocol ${the.text} not null,
    kind ${the.text} not null,
    data text not null,
    primary key (organization, period, protocol, kind)
  ${the.keyed};
  insert into part_sum (organization, period, protocol, kind, data)
  select distinct organization, substr(opened_at, 1, size), protocol, kind, ''
  from run_part cross join (select 7 as size union select 10) sizes where data is not null;
  create index run_part_by_kind on run_part (organization, kind, opened_at, opened) where data is null;
  `,
  ];
}

export const SQLITE_MIGRATIONS = migrations(SQLITE);
export const POSTGRES_MIGRATIONS = migrations(POSTGRES);
