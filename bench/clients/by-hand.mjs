import { runBursts } from "./bursts.mjs";

/** Reads a stream of server-sent events as it comes, chunk by chunk. @param {(text: string) => void} [onText] */
export function eventReader(onText = () => undefined) {
  const decoder = new TextDecoder();
  let rest = "";
  let text = "";
  return {
    /** @param {Uint8Array} chunk */
    feed(chunk) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
        const piece = JSON.parse(line.slice("data: ".length)).choices[0]?.delta?.content ?? "";
        if (piece === "") continue;
        text += piece;
        onText(piece);
      }
    },
    text: () => text,
  };
}

/**
 * The same nine calls without Parley: each wave at once, nothing recorded.
 *
 * @param {(url: string, body: string) => Promise<string>} call
 */
export function runByHand(call) {
  runBursts(async ({ url: server, calls }) => {
    const url = `${server}/v1/chat/completions`;
    const waves = /** @type {string[][]} */ (calls);
    let held = 0;
    const wave = async (/** @type {string[]} */ bodies) => {
      const replies = await Promise.all(bodies.map((body) => call(url, body)));
      if (replies.some((reply) => reply === "")) throw new Error("a reply was empty");
    };
    const holding = waves.map((bodies, index) =>
      index < waves.length - 1
        ? bodies
        : bodies.map((body) => body.replace(/delay=\d+&latency=\d+/, "hang=1")),
    );
    return {
      async council() {
        for (const bodies of waves) await wave(bodies);
      },
      held: () => held,
      async holdOne() {
        for (const [index, bodies] of holding.entries()) {
          if (index === holding.length - 1) held += 1;
          await wave(bodies);
        }
      },
    };
  });
}
