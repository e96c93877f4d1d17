import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import type { Embeddings } from "../kernel/ports.ts";
import {
  createEmbeddings,
  type ClosableEmbeddings,
  type EmbeddingLimits,
  type EmbeddingsOptions,
} from "./embeddings.ts";
import { createFakeClock, type FakeClock } from "../../test/support/fake-clock.ts";
import { openFakeServer, refuse, type Received } from "../../test/support/fake-server.ts";

const key = "sk-test-0123456789abcdef";

const opened = (options: EmbeddingsOptions): ClosableEmbeddings => {
  const opening = createEmbeddings(options);
  if (!opening.ok) throw new Error(opening.reason);
  return opening.embeddings;
};

type Bench = AsyncDisposable & { readonly clock: FakeClock; readonly embeddings: ClosableEmbeddings };

const openBench = (
  server: { readonly url: string },
  { ref = "compatible/box/m", ...limits }: Partial<EmbeddingLimits> & { readonly ref?: string } = {},
): Bench => {
  const clock = createFakeClock();
  const embeddings = opened({
    ref,
    env: { KEY: key, OLLAMA_HOST: server.url },
    compatible: { box: { url: `${server.url}/v1`, keyEnv: "KEY" } },
    limits,
    substitutes: { clock, random: () => 0.5 },
  });
  return { clock, embeddings, [Symbol.asyncDispose]: () => embeddings.close() };
};

const never = (): AbortSignal => new AbortController().signal;
const embed = ({ embeddings }: { readonly embeddings: Embeddings }, texts: readonly string[]) =>
  embeddings.embed(texts, never());

/** What a rejection says; fails where there is none. */
const wordsOf = (vectors: Promise<unknown>): Promise<string> =>
  vectors.then(
    (value) => {
      throw new Error(`was not rejected: ${JSON.stringify(value)}`);
    },
    (error: unknown) => {
      // The port rejects with errors of the plain class, so that nothing but words can be in them.
      expect(error).toBeInstanceOf(Error);
      expect(Object.keys(Object(error))).toEqual([]);
      return String(error);
    },
  );

const until = async (holds: () => boolean): Promise<void> => {
  for (let turns = 0; turns < 200_000; turns += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`never came true: ${holds.toString()}`);
};

const inputOf = ({ body }: Received): string[] => JSON.parse(body).input;
const say = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
};
/** A text by which its vector can be told. */
const vectorOf = (text: string): number[] => [text.length, text.charCodeAt(0)];
const answer = (response: ServerResponse, received: Received): void =>
  say(response, {
    object: "list",
    data: inputOf(received).map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) })),
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });

describe("a reference", () => {
  const reasonOf = (options: Omit<EmbeddingsOptions, "env"> & Partial<EmbeddingsOptions>) => {
    const opening = createEmbeddings({ env: {}, ...options });
    return opening.ok ? opening.embeddings.model : `${opening.code}: ${opening.reason}`;
  };
  const instead =
    "use openai/text-embedding-3-small, mistral/mistral-embed, ollama/nomic-embed-text or sim/ada";

  it.each([
    ["openai/text-embedding-3-small", "unauthorised: openai needs a key; set OPENAI_API_KEY"],
    ["ollama/nomic-embed-text", "ollama/nomic-embed-text"],
    ["compatible/box/m", "compatible/box/m"],
    ["compatible/claude/m", `refused: compatible/claude has no embedding models; ${instead}`],
    ["anthropic/claude-sonnet-4-5", `refused: anthropic has no embedding models; ${instead}`],
    ["groq/x", `refused: groq has no embedding models; ${instead}`],
    ["deepseek/x", `refused: deepseek has no embedding models; ${instead}`],
    ["ollama", 'refused: "ollama" names no model; write ollama/MODEL'],
    ["sim/ada", 'refused: there is no provider "sim" (there are '],
    ["__proto__/x", 'refused: there is no provider "__proto__" (there are '],
    ["", 'refused: there is no provider "" (there are '],
  ])("%s is taken or refused before any call", (ref, expected) => {
    const compatible = {
      box: { url: "http://h/v1" },
      claude: { url: "http://h", wire: "anthropic" as const },
    };
    expect(reasonOf({ ref, compatible })).toContain(expected);
  });
});

