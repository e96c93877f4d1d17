import { describe, expect, it } from "vitest";
import { redactSecrets } from "./secrets.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

describe("redactSecrets", () => {
  it.each([
    ["postgres://ada:hunter2@db/x", "postgres://ada:…@db/x"],
    ["postgres://ada:hun@ter2@db/x", "postgres://ada:…@db/x"],
    ["postgres://db/x?user=ada&password=hunter2&ssl=1", "postgres://db/x?user=ada&password=…&ssl=1"],
    ["https://models.example/v1?key=hunter2", "https://models.example/v1?key=…"],
    ["https://models.example/v1?api_key=hunter2#x", "https://models.example/v1?api_key=…#x"],
    ["https://models.example/v1?api-key=hunter2", "https://models.example/v1?api-key=…"],
    ["https://x/?ACCESS_TOKEN=hunter2&n=1", "https://x/?ACCESS_TOKEN=…&n=1"],
    ["https://x/?a=1&sig=hunter2", "https://x/?a=1&sig=…"],
    ["https://x/v1?subscription-key=hunter2", "https://x/v1?subscription-key=…"],
    ["https://x/v1?x-api-key=hunter2;more", "https://x/v1?x-api-key=…"],
    ["https://x/v1?client_secret=hunter2", "https://x/v1?client_secret=…"],
    ["https://x/v1#id_token=hunter2", "https://x/v1#id_token=…"],
    ["sk-abcdefgh12345678", "sk-…"],
    ["https://x/?keyboard=qwerty&max-tokens=5", "https://x/?keyboard=qwerty&max-tokens=5"],
  ])("shows %s as %s", (text, shown) => expect(redactSecrets(text)).toBe(shown));

  it("takes linear time on much of one thing", () => {
    const pieces = ["x", "a://b:", "?key=", "?a-", "?a-key", "&a.b-c.", "sk-", "http://"];
    expectLinearReading((text) => redactSecrets(`@${text}`), pieces);
  });
});
