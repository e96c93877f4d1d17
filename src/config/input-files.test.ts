import { execFileSync } from "node:child_process";
import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { readContext, readFactsFile, readTextOrFile } from "./input-files.ts";
import { refusalOf, scratch } from "../../test/support/scratch.ts";

describe.skipIf(process.platform === "win32")("readContext", () => {
  it.each(["pipe", "link", "socket", "/dev/zero", "/dev/null", "/dev/random", "/proc/kmsg", "/proc/version"])(
    "refuses %s at once, which is no regular file",
    async (name) => {
      using place = scratch({ "project/notes.md": "a" });
      execFileSync("mkfifo", ["pipe"], { cwd: place.cwd });
      execFileSync("ln", ["-s", "pipe", "link"], { cwd: place.cwd });
      const server = createServer().listen(`${place.cwd}/socket`);
      await new Promise((resolve) => server.once("listening", resolve));
      await expect(readContext({ ...place, files: [name] })).rejects.toMatchObject({
        details: { why: `${name} is not a regular file` },
      });
      server.close();
    },
  );
});

describe.skipIf(process.platform === "win32")("readTextOrFile", () => {
  it.each(["pipe", "link", "/dev/zero", "/dev/null", "/dev/tty", "/proc/kmsg"])(
    "refuses %s, which is neither a file nor meant as a text",
    async (name) => {
      using place = scratch();
      execFileSync("mkfifo", ["pipe"], { cwd: place.cwd });
      execFileSync("ln", ["-s", "pipe", "link"], { cwd: place.cwd });
      expect(await refusalOf(() => readTextOrFile(name, place), place)).toBe(
        `${name} is not a regular file; name a file, or pipe it in`,
      );
      expect(readTextOrFile("What is a pipe?\0", place)).toBe("What is a pipe?\0");
    },
  );
});

describe("readFactsFile", () => {
  it("gives the file's data as it stands", () => {
    using place = scratch({
      "project/f.yaml": "facts:\n  - {about: [capital, Freedonia], answer: Fredville, wrong: [Glory]}",
    });
    const data = { facts: [{ about: ["capital", "Freedonia"], answer: "Fredville", wrong: ["Glory"] }] };
    expect(readFactsFile("f.yaml", place)).toEqual(data);
    expect(readFactsFile(`${place.cwd}/f.yaml`, place)).toEqual(data);
  });

  it("refuses what is not there, empty or malformed", async () => {
    using place = scratch({ "project/e.yaml": "", "project/m.yaml": "facts: [" });
    const refusal = (file: string) => refusalOf(() => readFactsFile(file, place), place);
    expect(await refusal("n.yaml")).toBe("the facts file HOME/project/n.yaml does not exist; check the path");
    expect(await refusal("e.yaml")).toBe("the facts file e.yaml is empty; write facts: and a list of facts");
    expect(await refusal("m.yaml")).toContain(
      "HOME/project/m.yaml:1:9: Flow sequence in block collection must be sufficiently indented and end with a ]",
    );
  });
});