describe("over the compatible wire", () => {
  it("texts become vectors, in their order, whatever order these come in", async () => {
    await using server = await openFakeServer((response, received) => {
      const items = inputOf(received).map((text, index) => ({ index, embedding: vectorOf(text) }));
      say(response, { data: items.toReversed() });
    });
    await using bench = openBench(server);
    expect(bench.embeddings.model).toBe("compatible/box/m");
    expect(await embed(bench, ["a", "bb", "", "ccc"])).toEqual([
      [1, 97],
      [2, 98],
      [1, 32],
      [3, 99],
    ]);
    expect(server.received).toHaveLength(1);
    expect(server.received[0]).toMatchObject({
      path: "/v1/embeddings",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      model: "m",
      input: ["a", "bb", " ", "ccc"],
    });
    expect(bench.clock.pending()).toEqual([]);
  });

  it("items without an index stand in the order of the texts", async () => {
    await using server = await openFakeServer((response) =>
      say(response, { data: [{ embedding: [1] }, { embedding: [2] }], error: null }),
    );
    await using bench = openBench(server);
    expect(await embed(bench, ["a", "b"])).toEqual([[1], [2]]);
  });

  it("nothing is sent for no texts", async () => {
    await using server = await openFakeServer(answer);
    await using bench = openBench(server);
    expect(await embed(bench, [])).toEqual([]);
    expect(server.received).toEqual([]);
  });

  it("many texts go in batches, two requests at once over all that ask, and come back in order", async () => {
    const waiting: (() => void)[] = [];
    await using server = await openFakeServer((response, received) => {
      waiting.push(() => answer(response, received));
    });
    await using bench = openBench(server);
    const texts = Array.from({ length: 300 }, (_, index) => `${index} `.repeat((index % 7) + 1));
    const first = embed(bench, texts);
    const second = embed(bench, ["other"]);
    for (let answered = 0; answered < 5; answered += 2) {
      await until(() => waiting.length >= Math.min(2, 5 - answered));
      // The later of two is answered first, so that order does not come by itself.
      for (const go of waiting.splice(0).toReversed()) go();
    }
    expect(await first).toEqual(texts.map(vectorOf));
    expect(await second).toEqual([vectorOf("other")]);
    expect(server.received.map((one) => inputOf(one).length).toSorted((a, b) => a - b)).toEqual([
      1, 12, 96, 96, 96,
    ]);
    expect(server.most()).toBe(2);
  });
});

describe("over Ollama's own wire", () => {
  it("the API beside the compatible one is asked", async () => {
    await using server = await openFakeServer((response, received) =>
      say(response, { model: "m", embeddings: inputOf(received).map(vectorOf), prompt_eval_count: 4 }),
    );
    await using bench = openBench(server, { ref: "ollama/nomic-embed-text:v1.5" });
    expect(await embed(bench, ["a", "bb"])).toEqual([
      [1, 97],
      [2, 98],
    ]);
    expect(server.received[0]?.path).toBe("/api/embed");
    expect(server.received[0]?.headers["authorization"]).toBeUndefined();
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      model: "nomic-embed-text:v1.5",
      input: ["a", "bb"],
    });
  });

  it.each([
    ["m", 'model "m" not found, try pulling it first', "; pull it with: ollama pull m"],
    ["a/b:7b", "model 'a/b:7b' not found", "; pull it with: ollama pull a/b:7b"],
    ["hf.co/a/b", 'model "hf.co/a/b" not found', "; pull it with: ollama pull hf.co/a/b"],
    ["m", "the model was not found on this server", "; pull it with: ollama pull m"],
    ["m;rm", 'model "m;rm" not found', ""],
    ["m", "not found", ""],
  ])(
    "a model %s that is not there is said in Ollama's words, with the command: %s",
    async (model, error, hint) => {
      await using server = await openFakeServer((response) => {
        response.writeHead(404, { "content-type": "application/json" });
        response.end(JSON.stringify({ error }));
      });
      await using bench = openBench(server, { ref: `ollama/${model}` });
      expect(await wordsOf(embed(bench, ["a"]))).toBe(
        `Error: no embeddings from ollama/${model}: ${error} (HTTP 404)${hint}`,
      );
    },
  );
});

