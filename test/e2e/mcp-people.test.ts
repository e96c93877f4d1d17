import type { Client, ElicitResult, Progress } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { called, mcpClient, mcpTestServer, refusal, textOf, type Elicited } from "../support/mcp.ts";
import { serverPlace, SIMS, SUM } from "../support/server.ts";

// People who are asked through the official client, against a server in this process.

const PANEL = { question: SUM, models: [...SIMS], settings: { reactions: false } };
/** Ranks as a person would who likes the last answer most. */
const rankBackwards = ({ requestedSchema }: Extract<Elicited, { requestedSchema: unknown }>) => {
  const places = Object.entries(requestedSchema.properties).filter(([name]) => name.startsWith("rank_"));
  const labels = places.map(([, field]) => ("enum" in field ? field.enum : []))[0] ?? [];
  return Object.fromEntries(places.map(([name], index) => [name, labels.at(-1 - index) ?? ""]));
};
const accept = (content: ElicitResult["content"]): ElicitResult => ({
  action: "accept",
  content: content ?? {},
});
const formOf = (asked: Elicited) => {
  if (!("requestedSchema" in asked)) throw new Error("not a form");
  return asked;
};

describe.concurrent("a person's seat over MCP", () => {
  const SEATED = { ...PANEL, seats: [{ name: "me", seat: "reviewer" }] };

  it("is filled in a form, and a ranking that cannot be read is asked again", async () => {
    await using server = await mcpTestServer();
    const asked: Elicited[] = [];
    await using client = await mcpClient(server, {
      elicit(params) {
        asked.push(params);
        const ranks = rankBackwards(formOf(params));
        return accept(
          asked.length === 1
            ? { ...ranks, rank_1: ranks["rank_2"] ?? "" }
            : { ...ranks, remarks: "A is terse." },
        );
      },
    });
    const heard: string[] = [];
    const onprogress = ({ message = "" }: Progress) => void heard.push(message);
    const result = await called(client, "council", { ...SEATED, onprogress });
    expect(result).toMatchObject({ status: "answered", waiting: null });
    expect(heard).toContain("waiting for local");
    expect(heard.join("\n")).not.toContain("Peer ranking"); // which is hidden until the end
    expect(asked).toHaveLength(2);
    const [first, second] = asked.map(formOf);
    expect(first?.message).toContain("Your review");
    expect(first?.message).toContain(SUM);
    expect(first?.requestedSchema.required).toEqual(["rank_1", "rank_2", "rank_3"]);
    expect(first?.requestedSchema.properties["rank_1"]).toMatchObject({
      title: "Best",
      enum: ["A", "B", "C"],
    });
    expect(second?.message).toMatch(/^Not recorded: .+\nPlease answer again\./);
    const { participants } = await called(client, "show", { id: result.id });
    expect(participants.map(({ model }: { model: string }) => model)).toContain("human/local");
    const [again] = [await refusal(client, "answer", { id: result.id, text: "FINAL RANKING: A > B > C" })];
    expect(again).toContain("the first answer stands");
  });

  it("takes a member's draft and its ranking, which leaves the own draft out", async () => {
    await using server = await mcpTestServer();
    const asked: string[][] = [];
    await using client = await mcpClient(server, {
      elicit(params) {
        const form = formOf(params);
        asked.push(Object.keys(form.requestedSchema.properties));
        return accept(
          asked.length === 1 ? { answer: "It is 391.\n\nFinal answer: 391" } : rankBackwards(form),
        );
      },
    });
    const result = await called(client, "council", { ...PANEL, seats: [{ name: "me", seat: "member" }] });
    expect(result.status).toBe("answered");
    expect(asked).toEqual([["answer"], ["rank_1", "rank_2", "rank_3", "remarks"]]);
  });

  it("waits on where its form is closed, and is asked again by wait", async () => {
    await using server = await mcpTestServer();
    let times = 0;
    await using client = await mcpClient(server, {
      elicit: (params) => ((times += 1) === 1 ? { action: "cancel" } : accept(rankBackwards(formOf(params)))),
    });
    const left = await called(client, "council", SEATED);
    expect(left).toMatchObject({
      status: "waiting",
      waiting: { seats: [{ person: "local", work: "review" }] },
    });
    expect(left.next).toContain("call answer");
    expect(await called(client, "wait", { id: left.id })).toMatchObject({ status: "answered" });
    expect(times).toBe(2);
  });

  it("is left out by name where it is declined, by the form or by the tool", async () => {
    await using server = await mcpTestServer();
    let times = 0;
    await using client = await mcpClient(server, {
      elicit: () => ((times += 1) === 1 ? { action: "decline" } : { action: "cancel" }),
    });
    const declined = await called(client, "council", SEATED);
    const { id, waiting } = await called(client, "council", SEATED);
    const [seat] = waiting.seats;
    expect(await called(client, "answer", { id, abstain: true, step: seat.step })).toMatchObject({
      step: seat.step,
    });
    for (const ended of [declined, await called(client, "wait", { id })]) {
      expect(ended.status).toBe("answered-degraded");
      expect(JSON.stringify(ended.degraded)).toContain("local abstained");
    }
    expect(times).toBe(2);
    expect(await refusal(client, "answer", { id, abstain: true, text: "FINAL RANKING: A > B" })).toContain(
      "give one of answers, text and abstain",
    );
    expect(await refusal(client, "answer", { id, text: "FINAL RANKING: A > B" })).toContain(
      "abstained before",
    );
  });

  it("goes to nobody else, and the answer of another surface stands", async () => {
    await using server = await mcpTestServer();
    const { secret } = await server.newKey({ user: "ana" });
    let asked = 0;
    await using other = await mcpClient(server, {
      key: secret,
      elicit: () => ((asked += 1), { action: "cancel" }),
    });
    await using client = await mcpClient(server, {
      async elicit(params) {
        const { seats } = (await server.get(`deliberations/${id()}/waiting`)).json;
        const text = "FINAL RANKING: A > B > C";
        expect(
          (await server.post(`deliberations/${id()}/answers`, { text, step: seats[0].step })).status,
        ).toBe(200);
        return accept(rankBackwards(formOf(params)));
      },
    });
    const opened = await called(other, "council", {
      ...SEATED,
      seats: [{ name: "local", seat: "reviewer" }],
    });
    const id = () => opened.id as string;
    expect(opened).toMatchObject({ status: "waiting", waiting: { seats: [] } });
    expect(opened.next).toContain("somebody else");
    expect(asked).toBe(0);
    expect(await refusal(other, "answer", { id: id(), text: "FINAL RANKING: A > B > C" })).toContain(
      "local's",
    );
    const ended = await called(client, "wait", { id: id() });
    expect(ended.status).toBe("answered");
    const given = (await server.get(`deliberations/${id()}/events`)).json.data;
    const answers = given.filter(({ type }: { type: string }) => type === "seat-answered");
    expect(answers.map(({ data }: { data: { text: string } }) => data.text)).toEqual([
      "FINAL RANKING: A > B > C",
    ]);
  });

  it("cannot be asked by HTTP of 2025, without forms or without the scope: the reply has the prompt and names the tool", async () => {
    await using server = await mcpTestServer();
    const clients = [
      await mcpClient(server, { mode: "legacy", elicit: () => ({ action: "cancel" }) }),
      await mcpClient(server),
    ];
    for (const client of clients) {
      await using own = client;
      const result = await own.callTool({ name: "council", arguments: SEATED });
      expect(textOf(result)).toContain("has this prompt:");
      expect(textOf(result)).toContain("call answer with");
      const { id, waiting } = result.structuredContent as {
        id: string;
        waiting: { seats: { step: string }[] };
      };
      const step = waiting.seats[0]?.step;
      expect(await refusal(own, "answer", { id, step, text: "I like them all" })).toContain(
        "nothing was recorded",
      );
      expect(await called(own, "answer", { id, step, text: "FINAL RANKING: C > B > A" })).toMatchObject({
        step,
      });
      expect(await refusal(own, "answer", { id, step, text: "FINAL RANKING: A > B > C" })).toContain(
        "the first answer stands",
      );
      expect(await called(own, "wait", { id })).toMatchObject({ status: "answered" });
    }
  });

  it("answers what a debate asks first; whoever declines has skipped it", async () => {
    await using server = await mcpTestServer();
    const asking = {
      ...PANEL,
      models: ["sim/ada?asks=2", "sim/bo"],
      agents: ["architect", "kiss"],
      rounds: 1,
      clarify: true,
    };
    for (const action of ["accept", "decline"] as const) {
      const asked: string[][] = [];
      await using client = await mcpClient(server, {
        elicit(params) {
          const fields = Object.entries(formOf(params).requestedSchema.properties);
          asked.push(fields.map(([, { title = "" }]) => title));
          return action === "decline" ? { action } : accept({ [fields[0]?.[0] ?? ""]: "Ten a second" });
        },
      });
      const result = await called(client, "debate", asking);
      expect(result.status).toMatch(/^answered/);
      expect(asked).toHaveLength(1);
      expect(asked[0]).toHaveLength(2);
      const events = (await server.get(`deliberations/${result.id}/events`)).json.data;
      const [answered] = events.filter(({ type }: { type: string }) => type === "clarification-answered");
      expect(answered.data.answers.map(({ text }: { text: string }) => text)).toEqual(
        action === "accept" ? ["Ten a second"] : [],
      );
    }
  });

  it("goes on after a restart of the server, for what it was asked is the client's to carry (MCPS-6)", async () => {
    using place = serverPlace();
    const first = await mcpTestServer({}, place);
    await using before = await mcpClient(first, { elicit: () => ({ action: "cancel" }) });
    const asked = { name: "council", arguments: SEATED };
    const state = await stateOf(before, asked);
    await first.stop(0);
    await using second = await mcpTestServer({}, place);
    await using after = await mcpClient(second, { key: first.key, elicit: () => ({ action: "cancel" }) });
    const inputResponses = Object.fromEntries(
      Object.entries(state.inputRequests).map(([key, { params }]) => [
        key,
        accept(rankBackwards(formOf(params))),
      ]),
    );
    const result = await after.callTool({
      ...asked,
      inputResponses,
      requestState: state.requestState,
    } as never);
    expect(result.structuredContent).toMatchObject({ status: "answered" });
    const forged = { ...asked, inputResponses, requestState: `${state.requestState.slice(0, -4)}AAAA` };
    await expect(after.callTool(forged as never)).rejects.toMatchObject({ code: -32602 });
    await using stranger = await mcpClient(second, { elicit: () => ({ action: "cancel" }) });
    const taken = { ...asked, inputResponses, requestState: state.requestState };
    await expect(stranger.callTool(taken as never)).rejects.toMatchObject({ code: -32602 });
  });

  /** What a client is told to ask, and to send back. */
  async function stateOf(client: Client, asked: { name: string; arguments: object }) {
    const found = await client.callTool(asked as never, { allowInputRequired: true });
    return found as unknown as { inputRequests: Record<string, { params: Elicited }>; requestState: string };
  }
});
