import type { DeliberationId, Entry } from "../kernel/index.ts";
import type { Parley } from "./parley.ts";
import { conveneRespond, openRespond, type Responding } from "./respond.ts";

/** One turn that has ended, its reactions included. */
export type Said = { readonly id: DeliberationId; readonly entries: readonly Entry[] };

/** Asks one question and waits for all that comes of it. @throws Fault; the signal's reason when it aborts */
export async function converse(parley: Parley, responding: Responding, signal: AbortSignal): Promise<Said> {
  const { engine, store, worker } = parley;
  const { asked } = await conveneRespond(parley, responding);
  const { opened } = await openRespond(parley, asked);
  const id = opened.deliberation;
  const driven = engine.drive(id, { signal });
  await Promise.all([driven, engine.drain(id, { worker, signal, until: driven })]);
  signal.throwIfAborted();
  return { id, entries: await store.read(id) };
}