describe("a reply that is none", () => {
  it.each<[string, unknown, string]>([
    ["fewer vectors", { data: [{ index: 0, embedding: [1] }] }, "the reply has 1 vectors for 2 texts"],
    ["no list", { data: { 0: [1], 1: [2] } }, "the reply has 0 vectors for 2 texts"],
    ["null", null, "the reply has 0 vectors for 2 texts"],
    [
      "one index twice",
      { data: [0, 0].map((index) => ({ index, embedding: [1] })) },
      "the reply does not say which vector is whose",
    ],
    [
      "an index beyond",
      { data: [0, 2].map((index) => ({ index, embedding: [1] })) },
      "the reply does not say which vector is whose",
    ],
    [
      "an index that is text",
      { data: ["0", "1"].map((index) => ({ index, embedding: [1] })) },
      "the reply does not say which vector is whose",
    ],
    [
      "base64",
      { data: [{ embedding: "AAAA" }, { embedding: "AAAA" }] },
      "the reply has a vector that is no list of finite numbers",
    ],
    [
      "a hole",
      { data: [{ embedding: [1, null] }, { embedding: [1, 2] }] },
      "the reply has a vector that is no list of finite numbers",
    ],
    [
      "nothing in a vector",
      { data: [{ embedding: [] }, { embedding: [] }] },
      "the reply has a vector that is no list of finite numbers",
    ],
    [
      "too many dimensions",
      { data: [0, 1].map(() => ({ embedding: Array.from({ length: 16_385 }, () => 1) })) },
      "the reply has a vector that is no list of finite numbers",
    ],
    [
      "two lengths",
      { data: [{ embedding: [1, 2] }, { embedding: [1] }] },
      "its vectors are not of one length",
    ],
    ["an error in a 200", { error: { message: "no such model", code: 404 } }, "no such model"],
  ])("%s is said and not asked for again", async (_, reply, words) => {
    await using server = await openFakeServer((response) => say(response, reply));
    await using bench = openBench(server);
    expect(await wordsOf(embed(bench, ["a", "b"]))).toBe(
      `Error: no embeddings from compatible/box/m: ${words}`,
    );
    expect(server.received).toHaveLength(1);
    expect(bench.clock.pending()).toEqual([]);
  });

  it.each([
    ["not JSON", "{", "the reply is not JSON"],
    ["a number beyond all", '{"data":[{"embedding":[1e999]}]}', "a vector that is no list of finite numbers"],
    ["a page", "\n<h1>Welcome</h1>", "a page instead of a reply"],
  ])("%s", async (_, body, words) => {
    await using server = await openFakeServer((response) => void response.writeHead(200).end(body));
    await using bench = openBench(server);
    expect(await wordsOf(embed(bench, ["a"]))).toContain(words);
    expect(server.received).toHaveLength(1);
  });

  it("and has no end is left, an error's with what it began with", async () => {
    await using server = await openFakeServer((response, _, count) => {
      if (count === 1) return void response.writeHead(200).write(" ".repeat(33 * 2 ** 20));
      return void response.writeHead(400).write("x".repeat(65 * 2 ** 10));
    });
    await using bench = openBench(server);
    expect(await wordsOf(embed(bench, ["a"]))).toContain("the reply is longer than any answer");
    expect(await wordsOf(embed(bench, ["a"]))).toContain("compatible/box/m: xxxx");
    expect(server.received).toHaveLength(2);
  });

  it("a redirect says where to, and is not followed", async () => {
    await using server = await openFakeServer(
      (response) => void response.writeHead(307, { location: "https://elsewhere.example/v1" }).end(),
    );
    await using bench = openBench(server);
    expect(await wordsOf(embed(bench, ["a"]))).toBe(
      "Error: no embeddings from compatible/box/m: the server redirects (HTTP 307) to https://elsewhere.example/v1; set that URL",
    );
  });

  it("vectors of one length in a batch and of another in the next are none", async () => {
    await using server = await openFakeServer((response, received) => {
      const input = inputOf(received);
      say(response, { data: input.map(() => ({ embedding: input.length === 96 ? [1] : [1, 2] })) });
    });
    await using bench = openBench(server);
    const texts = Array.from({ length: 97 }, () => "x");
    expect(await wordsOf(embed(bench, texts))).toContain("its vectors are not of one length");
  });
});

