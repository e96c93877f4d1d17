// node unruly-judge.mjs: chat completions of a judge, half of which come to nothing: of every 18 calls 3 are never answered, 3
// fail (HTTP 500, HTTP 429, a closed socket), 3 are nonsense, and 9 say a grade, or a letter where two answers are shown.
import { createServer } from "node:http";

/** How long a judge takes that answers. */
const TAKES_MS = 100;
const CALLS = 18;
/** Has no factor in common with `CALLS`, so that what goes wrong is spread. */
const STRIDE = 7;

const frame = (/** @type {object} */ choice) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
const reply = (/** @type {string} */ text) =>
  `${frame({ delta: { content: text }, finish_reason: null })}${frame({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`;

let calls = 0;
const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (/** @type {string} */ text) => (body += text));
  request.on("end", () => {
    const nth = calls++;
    const way = (nth * STRIDE) % CALLS;
    if (way < 3) return; // until the caller has had enough
    const end = (/** @type {number} */ status, /** @type {string} */ type, /** @type {string} */ text) =>
      void response.writeHead(status, { "content-type": type }).end(text);
    const failed = (/** @type {number} */ status) =>
      end(status, "application/json", JSON.stringify({ error: { message: `simulated: HTTP ${status}` } }));
    const said = (/** @type {string} */ text) => end(200, "text/event-stream", reply(text));
    const verdict = body.includes("Response B") ? "AB"[nth % 2] : 1 + (nth % 5);
    /** @type {readonly (() => void)[]} */
    const wrong = [
      () => failed(500),
      () => failed(429),
      () => void response.socket?.destroy(),
      () => said("A fine answer, all in all."),
      () => said("Feedback: it is beyond the scale. [RESULT] 17"),
      () => end(200, "text/html", "<!doctype html><title>It works!</title>"),
    ];
    const answer = wrong[way - 3] ?? (() => said(`Feedback: it says what it says. [RESULT] ${verdict}`));
    setTimeout(answer, TAKES_MS);
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
