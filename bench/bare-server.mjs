// node bare-server.mjs MODELS: the least that a server does. `/N/MODEL` is a stream that all who ask for it follow: one request to
// a server of models, and its pieces to all of them, in batches of 25 ms. `/result` is what was posted there.
import { createServer } from "node:http";

const models = process.argv[2] ?? "";
/** @type {Map<string, Set<import("node:http").ServerResponse>>} */
const streams = new Map();
let result = Buffer.alloc(0);

const server = createServer((request, response) => {
  const { url: path = "", method } = request;
  if (method === "POST") {
    /** @type {Buffer[]} */
    const chunks = [];
    request.on("data", (/** @type {Buffer} */ chunk) => chunks.push(chunk));
    return void request.on("end", () => {
      result = Buffer.concat(chunks);
      response.end();
    });
  }
  if (path === "/result") {
    response.writeHead(200, { "content-type": "application/json", "content-length": result.length });
    return void response.end(result);
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const known = streams.get(path);
  if (known) return void known.add(response);
  const all = new Set([response]);
  streams.set(path, all);
  setTimeout(() => void relay(`${models}/v1/chat/completions`, path.split("/").at(-1) ?? "", all), 200);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object")
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});

/** @param {string} url @param {string} model @param {Set<import("node:http").ServerResponse>} all */
async function relay(url, model, all) {
  const body = JSON.stringify({ model: `stamps-${model}`, stream: true });
  const response = await fetch(url, { method: "POST", body });
  let pending = "";
  let rest = "";
  const flush = () => {
    if (pending === "") return;
    const bytes = Buffer.from(`event: frames\ndata: ${JSON.stringify([{ text: pending }])}\n\n`);
    pending = "";
    for (const one of all) one.write(bytes);
  };
  const timer = setInterval(flush, 25);
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + Buffer.from(chunk).toString()).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      if (block.startsWith("data: {")) pending += JSON.parse(block.slice(6)).choices[0].delta.content ?? "";
    }
  }
  clearInterval(timer);
  flush();
  for (const one of all) one.end();
}
