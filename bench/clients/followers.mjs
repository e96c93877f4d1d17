import { get } from "node:http";
import { answerAsClient, cpuOf } from "../harness.mjs";

// Followers of live streams: how old the newest token of a batch is when it comes, and what the server's process took.

const now = () => Number(process.hrtime.bigint()) / 1e6;

answerAsClient(async () => async ({ urls, followers, tokens, pid }) => {
  /** @type {number[]} */
  const lags = [];
  let frames = 0;
  const hear = (/** @type {string} */ text) => {
    const at = now();
    frames += 1;
    const stamps = text.trim().split(" ").map(Number).filter(Boolean);
    const last = stamps.at(-1);
    if (last !== undefined) lags.push(at - last);
  };
  const before = cpuOf(pid);
  await Promise.all(
    Array.from({ length: followers }, (_, index) => {
      const { url, headers } = urls[index % urls.length];
      return followOne(url, headers, hear);
    }),
  );
  const usedMs = cpuOf(pid) - before;
  if (frames < followers * tokens * 0.25) throw new Error(`only ${frames} frames came`);
  return { lags, frames, cpuUs: (usedMs * 1_000) / frames };
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
