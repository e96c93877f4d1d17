import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { refusalOf, scratch, type Scratch } from "../../test/support/scratch.ts";
import { keyFilePath, listKeys, removeKey, storeKey, withStoredKeys } from "./keys.ts";

const KEY = "sk-hunter2-0123456789";

/** A keychain that is a file of its own; it writes down how it was called. */
const SECRET_TOOL = `#!/bin/sh
echo "$*" >> "$HOME/called"
for last; do :; done
case $1 in
  store) cat > "$HOME/chain-$last" ;;
  lookup) cat "$HOME/chain-$last" ;;
  clear) rm "$HOME/chain-$last" ;;
esac
`;

function withTool(place: Scratch, tool: string): Scratch {
  chmodSync(place.write("bin/secret-tool", tool), 0o755);
  return { ...place, env: { ...place.env, PATH: `${join(place.home, "bin")}:/usr/bin:/bin` } };
}

describe("a stored key", () => {
  it("is in a file of the user's alone where there is no keychain, and is given as the variable", () => {
    using place = scratch({}, { PATH: "/nowhere" });
    expect(storeKey(place, "OPENAI_API_KEY", KEY)).toBe("file");
    expect(statSync(keyFilePath(place)).mode & 0o777).toBe(0o600);
    expect(withStoredKeys(place)["OPENAI_API_KEY"]).toBe(KEY);
    expect(JSON.stringify(listKeys(place))).toBe('[{"variable":"OPENAI_API_KEY","where":"file"}]');
    expect(removeKey(place, "OPENAI_API_KEY")).toBe(true);
    expect(removeKey(place, "OPENAI_API_KEY")).toBe(false);
    expect(withStoredKeys(place)["OPENAI_API_KEY"]).toBeUndefined();
  });

  it("is in the keychain where that works: neither in the file nor in an argument (KEYS-1)", () => {
    using bare = scratch();
    const place = withTool(bare, SECRET_TOOL);
    expect(storeKey(place, "OPENAI_API_KEY", KEY)).toBe("keychain");
    expect(readFileSync(keyFilePath(place), "utf8")).not.toContain("hunter2");
    expect(withStoredKeys(place)["OPENAI_API_KEY"]).toBe(KEY);
    expect(readFileSync(join(place.home, "called"), "utf8")).not.toContain("hunter2");
    expect(removeKey(place, "OPENAI_API_KEY")).toBe(true);
    expect(existsSync(join(place.home, "chain-OPENAI_API_KEY"))).toBe(false);
  });

  it("is in the file where the keychain takes a key and does not give it back", () => {
    using bare = scratch();
    const place = withTool(bare, "#!/bin/sh\ncat > /dev/null\n");
    expect(storeKey(place, "OPENAI_API_KEY", KEY)).toBe("file");
    expect(withStoredKeys(place)["OPENAI_API_KEY"]).toBe(KEY);
  });

  it("counts after the environment, and is not asked for then", () => {
    using bare = scratch({}, { OPENAI_API_KEY: "sk-mine" });
    const place = withTool(bare, SECRET_TOOL);
    storeKey(place, "OPENAI_API_KEY", KEY);
    const before = readFileSync(join(place.home, "called"), "utf8");
    expect(withStoredKeys(place)["OPENAI_API_KEY"]).toBe("sk-mine");
    expect(readFileSync(join(place.home, "called"), "utf8")).toBe(before);
  });

  it("is refused where others may read the file, and no error shows it (KEYS-3)", async () => {
    using place = scratch({}, { PATH: "/nowhere" });
    storeKey(place, "OPENAI_API_KEY", KEY);
    chmodSync(keyFilePath(place), 0o640);
    expect(await refusalOf(() => withStoredKeys(place), place)).toMatch(/other users may read it.*chmod 600/);
    writeFileSync(keyFilePath(place), `{"OPENAI_API_KEY": "${KEY}"`);
    chmodSync(keyFilePath(place), 0o600);
    const broken = await refusalOf(() => withStoredKeys(place), place);
    expect(broken).toContain("is not a file of keys");
    expect(broken).not.toContain("hunter2");
    const spaced = await refusalOf(() => storeKey(place, "OPENAI_API_KEY", `${KEY} x`), place);
    expect(spaced).not.toContain("hunter2");
  });
});
