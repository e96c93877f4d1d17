import type { Entry } from "../kernel/index.ts";
import type { StepsContext } from "./steps-context.ts";

/** The client's event of a request, if it is recorded. */
export function clientEntry(
  { history, watch }: Pick<StepsContext, "history" | "watch">,
  request: string,
): Entry | undefined {
  const batch = history.batch(`client/${request}`);
  if (batch) watch.used(`client/${request}`);
  return batch?.[0];
}

/** Waits until the client's event of a request is recorded; rejects with the signal's reason. */
export function nextClientEntry(
  context: Pick<StepsContext, "history" | "watch">,
  signal: AbortSignal,
  request: string,
): Promise<Entry> {
  return new Promise((resolve, reject) => {
    const end = () => {
      stopExpecting();
      stopWaiting();
      signal.removeEventListener("abort", halt);
    };
    const halt = () => {
      end();
      reject(signal.reason as Error); // the engine's own Halt
    };
    const stopExpecting = context.history.expect(`client/${request}`, () => {
      const entry = clientEntry(context, request);
      if (!entry) return;
      end();
      resolve(entry);
    });
    const stopWaiting = context.watch.waiting(request);
    signal.addEventListener("abort", halt, { once: true });
  });
}
