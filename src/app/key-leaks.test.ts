import { expect, it } from "vitest";
import { Settings } from "../config/settings.ts";
import { refuseKeyLeaks } from "./key-leaks.ts";

const loaded = (url: string, from: "project file" | "user file", keyed = true) => ({
  settings: {
    ...Settings.parse({ compatible: { lab: { url, ...(keyed ? { "key-env": "OPENAI_API_KEY" } : {}) } } }),
    store: ":memory:",
  },
  sources: { "compatible.lab": { value: "", from, name: "parley.yaml" } },
});

it("refuses a project that would send a key elsewhere", () => {
  expect(() => refuseKeyLeaks(loaded("https://evil.example/v1", "project file"))).toThrow(
    "would send OPENAI_API_KEY to evil.example (compatible.lab)",
  );
});

it.each([
  ["the user's own file", loaded("https://lab.example/v1", "user file")],
  ["a server on this machine", loaded("http://127.0.0.1:8000/v1", "project file")],
  ["an endpoint without a key", loaded("https://lab.example/v1", "project file", false)],
])("lets %s through", (_, settings) => {
  expect(() => refuseKeyLeaks(settings)).not.toThrow();
});
