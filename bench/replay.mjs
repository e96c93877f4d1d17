import { join } from "node:path";
import { asked, loadParley, service } from "./council.mjs";
import { startSimServer } from "./harness.mjs";

/** Whose deliberations are measured. */
const LOCAL = /** @type {import("../src/kernel/index.ts").OrganizationId} */ ("local");

/** Events a second that a replay reads again: from the store, through the protocol, compared. @type {import("./harness.mjs").Measurement} */
export async function replay({ dist, quick, scratch }) {
  const parley = await loadParley(dist);
  const server = await startSimServer(dist);
  try {
    const { engine, store, close } = await service(parley, {
      url: server.url,
      store: join(scratch, "replay.db"),
    });
    try {
      const { opened } = await engine.open("replay", asked(parley, { seed: "bench" }));
      await engine.drive(opened.deliberation, { signal: new AbortController().signal });
      const events = (await store.for(LOCAL).read(opened.deliberation)).length;
      const forMs = quick ? 300 : 3_000;
      const startMs = performance.now();
      let replays = 0;
      for (; performance.now() - startMs < forMs; replays += 1) await engine.replay(opened.deliberation);
      const seconds = (performance.now() - startMs) / 1_000;
      return {
        rows: [
          { name: `a council of ${events} events`, value: (events * replays) / seconds, unit: "a second" },
        ],
      };
    } finally {
      await close();
    }
  } finally {
    server.stop();
  }
}
