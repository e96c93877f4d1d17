import { existsSync, readFileSync, utimesSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openParley } from "../../index.ts";
import { isFault } from "../../kernel/index.ts";
import { widthOf } from "../../reports/text-width.ts";
import type { ListUpdate } from "../../app/list-update.ts";
import { commandIo, commandNamed } from "../../../test/support/command-io.ts";
import { refusalOf, scratch, type Scratch } from "../../../test/support/scratch.ts";
import { EXIT } from "../exits.ts";
import { updateText } from "./models.ts";

const row = { litellm_provider: "openai", mode: "chat", max_output_tokens: 128_000 };
const FIRST = {
  "gpt-6.2-sol": { ...row, input_cost_per_token: 1e-6, output_cost_per_token: 4e-6 },
  "gpt-new": { ...row, input_cost_per_token: 2e-6, output_cost_per_token: 8e-6 },
  "gpt-bad": { ...row, input_cost_per_token: -1, output_cost_per_token: 1 },
};
const SECOND = { openai: { models: { "gpt-6.2-sol": { cost: { input: 3, output: 12 } } } } };

const update = async (place: Scratch, from: readonly string[], given: object = {}): Promise<ListUpdate> => {
  const { io, written } = commandIo(place);
  expect(await commandNamed("models").run(io, { json: true, ...given }, ["update", ...from])).toBe(
    EXIT.answered,
  );
  return JSON.parse(written.stdout) as ListUpdate;
};
const priceOf = async ({ env }: Scratch, model: string) => {
  await using parley = await openParley({
    store: ":memory:",
    env: { ...env, OPENAI_API_KEY: "sk-0123456789abcdef" },
  });
  const asked = { protocol: "respond", question: "Which?", models: [model] };
  const { unpriced, total } = await parley.estimate(asked);
  return unpriced.length > 0 ? null : (total?.usd?.high ?? 0);
};

async function served(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // it listens on a port
  return `http://127.0.0.1:${port}`;
}

