import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { Opening } from "../kernel/index.ts";
import { createFolders, openPorts } from "./ports.ts";
import { createGrounds } from "./ports.ts";
import { openToolServers } from "./named-tools.ts";

const folder = mkdtempSync(join(tmpdir(), "parley-ports-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const { signal } = new AbortController();
/** Of an opening, the ports look at the settings alone. */
const opening = (settings: Opening["settings"]) => ({ settings }) as Opening;

const NO_FOLDER = { ok: false, reason: "there is no folder that this process may read" };
const servers = openToolServers({ servers: {}, env: {} });
const reaching = { env: {}, compatible: {}, servers, now: () => Date.UTC(2026, 0, 31, 22, 5, 9) };
const folders = createFolders();
folders.add(folder);

it("runs the gates of a soil that this process opened, and of no other (GROUND-1)", async () => {
  const grounds = createGrounds();
  grounds.add("ours", { execute: () => Promise.resolve({ ok: true, metrics: null }) });
  const ran = ["ours", "theirs"].map((soil) => grounds.executor.execute({ soil }, signal));
  expect(await Promise.all(ran)).toMatchObject([{ ok: true }, { ok: false }]);
});

it("opens the folder that a debate's settings name, and none where they name none", async () => {
  writeFileSync(join(folder, "notes.md"), "Ten thousand jobs a day.\n");
  const { ports, close } = openPorts({ ...reaching, folders }, null);
  const tools = await ports.tools?.(opening({ contextFolder: folder }), []);
  await expect(tools?.call("file_read", { path: "notes.md" }, signal)).resolves.toMatchObject({
    ok: true,
    result: { text: "Ten thousand jobs a day.\n" },
  });
  await expect(tools?.call("file_read", { path: "../../etc/hostname" }, signal)).resolves.toMatchObject({
    ok: false,
  });
  const none = await ports.tools?.(opening({}), []);
  await expect(none?.call("file_read", { path: "notes.md" }, signal)).resolves.toEqual(NO_FOLDER);
  await close();
});

it("gives the embedding model that is named, else the settings' own, else none", async () => {
  const { ports, close } = openPorts({ ...reaching, folders }, null);
  expect(ports.embeddings?.(null)).toBeNull();
  const named = ports.embeddings?.("sim/vectors");
  expect(named?.model).toBe("sim/vectors");
  expect(ports.embeddings?.("sim/vectors")).toBe(named);
  expect(ports.embeddings?.("text-embedding-3-small")?.model).toBe("openai/text-embedding-3-small");
  await close();
});

it.each([
  ["nothing is allowed", [], ".", false],
  ["the folder itself", ["."], ".", true],
  ["one below it", ["."], "own/part", true],
  ["one above it", ["own"], ".", false],
  ["one beside it", ["own"], "other", false],
  ["one whose name begins alike", ["own"], "own-too", false],
  ["a link that leads out of it", ["own"], "own/out", false],
  ["a link that leads into it", ["own"], "into", true],
  ["an allowed link", ["into"], "own", true],
  ["a path with dots", ["own"], "own/part/../../other", false],
  ["what is not there", ["."], "none", false],
  ["one of several", ["other", "own"], "own", true],
])(
  "opens an opening's folder only where the process was told of it: %s",
  async (...[, told, asked, opens]) => {
    const root = mkdtempSync(join(folder, "told-"));
    for (const name of ["own/part", "other", "own-too"]) mkdirSync(join(root, name), { recursive: true });
    symlinkSync(join(root, "other"), join(root, "own/out"));
    symlinkSync(join(root, "own"), join(root, "into"));
    const own = createFolders();
    for (const name of told) own.add(join(root, name));
    const { ports, close } = openPorts({ ...reaching, folders: own }, null);
    const tools = await ports.tools?.(opening({ contextFolder: `${root}/${asked}` }), []);
    const listed = await tools?.call("list_files", {}, signal);
    expect(listed).toEqual(opens ? (expect.objectContaining({ ok: true }) as never) : NO_FOLDER);
    await close();
  },
);
