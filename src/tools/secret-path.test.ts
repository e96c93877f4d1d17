import { describe, expect, it } from "vitest";
import { isSecretPath } from "./path-checks.ts";

const isSecret = (path: string, folder = false): boolean => isSecretPath(path.split("/"), folder);

describe("isSecretPath", () => {
  it.each([
    ".env",
    ".env.local",
    ".envrc",
    ".env~",
    "app/.env/token",
    "server.pem",
    "server.PEM",
    "server.pem.bak",
    ".pem",
    "tls/server.key",
    "store.p12",
    "id_rsa",
    "id_rsa.pub",
    "id_ed25519",
    "id_rsa.old~",
    ".ssh/known_hosts",
    "home/.SSH/x/y",
    ".aws/config",
    ".kube/config",
    ".git/config",
    ".git/modules/part/config",
    ".git/worktrees/one/config.worktree",
    ".git/credentials",
    ".git-credentials",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    "credentials",
    ".credentials.json",
    "application_default_credentials.json",
    "client_secret_123.apps.json",
    "config/secrets.yml",
    // What Windows makes of a name.
    ".env.",
    ".env ",
    ".env::$DATA",
    "server.pem. .",
  ])("knows %j", (path) => {
    expect(isSecret(path)).toBe(true);
  });

  it.each([
    ".",
    "environment.md",
    "env",
    ".gitignore",
    ".git/HEAD",
    "git/config",
    "config",
    "pem",
    "keys.ts",
    "pem.md",
    "src/credentials.ts",
    "credentials/index.ts",
    "docs/secrets.md",
    "ssh/notes",
    "rsa",
  ])("leaves %j", (path) => {
    expect(isSecret(path)).toBe(false);
  });

  it("lets a folder be listed whose name only a file's would be a secret", () => {
    expect(["credentials", "server.key", ".git/config"].map((path) => isSecret(path, true))).toEqual([
      false,
      false,
      false,
    ]);
    expect([".ssh", "a/.aws", ".env"].map((path) => isSecret(path, true))).toEqual([true, true, true]);
  });
});
