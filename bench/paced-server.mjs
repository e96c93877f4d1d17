// node paced-server.mjs: chat completions whose every token is the time at which it left, in milliseconds of this
// machine's monotonic clock, 50 a second; the model `stamps-N` says N of them, and `stamps-N-MS` one every MS milliseconds. (What `parley sim-server` says depends on
// nothing but the request.)
import { createServer } from "node:http";

const TOKEN_MS = 20;

const frame = (/** @type {object} */ choice) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
const token = (/** @type {string} */ content) => frame({ delta: { content }, finish_reason: null });
const now = () => Number(process.hrtime.bigint()) / 1e6;

const server = createServer((request, response) => {
  let body = "";
  request.setEncoding("utf8").on("data", (/** @type {string} */ text) => (body += text));
  request.on("end", () => {
    const [, tokens = 0, tokenMs = TOKEN_MS] = JSON.parse(body).model.split("-").map(Number);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const startMs = now();
    let sent = 0;
    const next = () => {
      if (response.destroyed) return;
      if (sent === tokens) {
        return void response.end(`${frame({ delta: {}, finish_reason: "stop" })}data: [DONE]\n\n`);
      }
      response.write(token(`${now().toFixed(3)} `));
      sent += 1;
      setTimeout(next, Math.max(0, startMs + sent * tokenMs - now()));
    };
    next();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
