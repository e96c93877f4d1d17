import OpenAI from "openai";
import { afterAll, describe, expect, it } from "vitest";
import { BEGUN_AGAIN } from "../src/app/live-answer.ts";
import { openAiApi } from "../src/features/client-apis/api/index.ts";
import { nativeApi, testServer } from "./support/server.ts";

// The events of a response: its text comes while it is written, and every event has its number, however often and from where it is read.

const server = await testServer({ surfaces: [nativeApi, openAiApi] });
const client = new OpenAI({ apiKey: server.key, baseURL: `${server.url}v1` });
afterAll(() => server[Symbol.asyncDispose]());

type Event = OpenAI.Responses.ResponseStreamEvent;

const ask = (model: string, input: string, parley: object = {}) =>
  client.responses.create({
    ...{ model: `parley/${model}`, input, stream: true, background: true },
    ...({ parley } as object),
  });

async function read(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const deltasOf = (events: readonly Event[]) =>
  events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []));

function endOf(events: readonly Event[]): OpenAI.Responses.Response {
  const last = events.at(-1);
  if (last?.type !== "response.completed") return expect.fail(`it ends in ${last?.type}`);
  return last.response;
}

const idOf = (events: readonly Event[]): string =>
  events[0]?.type === "response.created" ? events[0].response.id : "";

const retrieve = async (id: string, after?: number) =>
  read(
    await client.responses.retrieve(id, {
      stream: true,
      ...(after === undefined ? {} : { starting_after: after }),
    }),
  );

const QUESTION = "Should we move the queue to Postgres?";

describe("a response's text", () => {
  it.each(["ask", "council", "debate", "respond"])(
    "comes piece by piece in %s, and is its answer",
    async (name) => {
      const events = await read(await ask(name, QUESTION));
      const response = endOf(events);
      const id = idOf(events).slice("resp_".length);
      expect(response.output_text).toBe((await server.get(`deliberations/${id}`)).json.answer);
      const deltas = deltasOf(events);
      expect(deltas.join("")).toBe(response.output_text);
      expect(deltas.length).toBeGreaterThan(2);
      const types = events.map(({ type }) => type);
      // Items come one after the other, and the stages before the text.
      expect(types.lastIndexOf("response.reasoning_summary_part.done")).toBeLessThan(
        types.indexOf("response.output_text.delta"),
      );
      expect(types.filter((type) => type.startsWith("response.output_item"))).toEqual([
        ...["response.output_item.added", "response.output_item.done"],
        ...["response.output_item.added", "response.output_item.done"],
      ]);
    },
  );

  it("begins to come long before its run has ended", async () => {
    const stream = await ask("council", QUESTION, {
      models: ["sim/a?latency=30", "sim/b?latency=30"],
      chair: ["sim/chair?latency=1500"],
    });
    let statusThen: unknown;
    const events: Event[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type !== "response.output_text.delta" || statusThen !== undefined) continue;
      statusThen = (await client.responses.retrieve(idOf(events))).status;
    }
    expect(statusThen).toBe("in_progress");
    expect(deltasOf(events).join("")).toBe(endOf(events).output_text);
  });

  it("comes whole after another attempt took the first one's place, and says so", async () => {
    let begunAgain = 0;
    for (let nth = 0; nth < 30 && begunAgain < 2; nth += 1) {
      const events = await read(
        await ask("respond", `${QUESTION} (${nth})`, { models: ["sim/a?fail=0.6&latency=300"] }),
      );
      if (events.at(-1)?.type !== "response.completed") continue;
      const { output_text: answer } = endOf(events);
      const [before = "", after] = deltasOf(events).join("").split(BEGUN_AGAIN);
      expect(after ?? before).toBe(answer);
      const done = events.find((event) => event.type === "response.output_text.done");
      expect(done?.text).toBe(answer);
      if (after === undefined) continue;
      begunAgain += 1;
      // Who had a part of what was begun first gets the note, and the whole.
      const at = events.findIndex(({ type }) => type === "response.output_text.delta");
      const rest = await retrieve(idOf(events), events[at]?.sequence_number);
      expect(deltasOf(rest).join("")).toBe(`${BEGUN_AGAIN}${answer}`);
    }
    expect(begunAgain).toBe(2);
  });
});

it("has the same events under the same numbers from wherever it is read again", async () => {
  const events = await read(await ask("council", QUESTION));
  const numbers = events.map((event) => event.sequence_number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(numbers.at(-1)).toBeLessThan(2 ** 31);
  const id = idOf(events);
  expect(await retrieve(id)).toEqual(events);
  for (let place = 0; place < events.length; place += Math.ceil(events.length / 12))
    expect(await retrieve(id, numbers[place]), `after ${place}`).toEqual(events.slice(place + 1));
  const text = numbers[events.findIndex(({ type }) => type === "response.output_text.delta") + 1];
  const rest = await retrieve(id, text);
  expect(endOf(rest).output_text.endsWith(deltasOf(rest).join(""))).toBe(true);
});