describe("parley models update", () => {
  it("takes a list from a file, says what changes, and prices by it from then on", async () => {
    using place = scratch();
    const path = place.write("project/list.json", JSON.stringify(FIRST));
    utimesSync(path, new Date("2026-11-20"), new Date("2026-11-20"));
    const builtIn = await priceOf(place, "openai/gpt-6.2-sol");
    expect(await priceOf(place, "openai/gpt-new")).toBeNull();

    const dry = await update(place, ["list.json"], { dryRun: true });
    expect(dry).toMatchObject({ source: "LiteLLM", date: "2026-11-20", path: null, models: 2, from: path });
    expect(await priceOf(place, "openai/gpt-new")).toBeNull();

    const taken = await update(place, ["list.json"]);
    expect({ ...taken, path: null }).toEqual(dry);
    expect(taken.added).toEqual(["openai/gpt-new"]);
    expect(taken.changed).toContainEqual({ model: "openai/gpt-6.2-sol", field: "in", from: 2, to: 1 });
    expect(taken.changed).toContainEqual({
      model: "openai/gpt-6.2-sol",
      field: "cached",
      from: 0.1,
      to: null,
    });
    expect(taken.skipped).toMatchObject([{ model: "openai/gpt-bad" }]);
    expect(await priceOf(place, "openai/gpt-new")).toBeGreaterThan(0);
    expect(await priceOf(place, "openai/gpt-6.2-sol")).toBeLessThan(builtIn ?? 0);
    // What it says nothing of is as before, and settings count before it.
    expect(await priceOf(place, "openai/gpt-5")).toBeGreaterThan(0);
    await using own = await openParley({
      ...{ store: ":memory:", env: { ...place.env, OPENAI_API_KEY: "sk-0123456789abcdef" } },
      settings: { prices: { "openai/gpt-new": { in: 0, out: 0 } } },
    });
    const { total } = await own.estimate({
      protocol: "respond",
      question: "Which?",
      models: ["openai/gpt-new"],
    });
    expect(total?.usd?.high).toBe(0);
  });

  it("takes the list that it was last given where none is named, and says what is gone", async () => {
    using place = scratch();
    const path = place.write("project/list.json", JSON.stringify(FIRST));
    await update(place, [path]);
    place.write("project/list.json", JSON.stringify(SECOND));
    const second = await update(place, []);
    expect(second).toMatchObject({ source: "models.dev", from: path, added: [], gone: ["openai/gpt-new"] });
    expect(second.changed).toContainEqual({ model: "openai/gpt-6.2-sol", field: "out", from: 4, to: 12 });
  });

  it("fetches an address once, follows its own host alone, and takes the date that the server says", async () => {
    using place = scratch({ ".config/parley/parley.yaml": "fetch-private: true\n" });
    const asked: string[] = [];
    const elsewhere = (await served((_, reply) => reply.end("{}"))).replace("127.0.0.1", "localhost");
    const url = await served((request, reply) => {
      asked.push(`${request.method} ${request.url}`);
      if (request.url === "/old") return reply.writeHead(302, { location: "/api.json" }).end();
      if (request.url === "/away") return reply.writeHead(302, { location: `${elsewhere}/api.json` }).end();
      if (request.url === "/round") return reply.writeHead(302, { location: "/round" }).end();
      if (request.url !== "/api.json") return reply.writeHead(404).end("no");
      return reply
        .writeHead(200, { "last-modified": "Wed, 18 Nov 2026 10:00:00 GMT" })
        .end(JSON.stringify(SECOND));
    });
    const taken = await update(place, [`${url}/old`]);
    expect(asked).toEqual(["GET /old", "GET /api.json"]);
    expect(taken).toMatchObject({ source: "models.dev", date: "2026-11-18", from: `${url}/old` });
    const kept = readFileSync(taken.path ?? "", "utf8");
    for (const [path, why] of [
      ["/away", "it redirects to another host"],
      ["/round", "it redirects more than 3 times"],
      ["/none", "the server answers with HTTP 404"],
    ])
      expect(await refusalOf(() => update(place, [`${url}${path}`]), place)).toContain(why);
    place.write(".config/parley/parley.yaml", "");
    expect(await refusalOf(() => update(place, [`${url}/api.json`]), place)).toContain("fetch-private: true");
    expect(asked).toHaveLength(8);
    expect(readFileSync(taken.path ?? "", "utf8")).toBe(kept);
  });

  it("asks for a list where there is none, and for an address without a password", async () => {
    using place = scratch();
    const none = await refusalOf(() => update(place, []), place);
    expect(none).toContain("none is fetched unasked");
    expect(none).toMatch(
      /raw\.githubusercontent\.com\/BerriAI\/litellm\S+ or https:\/\/models\.dev\/api\.json/,
    );
    for (const secret of ["http://me:pass@localhost/x", "http://localhost/x?api_key=sk-0123456789abcdef0123"])
      expect(await refusalOf(() => update(place, [secret]), place)).toContain(
        "no user name, key or password",
      );
  });

  it.each([
    ["no JSON", "<html>"],
    ["neither form", '{"a": {"b": 1}}'],
    ["a list of nothing", JSON.stringify({ "gpt-x": { ...row, mode: "embedding" } })],
    ["rows that are all wrong", JSON.stringify({ "gpt-bad": FIRST["gpt-bad"] })],
    ["too much", `{"x": "${"x".repeat(20_000_000)}"}`],
  ])("changes nothing where a file has %s", async (_, text) => {
    using place = scratch();
    place.write("project/good.json", JSON.stringify(FIRST));
    const { path } = await update(place, ["good.json"]);
    const kept = readFileSync(path ?? "", "utf8");
    place.write("project/bad.json", text);
    expect(await refusalOf(() => update(place, ["bad.json"]), place)).toMatch(
      /no list of models|more than 20 MB/,
    );
    expect(await refusalOf(() => update(place, ["none.json"]), place)).toContain("does not exist");
    expect(readFileSync(path ?? "", "utf8")).toBe(kept);
  });

  it.each([80, 40])("says what changed in %i cells, and nothing that acts on a terminal", async (width) => {
    using place = scratch();
    place.write("project/list.json", JSON.stringify(FIRST));
    const text = updateText(await update(place, ["list.json"], { dryRun: true }), width);
    const words = text.replaceAll(/\s+/g, " ");
    expect(words).toContain("openai/gpt-6.2-sol in 2 → 1, out 10 → 4");
    expect(words).toContain("Added: openai/gpt-new");
    expect(
      Math.max(
        ...text
          .split("\n")
          .filter((line) => !line.includes("/"))
          .map(widthOf),
      ),
    ).toBeLessThanOrEqual(width);
    const hostile = {
      source: "LiteLLM",
      date: "2026-11-20",
      from: "\u001b[31mx",
      path: null,
      models: 1,
    } as const;
    const lists = {
      added: ["a/\u0007"],
      changed: [],
      gone: [],
      skipped: [{ model: "\u202e", why: "\u001b" }],
    };
    expect(updateText({ ...hostile, ...lists }, width)).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  });
});

