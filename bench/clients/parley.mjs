import { asked, loadParley, service } from "../council.mjs";
import { runBursts } from "./bursts.mjs";

runBursts(async ({ dist, url, store }) => {
  const parley = await loadParley(dist);
  const { engine, frames } = await service(parley, { url, store });
  let held = 0;
  // A service listens: streaming is on.
  frames.listen((frame) => {
    if (frame.kind === "started" && frame.step.startsWith("synthesis/")) held += 1;
  });
  const council = async (/** @type {string} */ chair) => {
    const { opened } = await engine.open(parley.systemWorld.id(), asked(parley, { seed: "bench", chair }));
    const driven = await engine.drive(opened.deliberation, { signal: new AbortController().signal });
    if (driven.status !== "closed" || driven.closing.data.outcome !== "answered") {
      throw new Error(`a council was ${JSON.stringify(driven)}`);
    }
  };
  return { council: () => council(""), held: () => held, holdOne: () => council("hang=1") };
});
