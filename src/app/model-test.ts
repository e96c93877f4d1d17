import type { Call, ModelRef, Models } from "../kernel/index.ts";

const QUESTION = "Reply with one short sentence: who are you?";
const TIMEOUT_MS = 60_000;

/** What one call to a model came to. */
export type ModelTest = Pick<Call, "latencyMs" | "tokens" | "cost"> & { readonly model: string } & (
    { readonly ok: true; readonly reply: string } | Pick<Extract<Call, { ok: false }>, "ok" | "failure">
  );

/** Makes one request to a model, with a short question. `maxOutputTokens` bounds its reply, hidden reasoning included. */
export async function testModel(
  models: Pick<Models, "complete">,
  model: ModelRef,
  { signal, maxOutputTokens }: { readonly signal: AbortSignal; readonly maxOutputTokens: number },
): Promise<ModelTest> {
  const call = await models.complete(
    { model, messages: [{ role: "user", text: QUESTION }], maxOutputTokens },
    { signal, timeoutMs: TIMEOUT_MS, attempts: 1 },
  );
  const { latencyMs, tokens, cost } = call;
  const spent = { model, latencyMs, tokens, cost };
  return call.ok ? { ...spent, ok: true, reply: call.reply } : { ...spent, ok: false, failure: call.failure };
}