describe("prices that a run is made with", () => {
  const asked = { protocol: "respond", question: "Which?" };
  const key = { OPENAI_API_KEY: "sk-0123456789abcdef", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" };

  it("are refused where one is not known, with lines that declare it", async () => {
    using place = scratch();
    const env = { ...place.env, ...key };
    const refused = async (prices = {}): Promise<string> => {
      await using parley = await openParley({ store: ":memory:", env, settings: { prices, maxCostUsd: 1 } });
      const models = ["openai/gpt-none?effort=high", "openai/gpt-5", "openai/gpt-nil"];
      return parley.estimate({ ...asked, protocol: "council", models }).then(
        () => "",
        (error: unknown) => (isFault(error, "budget") ? error.details.next : String(error)),
      );
    };
    const yaml = (await refused()).split("\n").slice(1).join("\n");
    expect(yaml).toBe(
      'prices:\n  "openai/gpt-none": { in: 1.25, out: 10 }\n  "openai/gpt-nil": { in: 1.25, out: 10 }',
    );
    place.write(".config/parley/parley.yaml", yaml);
    const { loadSettings } = await import("../../config/sources.ts");
    expect(await refused(loadSettings({ ...place, flags: {} }).settings.prices)).toBe("");
  });

  it("are named in the opening of a run, by list and date; a run that costs nothing has none", async () => {
    using place = scratch();
    place.write("project/list.json", JSON.stringify(FIRST));
    utimesSync(join(place.cwd, "list.json"), new Date("2026-11-20"), new Date("2026-11-20"));
    await update(place, ["list.json"]);
    const of = async (models: readonly string[]) => {
      const settings = { prices: { "openai/mine": { in: 1, out: 2 } } };
      await using parley = await openParley({ store: ":memory:", env: { ...place.env, ...key }, settings });
      const run = await parley.start({ ...asked, models, callTimeoutMs: 1 });
      await run.outcome();
      const [opened] = await parley.context().store.read(run.id);
      return opened && "data" in opened ? Reflect.get(opened.data, "prices") : undefined;
    };
    expect(await of(["openai/gpt-new?effort=low"])).toEqual([{ source: "LiteLLM", date: "2026-11-20" }]);
    expect(await of(["openai/gpt-6-luna"])).toEqual([{ source: "OpenAI model pages", date: "2026-10-16" }]);
    expect(await of(["openai/mine"])).toEqual([{ source: "your settings", date: null }]);
    expect(await of(["sim/ada"])).toBeUndefined();
  });

  it.each([
    [89, false],
    [91, true],
  ])("that are %i days old are spoken of by doctor: %s", async (days, isOld) => {
    const now = Date.parse("2026-11-18") + days * 86_400_000;
    const clock = vi.spyOn(Date, "now").mockReturnValue(now);
    onTestFinished(() => clock.mockRestore());
    using place = scratch({ ".config/parley/parley.yaml": "models: [openai/gpt-6.2-sol, sim/ada]\n" }, key);
    const { io, written } = commandIo({ ...place, env: { ...place.env, OLLAMA_HOST: "http://127.0.0.1:1" } });
    await commandNamed("doctor").run(io, {}, []);
    expect(/prices: those of 2026-11-18 .*\n.*parley models update/.test(written.stdout)).toBe(isOld);
    expect(existsSync(join(place.home, ".local/share/parley/model-list.json"))).toBe(false);
  });

  it("are those of the built-in list where the taken one is damaged, which doctor says", async () => {
    using place = scratch({ ".local/share/parley/model-list.json": "[{" }, key);
    expect(await priceOf(place, "openai/gpt-5")).toBeGreaterThan(0);
    const { io, written } = commandIo({ ...place, env: { ...place.env, OLLAMA_HOST: "http://127.0.0.1:1" } });
    expect(await commandNamed("doctor").run(io, {}, [])).toBe(EXIT.refusedByCheck);
    expect(written.stdout).toMatch(/FAIL +prices: .*model-list\.json is no list of models/);
  });
});