describe("a failure", () => {
  it("that may pass is asked again with full jitter, three times in all", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, { status: 503, message: "overloaded" }),
    );
    await using bench = openBench(server);
    const words = wordsOf(embed(bench, ["a"]));
    expect([await bench.clock.skip(8_000), await bench.clock.skip(8_000)]).toEqual([250, 500]);
    expect(await words).toBe("Error: no embeddings from compatible/box/m: overloaded (HTTP 503)");
    expect(server.received).toHaveLength(3);
    expect(bench.clock.pending()).toEqual([]);
  });

  it("that asks to wait is waited for, by all that ask", async () => {
    await using server = await openFakeServer((response, received, count) =>
      count === 1
        ? refuse(response, { status: 429, message: "slow down", headers: { "retry-after": "3" } })
        : answer(response, received),
    );
    await using bench = openBench(server, { baseMs: 0 });
    const first = embed(bench, ["a"]);
    await until(() => bench.clock.pending().includes(3_000));
    const second = embed(bench, ["b"]);
    await until(() => bench.clock.pending().filter((ms) => ms === 3_000).length === 2);
    expect(server.received).toHaveLength(1);
    expect(await bench.clock.skip(8_000)).toBe(3_000);
    expect([await first, await second]).toEqual([[[1, 97]], [[1, 98]]]);
    expect(server.received).toHaveLength(3);
  });

  it("that asks to wait past the deadline is final", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, { status: 429, message: "slow down", headers: { "retry-after": "301" } }),
    );
    await using bench = openBench(server);
    expect(await wordsOf(embed(bench, ["a"]))).toContain("slow down (HTTP 429)");
    expect(server.received).toHaveLength(1);
  });

  it("of a connection that breaks off is one that may pass", async () => {
    await using server = await openFakeServer((response, received, count) => {
      if (count > 1) return answer(response, received);
      response.writeHead(200, { "content-length": "100" });
      response.write('{"data":', () => response.destroy());
    });
    await using bench = openBench(server);
    const vectors = embed(bench, ["a"]);
    await bench.clock.skip(8_000);
    expect(await vectors).toEqual([[1, 97]]);
  });

  it("to reach the server names it", async () => {
    const server = await openFakeServer(() => {});
    await server[Symbol.asyncDispose]();
    await using bench = openBench(server, { attempts: 1 });
    expect(await wordsOf(embed(bench, ["a"]))).toContain(`no connection to ${server.url}`);
  });

  it("never says the key, in whatever form the other side does, and is one bounded line", async () => {
    const forms = [key, `Bearer ${key}`, Buffer.from(key).toString("base64"), encodeURIComponent(key)];
    await using server = await openFakeServer((response) =>
      refuse(response, { status: 401, message: `wrong key:\n${forms.join("\n")}\n${"x".repeat(2_000)}` }),
    );
    await using bench = openBench(server);
    const words = await wordsOf(embed(bench, ["a"]));
    expect(words).toContain("no embeddings from compatible/box/m: wrong key: [redacted]");
    expect(words.length).toBeLessThan(520);
    expect(words).not.toContain("\n");
    for (const form of forms) expect(words).not.toContain(form);
    expect(server.received).toHaveLength(1);
  });

  it("of one batch ends the others, and is the one that is told", async () => {
    await using server = await openFakeServer((response, received) =>
      inputOf(received).length === 96
        ? undefined
        : refuse(response, { status: 400, message: "input too odd" }),
    );
    await using bench = openBench(server);
    const words = await wordsOf(
      embed(
        bench,
        Array.from({ length: 97 }, () => "x"),
      ),
    );
    expect(words).toBe("Error: no embeddings from compatible/box/m: input too odd (HTTP 400)");
    await until(() => server.dropped() === 1);
    expect(bench.clock.pending()).toEqual([]);
  });
});

