import { asked, loadParley, service } from "../council.mjs";
import { answerAsClient } from "../harness.mjs";
import { eventReader } from "./by-hand.mjs";

const now = () => Number(process.hrtime.bigint()) / 1e6;

/**
 * Streams from a server that stamps every token: `{ n, tokens, overMs }` begins so many, evenly over so long, and answers
 * with how long each token was on its way.
 */
answerAsClient(async ({ dist, url, store, by }) => {
  const open = by === "fetch" ? byFetch(url) : await byParley(dist, { url, store });
  return async ({ n, tokens, overMs }) => {
    /** @type {number[]} */
    const first = [];
    /** @type {number[]} */
    const all = [];
    const listen = () => {
      let begun = false;
      return (/** @type {string} */ text) => {
        const nowMs = now();
        // Several may come at once: each bears its own time.
        for (const stamp of text.trim().split(" ")) {
          const lagMs = nowMs - Number(stamp);
          if (!begun) first.push(lagMs);
          begun = true;
          all.push(lagMs);
        }
      };
    };
    const cpu = process.cpuUsage();
    await Promise.all(
      Array.from({ length: n }, async (_, index) => {
        await new Promise((resolve) => setTimeout(resolve, (overMs * index) / n));
        await open(tokens, listen());
      }),
    );
    const { user, system } = process.cpuUsage(cpu);
    if (all.length !== n * tokens) throw new Error(`${all.length} of ${n * tokens} tokens were seen`);
    return { first, all, cpuUs: (user + system) / all.length };
  };
});

/** @typedef {(tokens: number, onText: (text: string) => void) => Promise<void>} Stream */

/** @param {string} url @returns {Stream} */
function byFetch(url) {
  return async (tokens, onText) => {
    const body = JSON.stringify({ model: `stamps-${tokens}`, stream: true });
    const response = await fetch(`${url}/v1/chat/completions`, { method: "POST", body });
    const reader = eventReader(onText);
    for await (const chunk of response.body ?? []) reader.feed(chunk);
  };
}

/**
 * A deliberation of one call each, and a listener to the frames.
 *
 * @param {string} dist @param {{ url: string, store: string }} options
 * @returns {Promise<Stream>}
 */
async function byParley(dist, { url, store }) {
  const parley = await loadParley(dist);
  const protocol = parley.defineProtocol({
    name: "one-call",
    version: 1,
    summary: "makes one call",
    seats: [],
    settings: parley.council.settings,
    templates: [],
    async deliberate({ run, question, seats }) {
      const [{ model } = { model: /** @type {never} */ ("none") }] = seats("member");
      await run.call(
        {
          key: "call",
          outcomes: ["note-taken"],
          request: { model, messages: [{ role: "user", text: question }], maxOutputTokens: 4_096 },
        },
        (call) => ({ type: "note-taken", data: { topic: "call", reason: "it has ended", body: call.ok } }),
      );
      return { outcome: "failed", why: "it was there to be measured" };
    },
  });
  const { engine, frames } = await service(parley, { url, store, protocols: [protocol] });
  /** @type {Map<string, (text: string) => void>} */
  const listeners = new Map();
  frames.listen((frame) => {
    if (frame.kind === "text") listeners.get(frame.deliberation)?.(frame.delta.text);
  });
  return async (tokens, onText) => {
    const council = asked(parley, { seed: "bench" });
    const [member] = council.participants;
    const { opened } = await engine.open(parley.systemWorld.id(), {
      ...council,
      protocol: { name: protocol.name, version: protocol.version },
      participants: member
        ? [{ ...member, model: /** @type {never} */ (`compatible/bench/stamps-${tokens}`) }]
        : [],
    });
    listeners.set(opened.deliberation, onText);
    await engine.drive(opened.deliberation, { signal: new AbortController().signal });
  };
}
