import { describe, expect, it, onTestFinished } from "vitest";
import { cosine } from "../text/words.ts";
import { ModelRef } from "../kernel/index.ts";
import { simServer } from "../sim/index.ts";
import { openEmbeddings } from "./ports.ts";

const open = (ref: string | undefined, env: { readonly [name: string]: string } = {}) => {
  const embedding = ref === undefined ? undefined : ModelRef.parse(ref);
  const opened = openEmbeddings({ embedding, compatible: {} }, env);
  onTestFinished(() => opened.close());
  return opened;
};
const never = (): AbortSignal => new AbortController().signal;

describe("the embedding model of the settings", () => {
  it("is none where none is set", async () => {
    const opened = open(undefined);
    expect([opened.embeddings, await opened.problem()]).toEqual([null, undefined]);
  });

  it("gives the same vectors in this process, over OpenAI's wire and over Ollama's", async () => {
    const keyed = await simServer({ port: 0, key: "k-1234" });
    if (!keyed.ok) throw new Error(keyed.reason);
    onTestFinished(() => keyed.server.close());
    const keyless = await simServer({ port: 0 });
    if (!keyless.ok) throw new Error(keyless.reason);
    onTestFinished(() => keyless.server.close());
    const env = {
      OPENAI_BASE_URL: `${keyed.server.url}/v1`,
      OPENAI_API_KEY: "k-1234",
      OLLAMA_HOST: keyless.server.url,
    };
    const texts = [
      "Cache expensive queries in Redis",
      "Expensive queries are cached in Redis",
      "Salmon swim upstream",
      ...Array.from({ length: 200 }, (_, index) => `text number ${index}`),
    ];
    const found = [];
    for (const ref of ["sim/ada", "openai/ada", "ollama/ada"]) {
      const { embeddings, problem } = open(ref, env);
      expect([embeddings?.model, await problem()]).toEqual([ref, undefined]);
      found.push((await embeddings?.embed(texts, never())) ?? []);
    }
    const [local = [], openai, ollama] = found;
    expect(local).toHaveLength(texts.length);
    expect(openai).toEqual(local);
    expect(ollama).toEqual(local);
    const [one = [], like = [], other = []] = local;
    expect(cosine(one, like)).toBeGreaterThan(0.6);
    expect(cosine(one, other)).toBeLessThan(0.3);
  });

  it.each([
    ["openai/text-embedding-3-small", "authentication", "openai needs a key; set OPENAI_API_KEY"],
    ["anthropic/claude-sonnet-4-5", "configuration", "anthropic has no embedding models"],
    ["sim/ada?skil=1", "configuration", 'sim/ada: unknown parameter "skil"'],
    ["compatible/lab", "configuration", 'there is no compatible endpoint "lab"'],
  ])("%s that cannot work says so before any call and at every call", async (ref, code, why) => {
    const { embeddings, problem } = open(ref);
    expect(await problem()).toEqual({ code, reason: expect.stringContaining(why) });
    expect(embeddings?.model).toBe(ref);
    await expect(embeddings?.embed(["a"], never())).rejects.toThrow(why);
  });
});