describe("an end from outside", () => {
  it("by an abort closes the socket and takes back what waits", async () => {
    await using server = await openFakeServer(() => {});
    await using bench = openBench(server);
    const control = new AbortController();
    const texts = Array.from({ length: 300 }, () => "x");
    const words = wordsOf(bench.embeddings.embed(texts, control.signal));
    await until(() => server.received.length === 2);
    control.abort();
    expect(await words).toBe("Error: no embeddings from compatible/box/m: cancelled");
    await until(() => server.dropped() === 2);
    expect(server.received).toHaveLength(2);
    expect(bench.clock.pending()).toEqual([]);
    expect(await wordsOf(bench.embeddings.embed(["a"], control.signal))).toContain("cancelled");
    expect(server.received).toHaveLength(2);
  });

  it("by an abort also ends a wait between attempts", async () => {
    await using server = await openFakeServer((response) =>
      refuse(response, { status: 500, message: "oops" }),
    );
    await using bench = openBench(server);
    const control = new AbortController();
    const words = wordsOf(bench.embeddings.embed(["a"], control.signal));
    await until(() => bench.clock.pending().includes(250));
    control.abort();
    expect(await words).toContain("cancelled");
    expect(bench.clock.pending()).toEqual([]);
  });

  it("is not needed where a server does not answer: the attempt is given up and made again", async () => {
    await using server = await openFakeServer((response, received, count) =>
      count === 1 ? undefined : answer(response, received),
    );
    await using bench = openBench(server, { attemptMs: 1_000 });
    const vectors = embed(bench, ["a"]);
    await until(() => server.received.length === 1);
    bench.clock.advance(1_000);
    await bench.clock.skip(500);
    expect(await vectors).toEqual([[1, 97]]);
    await until(() => server.dropped() === 1);
  });

  it("is not needed where none of the attempts is answered", async () => {
    await using server = await openFakeServer(() => {});
    await using bench = openBench(server, { attemptMs: 1_000, attempts: 1 });
    const words = wordsOf(embed(bench, ["a"]));
    await until(() => server.received.length === 1);
    bench.clock.advance(1_000);
    expect(await words).toBe(
      `Error: no embeddings from compatible/box/m: no reply from ${server.url} within 1 s`,
    );
  });

  it("by the deadline of all", async () => {
    await using server = await openFakeServer(() => {});
    await using bench = openBench(server, { timeoutMs: 5_000 });
    const words = wordsOf(embed(bench, ["a"]));
    await until(() => server.received.length === 1);
    bench.clock.advance(5_000);
    expect(await words).toBe("Error: no embeddings from compatible/box/m: not all within 5 s");
    await until(() => server.dropped() === 1);
  });

  it("by close ends what is under way, and nothing goes out after it", async () => {
    await using server = await openFakeServer(() => {});
    const bench = openBench(server);
    const words = wordsOf(embed(bench, ["a"]));
    await until(() => server.received.length === 1);
    await bench.embeddings.close();
    expect(await words).toContain("cancelled");
    expect(await wordsOf(embed(bench, ["a"]))).toContain("cancelled");
    expect(server.received).toHaveLength(1);
  });
});
