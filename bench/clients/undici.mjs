import { Agent, request } from "undici";
import { eventReader, runByHand } from "./by-hand.mjs";

const dispatcher = new Agent();

runByHand(async (url, body) => {
  const response = await request(url, {
    dispatcher,
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (response.statusCode !== 200) throw new Error(`HTTP ${response.statusCode}`);
  const reader = eventReader();
  for await (const chunk of response.body) reader.feed(chunk);
  return reader.text();
});
