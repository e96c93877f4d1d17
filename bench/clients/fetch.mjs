import { eventReader, runByHand } from "./by-hand.mjs";

runByHand(async (url, body) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
  const reader = eventReader();
  for await (const chunk of response.body) reader.feed(chunk);
  return reader.text();
});
