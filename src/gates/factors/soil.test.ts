import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSoil } from "./soil.ts";

let outer = "";
let folder = "";

const line = (day: number, one: string) =>
  `2024-0${1 + (day % 9)}-${10 + Math.floor(day / 9)},${one},${day + 1}`;
const CSV = `date,instrument,close\n${Array.from({ length: 60 }, (_, day) => `${line(day, "A")}\n${line(day, "B")}`).join("\n")}\n`;

beforeAll(async () => {
  outer = await mkdtemp(join(tmpdir(), "parley-soil-"));
  folder = join(outer, "forest");
  await mkdir(join(folder, "data"), { recursive: true });
  await writeFile(join(folder, "data", "prices.csv"), CSV);
  await writeFile(join(outer, "secret.csv"), CSV);
  await writeFile(join(folder, "short.csv"), "date,instrument,close\n2024-01-02,A,1\n");
  await writeFile(join(folder, "large.csv"), "");
  await truncate(join(folder, "large.csv"), 64 * 2 ** 20 + 1);
  await symlink(join(outer, "secret.csv"), join(folder, "link.csv"));
  await symlink(join(folder, "data"), join(folder, "inner"));
});

afterAll(() => rm(outer, { recursive: true, force: true }));

describe("the soil of a file", () => {
  it("is told by the sha256 of its bytes, and by its sample", async () => {
    const { soil, digest } = await loadSoil({ file: "data/prices.csv" }, folder);
    expect(digest).toBe(createHash("sha256").update(CSV).digest("hex"));
    expect(soil).toMatchObject({
      digest,
      panel: { days: 60, instruments: 2 },
      outOfSample: { from: 36, to: 59 },
    });
    const half = await loadSoil({ file: "data/prices.csv", in_sample: 0.5 }, folder);
    expect(half.soil.outOfSample.from).toBe(30);
    expect(half.digest).not.toBe(digest);
    expect((await loadSoil({ file: "inner/prices.csv" }, folder)).digest).toBe(digest);
  });

  it.each([
    ["../secret.csv", "soil.file: ../secret.csv is outside the forest's folder; move the file into it"],
    ["link.csv", "soil.file: link.csv is outside the forest's folder; move the file into it"],
    ["none.csv", "soil.file: none.csv does not exist in the forest's folder"],
    [".", "soil.file: . is outside the forest's folder; move the file into it"],
    ["data", "soil.file: data is not a file"],
    ["large.csv", "soil.file: large.csv has 67108865 bytes; at most 67108864 (64 MB) are read"],
    ["short.csv", "the soil has 1 days, 0 of them out of sample; at least 20 are needed"],
  ])("%s is refused", async (file, problem) => {
    await expect(loadSoil({ file }, folder)).rejects.toThrow(problem);
  });

  it("an absolute path elsewhere is refused", async () => {
    await expect(loadSoil({ file: join(outer, "secret.csv") }, folder)).rejects.toThrow("outside");
  });
});

describe("a generated soil", () => {
  it("is told by its settings, whatever their order and with the defaults", async () => {
    const plain = await loadSoil({ generate: { seed: 1 } }, folder);
    expect(plain.soil.panel).toMatchObject({ days: 250, instruments: 100 });
    const same = await loadSoil(
      { in_sample: 0.6, generate: { signal: 0, instruments: 100, seed: 1 } },
      folder,
    );
    expect(same.digest).toBe(plain.digest);
    const others = [
      { seed: "1" },
      { seed: 1, signal: 0.1 },
      { seed: 1, days: 251 },
      { seed: 1, instruments: 99 },
    ];
    const digests = await Promise.all(
      others.map(async (generate) => (await loadSoil({ generate }, folder)).digest),
    );
    expect(new Set([plain.digest, ...digests]).size).toBe(5);
    expect(Object.keys(plain.soil.panel.fields)).toEqual(["open", "high", "low", "close", "volume"]);
  });

  it.each([
    [null, "soil must have one of file and generate"],
    [{}, "soil must have one of file and generate"],
    [{ file: "a.csv", generate: { seed: 1 } }, "soil must have one of file and generate"],
    [{ file: 3 }, "soil.file: must be the path of a file in the forest's folder (got 3)"],
    [{ generate: 3 }, "soil.generate: Invalid input: expected object, received number (got 3)"],
    [{ generate: {} }, "soil.generate.seed: must be a text or a number"],
    [{ generate: { seed: 1, days: 3 } }, "soil.generate.days: must be an integer from 30 to 100000 (got 3)"],
    [{ generate: { seed: 1, signal: 2 } }, "soil.generate.signal: must be a number from 0 to 1 (got 2)"],
    [{ generate: { seed: 1, weather: 2 } }, 'soil.generate: Unrecognized key: "weather"'],
    [{ generate: { seed: 1 }, in_sample: "x" }, 'soil.in_sample: must be a number from 0.1 to 0.9 (got "x")'],
    [
      { generate: { seed: 1, days: 100_000 } },
      "soil.generate: days times instruments must be at most 4000000",
    ],
    [{ generate: { seed: 1, days: 30 } }, "the soil has 30 days, 11 of them out of sample"],
  ])("%j is refused", async (settings, problem) => {
    await expect(loadSoil(settings, folder)).rejects.toThrow(problem);
  });
});
