import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "../kernel/index.ts";
import type { EngramStore } from "../memory/engram-store.ts";
import { acknowledgement, vectorFor } from "./engram-contract-samples.ts";
import { ada, engram, engramId, grade } from "./engram-samples.ts";
import { WorkerJob, type WorkerReport, type WorkerTask } from "./store-contract-worker-task.ts";
import { LOCAL, byClient, byOpening, byStep, deliberation, note, opening, upTo } from "./store-samples.ts";

const report = (line: WorkerReport) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function race(store: Store, number: number): Promise<void> {
  const id = deliberation("contested");
  await store.for(LOCAL).append(id, [opening(`of ${number}`)], byOpening);
  const result = await store.for(LOCAL).append(id, [note(number), note(number)], byStep("contested"));
  if (!result.ok) throw new Error(`the contested step was refused: ${result.reason}`);
  const bodies = result.events.map((entry) => (entry.type === "note-taken" ? entry.data.body : null));
  report({ is: "raced", fresh: result.fresh, bodies });
}

async function write(
  store: Store,
  task: Extract<WorkerTask, { task: "write" }>,
  stop: AbortSignal,
): Promise<void> {
  for (let round = 0; !stop.aborted; round++) {
    // One, two or three events in a batch; one or three batches in a tick.
    const results = await Promise.all(
      upTo(1 + (round % 2) * 2).map((part) => {
        const name = task.deliberations[(round + part) % task.deliberations.length] ?? "none";
        const events = upTo(1 + ((round + part) % 3)).map((index) => note([task.number, round, part, index]));
        return store
          .for(LOCAL)
          .append(deliberation(name), events, byClient(`${task.number}/${round}/${part}`));
      }),
    );
    for (const result of results) {
      if (!result.ok) throw new Error(`an append was refused: ${result.reason}`);
      report({ is: "acknowledged", ids: result.events.map((entry) => entry.id) });
    }
    await pause(round % 5);
  }
}

async function remember(engrams: EngramStore, number: number, stop: AbortSignal): Promise<void> {
  const acknowledge = (what: "put" | "annotated" | "embedded", id: string) =>
    report({ is: "acknowledged", ids: [acknowledgement(what, id)] });
  for (let round = 0; !stop.aborted; round++) {
    await Promise.all(
      upTo(1 + (round % 3)).map(async (part) => {
        const id = engramId(`${number}/${round}/${part}`);
        const target = { ...ada, id };
        // Every other annotation comes before its engram.
        const early = part % 2 === 1;
        if (early) await engrams.annotate(target, grade(`g/${id}`));
        if (!(await engrams.put(engram(id), id))) throw new Error(`${id} was there`);
        acknowledge("put", id);
        if (!early) await engrams.annotate(target, grade(`g/${id}`));
        acknowledge("annotated", id);
        await engrams.embed(ada, { model: "sim/vectors", vectors: new Map([[id, vectorFor(id)]]) });
        acknowledge("embedded", id);
      }),
    );
    await pause(round % 3);
  }
}

const { open, task } = WorkerJob.parse(JSON.parse(process.argv[2] ?? ""));
const stop = new AbortController();
const input = createInterface({ input: process.stdin });
const started = new Promise((resolve) => input.once("line", resolve));
input.once("close", () => stop.abort());

// The joining store's own module; its export is checked to be a function by being called.
const module = (await import(open.module)) as Record<
  string,
  (...args: unknown[]) => Promise<Store & { readonly engrams?: EngramStore }>
>;
report({ is: "ready" });
await started;
await using store =
  (await module[open.export]?.(...open.args)) ?? failed(`${open.module} exports no ${open.export}`);
report({ is: "opened" });
if (task.task === "race") await race(store, task.number);
else if (task.task === "write") await write(store, task, stop.signal);
else await remember(store.engrams ?? failed("this store has no engrams"), task.number, stop.signal);
input.close();

function failed(why: string): never {
  throw new Error(why);
}
