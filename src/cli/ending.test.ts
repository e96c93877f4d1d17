import { withProtocols } from "../app/registry.ts";
import { features } from "../features.ts";
import { describe, expect, it } from "vitest";
import {
  DeliberationId,
  Digest,
  ModelRef,
  OrganizationId,
  ParticipantId,
  StepKey,
  type Budget,
  type Closing,
  type Entry,
  type Cap,
  type Needs,
  type FailureCode,
  type NewEvent,
} from "../kernel/index.ts";
import { memoryStore } from "../testing/memory-store.ts";
import { finish, wordUncompared } from "./ending.ts";

const digest = Digest.parse("0".repeat(64));

/** A deliberation under this budget, whose only call failed so, and its closing. */
async function entriesOf(
  budget: Budget,
  failure: {
    readonly code: FailureCode;
    readonly message: string;
    readonly cap?: Cap;
    readonly needs?: Needs;
  },
  {
    roster,
    protocol = "council",
    ...closing
  }: Closing & { readonly roster?: NewEvent; readonly protocol?: string },
): Promise<readonly Entry[]> {
  const store = memoryStore(() => 0);
  const id = DeliberationId.parse("one");
  const model = ModelRef.parse("lab/x");
  const opening: NewEvent = {
    type: "deliberation-opened",
    data: {
      question: "?",
      context: [],
      protocol: { name: protocol, version: 1 },
      settings: {},
      participants: [
        {
          id: ParticipantId.parse("ada"),
          seat: "member",
          persona: { name: "Ada", instructions: digest },
          model,
          family: null,
        },
      ],
      templates: {},
      seed: "s",
      budget,
      organization: OrganizationId.parse("local"),
    },
  };
  await store.for(OrganizationId.parse("local")).append(id, [opening], { by: "open", request: "one" });
  if (roster)
    await store
      .for(OrganizationId.parse("local"))
      .append(id, [roster], {
        ...{ by: "protocol", step: StepKey.parse("draft/admitted"), digest, after: [] },
        work: { kind: "admission", of: "draft" },
      });
  const lost: NewEvent = {
    type: "degradation-noted",
    data: {
      what: "the draft of Ada",
      why: failure.message,
      weakens: "all",
      call: {
        ok: false,
        failure,
        model,
        family: null,
        tokens: { in: null, out: null, cached: null, reasoning: null },
        cost: { source: "unknown", usd: null },
        latencyMs: 1,
        attempts: 1,
      },
    },
  };
  await store
    .for(OrganizationId.parse("local"))
    .append(id, [lost], { by: "protocol", step: StepKey.parse("draft/ada"), digest, after: [] });
  await store
    .for(OrganizationId.parse("local"))
    .append(id, [{ type: "deliberation-closed", data: closing }], { by: "close", after: [] });
  return store.for(OrganizationId.parse("local")).read(id);
}

/** The exit code, and what it says to do next. */
async function ended(entries: readonly Entry[]): Promise<readonly [exit: number, next: string]> {
  const { exit, notes } = await notesOf(entries);
  return [exit, notes.join("\n").split("\nTry: ")[1] ?? ""];
}

async function notesOf(entries: readonly Entry[]): Promise<{ exit: number; notes: readonly string[] }> {
  const notes: string[] = [];
  const face = { terminal: false, color: false, columns: 80 };
  const output = {
    result: () => Promise.resolve(),
    note: (text: string) => void notes.push(text),
    stdout: face,
    stderr: face,
  };
  const exit = await finish({ output, protocols: withProtocols([], features) }, entries, {
    json: false,
    events: false,
    quiet: true,
    onDegraded: "accept",
  });
  return { exit, notes };
}

