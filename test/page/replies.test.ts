import { expectTypeOf, it } from "vitest";
import type * as z from "zod";
import type { memoryReport } from "../../src/lab/ablation/memory-stats.ts";
import type { Contributions } from "../../src/lab/contributions/contributions.ts";
import type * as library from "../../src/server/api/library-schemas.ts";
import type * as api from "../../src/server/api/schemas.ts";
import type { UsageReport } from "../../src/views/cost.ts";
import type * as page from "../../src/web/replies.ts";

// The page's types of replies, against the schemas that the server checks by. `tsc` fails where they part.

/** Of what the server gives, the fields that the page names. A field that the server does not give is `missing`. */
type Named<Given, Read> = Given extends string
  ? string
  : Given extends readonly (infer One)[]
    ? Read extends readonly (infer Other)[]
      ? readonly Named<One, Other>[]
      : "missing"
    : Given extends object
      ? {
          [Field in keyof Read]: Field extends keyof Given
            ? NamedField<Given[Field], Read[Field]>
            : "missing";
        }
      : Given;
/** What the page reads as `unknown` may be anything. */
type NamedField<Given, Read> = unknown extends Read
  ? unknown
  : Given extends object
    ? Named<Given, Extract<Read, object>>
    : page.Unbranded<Given>;

type Schemas = typeof api & typeof library;
/** What a schema lets through, the page can read. */
type Given<Name extends keyof Schemas> = Schemas[Name] extends z.ZodType ? z.infer<Schemas[Name]> : never;

/** Each of the page's types beside what the server gives for it. */
type Pairs = {
  runs: [Given<"Listed">, page.RunPage];
  sessions: [Given<"SessionList">, page.SessionReply];
  opened: [Given<"Opened">, page.OpenedReply];
  estimate: [Given<"Estimate">, page.EstimateReply];
  forkEstimate: [Given<"ForkEstimate">, page.ForkEstimateReply];
  models: [Given<"ModelList">, page.ModelReply];
  catalog: [Given<"Catalog">, page.CatalogReply];
  strategy: [Given<"StrategyEntry">, page.StrategyReply];
  pack: [Given<"PackEntry">, page.PackReply];
  prompt: [Given<"PromptEntry">, page.PromptReply];
  prompts: [Given<"PromptList">, page.PromptListReply];
  persona: [Given<"PersonaEntry">, page.PersonaReply];
  changed: [Given<"PersonaChanged">, page.PersonaChangedReply];
  family: [Given<"PersonaFamily">, page.FamilyReply];
  memory: [Awaited<ReturnType<typeof memoryReport>>, page.MemoryStatsReply];
  config: [Given<"ConfigReply">, page.ConfigReply];
  inbox: [Given<"Inbox">, page.InboxReply];
  waiting: [Given<"Waiting">, page.WaitingReply];
  league: [Given<"Leagues">, page.LeagueReply];
  votes: [Given<"VoteList">, page.VotesReply];
  matrix: [Given<"VoteMatrix">, page.MatrixReply];
  shares: [Given<"ShareList">, page.ShareReply];
  usage: [Given<"Usage">, page.Unbranded<UsageReport>];
  benches: [Given<"BenchList">, page.BenchListReply];
  bench: [Given<"Bench">, page.BenchReply];
  reactors: [Given<"Reactors">, page.ReactorReply];
  contributions: [Contributions, page.ContributionsReply];
};
/** Those that the server may give and the page cannot read. */
type Unread = { [Name in keyof Pairs]: Pairs[Name][0] extends Pairs[Name][1] ? never : Name }[keyof Pairs];
/** Those of which the page names a field, or awaits a value, that the server does not give. */
type Stale = {
  [Name in keyof Pairs]: page.Unbranded<Pairs[Name][1]> extends Named<Pairs[Name][0], Pairs[Name][1]>
    ? never
    : Name;
}[keyof Pairs];

it("lets the page read every reply, and await nothing that the server does not give", () => {
  expectTypeOf<Unread>().toEqualTypeOf<never>();
  expectTypeOf<Stale>().toEqualTypeOf<never>();
});
