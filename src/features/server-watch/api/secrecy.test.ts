import { trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { expect, it } from "vitest";
import { openFakeServer } from "../../../../test/support/fake-server.ts";
import { SIMS, testServer } from "../../../../test/support/server.ts";

const WORD = "quetzalcoatl";
const KEY = "sk-canary-0123456789abcdefghij";
const EMAIL = "jane.doe@example.org";
const MODELS = ["openai/good", "openai/err", SIMS[0], SIMS[1]];

it("no word, key or address of anybody is in logs, figures or traces, whatever a provider says back", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  trace.setGlobalTracerProvider(provider);
  try {
    await using models = await openFakeServer((response, { headers, body }) => {
      const said = `${WORD} ${headers.authorization ?? ""} ${EMAIL}`;
      const isFailing = body.includes('"model":"err"');
      response.writeHead(isFailing ? 400 : 200, { "content-type": "application/json", "x-request-id": said });
      const message = { role: "assistant", content: `${said}\n\nFinal answer: 391` };
      const usage = { prompt_tokens: 3, completion_tokens: 4 };
      const error = { message: said, type: said, code: said, param: said };
      response.end(
        JSON.stringify(
          isFailing
            ? { error }
            : {
                id: said,
                model: said,
                choices: [{ message, finish_reason: said }],
                usage,
                system_fingerprint: said,
              },
        ),
      );
    });
    await using server = await testServer({
      env: {
        ...{ PARLEY_LOG_FORMAT: "json", PARLEY_LOG_LEVEL: "debug", PARLEY_TRACES: "on" },
        ...{ OPENAI_BASE_URL: `${models.url}/v1`, OPENAI_API_KEY: KEY, PARLEY_MODELS: MODELS.join(",") },
      },
    });
    const { secret: key } = await server.newKey({ user: EMAIL });
    const body = {
      ...{ protocol: "council", question: `What is ${WORD} to ${EMAIL}? My key is ${KEY}.` },
      ...{ models: MODELS, reactions: false },
      context: [{ name: `${WORD} of ${EMAIL}.txt`, text: `${WORD} ${KEY}` }],
      labels: { who: EMAIL, [WORD]: KEY },
    };
    const sent = { key, headers: { prefer: "wait=9", "user-agent": EMAIL, baggage: `who=${WORD}` } };
    const { json } = await server.post("deliberations", body, sent);
    expect(json).toMatchObject({ id: expect.any(String) as string });
    await server.get(`deliberations/${json.id}?q=${WORD}&key=${KEY}`, { key });
    await server.get(`${WORD}/${EMAIL}`, { key });
    await server.post(`deliberations/${json.id}/feedback`, { thumb: "up", note: WORD }, { key });
    await expect
      .poll(() => exporter.getFinishedSpans().filter(({ name }) => name.startsWith("chat ")).length)
      .toBeGreaterThan(3);
    const log = server.log.join("\n");
    const figures = (await server.get("/metrics")).text;
    const traces = JSON.stringify(
      exporter
        .getFinishedSpans()
        .map(({ name, attributes, events, links, status }) => ({
          ...{ name, attributes, events, links, status },
        })),
    );
    // Each of them has told of both calls, and the provider was reached with the key.
    expect(models.received.some(({ headers }) => headers.authorization?.includes(KEY))).toBe(true);
    expect(log).toMatch(/"model":"openai\/err".*"code".*"msg":"call failed"/);
    expect(figures).toMatch(/parley_calls_total\{[^}]*model="good"/);
    expect(traces).toMatch(/"chat err"/);
    for (const [name, text] of Object.entries({ log, figures, traces }))
      for (const canary of [WORD, KEY, KEY.slice(3), EMAIL, "jane", key, server.key])
        expect(text.includes(canary), `${canary} in the ${name}`).toBe(false);
  } finally {
    trace.disable();
    await provider.shutdown();
  }
});