describe("the next step", () => {
  const stopped: Closing = { outcome: "stopped-by-budget", why: "the budget does not reach", best: null };
  it.each([
    ["calls", /^raise max-calls \(PARLEY_MAX_CALLS.*\), or ask fewer models$/],
    ["usd", /^raise --max-cost-usd, or ask fewer models, or lower the settings that end in -tokens/],
    ["tokens", /^raise --max-total-tokens, or ask fewer models, or lower/],
    ["time", /^raise --timeout, or ask fewer models$/],
  ] as const)("names the cap that was hit: %s", async (cap, next) => {
    const budget = { usd: 0.5, tokens: 900, calls: 4, timeMs: 9 };
    const [exit, said] = await ended(
      await entriesOf(budget, { code: "over-budget", message: "no", cap }, stopped),
    );
    expect(exit).toBe(5);
    expect(said).toMatch(next);
  });
  it.each(["Ada and Bo are tied", "1 of 2 answers comes to 391; first and last answers together are level"])(
    "of a vote without a winner is to break the tie: %s",
    async (why) => {
      const [exit, said] = await ended(
        await entriesOf({}, { code: "network", message: "no" }, { outcome: "inconclusive", why, best: null }),
      );
      expect([exit, said]).toEqual([
        7,
        expect.stringMatching(/^the same with --seat me:tie-break, .*parley show /),
      ]);
    },
  );
  it("says how much would have done", async () => {
    const needs = { usd: 0.021, tokens: 1_400, calls: 3 };
    const out = [{ id: "ada", why: "skipped: budget exhausted", cap: "calls" as const, needs }];
    const entries = await entriesOf(
      { calls: 2 },
      { code: "over-budget", message: "no", cap: "calls" },
      { ...stopped, roster: { type: "roster-fixed", data: { phase: "draft/admitted", in: [], out } } },
    );
    expect((await ended(entries))[1]).toMatch(
      /^raise max-calls \(PARLEY_MAX_CALLS.*\) to 3, or ask fewer models$/,
    );
  });
  it("says how much would have done where one call was all", async () => {
    const message = "could exceed the limit";
    const needs = { usd: 0.0662, tokens: 120, calls: 1 };
    const of = async (budget: Budget, cap: Cap, protocol: "council" | "respond") =>
      (
        await ended(
          await entriesOf(budget, { code: "over-budget", message, cap, needs }, { ...stopped, protocol }),
        )
      )[1];
    expect(await of({ usd: 0.5 }, "usd", "respond")).toBe(
      "raise --max-cost-usd to 0.0662, or ask fewer models, or lower the settings that end in -tokens in parley.yaml, which bound each reply",
    );
    expect(await of({ tokens: 9 }, "tokens", "council")).toMatch(
      /^raise --max-total-tokens to 120, or ask fewer models, or lower the settings that end in -tokens/,
    );
  });
  it("stands under what happened, in words instead of codes", async () => {
    const failed: Closing = {
      outcome: "failed",
      why: "0 of 2 members answered, 2 are needed (Ada: unauthorised: no such key (HTTP 401); Bo: overloaded: it broke (HTTP 500))",
    };
    const failure = { code: "unauthorised", message: "no such key (HTTP 401)" } as const;
    const { notes } = await notesOf(await entriesOf({}, failure, failed));
    expect(notes[0]).toBe(
      "parley: failed: 0 of 2 members answered, 2 are needed (Ada: invalid API key: no such key (HTTP 401); Bo: server error: it broke (HTTP 500))",
    );
    expect(notes[1]).toMatch(/^Try: check the provider's key /);
    expect(notes).toHaveLength(2);
  });
  it("is to log in where a program says that nobody is", async () => {
    const why = "unauthorised: Not logged in; log in: codex login";
    const failure = { code: "unauthorised", message: "Not logged in; log in: codex login" } as const;
    const { notes } = await notesOf(await entriesOf({}, failure, { outcome: "failed", why }));
    expect(notes).toEqual([
      "parley: failed: Not logged in; log in: codex login.",
      "Try: log in: codex login, then parley retry one, or ask again",
    ]);
  });
  it("is what mends a failed call", async () => {
    const failed: Closing = { outcome: "failed", why: "nobody answered" };
    const of = async (code: FailureCode) => ended(await entriesOf({}, { code, message: "no" }, failed));
    expect(await of("network")).toEqual([3, expect.stringMatching(/^check the connection.*ask again$/)]);
    expect(await of("out-of-credit")).toEqual([4, expect.stringMatching(/^top up/)]);
    expect(await of("unreadable")).toEqual([3, "parley show one"]);
  });
});

it("says in one line why two answers were not compared", () => {
  const failed = (code: string, why: string) =>
    ({ type: "reaction-failed", data: { code, why, detail: null } }) as unknown as Entry; // what is read of it
  expect(wordUncompared([failed("no-second-answer", "it failed")])).toBeUndefined();
  expect(wordUncompared([])).toBeUndefined();
  expect(
    wordUncompared([failed("preference-unreadable", "the first order:\nthe reply\u001b[2J prefers neither")]),
  ).toMatch(/^Not compared: the first order: the reply.*prefers neither$/);
});
