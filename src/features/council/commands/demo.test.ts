import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandIo, commandNamed } from "../../../../test/support/command-io.ts";
import { refusalOf, scratch } from "../../../../test/support/scratch.ts";
import { refuseWithoutModels } from "../../../cli/connect.ts";
import { EXIT } from "../../../cli/exits.ts";
import { withParley } from "../../../cli/session.ts";
import { demo } from "./index.ts";

const NOWHERE = { OLLAMA_HOST: "http://127.0.0.1:1", LMSTUDIO_HOST: "http://127.0.0.1:1" };

describe("demo", () => {
  it("plays a recorded council offline, says so, and stores nothing", async () => {
    // Nothing here could be called: the addresses lead nowhere, and a key is not read.
    using place = scratch({}, { ...NOWHERE, OPENAI_API_KEY: "sk-x", OPENAI_BASE_URL: "http://127.0.0.1:1" });
    const { io, written } = commandIo(place);
    expect(await demo.run(io, { json: true }, [])).toBe(EXIT.answered);
    expect(written.stderr).toContain("This is a recording: its texts were written for this demo");
    const result = JSON.parse(written.stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ status: "answered", calls: 7 });
    expect(result["answer"]).toMatch(/^\*\*Add a transactional outbox now/);
    // The labels of the reviews are those of this seed.
    const { standing } = result["section"] as { standing: { id: string }[] };
    expect(standing.map(({ id }) => id)).toEqual(["analyst", "challenger", "pragmatist"]);
    expect(existsSync(join(place.home, ".local/share/parley/parley.db"))).toBe(false);
  });

  it("stores the run with --keep, for the commands on past runs", async () => {
    using place = scratch({}, NOWHERE);
    const { io, written } = commandIo(place);
    expect(await demo.run(io, { keep: true, quiet: true }, [])).toBe(EXIT.answered);
    written.stdout = "";
    expect(await commandNamed("replay").run(io, {}, [])).toBe(EXIT.answered);
    expect(await commandNamed("export").run(io, {}, [])).toBe(EXIT.answered);
    expect(written.stdout).toContain("Pragmatist");
  });
});

describe("without a model", () => {
  const asked = (question: string, env: Record<string, string> = {}) => {
    using place = scratch({}, { ...NOWHERE, PARLEY_STORE: ":memory:", ...env });
    const { io } = commandIo(place);
    return refusalOf(() => withParley(io, {}, (context) => refuseWithoutModels(context, question)), place);
  };

  it("an open question is refused with three ways to go on", async () => {
    expect(await asked("Should I learn Rust?")).toMatch(/keys set openai.*ollama pull.*parley demo/);
  });

  it.each([
    ["What is 17 * 23?", {}],
    ["Should I learn Rust?", { PARLEY_MODELS: "sim/ada" }],
    ["Should I learn Rust?", { OPENAI_API_KEY: "sk-0123456789" }],
  ])("%s with %j goes on", async (question, env) => {
    await expect(asked(question, env)).rejects.toThrow("it was not refused");
  });
});
