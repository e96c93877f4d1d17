import { describe, expect, it } from "vitest";
import { holdsKey, isSecretPath } from "./path-checks.ts";
import { expectLinearReading } from "../../test/support/growth.ts";

const lines = (text: string): string[] => text.trim().split(/\s+/);

const SECRETS = lines(`
  .config/gh/hosts.yml terraform.tfstate.backup terraform.tfvars.json credentials.tfrc.json .git/logs/HEAD .git/FETCH_HEAD
  repo.git/config auth.json token.json kubeconfig AuthKey.p8 AuthKey_ABC.p8 deploy_key backup_id_rsa #.env# .#.env .vault_pass
  vault_pass.txt wp-config.php .bash_history .zsh_history .psql_history .python_history .node_repl_history fish_history
  ConsoleHost_history.txt .histfile .viminfo settings.json .config/app/settings.json appsettings.json
  appsettings.Production.json local.settings.json settings.local.json .m2/settings.xml wallet.dat wallet.json default_wallet
  main.wallet UTC--2020-01-01T00-00-00.0Z--ab keystore/x.json secrets/db .secrets/x secrets/deep/er.txt run/secrets/token
  passwords.txt db_password api_key.txt my-api-key.json private_key.txt server_rsa ssh_host_rsa_key prod.env.json
  key.pem.txt logins.json key4.db cookies.txt .authinfo .yarnrc.yml nuget.config pip.conf rclone.conf
  project-firebase-adminsdk-x.json login.keychain-db vpn.ovpn krb5.keytab config/database.yml database.yml kubeconfig.yaml .password-store/mail.txt
  .hg/hgrc .hgrc .gradle/gradle.properties .gitconfig netrc my.cnf npmrc pgpass env.bak env~ env.local env.production.json
  serviceAccountKey.json serviceaccountkey.json clientSecret.json apiKeys.yaml privateKey.txt dbPassword refreshToken.json
`);
const READABLE = lines(`
  .vscode/settings.json docs/history.md HISTORY.md src/wallet.ts src/token.ts design-tokens.json keyboard.json monkey.txt
  src/auth.ts auth/index.ts package.json tsconfig.json settings.md history.txt config.yml tokenizer.json passwords.md turkey.csv
  schema.json logs/HEAD gradle.properties env.ts env.md env.example.md environments.json src/serviceAccountKey.ts
  keyBindings.json monkeyBars.txt tokenCount.json
`);

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
    ...SECRETS,
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
    ...READABLE,
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

describe("holdsKey", () => {
  const body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7";
  it.each([
    "-----BEGIN PRIVATE KEY-----\nx",
    `\n-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n${body}`,
    `${"certificate\n".repeat(2_000)}-----BEGIN EC PRIVATE KEY-----\n${body}`,
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${body}`,
    `-----BEGIN OPENSSH PRIVATE KEY-----\r\n${body}`,
    `const key = "-----BEGIN PRIVATE KEY-----\\n${body}"`,
    `  key: |\n    -----BEGIN PRIVATE KEY-----\n    ${body}`,
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "# created: today\nAGE-SECRET-KEY-1QQQ",
    "machine example.org login ada password x",
    "[default]\naws_secret_access_key = x",
    "//registry.npmjs.org/:_authToken=npm_x",
    "users:\n- user:\n    client-key-data: x",
    '{"type": "service_account", "project_id": "x"}',
    '{"version":3,"crypto":{"ciphertext":"ab"}}',
    `AKIA${"ABCDEFGH".repeat(2)}`,
    `region: x\nid: ASIA${"12345678".repeat(2)}`,
    `{"token": "ghp_${"aB3d".repeat(9)}"}`,
    `{"key": "sk-proj-${"aB3_".repeat(10)}"}`,
    `SLACK=xoxb-${"1234567890".repeat(2)}-x`,
    `maps: AIza${"a".repeat(35)}`,
    '{"x": 1, "private_key": "-----BEGIN PRIVATE KEY-----"}',
  ])("knows %j", (text) => {
    expect(holdsKey(text)).toBe(true);
  });
  it.each([
    "A key begins with -----BEGIN PRIVATE KEY----- and ends with -----END PRIVATE KEY-----.",
    "Keys begin with sk-, AKIA or ghp_, for example sk-test-123.",
    "a task-oriented, risk-averse-and-rather-long-hyphenated-name-of-a-thing",
    "-----BEGIN CERTIFICATE-----\nMIID",
    "-----BEGIN PUBLIC KEY-----\nMIID",
    "ssh-ed25519 AAAA ada@host",
    "The machine has a login and a password prompt.",
    "const type = 'service_account';",
    "",
  ])("leaves %j", (text) => {
    expect(holdsKey(text)).toBe(false);
  });
  it("takes linear time on much of one thing", () => {
    const pieces = ["-----BEGIN ", "-----BEGIN PRIVATE KEY-----\n", "a: b\n", " ", "machine a login "];
    expectLinearReading(holdsKey, pieces);
  });
});
