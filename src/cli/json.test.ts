import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandIo, commandNamed } from "../../test/support/command-io.ts";
import { scratch } from "../../test/support/scratch.ts";
import { escapeJson, jsonLine, jsonText } from "../reports/printable.ts";

import { wordNote } from "./notes.ts";
import { expectLinearAsync } from "../../test/support/growth.ts";

/** What a terminal acts on, or shows in another order. */
const ACTS = /[^\P{Cc}\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** The same but for the marks that only stand between letters, which Arabic and Hebrew text needs. */
const OVERRIDES = /[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u;

const HOSTILE = [
  "\u001b]52;c;aGk=\u0007clipboard",
  "\u009d0;title\u009c",
  "\u009b31mred\u0085",
  "\u202egnp.exe\u2066\u2069",
  "\u200f\u061cmarks\u200e\u007f",
  "line\nparley: forged\rover",
];

describe("JSON for people and programs", () => {
  it.each(HOSTILE)("has nothing that acts on a terminal, and is read as the same: %j", (text) => {
    const value = { [text]: [text, { deep: `é ✓ ${text}` }] };
    for (const printed of [jsonText(value), jsonLine(value)]) {
      expect(printed).not.toMatch(ACTS);
      expect(JSON.parse(printed)).toEqual(value);
    }
    expect(jsonLine(value).trimEnd()).not.toContain("\n");
  });

  it("writes these as escapes, and leaves other letters as they are", () => {
    expect(escapeJson(JSON.stringify("\u009bé✓\u202e"))).toBe(String.raw`"\u009bé✓\u202e"`);
  });

  it("is written by one place alone", () => {
    const files = ["", "commands"].flatMap((folder) =>
      readdirSync(join(import.meta.dirname, folder))
        .filter((name) => /(?<!\.test)\.ts$/.test(name))
        .map((name) => join(import.meta.dirname, folder, name)),
    );
    const raw = files.filter((file) => readFileSync(file, "utf8").includes("JSON.stringify"));
    expect(raw.map((file) => file.slice(import.meta.dirname.length + 1))).toEqual([
      join("commands", "setup.ts"), // a value of `config`, made printable with its line
    ]);
  });
});

describe("names that a server lists", () => {
  it.each(HOSTILE)("are printable in a note: %j", (text) => {
    const note = wordNote({ code: "models-discovered", through: "home", models: [`ollama/${text}`] });
    expect(note).toMatch(/^\P{Cc}+$/u);
    expect(note).not.toMatch(OVERRIDES);
  });

  it("are printable in the list of models, which takes linear time for many of them", async () => {
    let names: readonly string[] = [];
    const server = createServer((_, response) =>
      response.end(JSON.stringify({ models: names.map((name) => ({ name })) })),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo; // it listens on a port
      using place = scratch(
        {},
        { OLLAMA_HOST: `http://127.0.0.1:${port}`, LMSTUDIO_HOST: "http://127.0.0.1:1" },
      );
      await import("./commands/models.ts");
      for (const json of [false, true])
        await expectLinearAsync(async (count) => {
          names = [...HOSTILE, ...Array.from({ length: count }, (_, index) => `vendor${index}/m${index}`)];
          const { io, written } = commandIo(place);
          await commandNamed("models").run(io, { json }, []);
          expect(written.stdout).toContain(`vendor${count - 1}/m${count - 1}`);
          expect(written.stdout).not.toMatch(json ? ACTS : OVERRIDES);
        }, 1_000);
    } finally {
      server.close();
    }
  });
});
