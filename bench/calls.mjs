import { Agent } from "undici";
import { asked, CALLS_PER_COUNCIL, loadParley, service } from "./council.mjs";

/**
 * The bodies that one council sends, by wave, as they leave: what the floor sends as well.
 *
 * @param {string} dist
 * @param {{ url: string, store: string }} options
 * @returns {Promise<string[][]>}
 */
export async function recordCalls(dist, { url, store }) {
  const parley = await loadParley(dist);
  const agent = new Agent();
  /** @type {string[]} */
  const bodies = [];
  // A dispatcher that passes everything on and keeps what was sent.
  const dispatcher = /** @type {Agent} */ (
    /** @type {unknown} */ ({
      dispatch: (
        /** @type {import("undici").Dispatcher.DispatchOptions} */ request,
        /** @type {never} */ handler,
      ) => {
        if (typeof request.body === "string") bodies.push(request.body);
        return agent.dispatch(request, handler);
      },
    })
  );
  const { engine, close } = await service(parley, { url, store, substitutes: { dispatcher } });
  const { opened } = await engine.open("calls", asked(parley, { seed: "bench" }));
  const driven = await engine.drive(opened.deliberation, { signal: new AbortController().signal });
  await close();
  await agent.close();
  if (
    driven.status !== "closed" ||
    driven.closing.data.outcome !== "answered" ||
    bodies.length !== CALLS_PER_COUNCIL
  ) {
    throw new Error(
      `the council to be measured made ${bodies.length} calls and was ${JSON.stringify(driven)}`,
    );
  }
  return [bodies.slice(0, 4), bodies.slice(4, 8), bodies.slice(8)];
}
