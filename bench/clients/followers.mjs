import { get } from "node:http";
import { answerAsClient, cpuOf } from "../harness.mjs";

// Followers of live streams: how old the newest token of a batch is when it comes, and what the server's process took.

const now = () => Number(process.hrtime.bigint()) / 1e6;

answerAsClient(async () => async ({ urls, followers, tokens, pid }) => {
  /** @type {number[]} */
  const lags = [];
  let frames = 0;
  const begun = cpuOf(pid);
  // Between the two moments everybody follows and nothing begins or ends: what frames cost, without joining.
  /** @type {{ cpuMs: number, frames: number, atMs: number } | undefined} */
  let first;
  /** @type {{ cpuMs: number, frames: number, atMs: number } | undefined} */
  let last;
  let waited = followers;
  const mark = () => ({ cpuMs: cpuOf(pid), frames, atMs: now() });
  /** @returns {(text: string) => void} */
  const follower = () => {
    let heard = 0;
    return (text) => {
      const at = now();
      frames += 1;
      const stamps = text.trim().split(" ").map(Number).filter(Boolean);
      const newest = stamps.at(-1);
      if (newest !== undefined) lags.push(at - newest);
      if (heard < tokens * 0.1 && heard + stamps.length >= tokens * 0.1 && (waited -= 1) === 0)
        first = mark();
      heard += stamps.length;
      if (first && heard >= tokens * 0.9) last ??= mark();
    };
  };
  await Promise.all(
    Array.from({ length: followers }, (_, index) => {
      const { url, headers } = urls[index % urls.length];
      return followOne(url, headers, follower());
    }),
  );
  const usedMs = cpuOf(pid) - begun;
  if (frames < followers * tokens * 0.2) throw new Error(`only ${frames} frames came`);
  const between = first && last && last.frames - first.frames > followers ? { first, last } : undefined;
  const lastedMs = between ? between.last.atMs - between.first.atMs : 0;
  return {
    ...{ lags, frames, wholeUs: (usedMs * 1_000) / frames },
    // Streams that end before everybody follows tell nothing.
    steady: between && {
      share: (between.last.cpuMs - between.first.cpuMs) / lastedMs,
      framesPerMs: (between.last.frames - between.first.frames) / lastedMs,
    },
  };
});

/** Reads the frames of one stream to its end. @param {string} url @param {Record<string, string>} headers @param {(text: string) => void} hear */
function followOne(url, headers, hear) {
  return new Promise((resolve, reject) => {
    const request = get(
      url,
      { headers: { ...headers, accept: "text/event-stream" }, agent: false },
      (response) => {
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode} for ${url}`));
        let rest = "";
        response.setEncoding("utf8").on("data", (/** @type {string} */ piece) => {
          const blocks = (rest + piece).split("\n\n");
          rest = blocks.pop() ?? "";
          for (const block of blocks) {
            const [, data] = /^event: frames\ndata: (.*)$/m.exec(block) ?? [];
            if (data !== undefined) hear(JSON.parse(data)[0].text);
          }
        });
        response.on("end", () => resolve(undefined)).on("error", reject);
      },
    );
    request.on("error", reject);
  });
}
