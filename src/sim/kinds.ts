/** A kind of things: what it is called, and some that are of it, as they are written. */
type Kind = { readonly names: RegExp; readonly members: string };

const kinds: readonly Kind[] = [
  {
    names: /^(?:programming )?languages?$/,
    members:
      "Rust|Python|TypeScript|JavaScript|Java|Kotlin|Swift|Scala|Go|C|C++|C#|F#|Ruby|PHP|Perl|Haskell|OCaml|Elixir|Erlang|Clojure|Lua|Zig|Julia|R|Dart|Fortran|COBOL",
  },
  {
    names: /^(?:spoken |human |natural |native )?languages?$/,
    members:
      "English|German|French|Spanish|Italian|Portuguese|Dutch|Polish|Russian|Turkish|Arabic|Hindi|Chinese|Japanese|Korean",
  },
  {
    names: /^(?:week ?)?days?(?: of the week)?$/,
    members: "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday",
  },
  {
    names: /^months?$/,
    members: "January|February|March|April|May|June|July|August|September|October|November|December",
  },
  {
    names: /^colou?rs?$/,
    members: "red|green|blue|yellow|orange|purple|violet|pink|brown|black|white|grey|gray|turquoise",
  },
  {
    names: /^(?:data ?bases?|data ?base systems?)$/,
    members: "PostgreSQL|Postgres|SQLite|MySQL|MariaDB|MongoDB|Redis|Oracle|DuckDB|Cassandra|DynamoDB",
  },
  { names: /^editors?$/, members: "Vim|Neovim|Emacs|VS Code|Helix|Zed|Sublime Text|IntelliJ|Nano" },
  {
    names: /^(?:operating systems?|os)$/,
    members: "Linux|Windows|macOS|Ubuntu|Debian|Fedora|FreeBSD|Android|iOS",
  },
  {
    names: /^(?:web )?frameworks?$/,
    members: "React|Vue|Svelte|Angular|Django|Flask|Rails|Laravel|Spring|Express|Next.js|Axum|Actix",
  },
  { names: /^clouds?(?: providers?)?$/, members: "AWS|Azure|Google Cloud|Hetzner|OVH|DigitalOcean" },
];

const asksKind = /\b(?:which|what)\s+((?:of the\s+)?\p{Ll}+(?:\s\p{Ll}+){0,3})/iu;

/** The kind of thing that a question asks for by `which` or `what`, in its own words; null where it is none that is known. */
export function kindAskedFor(
  question: string,
): { readonly name: string; readonly members: readonly string[] } | null {
  const words = (asksKind.exec(question)?.[1] ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  for (let length = Math.min(4, words.length); length > 0; length -= 1) {
    const name = words.slice(0, length).join(" ");
    const members = kinds.filter(({ names }) => names.test(name)).flatMap((kind) => kind.members.split("|"));
    if (members.length > 0) return { name, members };
  }
  return null;
}
