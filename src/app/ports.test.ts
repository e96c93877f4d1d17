import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Opening } from "../kernel/index.ts";
import { openPorts } from "./ports.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-ports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
/** Of an opening, the ports look at the settings alone. */
const opening = (settings: Opening["settings"]) => ({ settings }) as Opening;

it("opens the folder that a debate's settings name, and none where they name none", async () => {
  writeFileSync(join(folder, "notes.md"), "Ten thousand jobs a day.\n");
  const { ports, close } = openPorts({ env: {}, compatible: {} }, null);
  const tools = await ports.tools?.(opening({ contextFolder: folder }));
  await expect(tools?.call("file_read", { path: "notes.md" }, signal)).resolves.toMatchObject({
    ok: true,
    result: { text: "Ten thousand jobs a day.\n" },
  });
  await expect(tools?.call("file_read", { path: "../../etc/hostname" }, signal)).resolves.toMatchObject({
    ok: false,
  });
  expect(await ports.tools?.(opening({}))).toBeNull();
  await close();
});

it("gives the embedding model that is named, else the settings' own, else none", async () => {
  const { ports, close } = openPorts({ env: {}, compatible: {} }, null);
  expect(ports.embeddings?.(null)).toBeNull();
  const named = ports.embeddings?.("sim/vectors");
  expect(named?.model).toBe("sim/vectors");
  expect(ports.embeddings?.("sim/vectors")).toBe(named);
  expect(ports.embeddings?.("text-embedding-3-small")?.model).toBe("openai/text-embedding-3-small");
  await close();
});
